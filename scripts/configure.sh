#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures a build folder, unless it is configured with these options already:
#   scripts/configure.sh build/release all -DHALOCLINE_MPI=AUTO
#   scripts/configure.sh build/release demo -DHALOCLINE_MPI=AUTO
# all: with tests, benchmarks and, if nvcc is found, CUDA. demo: without tests and benchmarks, and without CUDA if there
# is no GPU. A folder of kind all also serves the demo; turning a demo folder into all recompiles nothing.
# CUDA is for the GPUs of this machine, or for the H100 and H200 if it has none, because each architecture takes a minute;
# CUDAARCHS or -DCMAKE_CUDA_ARCHITECTURES chooses others.
# The build itself notices changes of CMake files.
set -euo pipefail

folder=$1
parts=$2
shift 2
stamp=$folder/.configured_as

wanted="$*"
if [ -f "$stamp" ] && [ -f "$folder/build.ninja" ]; then
  { read -r had_parts && read -r had; } <"$stamp" || true
  if [ "${had-}" = "$wanted" ] && { [ "$had_parts" = all ] || [ "$parts" = demo ]; }; then exit 0; fi
  if [ "$had_parts" = all ]; then parts=all; fi
fi

options=(-DHALOCLINE_BUILD_TESTS=ON -DHALOCLINE_BUILD_BENCH=ON -DHALOCLINE_CUDA=AUTO)
if [ "$parts" = demo ]; then
  options=(-DHALOCLINE_BUILD_TESTS=OFF -DHALOCLINE_BUILD_BENCH=OFF)
  if nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    options+=(-DHALOCLINE_CUDA=AUTO)
  else
    options+=(-DHALOCLINE_CUDA=OFF)
  fi
fi
if [ -z "${CUDAARCHS-}" ]; then
  here=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -E '^[0-9]+\.[0-9]+$' | sort -u | tr -d . | paste -sd ';' || true)
  options+=("-DCMAKE_CUDA_ARCHITECTURES=${here:-90}")
fi
rm -f "$stamp"
cmake --preset "$(basename "$folder")" -B "$folder" "${options[@]}" "$@"
printf '%s\n%s\n' "$parts" "$wanted" >"$stamp"
