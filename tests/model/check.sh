#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Model-checks the protocol of the `direct` transport: the protocol must pass exhaustively, and every mutant must fail
# in
# exactly the ways that MODEL.cases lists. Prints "case expected seen"; exits 1 if any verdict differs, 2 if a tool is
# missing. A model takes one core, one to four minutes and under 2 GB. Usage: check.sh direct|packets|net|residency [case ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v spin >/dev/null || { echo "check.sh: spin not found" >&2; exit 2; }
cc=$(command -v gcc || command -v clang || command -v cc) || { echo "check.sh: no C compiler found" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

model=${1:-}
[ -f "$here/$model.cases" ] || { echo "check.sh: there is no model \"$model\": direct, packets, net and residency are known" >&2; exit 2; }
shift
wanted=" $* "
cases=0
wrong=0
optimize=-O0 # of what spin writes: for most cases to compile takes longer than to run
printf '%-34s %-56s %-56s %9s\n' case expected seen states

# check NAME EXPECTED [DEFINE ...]: EXPECTED is "pass" or the sorted, comma-separated verdicts of an exhaustive search
# that
# continues after errors (deadlock, and the verdict names of the model). check_cycles searches for cycles instead.
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
  if ! spin -a "$@" "$here/$model.pml" >spin.out 2>&1 ||
    ! "$cc" -w "$optimize" $build -DCOLLAPSE -DMEMLIM=1500 -DVECTORSZ=4096 -o pan pan.c >cc.out 2>&1; then
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

. "$here/$model.cases"

if [ $cases -eq 0 ]; then
  echo "check.sh: no case is named$wanted" >&2
  exit 2
fi
echo "$cases cases, $wrong wrong"
[ $wrong -eq 0 ]
