#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and installs this tree twice, without a network, in folders, at times, and in environments that differ, and compares all installed
# files:
#   packaging/reproducible.sh [options for CMake]
# In build/reproducible. Exit code 1 if a file differs, 2 if a build fails. Minutes: the whole tree is compiled twice; -DHALOCLINE_BUILD_APPS=OFF
# leaves out the tool, and TARGETS="halocline_core halocline_comm" compares these libraries instead of an installation. Without Fortran: gfortran
# writes the path of the sources into messages of run-time errors, so that its library depends on the folder.
# Needs unshare (as root, or with user namespaces) and ip: without the loopback interface Open MPI's compiler prints a warning, which CMake takes
# for its flags.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/reproducible
rm -rf "$work"
mkdir -p "$work"
export SOURCE_DATE_EPOCH=1700000000
isolated=(unshare --net)
if [ "$(id -u)" -ne 0 ]; then isolated=(unshare --map-root-user --net); fi

# build <name> <folder of the sources> <more options for CMake>: installs into <name>/stage.
build() {
  local name=$1 source=$2
  shift 2
  mkdir -p "$source"
  git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -C "$source" -xf -
  # No compiler cache: it would return the objects of the first build.
  "${isolated[@]}" env CCACHE_DISABLE=1 bash -euo pipefail -c '
    ip link set lo up
    source=$1 build=$2 stage=$3 jobs=$4
    shift 4
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr \
      -DCMAKE_SKIP_INSTALL_RPATH=ON -DHALOCLINE_BUILD_TESTS=OFF -DHALOCLINE_BUILD_BENCH=OFF -DHALOCLINE_CUDA=OFF -DHALOCLINE_FORTRAN=OFF -DHALOCLINE_MPI=ON "$@"
    if [ -n "${TARGETS:-}" ]; then
      cmake --build "$build" --parallel "$jobs" --target $TARGETS
      mkdir -p "$stage"
      find "$build" \( -name "lib*.a" -o -name "lib*.so*" \) -exec cp -P {} "$stage" \;
    else
      cmake --build "$build" --parallel "$jobs"
      DESTDIR="$stage" cmake --install "$build"
    fi' bash "$source" "$source/build/$name" "$work/$name" "$(scripts/jobs.sh)" "$@" >"$work/$name.log" 2>&1 || {
    tail -n 20 "$work/$name.log" >&2
    echo "reproducible: the build '$name' failed; see $work/$name.log" >&2
    exit 2
  }
  (cd "$work/$name" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$work/$name.sha256"
  (cd "$work/$name" && find . -type l -printf '%p -> %l\n' | sort) >>"$work/$name.sha256"
}

LC_ALL=C TZ=UTC build first "$work/a" "$@"
sleep 2
(umask 027 && export LC_ALL=C.UTF-8 TZ=Asia/Tokyo HOME=/nonexistent && build second "$work/another/longer/folder" "$@")

count=$(wc -l <"$work/first.sha256")
if [ "$count" -lt "$([ -n "${TARGETS:-}" ] && echo 1 || echo 40)" ]; then
  echo "reproducible: only $count files were made" >&2
  exit 2
fi
if ! diff "$work/first.sha256" "$work/second.sha256"; then
  echo "reproducible: files differ" >&2
  exit 1
fi
echo "reproducible: $count files are the same"
