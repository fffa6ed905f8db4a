#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a test, or skips it with the reason and exit code 77: skippable.sh [CONDITION]... -- COMMAND...
#   --modules PYTHON A,B   skips unless that Python imports the modules
#   --gpu                  skips on a machine without a GPU of NVIDIA
#   --if-it-says-so        skips if COMMAND ends with 0 and prints a line "skipped: REASON", maybe with a name before it
# ctest's SKIP_REGULAR_EXPRESSION would count a test as skipped that prints such a line and fails.
set -uo pipefail

skip() {
  echo "skippable.sh: skipped: $1"
  exit 77
}

says_so=
while [ "$1" != -- ]; do
  case $1 in
    --modules)
      for module in ${3//,/ }; do
        "$2" -c "import $module" 2>/dev/null || skip "no Python module $module"
      done
      shift 2 ;;
    --gpu) [ -e /dev/nvidiactl ] || skip "no GPU" ;;
    --if-it-says-so) says_so=yes ;;
    *) echo "skippable.sh: unknown condition $1" >&2; exit 2 ;;
  esac
  shift
done
shift

[ -n "$says_so" ] || exec "$@"
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
[ "$code" -eq 0 ] || exit "$code"
reason=$(sed -nE 's/^(-- )?([a-z_.]+: )?skipped: //p' <<<"$output" | head -n 1)
[ -z "$reason" ] || skip "$reason"
