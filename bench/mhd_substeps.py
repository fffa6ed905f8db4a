#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Steps of mhd with one exchange for 1, 2, 3 and 6 substeps, on host devices, in rounds that take all of them in turn:

    bench/mhd_substeps.py HALOCLINE ROUNDS EDGE ... > substeps.csv

edge: cells of a device in each dimension, at least 18; four devices, 1 x 2 x 2. routes: shared (one rank, memory that all devices reach) or nodes (two
ranks as nodes of their own, staged through MPI). x has no halo. step_s: the median step, without overlap; compute_s, exchange_s: of a step,
each alone. updated: cells that a step computes in each substep, over the owned ones. bytes: of a step."""

import itertools
import json
import os
import subprocess
import sys

RADIUS = 3
CELL_STEPS = 1 << 20  # about so many of all devices are timed in a run


def updated(edge, substeps):
    boxes = [(edge + 2 * RADIUS * i) ** 2 * edge for i in range(substeps)]
    return sum(boxes) / substeps / edge**3


print("round,routes,edge,substeps,step_s,compute_s,exchange_s,updated,bytes")
for turn in range(int(sys.argv[2])):
    for routes, edge in itertools.product(("shared", "nodes"), map(int, sys.argv[3:])):
        steps = max(2, CELL_STEPS // (4 * edge**3))
        for substeps in (1, 2, 3, 6):
            run = f"run mhd --size {edge} {2 * edge} {2 * edge} --initial decaying --dt 1e-3 --no-overlap --parts --json --progress off"
            command = [sys.argv[1], *f"{run} --steps {steps} --warm-up 2 --substeps-per-exchange {substeps}".split()]
            env = {**os.environ, "HALOCLINE_BACKEND": "host"}
            if routes == "nodes":
                command = ["mpirun", "--oversubscribe", "-n", "2", *command, "--devices-per-rank", "2"]
                env |= {"HALOCLINE_RANKS_PER_NODE": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
            else:
                command += ["--devices", "4"]
            found = json.loads(subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout)
            sent = sum(row["bytes"] for row in found["transports"]) * 3 / substeps
            print(f"{turn},{routes},{edge},{substeps},{found['result']['step_s']['p50_s']:.6f},{found['model']['compute_s']:.6f},"
                  f"{found['model']['exchange_s']:.6f},{updated(edge, substeps):.4f},{sent:.0f}", flush=True)
