#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loses one rank of a job at some call, one case at a time, and looks at how the others end.

    losses.py BUILD [--first 0] [--runs 100] [--jobs 2] [--seconds 3] [--slack 1] [--backend host|cuda]
               [--transport direct] [--kind step] [--fate killed] [--show]                       cases by their seeds
    losses.py BUILD --seed 17 [--show]                                                       one case again

A seed chooses ranks (3 or 4; on GPUs 2, with one each), transport, nodes (one, or virtual ones of 2 ranks), whether mpirun goes on after a loss, the rank that is lost, how
(killed, stopped, or stuck in the program's own code), and where: at the k-th of the calls that one run without a loss has counted (interposer/).
What must hold:

- every other rank ends within the timeout and --slack after it began the call in which it is, or after the loss if that is later; without
  --enable-recovery mpirun may end it;
- its error names the rank as missing; in an exchange also a pair of subdomains and the step; elsewhere the call that waits;
- no process of the job is left, and nothing of Halocline's in /dev/shm.

With --transport, --kind or --fate the seeds from --first on whose cases are such, --runs of them.
Prints each case that failed with its seed, a table, and "cases passed: N". Exit code 1 if one failed, 2 if the program cannot be run.
"""

import collections
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drivers  # noqa: E402  pylint: disable=wrong-import-position

TRANSPORTS = ("direct", "ipc_copy", "mpi_device", "mpi_staged", "net")
TRANSPORTS_ON_GPUS = (*TRANSPORTS, "nccl")
#: How often each kind of point is chosen.
KINDS = ("mpi", "mpi", "mpi", "mpi", "step", "step", "system", "futex")
KINDS_ON_GPUS = ("mpi", "mpi", "step")  # most calls of the system are the driver's
AIM = 0.3  # seconds over the timeout that 99 of 100 ranks keep
LAUNCHER = 5.0  # seconds that mpirun has after its last rank
START = 20.0  # seconds that a job may need until its ranks run


@dataclasses.dataclass(frozen=True)
class Case:
    ranks: int
    transport: str
    nodes_of: int
    more: str
    recovery: bool
    lost: int
    kind: str
    number: int
    fate: str

    def __str__(self):
        return (
            f"rank {self.lost} of {self.ranks} {self.fate} at {self.kind} call {self.number}, {self.transport}, nodes of {self.nodes_of or 'all'}, "
            f"{self.more}, {'goes on' if self.recovery else 'ends the job'}"
        )


def choices_of(backend, kind=None):
    """What a case is chosen from; a kind of point, if given, may rule some fates out."""
    return {
        "transport": TRANSPORTS if backend == "host" else TRANSPORTS_ON_GPUS,
        "kind": KINDS if backend == "host" else KINDS_ON_GPUS,
        "fate": ("killed", "stopped", "stuck") if kind in (None, "step") else ("killed", "killed", "stopped"),
    }


def case_of(seed, counts, backend):
    of = random.Random(seed)
    kind = of.choice(choices_of(backend)["kind"])
    fate = of.choice(choices_of(backend, kind)["fate"])
    ranks = of.choice((3, 4) if backend == "host" else (2,))
    return Case(
        ranks=ranks,
        transport=of.choice(choices_of(backend)["transport"]),
        nodes_of=of.choice((0, 0, 2)),
        more=of.choice(("rebalance", "checkpoint", "none")),
        recovery=of.random() < 0.7,
        lost=of.randrange(ranks),
        kind=kind,
        number=of.randint(1, max(counts[kind], 1)),
        fate=fate,
    )


def seeds_of(given, counts):
    """The seeds that the options ask for: each case that they describe, --runs of them."""
    wanted = {name: value for name in ("transport", "kind", "fate") if (value := getattr(given, name)) is not None}
    if given.seed is not None or not wanted:
        return drivers.seeds_of(given)
    cases = ((seed, case_of(seed, counts, given.backend)) for seed in itertools.count(given.first))
    fitting = (seed for seed, case in cases if all(getattr(case, name) == value for name, value in wanted.items()))
    return list(itertools.islice(fitting, given.runs))


@dataclasses.dataclass
class Rank:
    pid: int = 0
    phase: str = "none"
    begun: float = 0.0
    error: str = ""
    failed: float = 0.0  # time of the error
    verified: bool = False
    end: float = 0.0


@dataclasses.dataclass
class Result:
    ranks: list
    struck: list  # time, function, number, phase; empty if the point was not reached
    code: int | None  # of mpirun; None if it does not end, which Open MPI's sometimes does not after a loss in MPI_Init
    err: str
    processes: list  # ranks that are left
    memory: list  # left, of Halocline's
    seconds: float


def read_rank(folder, rank):
    found = Rank()
    path = folder / f"rank-{rank}"
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []:
        word, _, rest = line.partition(" ")
        if word == "pid":
            found.pid = int(rest)
        elif word == "phase":
            found.begun, found.phase = float(rest.split(" ", 1)[0]), rest.split(" ", 1)[1]
        elif word == "error":
            found.failed, found.error = float(rest.split(" ", 1)[0]), rest.split(" ", 1)[1]
        elif word == "verified":
            found.verified = True
        elif word == "end":
            found.end = float(rest)
    path = folder / f"error-{rank}"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    ended = re.findall(r"^halocline: error: (.+; this process ends.*)$", text, re.M)
    if ended and not found.error:  # by a watchdog, whose line is the last
        found.error, found.failed, found.end = f"watchdog: {ended[0]}", path.stat().st_mtime, path.stat().st_mtime
    elif text and not found.error and not found.verified:
        found.error = ""
    return found


def processes_of(folder):
    """Processes with the folder in their command line, by pid, and their state."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
            state = (path / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            continue
        if os.fsencode(folder) in command and int(path.name) != os.getpid() and state not in "ZX":
            found[int(path.name)] = b"loss_scenario" in command.split(b"\0")[0]
    return found


def memory():
    return {path.name for path in pathlib.Path("/dev/shm").iterdir() if "halocline" in path.name.lower()}


def run(build, seconds, case, point=True, backend="host"):
    """Runs a case; without its loss if point is False."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halocline-losses-"))
    try:
        before = memory()
        environment = os.environ | {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        preload = {"LD_PRELOAD": str(build / "tests/reliability/losses/libhalocline_losses.so"), "LOSSES_FOLDER": str(folder)}
        if point:
            preload["LOSSES_AT"] = f"{case.lost}:{case.kind}:{case.number}:{case.fate}"
        flags = [word for name, value in preload.items() for word in ("-x", f"{name}={value}")]
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", *(["--enable-recovery"] if case.recovery else []), "-n", str(case.ranks), *flags]
        command += [str(build / "bin/loss_scenario"), str(folder), case.transport, str(seconds), str(case.nodes_of), case.more, backend]
        begun = time.monotonic()
        with (folder / "launcher").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment, start_new_session=True)
        struck = folder / "struck"
        code = None
        limit = begun + START + 2 * seconds + 12
        empty = None  # since when no rank runs
        while time.monotonic() < limit:
            code = process.poll()
            if code is not None:
                break
            if any(processes_of(folder).values()) or not struck.is_file():
                empty = None
            elif (empty := empty or time.monotonic()) < time.monotonic() - LAUNCHER:
                break
            if struck.is_file() and case.fate != "killed":  # the lost rank is ended once the others are gone
                alive = [pid for pid, rank in processes_of(folder).items() if rank]
                lost = read_rank(folder, case.lost).pid
                if alive == [lost]:
                    os.kill(lost, signal.SIGKILL)
            time.sleep(0.05)
        took = time.monotonic() - begun
        left = processes_of(folder)
        time.sleep(0.1)
        left = {pid: rank for pid, rank in processes_of(folder).items() if pid in left and rank}
        # mpirun ends without the lost rank where it gets no signal
        lost = read_rank(folder, case.lost).pid
        if lost in left and case.fate != "killed":
            os.kill(lost, signal.SIGKILL)
            del left[lost]
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return Result(
            ranks=[read_rank(folder, rank) for rank in range(case.ranks)],
            struck=struck.read_text(encoding="utf-8").strip().split("|") if struck.is_file() else [],
            code=code,
            err=(folder / "launcher").read_text(encoding="utf-8", errors="replace"),
            processes=sorted(left),
            memory=sorted(memory() - before),
            seconds=took,
        ), [counts_in(folder / f"counts-{rank}") for rank in range(case.ranks)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def counts_in(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {line.split()[0]: int(line.split()[1]) for line in lines}


PAIR = re.compile(r"subdomain \d+ -> \d+")
STEP = re.compile(r"(exchange|epoch) \d+")
CALL = re.compile(
    r"barrier|broadcast|all_gather|all_reduce|MPI_(?!COMM_WORLD)\w+|exchange of set-up|moved cells|a message to the next rank|trial of MPI|close\(\)|UCX endpoint"
)


def names(error, lost):
    found = re.findall(r"ranks? ([\d, ]+) of MPI_COMM_WORLD (?:is|are) missing|UCX endpoint to rank (\d+):", error)
    return any(str(lost) in re.split(r"[, ]+", one) for pair in found for one in pair)


def too_busy(result):
    """Whether MPI's start-up alone took longer than the timeout, without any loss, so that the case shows nothing."""
    errors = [rank for rank in result.ranks if rank.error]
    return not result.struck and bool(errors) and all(rank.phase == "start-up" and CALL.search(rank.error) for rank in errors)


def judge(case, result, slack, seconds):
    """What is wrong with the end of each rank, and how long after its timeout each ended."""
    wrong, over = [], []
    if not result.struck:
        if too_busy(result):
            return wrong, over
        if result.code != 0 or not all(rank.verified for rank in result.ranks):
            wrong.append("nothing was lost, and not all ranks verified")
        return wrong, over
    loss = float(result.struck[0])
    told = 0
    for number, rank in enumerate(result.ranks):
        if number == case.lost:
            continue
        if rank.verified and rank.end:
            told += 1  # it had no need of the lost rank
            continue
        if not rank.error:
            if case.recovery:
                wrong.append(f"rank {number} in {rank.phase}: no error")
            continue
        told += 1
        late = rank.failed - max(loss, rank.begun) - seconds
        over.append(late)
        if late > slack:
            wrong.append(f"rank {number} in {rank.phase}: {late:.2f} s over the timeout")
        if not names(rank.error, case.lost):
            wrong.append(f"rank {number} in {rank.phase}: rank {case.lost} is not named")
        if rank.phase.startswith("exchange"):
            if not PAIR.search(rank.error):
                wrong.append(f"rank {number} in {rank.phase}: no pair")
            if not STEP.search(rank.error):
                wrong.append(f"rank {number} in {rank.phase}: no step")
        elif not CALL.search(rank.error):
            wrong.append(f"rank {number} in {rank.phase}: no call")
    if told == 0 and case.fate != "killed":
        wrong.append("no rank has an error")
    if result.processes:
        wrong.append(f"processes were left: {len(result.processes)}")
    if result.memory:
        wrong.append(f"left in /dev/shm: {result.memory}")
    return wrong, over


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def main():
    parser = drivers.parser_of(__doc__, 100)
    parser.add_argument("--seconds", type=float, default=3.0, help="the timeout of the ranks")
    parser.add_argument("--slack", type=float, default=1.0)
    parser.add_argument("--backend", choices=("host", "cuda"), default="host")
    parser.add_argument("--transport", choices=TRANSPORTS_ON_GPUS)
    parser.add_argument("--kind", choices=sorted(set(KINDS)))
    parser.add_argument("--fate", choices=("killed", "stopped", "stuck"))
    given = parser.parse_args()
    for name, allowed in choices_of(given.backend, given.kind).items():
        if getattr(given, name) not in (None, *allowed):
            parser.error(f"argument --{name}: no case with --backend {given.backend} --kind {given.kind or 'any'} has {getattr(given, name)}; allowed are {', '.join(sorted(set(allowed)))}")
    build = given.build.resolve()
    plain = Case(ranks=3 if given.backend == "host" else 2, transport="mpi_staged", nodes_of=0, more="checkpoint", recovery=False, lost=0, kind="mpi", number=0, fate="killed")
    result, counts = run(build, 10.0, plain, point=False, backend=given.backend)
    if result.code != 0 or not all(counts):
        print(f"losses.py: the program does not run: exit code {result.code}, {result.err[-600:]}", file=sys.stderr)
        return 2
    most = {kind: max(one.get(kind, 0) for one in counts) for kind in ("step", "mpi", "system", "futex")}

    seeds = seeds_of(given, most)
    begun = time.monotonic()
    failed, reached, known, busy, longest = 0, 0, 0, 0, 0.0
    overs, table = [], collections.defaultdict(lambda: [0, 0, 0])
    whys = collections.Counter()

    def one(seed):
        case = case_of(seed, most, given.backend)
        result, _ = run(build, given.seconds, case, backend=given.backend)
        return seed, case, result

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for seed, case, result in pool.map(one, seeds):
            wrong, over = judge(case, result, given.slack, given.seconds)
            overs += over
            longest = max(longest, result.seconds)
            reached += bool(result.struck)
            failed += bool(wrong)
            busy += too_busy(result)
            known += result.code is None and not wrong
            phase = result.struck[3].split(" ")[0] if result.struck else "not reached"
            row = table[phase]
            row[0] += 1
            row[1] += bool(wrong)
            row[2] += len(over)
            for why in wrong:
                whys[re.sub(r"rank \d|exchange \d|[\d.]+ s", lambda found: found[0][:-1] if found[0][0] != "r" else "a rank", why)] += 1
            if wrong or given.show:
                print(f"seed {seed} {'FAILED' if wrong else 'ok'}: {'; '.join(wrong)}\n  {case}; {result.struck}", flush=True)
                for number, rank in enumerate(result.ranks):
                    print(f"  rank {number} in {rank.phase}: {'verified' if rank.verified else rank.error or 'no error'}", flush=True)
                if result.code is None or given.show:
                    print(f"  exit code {result.code}: {result.err[-400:]!r}", flush=True)
    print(f"{'lost in':<14} {'cases':>6} {'failed':>7} {'errors':>7}")
    for phase, (cases, bad, errors) in sorted(table.items()):
        print(f"{phase:<14} {cases:>6} {bad:>7} {errors:>7}")
    for why, times in whys.most_common(20):
        print(f"{times:>5} x {why}")
    print(
        f"over the timeout of {given.seconds} s: p50 {percentile(overs, 0.5):.3f} s, p99 {percentile(overs, 0.99):.3f} s, most "
        f"{max(overs, default=0.0):.3f} s, of {len(overs)} errors; {sum(over > AIM for over in overs)} later than {AIM} s; "
        f"points reached: {reached} of {len(seeds)}; without an end of mpirun, which had no rank any more: {known}; not started in time: {busy}; {time.monotonic() - begun:.0f} s"
    )
    print(f"longest {longest:.3f} s")
    print(f"cases passed: {len(seeds) - failed}")
    if 2 * busy > len(seeds):
        print("losses.py: most jobs did not start within the timeout; allowed is a longer one (--seconds), or a machine that is less busy", file=sys.stderr)
    return 1 if failed or 2 * busy > len(seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
