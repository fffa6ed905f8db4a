#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a script of this tree, as root, in a new chroot with the base system of Debian 12 and nothing else:
#   packaging/chroot.sh <script> <output folder> [arguments of the script]
# In the chroot /home/user/halocline has the tree's files, owned by the user "user", and /out is the output folder. Needs root,
# debootstrap, and a mirror of Debian (MIRROR). The base system is kept in build/chroot (CHROOT_CACHE) for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "chroot.sh: $*" >&2
  exit 2
}
[ $# -ge 2 ] || fail "usage: packaging/chroot.sh <script> <output folder> [arguments]"
[ -f "$1" ] || fail "there is no script $1; allowed is a file of this tree"
[ "$(id -u)" -eq 0 ] || fail "a chroot needs root"
command -v debootstrap >/dev/null || fail "there is no debootstrap; install the package debootstrap"
script=$1
mkdir -p "$2"
output=$(realpath "$2")
shift 2

cache=${CHROOT_CACHE:-build/chroot}
mkdir -p "$cache"
if [ ! -f "$cache/bookworm.tar" ]; then
  rm -rf "$cache/base"
  debootstrap --variant=minbase bookworm "$cache/base" ${MIRROR:+"$MIRROR"} >"$cache/debootstrap.log" ||
    fail "debootstrap failed; see $cache/debootstrap.log"
  tar -C "$cache/base" -cf "$cache/bookworm.tar.part" .
  rm -rf "$cache/base"
  mv "$cache/bookworm.tar.part" "$cache/bookworm.tar"
fi

root=$(mktemp -d "$(realpath "$cache")/run.XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
tar -C "$root" -xf "$cache/bookworm.tar"
chroot "$root" useradd --create-home --shell /bin/bash user
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ -e "$f" ] && printf "%s\0" "$f"; done' sh |
  tar --null -T - -cf - | { mkdir "$root/home/user/halocline" && tar -C "$root/home/user/halocline" -xf -; }
chroot "$root" chown -R user:user /home/user
mkdir -p "$root/out" "$root/dev/shm" "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$root/etc/hosts"
# The index, proxy and certificate that pip uses here.
passed=()
for name in PIP_INDEX_URL https_proxy http_proxy no_proxy; do
  if [ -n "${!name:-}" ]; then passed+=("$name=${!name}"); fi
done
if [ -n "${PIP_CERT:-}" ]; then
  cp "$PIP_CERT" "$root/etc/pip-certificates.crt"
  passed+=(PIP_CERT=/etc/pip-certificates.crt)
fi

# Mounts and processes end with the namespaces.
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child sh -c '
  root=$1 output=$2
  shift 2
  mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind -o ro /sys "$root/sys" && mount -t tmpfs tmpfs "$root/dev/shm" &&
    mount -t devpts devpts "$root/dev/pts" && mount --bind "$output" "$root/out" && exec chroot "$root" "$@"' \
  sh "$root" "$output" \
  /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  "${passed[@]}" bash "/home/user/halocline/$script" "$@" </dev/null
