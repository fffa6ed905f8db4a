#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/lint.sh format               formats all C++ files
# scripts/lint.sh check build/release  fails if a file is not formatted, or if clang-tidy reports anything
# TIDY=regex restricts clang-tidy, which is slow, to matching files.
set -euo pipefail

cd "$(dirname "$0")/.."
mapfile -t files < <(find include src bindings cli apps bench examples tests -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' 2>/dev/null | sort)
[ ${#files[@]} -gt 0 ] || { echo "lint: no files" >&2; exit 1; }

case ${1:-} in
  format) clang-format -i "${files[@]}" ;;
  check)
    clang-format --dry-run --Werror "${files[@]}"
    # Only files of this build; headers are checked through the files that include them. Each file is compiled by itself
    # and without precompiled headers, so that a missing include is an error.
    commands=$2/lint
    cmake --preset release -B "$commands" -DHALOCLINE_PRECOMPILE=OFF -DHALOCLINE_BUILD_TESTS=OFF >/dev/null
    mapfile -t sources < <(sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$commands/compile_commands.json" |
      grep "^$PWD/\(src\|bindings\|cli\|apps\|bench\)/.*${TIDY:-}" | grep '\.cpp$' | sort -u)
    [ ${#sources[@]} -gt 0 ] || { echo "lint: no file that clang-tidy could look at in $2" >&2; exit 1; }
    printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(scripts/jobs.sh)" clang-tidy --quiet -p "$commands"
    ;;
  *) echo "lint: '${1:-}' is not known; allowed are format and check" >&2; exit 2 ;;
esac
