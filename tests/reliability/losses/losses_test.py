#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""losses.py with ends of jobs that are made up: which of them it lets pass."""

import argparse
import dataclasses
import sys

import losses

failures = []
tried = 0

CASE = losses.Case(ranks=3, transport="direct", nodes_of=0, more="none", recovery=True, lost=1, kind="mpi", number=5, fate="killed")
MISSING = "deadline: rank 1 of MPI_COMM_WORLD is missing: "
LATE = MISSING + "exchange 2 is late by more than 3 s: subdomain 1 -> 0 (direct, rank 1 -> rank 0)"
GATHER = MISSING + "all_gather (rank 0 of 3, timeout 3 s) was not done before its deadline in plan()"


def rank(error, phase="exchange 2", failed=103.1, begun=99.0):
    return losses.Rank(pid=7, phase=phase, begun=begun, error=error, failed=failed, end=failed)


def result(*others, **more):
    ranks = [others[0], losses.Rank(pid=8, phase="exchange 2", begun=99.0), others[1]]
    whole = {"ranks": ranks, "struck": ["100.0", "MPI_Start", "5", "exchange 2"], "code": 0, "err": "", "processes": [], "memory": [], "seconds": 4.0}
    return losses.Result(**(whole | more))


def expect(what, wanted, one, case=CASE):
    """wanted: what is wrong, or nothing."""
    global tried
    tried += 1
    wrong, _ = losses.judge(case, one, slack=1.0, seconds=3.0)
    if [text for text in wrong if wanted not in text or not wanted] or bool(wrong) != bool(wanted):
        failures.append(f"{what}: {wrong}")


def expect_seeds(what, wanted, **options):
    """wanted: what all cases of the seeds that are chosen have in common."""
    global tried
    tried += 1
    counts = {"mpi": 100, "step": 100, "system": 100, "futex": 100}
    given = argparse.Namespace(**({"first": 7, "runs": 20, "seed": None, "backend": "host", "transport": None, "kind": None, "fate": None} | options))
    seeds = list(losses.seeds_of(given, counts))
    cases = [losses.case_of(seed, counts, given.backend) for seed in seeds]
    if len(seeds) != given.runs or min(seeds) < given.first or len(set(seeds)) != len(seeds) or not all(wanted(case) for case in cases):
        failures.append(f"{what}: {seeds}")


def main():
    expect_seeds("all seeds", lambda case: True)
    expect_seeds("seeds of a transport", lambda case: case.transport == "net", transport="net")
    expect_seeds("seeds of a transport of GPUs", lambda case: case.transport == "nccl" and case.ranks == 2, transport="nccl", backend="cuda")
    expect_seeds("kills at steps", lambda case: (case.kind, case.fate) == ("step", "killed"), kind="step", fate="killed")
    good = rank(LATE)
    expect("an exchange", "", result(good, good))
    expect("a collective", "", result(rank(GATHER, "plan"), good))
    expect("a watchdog", "", result(rank("watchdog: MPI_Comm_split has not returned: rank 1 of MPI_COMM_WORLD is missing", "split"), good))
    expect("two are missing", "", result(rank(LATE.replace("rank 1 of MPI_COMM_WORLD is", "ranks 1, 2 of MPI_COMM_WORLD are")), good))
    expect("UCX names the rank", "", result(rank("communication: UCX endpoint to rank 1: Shared memory error", "realize"), good))
    expect("UCX names another rank", "rank 1 is not named", result(rank("communication: UCX endpoint to rank 11: Shared memory error", "realize"), good))
    expect("another rank is named", "rank 1 is not named", result(rank(LATE.replace("rank 1 of", "rank 2 of")), good))
    expect("a longer number", "rank 1 is not named", result(rank(LATE.replace("rank 1 of", "rank 11 of")), good))
    expect("no rank is named", "rank 1 is not named", result(rank(LATE.removeprefix(MISSING)), good))
    expect("no pair", "no pair", result(rank(LATE.replace("subdomain 1 -> 0", "a message")), good))
    expect("no step", "no step", result(rank(LATE.replace("exchange 2", "an exchange")), good))
    expect("no call", "no call", result(rank(GATHER.replace("all_gather", "a wait"), "plan"), good))
    expect("a late end", "over the timeout", result(rank(LATE, failed=104.1), good))
    expect("a late begin", "", result(rank(LATE, failed=105.1, begun=102.0), good))
    expect("no error", "no error", result(losses.Rank(pid=7, phase="plan"), good))
    expect("the launcher ended a rank", "", result(losses.Rank(pid=7, phase="plan"), good), dataclasses.replace(CASE, recovery=False))
    nothing = losses.Rank(pid=7, phase="plan")
    expect("a stopped rank, and nobody has an error", "no rank has an error", result(nothing, nothing), dataclasses.replace(CASE, recovery=False, fate="stopped"))
    expect("a rank that is done", "", result(losses.Rank(pid=7, phase="finalize", verified=True, end=101.0), good))
    expect("a process is left", "processes were left", result(good, good, processes=[17]))
    expect("memory is left", "left in /dev/shm", result(good, good, memory=["halocline-1"]))
    expect("ranks that do not end", "processes were left: 2", result(good, good, code=None, processes=[17, 18]))
    expect("mpirun does not end", "", result(good, good, code=None))
    expect("no loss, and an error", "nothing was lost", result(good, good, struck=[]))
    init = losses.Rank(pid=7, phase="start-up", error="watchdog: MPI_Init_thread has not returned after its timeout of 3 s")
    expect("no loss, and no start in time", "", dataclasses.replace(result(init, init, struck=[]), ranks=[init, init, init]))
    expect("no loss, no start in time, and another error", "nothing was lost", dataclasses.replace(result(init, good, struck=[]), ranks=[init, init, good]))
    done = losses.Rank(pid=7, phase="finalize", verified=True, end=101.0)
    expect("no loss", "", dataclasses.replace(result(done, done, struck=[]), ranks=[done, done, done]))
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"cases passed: {tried - len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
