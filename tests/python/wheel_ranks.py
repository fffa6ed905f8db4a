# SPDX-License-Identifier: BSD-3-Clause
"""A job of two or more ranks with an installed wheel: mpiexec -n N python wheel_ranks.py <plug-in that is to be chosen>. Rank 0 prints
"passed"; the job ends by MPI_Abort, because its last case leaves a collective unfinished."""

import signal
import sys
import time

import numpy as np
from mpi4py import MPI

import halocline

world = MPI.COMM_WORLD
shape = (12, 10, 14)
whole = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
padded = np.pad(whole, 2, mode="wrap")
problems = []

# Each rank as a node of its own has messages by MPI; ranks of one node use shared memory.
for ranks_per_node in (1, world.size):
    with halocline.Domain(shape, 2, {"u": "float64"}, comm=world, ranks_per_node=ranks_per_node) as domain:
        domain["u"].set(whole)
        domain.exchange()
        for block in domain["u"].blocks:
            if not np.array_equal(block.array, padded[tuple(slice(c.start, c.stop + 4) for c in block.cells)]):
                problems.append(f"cells of rank {world.rank} with {ranks_per_node} ranks a node")
        if ("mpi_" in domain.explain()) != (ranks_per_node == 1):
            problems.append(f"routes with {ranks_per_node} ranks a node: {domain.explain()}")

chosen = halocline._mpi.description()
if f"in use {sys.argv[1]}, '" not in chosen:
    problems.append(f"{sys.argv[1]} is not in use: {chosen}")

# An error of the plug-in is one of the module's.
inter = MPI.COMM_SELF.Create_intercomm(0, world, world.rank ^ 1) if world.size % 2 == 0 else None
try:
    halocline.Domain(shape, 1, {"u": "int8"}, comm=inter)
    problems.append("an inter-communicator was taken")
except halocline.errors.InvalidArgument as error:
    if "inter-communicator" not in str(error):
        problems.append(str(error))

problems = [problem for of_rank in world.allgather(problems) for problem in of_rank]
# A signal ends a wait within the plug-in: for the duplicate of the communicator, which the other ranks do not make.
if world.rank == 0:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    begin = time.monotonic()
    try:
        halocline.Domain(shape, 1, {"u": "int8"}, comm=world, timeout=60)
        problems.append("a domain without the other ranks")
    except KeyboardInterrupt:
        if time.monotonic() - begin > 20:
            problems.append("the signal was handled late")
    print("passed" if not problems else "\n".join(problems), flush=True)
    time.sleep(0.5)  # the launcher passes the line on
    world.Abort(0)
time.sleep(60)
