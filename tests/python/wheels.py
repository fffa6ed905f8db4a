# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel that packaging/python/wheel.sh makes, and uses it in new virtual environments without MPI and with each MPI.

    wheels.py WORK [SOURCE]

WORK: a folder for all files. SOURCE: sources that are used instead of this tree's if they are there, because they have been compiled. An MPI
that cannot be had is skipped by name. Prints "wheels: skipped: ..." and ends with 77 if PyPI cannot be reached.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
work = Path(sys.argv[1]).resolve()
source = Path(sys.argv[2]) if len(sys.argv) > 2 and Path(sys.argv[2], "pyproject.toml").exists() else root
tools = work / "tools"
passed = 0
failures = []
# What this process has of an MPI or a launcher is not the environments'.
clean = {key: value for key, value in os.environ.items() if not re.match(r"OMPI_|PMI|MPI4PY_|PYTHONPATH|HALOCLINE_|LD_LIBRARY_PATH", key)}
clean["HALOCLINE_BACKEND"] = "host"


def run(*command, timeout=300, **variables):
    return subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, env={**clean, **variables}, cwd=work
    )


def check(name, holds, output):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(name)
    print(f"{'ok' if holds else 'FAILED'}: {name}" + ("" if holds else f"\n{output}"), flush=True)


def skip(name, why):
    print(f"skipped: {name}: {why}", flush=True)


def environment(name, *packages):
    """The Python of a new virtual environment with the wheel and these packages; None if pip cannot install them."""
    folder = work / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin/python"
    ended = run(tools / "bin/pip", "--disable-pip-version-check", "--python", python, "install", "--quiet", wheel, *packages)
    if ended.returncode != 0:
        skip(name, ended.stdout.strip().splitlines()[-1])
        return None
    return python


def job(name, python, launcher, plugin, **variables):
    for ranks in (2, 4):
        ended = run(launcher, "-n", ranks, python, Path(__file__).with_name("wheel_ranks.py"), plugin, **variables)
        check(f"{name}: {ranks} ranks by {plugin}", re.search(r"^passed$", ended.stdout, re.M), ended.stdout)


def refused(name, python, plugin, kind, *texts, **variables):
    """A forced plug-in ends with an error of this kind that has these texts."""
    program = "from mpi4py import MPI\nimport halocline\nhalocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm=MPI.COMM_WORLD)"
    ended = run(python, "-c", program, HALOCLINE_MPI_PLUGIN=plugin, **variables)
    last = ended.stdout.strip().splitlines()[-1] if ended.stdout.strip() else ""
    holds = ended.returncode == 1 and f"halocline.errors.{kind}: HALOCLINE_MPI_PLUGIN is '{plugin}'" in last and all(text in last for text in texts)
    check(f"{name}: plug-in {plugin} is refused", holds, ended.stdout)


def debian_mpich():
    """The folder of libmpich.so.12 and the launcher of Debian's MPICH: installed, or unpacked beside the system's packages."""
    installed = glob.glob("/usr/lib/*/libmpich.so.12")
    if installed and shutil.which("mpiexec.mpich"):
        return Path(installed[0]).parent, shutil.which("mpiexec.mpich")
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return None
    folder = work / "debian_mpich"
    folder.mkdir(exist_ok=True)
    packages = ["libmpich12", "mpich", "libslurm38"]
    if len(list(folder.glob("*.deb"))) < len(packages):
        subprocess.run(["apt-get", "download", "--quiet", *packages], cwd=folder, capture_output=True, timeout=120)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder], check=True)
    found = list(folder.glob("usr/lib/*/libmpich.so.12"))
    return (found[0].parent, folder / "usr/bin/mpiexec.hydra") if found else None


