#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Called by conda-build, in the sources, with PREFIX, SP_DIR, CMAKE_ARGS and the variants mpi and cuda_compiler_version.
set -euo pipefail

with_mpi=ON
if [ "$mpi" = nompi ]; then with_mpi=OFF; fi
with_cuda=ON
if [ "$cuda_compiler_version" = None ]; then with_cuda=OFF; fi

# shellcheck disable=SC2086
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DBUILD_SHARED_LIBS=ON \
  -DHALOCLINE_BUILD_APPS=ON -DHALOCLINE_BUILD_TESTS=OFF -DHALOCLINE_BUILD_BENCH=OFF -DHALOCLINE_MPI="$with_mpi" -DHALOCLINE_CUDA="$with_cuda" \
  -DHALOCLINE_HWLOC=ON -DHALOCLINE_PNG=ON -DHALOCLINE_XXHASH=ON -DHALOCLINE_SCOTCH=OFF -DHALOCLINE_UCX=OFF -DHALOCLINE_NCCL=OFF -DHALOCLINE_FORTRAN=OFF -DHALOCLINE_JAX=OFF \
  -DHALOCLINE_PYTHON=ON -DPython_EXECUTABLE="$PYTHON" -DHALOCLINE_PYTHON_FOLDER="${SP_DIR#"$PREFIX"/}"
cmake --build build/conda --parallel "$CPU_COUNT"
cmake --install build/conda
