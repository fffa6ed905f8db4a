#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Counts warnings of slow paths in healthy jobs on host devices:
#   false_alarms.sh HALOCLINE JOBS
# Jobs differ in ranks, devices, cells, fields and transports. During each third job a process for each core keeps the machine busy.
# One line for each warning, then the counts. The exit code is 1 if there was any.
set -euo pipefail
program=$1 jobs=$2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HALOCLINE_BACKEND=host HALOCLINE_SLOW_PATHS=1
hogs=()
trap 'kill "${hogs[@]}" 2>/dev/null || true' EXIT
alarms=0 failed=0 busy=0
sizes=(16 32 48 64 96 128 192) fields=(1xf32 1xf64 3xf32 4xf64 1xi8 8xf32)
transports=(self,direct self,direct,mpi_staged self,ipc_copy,peer_copy,mpi_staged self,mpi_staged)
for ((job = 0; job < jobs; ++job)); do
  ranks=$((1 + job % 4))
  arguments=(exchange --size "${sizes[job % 7]}" --fields "${fields[job % 6]}" --devices-per-rank $((1 + job / 4 % 2)) --repeat 2 --steady 62)
  [ $((job % 5)) = 4 ] && arguments+=(--radius 3)
  transport=${transports[job / 3 % 4]}
  arguments+=(--transports "$transport")
  hogs=()
  if [ $((job % 3)) = 0 ]; then
    busy=$((busy + 1))
    for ((core = 0; core < $(nproc); ++core)); do
      (while :; do :; done) &
      hogs+=($!)
    done
  fi
  launch=()
  [ $ranks -gt 1 ] && launch=(mpirun --oversubscribe --bind-to none -n $ranks)
  if ! output=$("${launch[@]}" "$program" "${arguments[@]}" 2>&1 >/dev/null); then
    failed=$((failed + 1))
    echo "job $job failed: $ranks ranks, ${arguments[*]}: ${output//$'\n'/ }"
  elif grep -q 'slow path' <<<"$output"; then
    alarms=$((alarms + 1))
    echo "job $job: $ranks ranks, ${#hogs[@]} busy processes, ${arguments[*]}: $(grep 'slow path' <<<"$output")"
  fi
  for hog in "${hogs[@]}"; do kill "$hog"; done
  wait
  hogs=()
done
echo "jobs $jobs, on a busy machine $busy, failed $failed, false alarms $alarms"
[ $((alarms + failed)) = 0 ]