# The wheel.
work.mkdir(parents=True, exist_ok=True)
shutil.rmtree(work / "dist", ignore_errors=True)
built = run(root / "packaging/python/wheel.sh", work / "dist", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", timeout=1500, SOURCE=str(source), TOOLS=str(tools), PYTHON=sys.executable)
if "pip cannot install" in built.stdout:
    print("wheels: skipped: PyPI cannot be reached:", built.stdout.strip().splitlines()[-1])
    sys.exit(77)
wheels = list((work / "dist").glob("*.whl"))
if built.returncode != 0 or len(wheels) != 1:
    print(built.stdout)
    sys.exit("FAILED: the wheel was not built")
(wheel,) = wheels
print(wheel.name)
contents = subprocess.run([sys.executable, "-m", "zipfile", "-l", wheel], capture_output=True, text=True).stdout
names = [line.split()[0] for line in contents.splitlines()[1:]]
check("the platform is a manylinux, and the name is of no GPU build", re.fullmatch(r"halocline-[0-9.]+-cp\d+-cp\d+-manylinux\S*_\w+\.whl", wheel.name), wheel.name)
plugins = sorted(name for name in names if name.startswith("halocline/_mpi_"))
check("a plug-in for each MPI", plugins == [f"halocline/_mpi_{name}.so" for name in ("mpich", "mpich_debian", "openmpi")], contents)
folders = {name.split("/")[0] for name in names}
check("nothing beside the package", not [name for name in folders if not re.fullmatch(r"halocline(\.libs|-[0-9.]+\.dist-info)?", name)], contents)
check("no MPI and no driver inside", not [name for name in names if re.search(r"libmpi|libmpich|libopen-|libcuda", name)], contents)

python = environment("without_mpi")
if python:
    program = (
        "import numpy as np, halocline\n"
        "with halocline.Domain((6, 5, 7), 1, {'u': 'int32'}, devices=2) as d:\n"
        "    whole = np.arange(210, dtype=np.int32).reshape(6, 5, 7)\n"
        "    d['u'].set(whole)\n    d.exchange()\n"
        "    padded = np.pad(whole, 1, mode='wrap')\n"
        "    assert all(np.array_equal(b.array, padded[tuple(slice(c.start, c.stop + 2) for c in b.cells)]) for b in d['u'].blocks)\n"
        "halocline.show_config()\n"
        "try:\n    halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, backend='cuda')\nexcept halocline.errors.CapabilityError as error:\n    print(error)\n"
        "import sys, types\n"
        "sys.modules['mpi4py'] = types.SimpleNamespace(MPI=types.SimpleNamespace(Get_library_version=lambda: 'Some MPI 1.0\\n'))\n"
        "halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm=types.SimpleNamespace(py2f=lambda: 0))\n"
    )
    ended = run(python, "-c", program)
    check("without MPI: cells", "halocline " in ended.stdout, ended.stdout)
    check("without MPI: GPUs are named as absent", "devices: host; no GPUs" in ended.stdout and "halocline-cuda" in ended.stdout, ended.stdout)
    check("without MPI: backend='cuda' is refused with what to install", "the wheel halocline-cuda" in ended.stdout, ended.stdout)
    check("without MPI: plug-ins are listed", "openmpi (libmpi.so.40), mpich_debian (libmpich.so.12), mpich (libmpi.so.12); none in use" in ended.stdout, ended.stdout)
    unknown = "mpi4py uses 'Some MPI 1.0', for which this halocline has no plug-in; it has openmpi (libmpi.so.40)"
    check("an MPI without a plug-in is refused", ended.returncode == 1 and unknown in ended.stdout, ended.stdout)

python = environment("with_mpi4py", "mpi4py>=4")
system = glob.glob("/usr/lib/*/libmpi.so.40")
if python and system and shutil.which("mpirun.openmpi"):
    variables = {"MPI4PY_LIBMPI": system[0], "MPIRUN": shutil.which("mpirun.openmpi")}
    job("the system's Open MPI", python, root / "scripts/mpirun.sh", "openmpi", **variables)
    refused("the system's Open MPI", python, "mpich", "CapabilityError", "for libmpi.so.12", "'Open MPI v", "in libmpi.so.40", "allowed is openmpi", **variables)
    refused("the system's Open MPI", python, "mpi5", "InvalidArgument", "allowed is one of openmpi (libmpi.so.40)", **variables)
elif python:
    skip("the system's Open MPI", "there is no libmpi.so.40 with mpirun.openmpi")
debian = debian_mpich() if python else None
if debian:
    folder, launcher = debian
    # mpi4py's wheel looks for its MPICH by the other name.
    names = work / "names"
    names.mkdir(exist_ok=True)
    (names / "libmpi.so.12").unlink(missing_ok=True)
    (names / "libmpi.so.12").symlink_to(folder / "libmpich.so.12")
    variables = {"MPI4PY_LIBMPI": str(folder / "libmpich.so.12"), "LD_LIBRARY_PATH": f"{folder}:{names}"}
    job("Debian's MPICH", python, launcher, "mpich_debian", **variables)
    refused("Debian's MPICH", python, "openmpi", "CapabilityError", "for libmpi.so.40", "'MPICH Version", "in libmpich.so.12", **variables)
elif python:
    skip("Debian's MPICH", "it is not installed, and apt-get cannot download it")

for name, plugin in (("mpich", "mpich"), ("openmpi", "openmpi")):
    python = environment(f"pypi_{name}", "mpi4py>=4", name)
    if python:
        job(f"PyPI's {name}", python, root / "scripts/mpirun.sh", plugin, MPIRUN=str(python.parent / "mpiexec"), PATH=f"{python.parent}:{clean['PATH']}")

print(f"cases passed: {passed}")
sys.exit(1 if failures or passed == 0 else 0)
