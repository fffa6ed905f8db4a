#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts ranks on this machine, also more ranks than cores, as root or not:
#   scripts/mpirun.sh -n 4 program arguments...
# The flags depend on the MPI of mpirun. MPIRUN names another launcher than the one on the PATH.
set -euo pipefail

launcher=${MPIRUN:-$(command -v mpirun || command -v mpiexec || true)}
if [ -z "$launcher" ]; then
  echo "mpirun.sh: no mpirun on the PATH; install openmpi-bin or set MPIRUN" >&2
  exit 2
fi

flags=()
version=$("$launcher" --version 2>&1 || true)
case $version in
  *"Open MPI"* | *OpenRTE* | *PRRTE*)
    flags=(--oversubscribe --bind-to none)
    # Containers that filter system calls often forbid a process to read another one's memory; Open MPI then warns at
    # each message.
    if grep -q '^Seccomp:[[:space:]]*2' /proc/self/status 2>/dev/null; then
      export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
    fi
    if [ "$(id -u)" -eq 0 ]; then
      export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    ;;
  *) ;; # MPICH and its kin oversubscribe unasked and do not mind root
esac
exec "$launcher" "${flags[@]}" "$@"
