# SPDX-License-Identifier: BSD-3-Clause
"""The two kinds of draws: of code for the host, by the suites that need no GPU; and of the CUDA kernels, by the tests on GPUs.

A mutant on the host is chosen by MUTANT in the environment. A kernel has no environment: its number is a constant of the program, CHOSEN in mutant.hpp, which is
replaced in a copy of the programs.
"""

import collections.abc
import contextlib
import dataclasses
import pathlib
import shlex
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
#: Of mutant.hpp, as it is in a program's memory.
CHOSEN = (0x7E57C0DE).to_bytes(4, "little")
#: Bytes of files, so that a mutant cannot fill a disk; of memory, too, but for CUDA, which reserves addresses for all memory of the machine.
FILES, MEMORY = "-f 2000000", "-v 25000000"


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    folders: list
    sources: tuple  #: how the names end of the files that the build compiles
    options: list  #: of CMake
    tests: dict  #: tests of ctest, and the program of each
    mpi_tests: dict  #: where the build has MPI
    limits: str  #: of the shell
    counts_reached: bool  #: otherwise all parts may reach each mutant
    arguments: collections.abc.Callable  #: of the parser, besides those of the compiler whose command is given
    programs: collections.abc.Callable  #: a context with the folder in which the programs of a build have a mutant's number


def kernel_arguments(command):
    """As code of the host, with declarations of what nvcc has built in."""
    toolkit = pathlib.Path(shlex.split(command)[0]).resolve().parents[1] / "include"
    return ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-isystem", str(toolkit), "-isystem", str(toolkit / "cccl"), "-include", str(HERE / "cuda_builtins.hpp")]


@contextlib.contextmanager
def programs_with(build, number):
    """A folder that is as the build, with the number in its programs."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = pathlib.Path(name)
        for path in pathlib.Path(build).iterdir():
            if path.name != "bin":
                (folder / path.name).symlink_to(path)
        (folder / "bin").mkdir()
        found = 0
        for path in sorted((pathlib.Path(build) / "bin").iterdir()):
            content = path.read_bytes()
            found += content.count(CHOSEN)
            copy = folder / "bin" / path.name
            copy.write_bytes(content.replace(CHOSEN, number.to_bytes(4, "little")))
            copy.chmod(0o755)
        if found == 0:
            raise ValueError(f"{build}/bin has no program with mutants of kernels, or their code is compressed")
        yield folder


HOST = Kind(
    name="host",
    folders=["src/comm", "src/device", "src/exchange", "src/plan"],
    sources=(".cpp", "_cxx.cxx"),
    options=["-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DHALOCLINE_CUDA=OFF"],
    # With the cases that wait, and without those that compare times (cmake/HaloclineTests.cmake).
    tests={
        f"{name}(_waiting)?": name
        for name in ("unit_comm", "unit_device", "unit_hidden_gpus", "unit_out_of_memory", "unit_plan", "unit_joint", "unit_domain", "unit_exchange")
        + ("contract_net_ports", "contract_exchange", "property_exchange", "property_joint", "simulation")
    },
    mpi_tests={"mpi_comm_n[23]": "mpi_comm", "contract_exchange_mpi_n2": "contract_exchange_mpi", "session_.*": "session_program"},
    limits=f"{MEMORY} {FILES}",
    counts_reached=True,
    arguments=lambda command: [],
    programs=lambda build, number: contextlib.nullcontext(build),
)
KERNELS = Kind(
    name="kernels",
    folders=["src/device/cuda"],
    sources=(".cu",),
    options=["-DHALOCLINE_CUDA=ON", "-DCMAKE_CUDA_FLAGS=--no-compress"],
    tests={"gpu_device": "gpu_device", "gpu_exchange": "gpu_exchange"},
    mpi_tests={"gpu_exchange_mpi_n2": "gpu_exchange_mpi", "gpu_stress_direct": "gpu_stress"},
    limits=FILES,
    counts_reached=False,
    arguments=kernel_arguments,
    programs=programs_with,
)
KINDS = {kind.name: kind for kind in (HOST, KERNELS)}
