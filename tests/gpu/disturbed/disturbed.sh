#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# disturbed.sh <mpiexec> <its flags> <gpu_disturbed> <halocline> trap|full|tight|two_jobs <transport>
# Two ranks whose GPUs are disturbed; then the next job, which has to verify each cell.
#   trap      a kernel of rank 1 traps: both ranks have an error within the timeout and some slack; rank 1's names the failure, rank
#             0's names rank 1 or the pair that waited
#   full      no device has 4 MiB left: realize() throws on both ranks, with the same words; once there is memory, the next domain of
#             the same processes works
#   tight     the same with less than 64 MiB left, in which a rank's field has no room
#   two_jobs  two jobs on the same GPUs at the same time: both verify
# In each case nothing hangs, no rank ends by a signal, and no shared memory of Halocline's is left.
# Exits with 77 if it is skipped.
set -u
mpiexec=$1 flags=$2 program=$3 halocline=$4 what=$5 transport=$6
seconds=${DISTURBED_SECONDS:-5}
slack=6
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2012  # names of shared memory
before=$(ls /dev/shm | sort)
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# The next job, or one of two at once.
job() {
  # shellcheck disable=SC2086
  timeout 90 "$mpiexec" ${flags//;/ } -n 2 "$halocline" exchange --size 96 80 72 --radius 2 --fields 2xf32 --repeat 20 --steady 200 \
    --verify --transports="$transport,self" 2>&1
}

# shellcheck disable=SC2086
output=$(timeout 60 "$mpiexec" ${flags//;/ } -n 2 "$program" "$what" "$transport,self" "$seconds" "$folder" 2>&1)
code=$?
echo "$output"
if grep -q '^gpu_disturbed: skipped: ' <<<"$output"; then exit 77; fi
if [ "$what" = two_jobs ]; then
  job >"$folder/first" &
  job >"$folder/second" || fail "the second of two jobs"
  wait $! || fail "the first of two jobs"
  [ "$failures" -eq 0 ] || cat "$folder/first" "$folder/second"
else
  [ "$code" -ne 124 ] || fail "no end within 60 s"
  grep -qE 'Signal:|on signal|unexpected: ' <<<"$output" && fail "a rank ended by a signal, or by another error"
  for rank in 0 1; do
    line=$(cat "$folder/rank-$rank" 2>/dev/null) || { fail "rank $rank has no report"; continue; }
    echo "rank $rank: $line"
    took=$(sed -E 's/^after ([0-9.]+) s.*/\1/' <<<"$line")
    awk -v t="$took" -v most="$((seconds + slack))" 'BEGIN { exit !(t <= most) }' || fail "rank $rank took $took s"
    took=$(sed -E 's/^.* closed within ([0-9.]+) s: .*/\1/' <<<"$line")
    awk -v t="$took" -v most="$slack" 'BEGIN { exit !(t <= most) }' || fail "rank $rank closed its domain within $took s"
    case $what in
      full | tight) grep -qi 'memory' <<<"$line" || fail "rank $rank: memory is not named" ;;
      trap)
        if [ "$rank" = 1 ]; then
          grep -qiE 'launch failure|trap|illegal instruction' <<<"$line" || fail "rank 1: its failure is not named"
        else
          grep -qE 'rank 1|subdomain [0-9]+ -> [0-9]+' <<<"$line" || fail "rank 0: neither rank 1 nor a pair is named"
        fi
        ;;
    esac
  done
  if [ "$what" = full ] || [ "$what" = tight ]; then
    words() { sed -E 's/^[^:]*: //' "$folder/rank-$1"; }
    [ "$(words 0)" = "$(words 1)" ] || fail "the ranks' errors differ"
  fi
fi

next=$(job) || { fail "the next job"; echo "$next"; }
# shellcheck disable=SC2012
left=$(comm -13 <(echo "$before") <(ls /dev/shm | sort) | grep -i halocline)
[ -z "$left" ] || fail "left in /dev/shm: $left"
[ "$failures" -eq 0 ] && echo "1 passed, 0 failed"
exit "$failures"
