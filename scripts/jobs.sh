#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints how many compilers or test cores may run at once: one for each core, but at most one for each 1.5 GiB of
# memory.
# The limits of a container (cgroup v2 and v1) count as the machine's.
set -euo pipefail

cores=$(nproc)
mib=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)

if [ -r /sys/fs/cgroup/cpu.max ]; then
  read -r quota period </sys/fs/cgroup/cpu.max
  if [ "$quota" != max ]; then
    allowed=$(((quota + period - 1) / period))
    if [ "$allowed" -lt "$cores" ]; then cores=$allowed; fi
  fi
fi
for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
  if [ -r "$file" ]; then
    limit=$(cat "$file")
    # Without a limit, v2 prints "max" and v1 a huge number.
    if [ "$limit" != max ] && [ ${#limit} -lt 16 ] && [ $((limit / 1048576)) -lt "$mib" ]; then
      mib=$((limit / 1048576))
    fi
  fi
done

jobs=$((mib / 1536))
if [ "$jobs" -gt "$cores" ]; then jobs=$cores; fi
if [ "$jobs" -lt 1 ]; then jobs=1; fi
echo "$jobs"
