#!/bin/sh
# Model-checks the flag protocol of the `direct` transport: the protocol as decided must pass exhaustively, and every
# mutant must fail in exactly the ways named here. Prints "case expected seen"; exits 1 where any verdict differs, 2 where
# a tool is missing. One core, under 60 s and 2 GB. Usage: check.sh [case ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v spin >/dev/null || { echo "check.sh: spin not found" >&2; exit 2; }
cc=$(command -v gcc || command -v clang || command -v cc) || { echo "check.sh: no C compiler found" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

wanted=" $* "
cases=0
wrong=0
printf '%-34s %-56s %-56s %9s\n' case expected seen states

# check NAME EXPECTED [DEFINE ...]: EXPECTED is "pass" or the sorted, comma-separated verdicts of an exhaustive search that
# goes on after an error (deadlock, and the verdict names of direct.pml). check_cycles looks for cycles instead.
check() { run "-DSAFETY" "" "$@"; }
check_cycles() { run "-DNP" "-l" "$@"; }
run() {
  build=$1 search=$2
  shift 2
  name=$1 expected=$2
  shift 2
  case "$wanted" in "  " | *" $name "*) ;; *) return ;; esac
  cases=$((cases + 1))
  rm -f pan pan.*
  states=-
  if ! spin -a "$@" "$here/direct.pml" >spin.out 2>&1 ||
    ! "$cc" -w -O0 $build -DCOLLAPSE -DMEMLIM=1500 -o pan pan.c >cc.out 2>&1; then
    seen=not-built
  else
    timeout 60 ./pan -m20000 -c0 $search 2>&1 | awk '
      /^pan:[0-9]+: / {
        if ($0 ~ /invalid end state/) kind["deadlock"]
        else if ($0 ~ /non-progress cycle/) kind["cycle"]
        else if (match($0, /\|\|[a-z_]+\)/)) kind[substr($0, RSTART + 2, RLENGTH - 3)]
        else kind["unnamed-error"]
      }
      /max search depth too small|reached max depth|out of memory|memory limit|Search not completed/ { kind["incomplete"] }
      /errors: / { finished = 1; errors = $NF }
      /states, stored/ { states = $1 }
      END {
        n = 0
        if (!finished) kind["incomplete"]
        for (k in kind) names[++n] = k
        if (n == 0 && errors > 0) names[++n] = "unnamed-error"
        if (n == 0) names[++n] = "pass"
        for (i = 2; i <= n; i++)
          for (j = i; j > 1 && names[j] < names[j - 1]; j--) { t = names[j]; names[j] = names[j - 1]; names[j - 1] = t }
        line = names[1]
        for (i = 2; i <= n; i++) line = line "," names[i]
        print line, (states == "" ? "-" : states)
      }' >verdict
    read -r seen states <verdict || seen=no-verdict
  fi
  mark=
  if [ "$seen" != "$expected" ]; then
    mark=' <-- WRONG'
    wrong=$((wrong + 1))
  fi
  printf '%-34s %-56s %-56s %9s%s\n' "$name" "$expected" "$seen" "$states" "$mark"
}

# The protocol, exhaustively.
check in-place pass -DBUFFERS=1 -DEPOCHS=4
check two-buffers pass -DBUFFERS=2 -DEPOCHS=4
check two-buffers-index-word pass -DBUFFERS=2 -DEPOCHS=4 -DINDEX_WORD
check one-way-in-place pass -DBUFFERS=1 -DEPOCHS=4 -DONE_WAY
check one-way-two-buffers pass -DBUFFERS=2 -DEPOCHS=4 -DONE_WAY
check one-block-at-a-time pass -DBUFFERS=1 -DEPOCHS=4 -DSERIAL
check_cycles two-buffers-cycles pass -DBUFFERS=2 -DEPOCHS=2

