#!/usr/bin/env bash
# Configures a build folder where that was not done with these options yet:
#   scripts/configure.sh build/release ON -DHALOCLINE_MPI=AUTO
# The second argument says whether tests and benchmarks are wanted; a folder that has them serves those who
# do not want them too. What changed in CMake's own files is noticed by the build, not here.
set -euo pipefail

folder=$1
tests=$2
shift 2
stamp=$folder/.configured_as

wanted="$*"
if [ -f "$stamp" ] && [ -f "$folder/build.ninja" ]; then
  { read -r had_tests && read -r had; } <"$stamp" || true
  if [ "${had-}" = "$wanted" ] && { [ "$had_tests" = ON ] || [ "$tests" = OFF ]; }; then exit 0; fi
  if [ "$had_tests" = ON ]; then tests=ON; fi
fi

rm -f "$stamp"
cmake --preset "$(basename "$folder")" -B "$folder" \
  -DHALOCLINE_BUILD_TESTS="$tests" -DHALOCLINE_BUILD_BENCH="$tests" "$@"
printf '%s\n%s\n' "$tests" "$wanted" >"$stamp"
