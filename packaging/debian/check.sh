#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages, installs them in a bare chroot of Debian 12, and uses each:
#   packaging/debian/check.sh [build folder, default build/debian]
# On Debian 12, as root, with debootstrap; a few minutes in addition to the build. Prints the log; it is in <folder>/check, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/debian}
packaging/debian/build.sh "$folder"
rm -rf "$folder/check"
mkdir -p "$folder/check"
cp -r "$folder/packages" "$folder/check/packages"
packaging/chroot.sh packaging/debian/use.sh "$folder/check" 2>&1 | tee "$folder/check/log.txt"
