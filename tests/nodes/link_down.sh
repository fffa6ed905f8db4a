#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# link_down.sh <virtual_nodes.sh> <halocline> [--transports LIST]
# The link of a node goes down while four ranks on two nodes exchange. Requires that each rank ends with an error that
# names pair, transport and step, within the timeout and some slack.
set -uo pipefail
launcher=$1 program=$2
shift 2
down=6 timeout=2 slack=6 launcher_ends=10
limit=$((down + timeout + slack + launcher_ends))
begun=$EPOCHSECONDS
# Each line after the seconds at which it came: the launcher takes seconds more to end.
output=$(timeout "$limit" "$launcher" --unplug "1:$down" -n 4 "$program" exchange --size 16 --repeat 1 --steady 100000000 \
  --timeout "$timeout" "$@" 2>&1 | while IFS= read -r line; do echo "$((EPOCHSECONDS - begun)) $line"; done)
status=$?
echo "$output"
if grep -q 'virtual_nodes.sh: skipped: ' <<<"$output"; then exit 77; fi
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
pair='subdomain [0-3] -> [0-3] \((mpi_[a-z]+|net|direct), rank [0-3] -> rank [0-3]\)'
for rank in 0 1 2 3; do
  line=$(grep -aE "^[0-9]+ halocline: error: rank $rank: " <<<"$output") || { fail "rank $rank has no error"; continue; }
  # Driven by the host, or by a flag that does not come.
  grep -qE "exchange [0-9]+ is late by more than 2 s: $pair|$pair, waiting for .*at epoch [0-9]+" <<<"$line" ||
    fail "rank $rank does not name step, pair and transport"
  [ "${line%% *}" -le $((down + timeout + slack)) ] || fail "rank $rank's error came after ${line%% *} s"
done
[ "$status" -ne 124 ] || fail "the job did not end within $limit s"
[ "$failures" -eq 0 ] && echo "1 passed, 0 failed"
exit "$failures"
