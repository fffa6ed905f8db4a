#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which CUDA calls leave files in /dev/shm: runs gpu_ipc_files once for each, and lists the files that remain after both
# processes ended.
#   tests/gpu/shm/ipc_files.sh build/release/bin/gpu_ipc_files
set -euo pipefail
program=${1:?the program gpu_ipc_files}
left() { find /dev/shm -maxdepth 1 -name 'cuda*' -printf '%f (%s bytes)\n' | sort; }
for what in init export memory memory-kept event register; do
  before=$(left)
  "$program" "$what" || echo "  ended with $?"
  echo "  left behind by both: $(comm -13 <(echo "$before") <(left) | paste -sd,)"
done
