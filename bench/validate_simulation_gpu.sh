#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares simulated exchanges with real ones on one node: measures the machine, then exchanges halos, and simulates the
# same exchange on the measured map.
#   bench/validate_simulation_gpu.sh OUT [CASE...]
# OUT gets the maps, both documents of each case, cases.csv and summary.txt. Without CASE, all of the table below run, which is made to
# take less than 3 minutes on 8 GPUs. HALOCLINE names the program (build/release/bin/halocline). On host devices (HALOCLINE_BACKEND=host) there are
# DEVICES of them (2). SIDES, MEASURE_SECONDS, REPEAT and STEADY make it quicker.
# Needs python3 and an MPI launcher.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)

# Edges of a device's cube, in cells: A to D in the table.
read -ra sides <<<"${SIDES:-64 128 256 512}"

# name ranks(one, all: a device each) side device-grid routes
# Grid: "-" as Halocline cuts, "slabs" in z alone, "bars" in x alone. One rank has no MPI between devices, so it is not staged.
seed=self,peer_copy,ipc_copy,mpi_staged
direct=self,direct,peer_copy,ipc_copy,mpi_staged
cases="
staged-A      all A -     mpi_staged
staged-B      all B -     mpi_staged
staged-C      all C -     mpi_staged
staged-slabs  all B slabs mpi_staged
seed-A        all A -     $seed
seed-B        all B -     $seed
seed-C        all C -     $seed
seed-D        all D -     $seed
seed-slabs    all C slabs $seed
seed-one      one C -     $seed
seed-one-D    one D -     $seed
direct-A      all A -     $direct
direct-B      all B -     $direct
direct-C      all C -     $direct
direct-D      all D -     $direct
direct-slabs  all C slabs $direct
direct-bars   all C bars  $direct
direct-one    one C -     $direct
direct-one-D  one D -     $direct
"

fail() {
  echo "validate_simulation_gpu: $*" >&2
  exit 1
}

[ $# -ge 1 ] || fail "usage: $0 OUT [CASE...]"
[ ${#sides[@]} -eq 4 ] || fail "SIDES is '${SIDES:-}'; allowed are four numbers"
halocline=$(realpath "${HALOCLINE:-build/release/bin/halocline}")
[ -x "$halocline" ] || fail "there is no program '$halocline'; HALOCLINE names another one"
out=$(realpath -m "$1")
shift
mkdir -p "$out"

on_ranks() { "$here/../scripts/mpirun.sh" -n "$1" "$halocline" "${@:2}"; }

if [ "${HALOCLINE_BACKEND:-}" = host ]; then
  devices=${DEVICES:-2}
  one=(--devices "$devices")
else
  devices=$(on_ranks 1 machine --json | python3 "$here/validate_simulation.py" devices)
  one=()
fi
seconds=${MEASURE_SECONDS:-24}

# ranks_of WORD, flags_of WORD: for the second word of a case.
ranks_of() { if [ "$1" = one ]; then echo 1; else echo "$devices"; fi; }
flags_of() { if [ "$1" = one ]; then echo "${one[@]}"; fi; }

measure() { # one or all, seconds
  local flags
  read -ra flags <<<"$(flags_of "$1")"
  on_ranks "$(ranks_of "$1")" machine "${flags[@]}" --measure --measure-seconds "$2" --json >"$out/$1.map.json"
}

run_case() { # the words of a line of the table
  local name=$1 side grid=() flags
  side=${sides[$(printf '%d' "'$3") - 65]}
  read -ra flags <<<"$(flags_of "$2")"
  case $4 in
    slabs) grid=(1 1 "$devices") ;;
    bars) grid=("$devices" 1 1) ;;
    *) read -ra grid <<<"$(python3 "$here/validate_simulation.py" grid "$devices")" ;;
  esac
  local exchange=(--size $((side * grid[0])) $((side * grid[1])) $((side * grid[2])) --radius 3 --fields 4xf32
    --device-grid "${grid[@]}" --transports "$5")
  echo "$name: $(ranks_of "$2") ranks, ${exchange[*]}" | tee -a "$out/commands.txt"
  # Both plan with one map: its measured rates decide between transports.
  on_ranks "$(ranks_of "$2")" exchange "${flags[@]}" --machine "$out/$2.map.json" "${exchange[@]}" --repeat "${REPEAT:-10}" --steady "${STEADY:-100}" \
    --json >"$out/$name.real.json" &&
    "$halocline" simulate --machine "$out/$2.map.json" "${exchange[@]}" --json >"$out/$name.simulated.json"
}

wanted=()
while read -ra words; do
  [ ${#words[@]} -gt 0 ] || continue
  if [ $# -gt 0 ] && [[ " $* " != *" ${words[0]} "* ]]; then continue; fi
  wanted+=("${words[*]}")
done <<<"$cases"
[ ${#wanted[@]} -gt 0 ] || fail "none of the cases is '$*'; allowed are: $(awk 'NF { printf "%s ", $1 }' <<<"$cases")"

{
  date -u
  nvidia-smi -L 2>/dev/null | sed 's/ (UUID.*//' || echo "$devices host devices"
} >"$out/commands.txt"
measure all "$seconds"
# With one device, "all" is one rank.
if [ "$devices" -eq 1 ]; then cp "$out/all.map.json" "$out/one.map.json"; else measure one "$(((seconds + 1) / 2))"; fi
names=()
failed=()
for line in "${wanted[@]}"; do
  read -ra words <<<"$line"
  # mpirun reads standard input.
  if run_case "${words[@]}" </dev/null; then names+=("${words[0]}"); else failed+=("${words[0]}"); fi
done
[ ${#names[@]} -gt 0 ] || fail "no case ran"
python3 "$here/validate_simulation.py" table "$out" "${names[@]}" | tee "$out/summary.txt"
[ ${#failed[@]} -eq 0 ] || fail "these cases failed: ${failed[*]}"
