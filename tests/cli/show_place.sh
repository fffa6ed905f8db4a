#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Says where a process of a job is, whatever MPI has started it: rank, processors that it may run on, GPUs that it sees. The node is
# what Slurm calls it, or else what is given.
processors=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "rank ${PMI_RANK:-$SLURM_PROCID} node ${SLURMD_NODENAME:-$1} processors $processors devices ${CUDA_VISIBLE_DEVICES:-unset}"
