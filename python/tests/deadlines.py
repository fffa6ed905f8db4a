# SPDX-License-Identifier: BSD-3-Clause
"""A job of several ranks: mpirun -n N python deadlines.py. The last one comes neither to rebalance() nor close(), nor to the next domain; the others wait
for it as long as `timeout`. Rank 0 prints "passed"."""

import time

from mpi4py import MPI

import halocline

world = MPI.COMM_WORLD
last = world.rank == world.size - 1
found = []


def error_of(call):
    try:
        call()
    except halocline.Error as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


begin = time.monotonic()
domain, other = (halocline.Domain((12, 10, 14), 1, {"u": "float32"}, comm=world, timeout=1) for _ in range(2))
if not last:
    late = error_of(other.rebalance)
    found.append("" if late.startswith("DeadlineError: ") and "rebalance()" in late else late)
    failed = time.monotonic()
    late = error_of(other.exchange)
    found.append("" if late != "no error" and time.monotonic() < failed + 0.5 else f"{late} after {time.monotonic() - failed} s")
    late = error_of(domain.close)
    found.append("" if late.startswith("DeadlineError: ") and "close()" in late else late)
    domain.close()  # of a domain that has failed
    late = error_of(lambda: halocline.Domain((12, 10, 14), 1, comm=world, timeout=1))
    found.append("" if late.startswith("DeadlineError: ") and "MPI_Comm_idup" in late else late)
    took = time.monotonic() - begin
    found.append("" if took < 30 else f"{took} s")
world.barrier()
if last:
    kept = halocline.Domain((12, 10, 14), 1, comm=world)  # completes the duplication that timed out, so that MPI ends
wrong = [text for texts in world.allgather(found) for text in texts if text]
if world.rank == 0:
    print("\n".join(wrong) or "passed", flush=True)
