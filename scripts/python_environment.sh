#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes a virtual environment with the dependencies of the Python package and its tests, where CMake looks for one:
#   scripts/python_environment.sh build/python
# Returns at once if it exists with these versions. Without Python 3.11 or newer, its headers, or PyPI, it prints one
# line, and
# Halocline is built without its Python package.
set -uo pipefail
folder=$1
requirements=$(cd "$(dirname "$0")/.." && pwd)/python/requirements.txt

without() {
  echo "python_environment: the Python package is not built: $*" >&2
  rm -rf "$folder"
  exit 0
}

if cmp -s "$requirements" "$folder/.requirements.txt"; then exit 0; fi
command -v python3 >/dev/null 2>&1 || without "there is no python3"
python3 - <<'EOF' || without "$(python3 --version) is here; 3.11 or newer is needed, with its headers (python3-dev) and venv (python3-venv)"
import os, sys, sysconfig, ensurepip, venv
sys.exit(sys.version_info < (3, 11) or not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))
EOF
rm -rf "$folder"
python3 -m venv "$folder" || without "python3 -m venv failed"
"$folder/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 2 -r "$requirements" ||
  without "pip could not install what python/requirements.txt lists"
# Another MPI than the one of mpi4py and Halocline, for a test, which is skipped without.
"$folder/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 2 --no-deps --prefix "$folder/other_mpi" mpich==5.0.2 || true
cp "$requirements" "$folder/.requirements.txt"
