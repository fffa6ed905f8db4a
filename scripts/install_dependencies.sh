#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs missing dependencies, on Debian and Ubuntu:
#   scripts/install_dependencies.sh build          what `make demo` needs
#   scripts/install_dependencies.sh build test     and what `make test` needs
#   scripts/install_dependencies.sh lint           clang-format and clang-tidy
#   scripts/install_dependencies.sh docs           what `make docs` needs
# MPI=OFF leaves MPI out. Checks for programs and headers, not for packages, so that other installations
# count; a second run finds everything and takes no time.
set -euo pipefail

fail() {
  echo "install_dependencies: $*" >&2
  exit 1
}

# Whether the compiler or CMake would find a header.
header() {
  local folder triple
  triple=$(uname -m)-linux-gnu
  for folder in ${CPATH:+${CPATH//:/ }} ${CPLUS_INCLUDE_PATH:+${CPLUS_INCLUDE_PATH//:/ }} \
    /usr/include /usr/local/include "/usr/include/$triple"; do
    if [ -e "$folder/$1" ]; then return 0; fi
  done
  for folder in ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//[:;]/ }}; do
    if [ -e "$folder/include/$1" ]; then return 0; fi
  done
  return 1
}

program() { command -v "$1" >/dev/null 2>&1; }
compiler() { program "${CXX:-c++}" || program g++; }
module() { program pkg-config && pkg-config --exists "$1"; }

missing=()
wanted=()
# need <package> <probe> <argument>
need() {
  if ! "$2" "${@:3}"; then missing+=("$1"); fi
}
# want: the same for optional dependencies: installed together with needed ones, if available.
want() {
  if ! "$2" "${@:3}"; then wanted+=("$1"); fi
}

look_for_build() {
  need g++ compiler
  need cmake program cmake
  need ninja-build program ninja
  need make program make
  need pkg-config program pkg-config
  need libfmt-dev header fmt/core.h
  need nlohmann-json3-dev header nlohmann/json.hpp
  need libcli11-dev header CLI/CLI.hpp
  need libhwloc-dev header hwloc.h
  need libpng-dev header png.h
  need libxxhash-dev header xxhash.h
  want libscotch-dev header scotch/scotch.h
  want libucx-dev header ucp/api/ucp.h
  if [ "${MPI:-AUTO}" != OFF ]; then
    need libopenmpi-dev program mpicxx
    need openmpi-bin program mpirun
  fi
}

look_for_test() {
  need libgtest-dev header gtest/gtest.h
  need libgmock-dev header gmock/gmock.h
  need python3 program python3 # tests of documents
  need spin program spin
  need gcc program gcc # spin's checkers are C programs
  want dpkg-dev program dpkg-shlibdeps # for packages
  want python3-venv python_has ensurepip
  want python3-dev python_headers
  want iproute2 program tc # nodes that are namespaces
  want libsimgrid-dev header simgrid/s4u.hpp # an oracle
}

# Whether python3 has a module of its standard library; whether it has its headers.
python_has() { python3 -c "import $1" >/dev/null 2>&1; }
python_headers() { [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ]; }

look_for_lint() {
  need clang-format program clang-format
  need clang-tidy program clang-tidy
}

# Whether the Python that runs Sphinx has a module.
sphinx_module() {
  local python
  program sphinx-build || return 1
  python=$(sed -n '1s/^#!//p' "$(command -v sphinx-build)")
  ${python:-python3} -c "import $1" >/dev/null 2>&1
}

look_for_docs() {
  need python3 program python3
  need doxygen program doxygen
  need python3-sphinx program sphinx-build
  need python3-breathe sphinx_module breathe
  need python3-myst-parser sphinx_module myst_parser
}

look() {
  missing=()
  wanted=()
  local group
  for group in "${groups[@]}"; do "look_for_$group"; done
}

# Sets as_root to a prefix that runs a command as root; false if there is none.
become_root() {
  as_root=()
  if [ "$(id -u)" -eq 0 ]; then return 0; fi
  if ! program sudo; then return 1; fi
  as_root=(sudo)
  if [ ! -t 0 ]; then
    as_root=(sudo -n) # nobody is there to type a password
    sudo -n true 2>/dev/null || return 1
  fi
}

install_packages() {
  local by_hand="apt-get install ${missing[*]}"
  program apt-get || fail "these packages (Debian's names) are missing, and there is no apt-get here: ${missing[*]}"
  become_root || fail "these packages are missing: ${missing[*]}
  This user may not install them. As root:  $by_hand"
  echo "install_dependencies: installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  # A failing package source does not matter if the other sources have the packages.
  "${apt[@]}" update -qq || echo "install_dependencies: apt-get update complained; trying all the same" >&2
  "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" </dev/null ||
    fail "apt-get could not install: ${missing[*]}"
  if [ ${#wanted[@]} -gt 0 ]; then
    "${apt[@]}" install -y -qq --no-install-recommends "${wanted[@]}" </dev/null ||
      echo "install_dependencies: going on without ${wanted[*]}" >&2
  fi
}

# Packages that old distributions may have only in versions that are too old.
check_versions() {
  local version
  version=$(cmake --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p')
  if [ "$(printf '%s\n' 3.22 "$version" | sort -V | head -n 1)" != 3.22 ]; then
    fail "cmake is $version; 3.22 or newer is needed"
  fi
  if [ -z "${CXX:-}" ] && program g++; then
    version=$(g++ -dumpversion)
    if [ "${version%%.*}" -lt 11 ]; then fail "g++ is $version; 11 or newer is needed, or set CXX"; fi
  fi
}

groups=("$@")
if [ ${#groups[@]} -eq 0 ]; then groups=(build test); fi
for group in "${groups[@]}"; do
  case $group in
    build | test | lint | docs) ;;
    *) fail "'$group' is not a group; allowed are build, test, lint and docs" ;;
  esac
done

look
if [ ${#missing[@]} -gt 0 ]; then
  install_packages
  hash -r
  look
  if [ ${#missing[@]} -gt 0 ]; then fail "installed, but still not found: ${missing[*]}"; fi
fi
if program cmake; then check_versions; fi
