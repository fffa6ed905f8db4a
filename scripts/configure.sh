#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures a build folder where that was not done with these options yet:
#   scripts/configure.sh build/release all -DHALOCLINE_MPI=AUTO
#   scripts/configure.sh build/release demo -DHALOCLINE_MPI=AUTO
# all: with tests, benchmarks and, where nvcc is found, CUDA. demo: without the former two, and without CUDA where there is
# no GPU. A folder that has all serves the demo too, and one of the demo is completed without compiling anything again.
# What changed in CMake's own files is noticed by the build, not here.
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
rm -f "$stamp"
cmake --preset "$(basename "$folder")" -B "$folder" "${options[@]}" "$@"
printf '%s\n%s\n' "$parts" "$wanted" >"$stamp"
