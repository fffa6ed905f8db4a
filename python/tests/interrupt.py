# SPDX-License-Identifier: BSD-3-Clause
"""A job of two ranks: rank 0 waits for an exchange that rank 1 does not start, and gets a signal. It ends with KeyboardInterrupt long
before the timeout, and rank 1 with an error that has the reason. Rank 0 prints "passed"."""

import signal
import time

from mpi4py import MPI

import halocline

world = MPI.COMM_WORLD
domain = halocline.Domain((16, 8, 8), 1, {"u": "float32"}, comm=world, timeout=60)
domain.exchange()

reason = ""
begin = time.monotonic()
if world.rank == 0:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        domain.exchange()
    except KeyboardInterrupt:
        reason = "KeyboardInterrupt"
    took = time.monotonic() - begin
    world.send(took, dest=1)
    try:
        domain.exchange()
        reason += ", and an exchange after it"
    except halocline.Error as error:
        reason += "" if "interrupted" in str(error) else str(error)
    theirs = world.recv(source=1)
    print("passed" if reason == "KeyboardInterrupt" and took < 5 and "interrupted" in theirs else f"{took} s: {reason}; {theirs}")
else:
    world.recv(source=0)
    try:
        domain.exchange()
    except halocline.Error as error:
        reason = str(error)
    world.send(reason, dest=0)
