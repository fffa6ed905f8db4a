#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the place of a process of a job, for any MPI: node, rank, allowed processors, visible GPUs. The node is named
# by Slurm, or by the argument.
processors=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "rank ${PMI_RANK:-$SLURM_PROCID} node ${SLURMD_NODENAME:-$1} processors $processors devices ${CUDA_VISIBLE_DEVICES:-unset}"
