#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# laplace3d's comparison on the GPUs of this machine: bench/laplace3d.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]
# Numbers of GPUs: 1 2 unless given. Writes a CSV file and the table for each comparison. With MPI, schemes with a process a GPU are
# compared with those of one process, for each number of GPUs above 1.
set -euo pipefail

build=${1:?usage: bench/laplace3d.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]}
out=${2:?usage: bench/laplace3d.sh BUILD_FOLDER OUTPUT_FOLDER [COUNT ...]}
shift 2
counts=("$@")
[ ${#counts[@]} -gt 0 ] || counts=(1 2)
mkdir -p "$out"

# compare NAME FLAGS...: all schemes, alternately
compare() {
  local name=$1
  shift
  echo "# halocline run laplace3d --compare $*" | tee "$out/$name.txt"
  "$build/bin/halocline" run laplace3d --backend cuda --compare --csv "$out/$name.csv" "$@" | tee -a "$out/$name.txt"
}

compare check --sizes 64,130 --device-counts "${counts[@]}" --check --steps 40 --rounds 1
compare check-19-thick --sizes 64 --device-counts "${counts[@]}" --check --steps 40 --rounds 1 --stencil 19 --steps-per-exchange 2
compare sizes --sizes 64,128,192,256,384,512 --device-counts "${counts[@]}" --steps 500 --rounds 7
compare sizes-launch-threads --sizes 64,128,256,512 --device-counts "${counts[@]}" --steps 500 --rounds 7 --launch-threads
compare thick --sizes 64,128,256 --device-counts "${counts[@]}" --steps 500 --rounds 7 --steps-per-exchange 2
compare points-19 --sizes 64,128,256,512 --device-counts "${counts[@]}" --steps 500 --rounds 7 --stencil 19

here=$(dirname "$0")
for count in "${counts[@]}"; do
  [ "$count" -gt 1 ] || continue
  name=processes-$count
  flags=(--compare --check --sizes 64,128,256,512 --steps 500 --rounds 7)
  echo "# mpirun -n $count halocline run laplace3d ${flags[*]}" | tee "$out/$name.txt"
  "$here/../scripts/mpirun.sh" -n "$count" "$build/bin/halocline" run laplace3d --backend cuda --csv "$out/$name.csv" "${flags[@]}" |
    tee -a "$out/$name.txt"
done
