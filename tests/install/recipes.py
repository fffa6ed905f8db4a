#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes for Spack and conda parse, set every option that would otherwise depend on what a machine has, and no others.

    recipes.py ROOT

Neither Spack nor conda runs here. Exit code 77 without PyYAML.
"""

import ast
import pathlib
import re
import sys

try:
    import yaml
except ImportError:
    print("install_recipes: skipped: no PyYAML")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
options = (root / "cmake/HaloclineOptions.cmake").read_text() + (root / "cmake/HaloclineDependencies.cmake").read_text()
known = set(re.findall(r"(?:option|set)\((HALOCLINE_\w+|BUILD_SHARED_LIBS)\b", options))
automatic = set(re.findall(r"set\((HALOCLINE_\w+) AUTO CACHE", options))
# Only tests use it.
automatic.discard("HALOCLINE_SIMGRID")
version = re.search(r"project\(halocline VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text()).group(1)
cases = 0
failures = []


def check(holds, message):
    global cases
    cases += 1
    if not holds:
        failures.append(message)


def check_options(recipe, used):
    check(used, f"{recipe} sets no option")
    for name in sorted(used):
        check(name in known, f"{recipe} sets {name}, which is no option of cmake/HaloclineOptions.cmake")
    for name in sorted(automatic):
        check(name in used, f"{recipe} leaves {name} to what the machine has")


# Spack: the names in define() and define_from_variant(), and that each variant that these name is there.
tree = ast.parse((root / "packaging/spack/package.py").read_text())
package = next(node for node in tree.body if isinstance(node, ast.ClassDef))
check(package.name == "Halocline", f"Spack's class is {package.name}")
calls = [node for node in ast.walk(package) if isinstance(node, ast.Call)]


def named(*names):
    return [call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) in names]


variants = {call.args[0].value for call in named("variant")} | {"cuda", "cuda_arch"}  # of CudaPackage
check_options("packaging/spack/package.py", {call.args[0].value for call in named("define", "define_from_variant") if not call.args[0].value.startswith("CMAKE_")})
for call in named("define_from_variant"):
    check(call.args[1].value in variants, f"Spack's {call.args[0].value} is from variant {call.args[1].value}, which there is not")
for call in named("depends_on", "conflicts", "extends"):
    for keyword in call.keywords:
        if keyword.arg == "when":
            for name in re.findall(r"[+~](\w+)", keyword.value.value):
                check(name in variants, f"Spack's '{call.args[0].value}' is for variant {name}, which there is not")

# conda: YAML, with expressions of Jinja in strings only.
folder = root / "packaging/conda"
meta = yaml.safe_load((folder / "meta.yaml").read_text())
check(meta["package"] == {"name": "halocline", "version": version}, f"conda's package is {meta['package']}, the project's version {version}")
check((folder / meta["source"]["path"]).resolve() == root.resolve(), "conda's source is not this tree")
for file in [*meta["test"]["source_files"], meta["about"]["license_file"]]:
    check((root / file).exists(), f"conda's recipe names {file}, which is not there")
keys = yaml.safe_load((folder / "conda_build_config.yaml").read_text())
used = set(re.findall(r"{{ (mpi|cuda_compiler_version) }}", meta["build"]["string"]))
check(used == set(keys), f"conda's build string names {sorted(used)}, the variants are {sorted(keys)}")
check_options("packaging/conda/build.sh", set(re.findall(r"-D(HALOCLINE_\w+|BUILD_SHARED_LIBS)=", (folder / "build.sh").read_text())))

for failure in failures:
    print("FAILED:", failure)
print(f"cases passed: {cases - len(failures)}")
sys.exit(1 if failures else 0)
