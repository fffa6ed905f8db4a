#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks the flag protocol of `direct` against the PTX memory model with Dartagnan: every case of cases.txt must have
# its
# listed verdict. DARTAGNAN is the folder of a Dat3M that was built as its README describes. Prints
# "case property expected seen", then "N passed, N failed"; exits 1 if any verdict differs, 2 if nothing can be
# checked, 77 if DARTAGNAN is not set. Usage: check.sh [case ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
model=ptx-v7.5
bound=2

if [ -z "${DARTAGNAN:-}" ]; then
  echo "check.sh: skipped: DARTAGNAN is not set; it is the folder of a built Dat3M (github.com/hernanponcedeleon/Dat3M)"
  exit 77
fi
cat_file=$DARTAGNAN/cat/$model.cat
program=$DARTAGNAN/dartagnan/target/dartagnan
jar=$program.jar
if [ ! -f "$cat_file" ]; then
  echo "check.sh: DARTAGNAN=$DARTAGNAN has no cat/$model.cat: it has to be the folder of a built Dat3M" >&2
  exit 2
fi
if [ -x "$program" ]; then
  dartagnan() { "$program" "$@"; }
elif [ -f "$jar" ]; then
  dartagnan() { java -jar "$jar" "$@"; }
else
  echo "check.sh: DARTAGNAN=$DARTAGNAN has neither dartagnan/target/dartagnan nor dartagnan.jar there: build it first" >&2
  exit 2
fi

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
export DAT3M_HOME="$DARTAGNAN" DAT3M_OUTPUT="$work/output"
mkdir "$work/output" "$work/final" "$work/ends" "$work/ends-OBE"

# Writes a file for each case into the folder of its property, and the list of cases. For each new program it adds a
# case "reached", whose condition no complete execution can meet: its failure shows that complete executions exist.
awk -F'|' -v here="$here" -v work="$work" -v wanted=" $* " '
  function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
  function wrong(what) { print "check.sh: cases.txt:" NR ": " what > "/dev/stderr"; bad = 1; exit 2 }
  # Instruction "from" becomes "to" in the column of a thread.
  function change(thread, from, to,    only, seen, column, i, cells, n, at, cell) {
    only = 0
    if (match(from, /@[0-9]+$/)) { only = substr(from, RSTART + 1); from = substr(from, 1, RSTART - 1) }
    seen = changed = 0
    for (i = 1; i <= lines; i++) {
      if (line[i] !~ /;$/ || line[i] !~ /\|/) continue
      n = split(substr(line[i], 1, length(line[i]) - 1), cells, "|")
      if (trim(cells[1]) ~ /^P0@/) {
        for (column = 1; column <= n && trim(cells[column]) !~ "^" thread "@"; column++) {}
        if (column > n) wrong("there is no thread " thread)
        continue
      }
      at = index(cells[column], from)
      if (at == 0 || (++seen != only && only != 0)) continue
      cell = cells[column]
      cells[column] = to == "-" ? " " : substr(cell, 1, at - 1) to substr(cell, at + length(from))
      changed++
      line[i] = cells[1]
      for (at = 2; at <= n; at++) line[i] = line[i] "|" cells[at]
      line[i] = line[i] ";"
    }
    if (!changed) wrong("no \"" from "\" in " thread)
  }
  function write(name, property, verdict, folder,    i, file) {
    if (wanted != "  " && index(wanted, " " name " ") == 0) return
    folder = property
    sub("/", "-", folder)
    file = work "/" folder "/" name ".litmus"
    for (i = 1; i <= lines; i++) print line[i] > file
    close(file)
    print name, property, verdict > (work "/cases")
  }
  /^#/ || /^[ \t]*$/ { next }
  {
    if (NF < 4 || (NF - 4) % 3 != 0) wrong(NF " columns; 4 are wanted, and 3 for each change")
    name = trim($1); source = trim($2); property = trim($3); verdict = trim($4)
    if (property !~ /^(final|ends|ends\/OBE)$/) wrong("property \"" property "\"; final, ends and ends/OBE are known")
    if (verdict !~ /^(PASS|FAIL)$/) wrong("verdict \"" verdict "\"; PASS and FAIL are known")
    if (name in known) wrong("a second case " name)
    known[name]
    lines = 0
    while ((status = (getline text < (here "/" source ".litmus"))) > 0) line[++lines] = text
    close(here "/" source ".litmus")
    if (lines == 0) wrong("there is no program " source ".litmus")
    for (i = 5; i <= NF; i += 3) {
      count = split(trim($i), threads, ",")
      for (t = 1; t <= count; t++) change(trim(threads[t]), trim($(i + 1)), trim($(i + 2)))
    }
    write(name, property, verdict)
    if (!(source in sources)) {
      sources[source]
      for (i = 1; i <= lines && line[i] !~ /^forall/; i++) {}
      if (i > lines) wrong(source ".litmus has no line that begins with forall")
      line[i] = "~exists (0 == 0)"
      write(source "-reached", "final", "FAIL")
    }
  }
  END { if (bad) exit 2 }' "$here/cases.txt" || exit 2
if [ ! -s "$work/cases" ]; then
  echo "check.sh: no case is named $*" >&2
  exit 2
fi

# verdicts FOLDER OPTION ...: one run of Dartagnan for all files of a folder. For the method that encodes the whole
# model see docs/decisions/0016-ptx-litmus.md.
verdicts() {
  folder=$1
  shift
  set -- "$@" "$work/$folder"/*.litmus
  for last; do :; done
  [ -f "$last" ] || return 0
  dartagnan "$cat_file" --method=eager --bound="$bound" "$@" >"$work/log" 2>&1
  awk -v folder="$folder" '
    /^Test: / { name = $2; sub(/.*\//, "", name); sub(/\.litmus$/, "", name) }
    /^Result: / { print name, $2 }' "$work/log" >>"$work/seen"
}
: >"$work/seen"
verdicts final --property=program_spec
verdicts ends --property=termination
verdicts ends-OBE --property=termination --modeling.progress=OBE

awk '
  BEGIN { printf "%-28s %-10s %-10s %s\n", "case", "property", "expected", "seen" }
  FNR == NR { seen[$1] = $2; next }
  {
    verdict = $1 in seen ? seen[$1] : "none"
    if (verdict == $3) passed++; else failed++
    printf "%-28s %-10s %-10s %s%s\n", $1, $2, $3, verdict, verdict == $3 ? "" : " <-- WRONG"
  }
  END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' "$work/seen" "$work/cases" && exit 0
tail -n 5 "$work/log" >&2
exit 1