# The flags.
check no-ready-wait data_race,flag_ahead,wrong_data,wrong_token -DMUTANT_NO_READY_WAIT -DBUFFERS=1 -DONE_WAY -DEPOCHS=3
check no-ready-wait-no-token data_race,flag_ahead,wrong_data -DMUTANT_NO_READY_WAIT -DNO_TOKEN -DBUFFERS=1 -DSERIAL -DEPOCHS=2
check no-ready-wait-one-way data_race,flag_ahead,wrong_data -DMUTANT_NO_READY_WAIT -DNO_TOKEN -DONE_WAY -DEPOCHS=4
check no-ready-wait-two-buffers flag_ahead -DMUTANT_NO_READY_WAIT -DNO_TOKEN -DEPOCHS=3
check no-arrived-wait data_race,flag_ahead,wrong_data,wrong_token -DMUTANT_NO_ARRIVED_WAIT -DBUFFERS=1 -DEPOCHS=2
check no-release-arrived data_race,wrong_data -DMUTANT_NO_RELEASE_ARRIVED -DBUFFERS=1 -DEPOCHS=2
check no-acquire-arrived data_race,wrong_data -DMUTANT_NO_ACQUIRE_ARRIVED -DBUFFERS=1 -DEPOCHS=2
check no-release-ready data_race,wrong_data,wrong_token -DMUTANT_NO_RELEASE_READY -DBUFFERS=1 -DONE_WAY -DEPOCHS=3
check no-release-ready-no-token data_race,wrong_data -DMUTANT_NO_RELEASE_READY -DNO_TOKEN -DBUFFERS=1 -DONE_WAY -DEPOCHS=3
check no-acquire-ready data_race,protocol_error,wrong_token -DMUTANT_NO_ACQUIRE_READY -DONE_WAY -DEPOCHS=3
check no-acquire-ready-no-token data_race -DMUTANT_NO_ACQUIRE_READY -DNO_TOKEN -DBUFFERS=1 -DEPOCHS=3
check relaxed-join data_race,wrong_data -DMUTANT_RELAXED_JOIN -DONE_WAY -DEPOCHS=3
check token-after-ready data_race,protocol_error,wrong_token -DMUTANT_TOKEN_AFTER -DONE_WAY -DEPOCHS=3
check early-shell wrong_data -DMUTANT_EARLY_SHELL -DBUFFERS=1 -DONE_WAY -DEPOCHS=3

# The epoch.
check early-epoch deadlock,flag_ahead,protocol_error,wrong_token -DMUTANT_EARLY_EPOCH -DEPOCHS=2
check baked-epoch data_race,deadlock,flag_ahead,wrong_data,wrong_token -DMUTANT_BAKED_EPOCH -DBUFFERS=1 -DEPOCHS=2

# The order of the blocks.
check receive-before-send deadlock -DSERIAL -DMUTANT_RECEIVE_FIRST -DEPOCHS=2
check signal-last deadlock -DSERIAL -DMUTANT_SIGNAL_LAST -DEPOCHS=2

# The buffer index. A frozen graph that is noticed raises protocol_error and nothing else.
check frozen-one protocol_error -DFROZEN_ONE -DEPOCHS=3
check frozen-one-no-token wrong_data -DFROZEN_ONE -DNO_TOKEN -DEPOCHS=3
check frozen-one-silent deadlock -DFROZEN_ONE -DMUTANT_SILENT_REFUSAL -DEPOCHS=3
check_cycles frozen-one-retry cycle -DFROZEN_ONE -DMUTANT_RETRY -DONE_WAY -DEPOCHS=3
check frozen-one-one-way protocol_error -DFROZEN_ONE -DONE_WAY -DEPOCHS=3
check frozen-one-one-way-silent deadlock,protocol_error -DFROZEN_ONE -DONE_WAY -DMUTANT_SILENT_REFUSAL -DEPOCHS=3
check frozen-one-one-way-unmarked protocol_error,sides_disagree,wrong_data -DFROZEN_ONE -DONE_WAY -DMUTANT_UNMARKED_REFUSAL -DEPOCHS=2
check frozen-both wrong_data -DFROZEN_BOTH -DEPOCHS=3
check frozen-both-index-word protocol_error -DFROZEN_BOTH -DINDEX_WORD -DEPOCHS=3

if [ $cases -eq 0 ]; then
  echo "check.sh: no case is named$wanted" >&2
  exit 2
fi
echo "$cases cases, $wrong wrong"
[ $wrong -eq 0 ]
