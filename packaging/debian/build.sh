#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages of this tree into <folder>/packages, for the release of Debian that runs this:
#   packaging/debian/build.sh [folder, default build/debian] [more options for CMake]
# Without CUDA, unless -DHALOCLINE_CUDA=ON is an option; the packages' names end in -cuda then. The Python package needs nanobind
# (scripts/python_environment.sh build/python). SOURCE_DATE_EPOCH is the date of the last commit, unless it is set.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/debian}
if [ $# -gt 0 ]; then shift; fi

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=0
  export SOURCE_DATE_EPOCH
fi
# Debian's folders, no paths to libraries in programs, and every optional part, as its packages always have the same contents.
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr \
  -DCMAKE_SKIP_INSTALL_RPATH=ON -DHALOCLINE_BUILD_TESTS=OFF -DHALOCLINE_BUILD_BENCH=OFF -DHALOCLINE_PYTHON_FOLDER=lib/python3/dist-packages \
  -DPython_EXECUTABLE="$PWD/build/python/bin/python" -DHALOCLINE_CUDA=OFF -DHALOCLINE_MPI=ON -DHALOCLINE_HWLOC=ON -DHALOCLINE_SCOTCH=ON -DHALOCLINE_UCX=OFF -DHALOCLINE_NCCL=OFF \
  -DHALOCLINE_XXHASH=ON -DHALOCLINE_PNG=ON -DHALOCLINE_FORTRAN=ON -DHALOCLINE_PYTHON=ON "$@"
cmake --build "$folder" --parallel "$(scripts/jobs.sh)"
rm -rf "$folder/packages"
(cd "$folder" && cpack -G DEB -B packages)
rm -rf "$folder/packages/_CPack_Packages"
ls "$folder/packages"
