#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs ctest in a build folder and says how many cases ran, case by case rather than program by program:
#   scripts/run_tests.sh build/release [arguments of ctest, such as -L unit]
# As many run at once as there are cores: see PROCESSORS in cmake/HaloclineTests.cmake.
# Fails where a test fails, where no test ran, and where a program ran no case. Ends with "N passed, N failed".
# RUN_TESTS_TABLE names a file to which one line is added: passed, failed, skipped, programs. It has no HALOCLINE_ in
# front: the programs warn of variables of that kind that they do not read.
set -uo pipefail

folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
log=$folder/Testing/Temporary/LastTest.log
rm -f "$log"

ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$("$here/jobs.sh")" "$@" </dev/null
status=$?

counts="0 0 0 0"
if [ -f "$log" ]; then counts=$(awk -f "$here/count_tests.awk" "$log"); fi
read -r passed failed skipped programs <<<"$counts"

# What ctest counts as failed but has no log, such as a program that was not built.
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
