#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the packages of /out/packages one after the other and uses each, in a bare chroot as root; check.sh starts it. Each package has
# to bring what it needs: besides the packages themselves only what a user of that package chooses is installed, and named here.
set -euo pipefail
cd /home/user/halocline
export HALOCLINE_BACKEND=host

step() { printf '\n== %s\n' "$*"; }
install() { apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
package() {
  local found=(/out/packages/"$1"_*.deb)
  [ -f "${found[0]}" ] || { echo "there is no package $1 in /out/packages" >&2; exit 1; }
  echo "${found[0]}"
}
as_user() { su user -c "set -e; cd; $1"; }
# expect <words> <command of the user>
expect() {
  local printed
  printed=$(as_user "$2" 2>&1) || { printf '%s\n' "$printed" "FAILED: $2" >&2; exit 1; }
  grep -q -- "$1" <<<"$printed" || { printf '%s\n' "$printed" "FAILED: '$1' was not printed by $2" >&2; exit 1; }
  grep -- "$1" <<<"$printed" | head -n 3
}

apt-get update -qq
find / -xdev \( -path /home -o -path /proc -o -path /out -o -path /var -o -path /tmp \) -prune -o -iname '*halocline*' -print >/tmp/before

step "libhalocline0.1: all libraries that it needs are there"
install "$(package libhalocline0.1)"
library=$(ldconfig -p | awk '/libhalocline\.so\.0\.1/ { print $NF }')
[ -n "$library" ] || { echo "ldconfig does not know libhalocline.so.0.1" >&2; exit 1; }
if ldd "$library" | grep 'not found'; then exit 1; fi

step "halocline, with the MPI launcher that it recommends: an exchange on 4 ranks"
install "$(package halocline)" openmpi-bin
expect '^halocline 0' 'halocline --version'
expect 'verify: passed' 'halocline/scripts/mpirun.sh -n 4 halocline exchange --backend host --size 48 --radius 2 --fields 2xf32 --repeat 2 --verify'
expect '2 nodes of 6 devices' 'halocline partition --machine summit --nodes 2 --size 64'
as_user 'halocline profile --output profile.csv -- halocline/scripts/mpirun.sh -n 2 halocline exchange --backend host --size 16 --repeat 1 >/dev/null'
expect '^#\|,' 'head -n 2 profile.csv'

step "python3-halocline, with the mpi4py that it recommends: the heat equation on 1 and on 4 ranks"
install "$(package python3-halocline)" python3-mpi4py
expect '^0\.' 'python3 -c "import halocline; print(halocline.__version__)"'
expect '^passed$' 'python3 halocline/examples/heat.py'
expect '^passed$' 'halocline/scripts/mpirun.sh -n 4 python3 halocline/examples/heat.py'

step "libhalocline-dev, with CMake, make and Fortran: programs in C++, C and Fortran"
install "$(package libhalocline-dev)" cmake make gcc gfortran pkg-config
as_user 'cmake -S halocline/tests/install/consumer -B consumer -DHELLO_C=$HOME/halocline/examples/hello_halo.c \
  -DHELLO_FORTRAN=$HOME/halocline/examples/hello_halo.f90 >/dev/null && cmake --build consumer >/dev/null'
expect '2 subdomains, 432 cells, 0 wrong' consumer/consumer
expect '262144 cells, 0 wrong' consumer/hello_c
expect 'heat: 1000.000' consumer/hello_fortran
as_user 'halocline/scripts/mpirun.sh -n 2 consumer/consumer_mpi'
as_user 'g++ halocline/tests/install/consumer/main.cpp -o with_pkg_config $(pkg-config --cflags --libs halocline)'
expect '2 subdomains, 432 cells, 0 wrong' ./with_pkg_config
as_user 'gcc halocline/examples/hello_halo.c -o c_with_pkg_config $(pkg-config --cflags --libs halocline-c)'
expect '262144 cells, 0 wrong' ./c_with_pkg_config
as_user 'gfortran halocline/examples/hello_halo.f90 -o fortran_with_pkg_config $(pkg-config --cflags --libs halocline-fortran)'
expect 'heat: 1000.000' ./fortran_with_pkg_config

step "files are as packaged, and removal leaves none"
names=$(dpkg-query -W -f '${Package}\n' '*halocline*')
for name in $names; do
  dpkg --verify "$name"
  [ -s "/usr/share/doc/$name/copyright" ] || { echo "$name has no copyright" >&2; exit 1; }
done
# shellcheck disable=SC2086
apt-get purge -y -qq $names >/dev/null
find / -xdev \( -path /home -o -path /proc -o -path /out -o -path /var -o -path /tmp \) -prune -o -iname '*halocline*' -print >/tmp/after
diff /tmp/before /tmp/after
printf '\nall packages installed and used: %s\n' "$(echo "$names" | wc -l)"
