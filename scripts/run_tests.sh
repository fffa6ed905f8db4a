#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs ctest in a build folder and counts cases rather than programs:
#   scripts/run_tests.sh build/release [arguments of ctest, such as -L unit]
# One more test than there are cores at once, as many wait for a timeout or for another rank: see PROCESSORS in
# cmake/HaloclineTests.cmake.
# Fails if a test fails, if no test ran, or if a program ran no case. Ends with "N passed, N failed".
# RUN_TESTS_TABLE names a file to which one line is appended: passed, failed, skipped, programs. Its name does not begin
# with HALOCLINE_, because programs warn of unknown variables of that prefix.
set -uo pipefail

folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
log=$folder/Testing/Temporary/LastTest.log
rm -f "$log"

ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(($("$here/jobs.sh") + 1))" "$@" </dev/null
status=$?

# LeakSanitizer's tracer sometimes crashes itself when a program ends while threads of MPI do: its words, behind tests that passed. Such
# programs run once more, and their first runs leave the log.
crashed=$(awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3; tracer = 0 } /^Tracer caught signal/ { tracer = 1 }
               /^Test Failed\./ { if (tracer) print name }' "$log" 2>/dev/null | paste -sd '|')
if [ -n "$crashed" ]; then
  echo "run_tests: once more, as LeakSanitizer crashed: $crashed" >&2
  failures=$(grep -c '^Test Failed\.' "$log")
  awk -v names="|$crashed|" '/^[0-9]+\/[0-9]+ Testing: / { left_out = index(names, "|" $3 "|") } !left_out' "$log" >"$log.first"
  if ctest --test-dir "$folder" --output-on-failure --no-tests=error -R "^($crashed)$" </dev/null &&
    [ "$failures" -eq "$(tr '|' '\n' <<<"$crashed" | wc -l)" ]; then
    status=0
  fi
  cat "$log.first" "$log" >"$log.both" && mv "$log.both" "$log"
fi

counts="0 0 0 0"
if [ -f "$log" ]; then counts=$(awk -f "$here/count_tests.awk" "$log"); fi
read -r passed failed skipped programs <<<"$counts"

# Tests that ctest counts as failed without a log, such as programs that were not built.
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
if [ $((passed + failed)) -eq 0 ]; then
  echo "run_tests: no test ran" >&2
  failed=1
fi
if [ -n "${RUN_TESTS_TABLE:-}" ]; then
  echo "$passed $failed $skipped $programs" >>"$RUN_TESTS_TABLE"
fi
echo
echo "$programs test programs ran $((passed + failed)) cases; $skipped more were skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
