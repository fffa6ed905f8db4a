# Counts cases in ctest's log (Testing/Temporary/LastTest.log): prints "passed failed skipped programs".
#
# The summary of GoogleTest counts cases; if several ranks of an MPI job print one, the job counts once, with
# the worst summary. Other tests may print "cases passed: N", "N of M as expected", "N cases, M wrong", or
# "N passed, M failed"; without such a line a test is one case. Skipped tests are named on standard error.
# A program that exits with 0 but ran and skipped no case counts as one failure.

# Removes colours, which programs print if their launcher gives them a terminal.
{ gsub(/\033\[[0-9;]*m/, "") }

/^[0-9]+\/[0-9]+ Testing: / {
  name = $3
  own_passed = -1; own_failed = 0; own_skipped = 0; told = -1; absent = 0; ended = 0; no_cases = 0
  next
}
# A missing program, which ctest's log calls passed.
/^Command: ""/ { absent = 1; next }
# Launchers may prefix lines with the rank.
/\[  PASSED  \] [0-9]+ tests?\./ {
  match($0, /\[  PASSED  \] [0-9]+/)
  n = substr($0, RSTART + 13, RLENGTH - 13) + 0
  if (own_passed < 0 || n < own_passed) own_passed = n
  next
}
/\[  FAILED  \] [0-9]+ tests?, listed below/ {
  match($0, /\[  FAILED  \] [0-9]+/)
  n = substr($0, RSTART + 13, RLENGTH - 13) + 0
  if (n > own_failed) own_failed = n
  next
}
/\[  SKIPPED \] [0-9]+ tests?, listed below/ {
  match($0, /\[  SKIPPED \] [0-9]+/)
  n = substr($0, RSTART + 13, RLENGTH - 13) + 0
  if (n > own_skipped) own_skipped = n
  next
}
# A program that is skipped as a whole, which ctest's log calls passed.
/^[a-z_]+: no GPU$/ || /^[a-z_.]+: skipped: / { no_cases = 1; next }
/^cases passed: [0-9]+$/ { told = $3 + 0; next }
/[0-9]+ of [0-9]+ as expected/ {
  match($0, /[0-9]+ of [0-9]+ as expected/)
  told = substr($0, RSTART) + 0
  next
}
/^[0-9]+ cases, [0-9]+ wrong$/ { told = $1 - $3; own_failed = $3; next }
/^[0-9]+ passed, [0-9]+ failed$/ { told = $1; own_failed = $3; next }
/^Test time = / { ended = 1; next }
ended && /^Test [A-Z]/ {
  ended = 0
  programs++
  # "Test Passed.", or "Test Pass Reason:" if the test has a PASS_REGULAR_EXPRESSION.
  good = ($2 ~ /^Pass/ && !absent)
  if (own_passed < 0 && good && no_cases) { own_passed = 0; own_skipped = 1; skips[++names] = name }
  if (own_passed < 0) own_passed = (told >= 0) ? told : (good ? 1 : 0)
  if (!good && own_failed == 0) own_failed = 1
  # A program whose cases must fail (WILL_FAIL): its failure counts as one passed case.
  if (good && own_failed > 0) { own_passed = 1; own_failed = 0 }
  if (good && own_passed == 0 && own_skipped == 0) {
    print "count_tests: " name " passed without a single case" > "/dev/stderr"
    own_failed = 1
  }
  passed += own_passed; failed += own_failed; skipped += own_skipped
}
# Once for all ranks that print it.
/\[  SKIPPED \] [^ ]+\.[^ ]+$/ && !((name, $NF) in named) { named[name, $NF] = 1; skips[++names] = name ": " $NF }
END {
  for (i = 1; i <= names; i++) print "skipped: " skips[i] > "/dev/stderr"
  print passed + 0, failed + 0, skipped + 0, programs + 0
}
