#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# messages_auto.sh <virtual_nodes.sh> <halocline> <folder>
# Two nodes of four ranks are measured, and an exchange with --messages auto on the measured map is right and explains itself. With
# given costs of messages, the choice is known.
set -u
launcher=$1 program=$2 work=$3
mkdir -p "$work"
export HALOCLINE_LOG=info
job=("$launcher" --nodes 2 -n 8 "$program")
"${job[@]}" machine --json >"$work/found.json" 2>"$work/errors.txt"
status=$?
cat "$work/errors.txt"
if [ "$status" -eq 77 ]; then exit 77; fi
failures=0
passes=0
expect() {
  if grep -qE "$1" <<<"$output"; then passes=$((passes + 1)); else echo "FAILED: no '$1' in: $output"; failures=$((failures + 1)); fi
}
"${job[@]}" machine --measure --measure-bytes 4096 --measure-seconds 20 --json >"$work/map.json"
output=$(grep -E 'software|messages' "$work/map.json")
# On a busy machine the times may fit no costs.
expect 'fitted to 5 exchanges between 2 nodes, of 16\^3 and 48\^3 cells|costs of messages left out: they explain'
exchange=(exchange --size 24 --repeat 2 --steady 10 --verify --messages auto --transports "self,direct,mpi_staged")
output=$("${job[@]}" "${exchange[@]}" --machine "$work/map.json" 2>&1)
expect 'messages   by_[a-z]+: (predicted for an exchange by_|the machine map has no times)'
expect 'verify: passed'
for case in 1e-2:by_node 1e-9:by_neighbour; do
  costs="\"software\": {\"mpi_overhead\": ${case%:*}, \"device_launch\": 1e-9, \"mpi_latency\": 1e-3},"
  sed "0,/\"name\"/s//$costs \"name\"/" "$work/found.json" >"$work/costs.json"
  output=$("${job[@]}" "${exchange[@]}" --machine "$work/costs.json" 2>&1)
  expect "messages   ${case#*:}: predicted"
  expect 'verify: passed'
  output=$("$program" explain --machine "$work/costs.json" --size 24 --messages auto --transports self,direct,mpi_staged)
  expect "messages   ${case#*:}: predicted"
done
echo "cases passed: $passes"
exit "$failures"
