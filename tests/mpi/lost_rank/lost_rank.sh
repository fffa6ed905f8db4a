#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# lost_rank.sh <mpiexec> <its flags> <program> <transport> stopped|killed|left [by_node]
# Starts 4 ranks of which one is lost in the middle of an exchange. Requires that the three others get, within the configured
# time and some slack, an error that names pair, transport and step; and that none of their shared memory is left. If a rank
# leaves without close(): at once, an error that names it. LOST_RANK_SECONDS is that time (2; it also applies to set-up). The
# launcher is stopped after LOST_RANK_LIMIT seconds (60). LOST_RANK_NODES: ranks are on several nodes, and need not name the rank itself.
# A job in which a rank reports nothing runs again, at most LOST_RANK_TRIES times (1): between nodes, Open MPI 4.1.4 over TCP sometimes does
# not return from MPI_Testsome after a connection was reset.
# Exits with 77 if the program is skipped.
set -u
mpiexec=$1 flags=$2 program=$3 transport=$4 fate=$5 messages=${6:-}
seconds=${LOST_RANK_SECONDS:-2}
slack=6
limit=${LOST_RANK_LIMIT:-60}
if [ "$fate" = left ]; then seconds=20; fi
# Open MPI ends the whole job when one rank dies, unless told otherwise.
recovery=
if "$mpiexec" --version 2>&1 | grep -qi 'open mpi\|openrte'; then recovery=--enable-recovery; fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
before=$(ls /dev/shm | sort)
for ((try = 1; try <= ${LOST_RANK_TRIES:-1}; ++try)); do
  rm -f "$folder"/survivor-*
  # shellcheck disable=SC2086
  output=$(timeout "$limit" "$mpiexec" ${flags//;/ } $recovery -n 4 "$program" "$transport" "$fate" "$seconds" "$folder" \
    $messages 2>&1)
  echo "$output"
  reports=("$folder"/survivor-[023])
  [ ${#reports[@]} -lt 3 ] || break
  grep -q '^skipped: ' <<<"$output" && break
done
cat "$folder"/survivor-* 2>/dev/null
if grep -q '^skipped: ' <<<"$output"; then exit 77; fi
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
for rank in 0 2 3; do
  line=$(cat "$folder/survivor-$rank" 2>/dev/null) || { fail "rank $rank has no report"; continue; }
  if [ "$fate" = left ]; then
    grep -q 'rank 1 left without close()' <<<"$line" || fail "rank $rank: the rank that left is not named"
  fi
  took=$(sed -E 's/^survivor [0-9]+ after ([0-9.]+) s.*/\1/' <<<"$line")
  most=$((seconds + slack))
  if [ "$fate" = left ]; then most=2; fi  # a second, and one more where many processes share few cores
  awk -v t="$took" -v most="$most" 'BEGIN { exit !(t <= most) }' || fail "rank $rank took $took s"
  grep -qE 'deadline|communication' <<<"$line" || fail "rank $rank: no error of the right kind"
  [ "$fate" = left ] && continue  # it need not have waited for anything yet
  grep -q "$transport" <<<"$line" || fail "rank $rank: the transport is not named"
  grep -qE 'subdomain [0-9]+ -> [0-9]+' <<<"$line" || fail "rank $rank: the pair is not named"
  grep -qE 'epoch [0-9]+|exchange [0-9]+' <<<"$line" || fail "rank $rank: the step is not named"
  # Rolls are called within a node.
  [ -n "${LOST_RANK_NODES:-}" ] || grep -q 'rank 1 of MPI_COMM_WORLD is missing' <<<"$line" || fail "rank $rank: the missing rank is not named"
done
left=$(comm -13 <(echo "$before") <(ls /dev/shm | sort) | grep -i halocline)
[ -z "$left" ] || fail "left in /dev/shm: $left"
# Command lines that begin with the program and have this test's folder: neither the launcher nor other tests' ranks.
pkill -9 -f "^$program .*$folder" && fail "processes were left"
[ "$failures" -eq 0 ] && echo "1 passed, 0 failed"
exit "$failures"
