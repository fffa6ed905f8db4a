#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# links_refused.sh <virtual_nodes.sh>
# Files of links that do not describe a network of four nodes are refused, by what is wrong.
set -u
launcher=$1
file=$(mktemp) passed=0 failed=0
trap 'rm -f "$file"' EXIT
nodes=$'0 s 1mbit\n1 s 1mbit\n2 s 1mbit\n3 s 1mbit'
refuses() {  # LINES TEXT: TEXT is in the error, and nothing is started
  printf '%s\n' "$1" >"$file"
  local output status=0
  output=$("$launcher" --nodes 4 --links "$file" -n 4 echo started 2>&1) || status=$?
  if [ "$status" -eq 2 ] && [[ $output == "virtual_nodes.sh: --links $file: "*"$2"* ]]; then
    passed=$((passed + 1))
  else
    echo "FAILED: exit code $status instead of 2, or no '$2' in: $output"
    failed=$((failed + 1))
  fi
}
refuses "$nodes"$'\n0 1' "line 5 is '0 1'; allowed are two ends and a rate"
refuses "$nodes"$'\n0 1 10' "allowed as a rate is a number above 0 with bit, kbit, mbit or gbit"
refuses "$nodes"$'\n0 1 0mbit' "allowed as a rate"
refuses "$nodes"$'\n0 4 1mbit' "allowed as an end is a node, 0 to 3, or a switch"
refuses "$nodes"$'\n0 01 1mbit' "allowed as an end"
refuses "$nodes"$'\nswitches s 1mbit' "allowed as an end"
refuses "$nodes"$'\n1 1 1mbit' "allowed are two different ends"
refuses "$nodes"$'\n0 1 1mbit\n1 0 1mbit' "line 6 is '1 0 1mbit'; these two nodes have a link already"
refuses "$nodes"$'\n0 t 1mbit' "node 0 has a link to a switch already"
refuses "$nodes"$'\ns t 1mbit\nt u 1mbit\nu s 1mbit' "line 7 is 'u s 1mbit'; the two ends are connected already"
refuses "0 s 1mbit" "node 1 has no link to a switch"
refuses "${nodes%s*}t 1mbit" "no links connect node 3 with node 0"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
