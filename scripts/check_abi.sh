#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the binary interface of the shared library with the one of an earlier version, by abidiff (Debian's abigail-tools):
#   scripts/check_abi.sh [earlier ref, default the last tag v*] [ref, default HEAD]
# Builds both in build/abi/<commit>, once, with debug information, without CUDA, Fortran and the tool: minutes. Exit code 0 if programs that were linked with
# the earlier library run with the new one (functions may have been added), or if the new one has another SONAME, so that nobody links
# them by mistake; 1 if not; 2 if they cannot be compared. Options of C that grow at their end are compatible, but exit with 1, too: abidiff
# 2.2 cannot be told to pass them without passing other changes of them. Read the report.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "check_abi: $*" >&2
  exit 2
}
command -v abidiff >/dev/null || fail "there is no abidiff; install the package abigail-tools"
new=${2:-HEAD}
if [ $# -gt 0 ]; then
  old=$1
else
  old=$(git describe --tags --abbrev=0 --match 'v[0-9]*' "$new^" 2>/dev/null) ||
    fail "no tag v* is before $new; name what to compare with: scripts/check_abi.sh <ref>"
fi
for ref in "$old" "$new"; do
  git rev-parse --quiet --verify "$ref^{commit}" >/dev/null || fail "there is no commit $ref"
done

# library <ref>: prints the path of its library, which is built once for each commit.
library() {
  local folder library
  folder=build/abi/$(git rev-parse --short "$1^{commit}")
  library=$folder/build/src/libhalocline.so
  if [ ! -e "$library" ]; then
    rm -rf "$folder/source"
    mkdir -p "$folder/source"
    git archive "$1" | tar -C "$folder/source" -xmf -
    {
      cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-g -O0" -DBUILD_SHARED_LIBS=ON \
        -DHALOCLINE_BUILD_TESTS=OFF -DHALOCLINE_BUILD_APPS=OFF -DHALOCLINE_BUILD_BENCH=OFF -DHALOCLINE_CUDA=OFF -DHALOCLINE_FORTRAN=OFF \
        -DHALOCLINE_PYTHON=OFF
      cmake --build "$folder/build" --target halocline --parallel "$(scripts/jobs.sh)"
    } >"$folder/log.txt" 2>&1 || fail "$1 does not build; see $folder/log.txt"
  fi
  echo "$library"
}

soname() { objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'; }

before=$(library "$old")
after=$(library "$new")
status=0
abidiff --no-added-syms \
  --headers-dir1 "${before%/build/*}/source/include" --headers-dir1 "${before%/build/*}/source/bindings/c/include" \
  --headers-dir2 "${after%/build/*}/source/include" --headers-dir2 "${after%/build/*}/source/bindings/c/include" \
  "$before" "$after" || status=$?
# Bits: 1 error, 2 usage, 4 changed, 8 changed incompatibly.
if [ $((status & 3)) -ne 0 ]; then fail "abidiff ended with $status"; fi
if [ "$status" -eq 0 ]; then
  echo "check_abi: $new is compatible with $old ($(soname "$after"), $(nm -D --defined-only "$after" | grep -c ' [TW] ') functions)"
elif [ "$(soname "$before")" != "$(soname "$after")" ]; then
  echo "check_abi: $new differs from $old, and its SONAME does, too: $(soname "$before") and $(soname "$after")"
else
  echo "check_abi: $new is not compatible with $old, but has the same SONAME $(soname "$after"): raise the version in CMakeLists.txt, or keep what changed" >&2
  exit 1
fi
