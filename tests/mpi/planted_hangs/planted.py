#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants hangs in jobs, and compares what `halocline postmortem` names with what was planted.

    planted.py MPIEXEC PLANTED_HANG HALOCLINE [--flags=FLAGS] [--first 0] [--cases 20] [--ranks N] [--show]

FLAGS, of mpiexec, are separated by semicolons. A case follows from its seed: who does what (planted_hang.cpp), with which transport, in which
exchange, and whether recordings are written because of a deadline or for `halocline attach`. Prints a line for each case, and "cases passed: N".
Exit code 1 if one was named wrongly.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

#: What is planted, by which transport.
PLANTED = [
    ("sleeps", "direct"),
    ("killed", "direct"),
    ("withheld", "mpi_staged"),
    ("graph", "direct"),
    ("half", "mpi_staged"),
    ("stopped", "direct"),
    ("stream", "direct"),
    ("sleeps", "mpi_staged"),
    ("left", "direct"),
    ("unclosed", "mpi_staged"),
    ("killed", "mpi_staged"),
    ("half", "direct"),
    ("sleeps", "ipc_copy"),
    ("differs", "direct"),
    ("stopped", "mpi_staged"),
    ("withheld", "mpi_device"),
    ("unclosed", "direct"),
    ("killed", "ipc_copy"),
    ("differs", "mpi_staged"),
    ("left", "mpi_staged"),
]
#: Those after which others get an error at once.
AT_ONCE = ("left", "differs")
#: Those whose victim writes nothing.
SILENT = ("killed", "stopped")
#: Seconds of an exchange, and of the set-up before.
DEADLINE = float(os.environ.get("PLANTED_DEADLINE", "3"))
#: Seconds in which all ranks have come as far as they can, and in which files are written.
TIME_TO_HANG = float(os.environ.get("PLANTED_TIME_TO_HANG", "1.5"))
TIME_TO_WRITE = 20
TIME_TO_START = 90
#: Of commands that are no job.
ALONE = {**os.environ, "HALOCLINE_COMM": "serial"}


@dataclasses.dataclass(frozen=True)
class Case:
    fate: str
    transport: str
    ranks: int
    victim: int
    exchange: int
    by: str  # "deadline" or "attach"

    def __str__(self):
        return f"{self.fate} by {self.transport}, rank {self.victim} of {self.ranks}, exchange {self.exchange}, {self.by}"


def case_of(seed, sizes=(3, 4)):
    choose = random.Random(seed)
    fate, transport = PLANTED[seed % len(PLANTED)]
    ranks = choose.choice(sizes)
    by = "deadline" if fate in AT_ONCE else choose.choice(("deadline", "attach"))
    return Case(fate, transport, ranks, choose.randrange(ranks), choose.randint(2, 9), by)


class Job:
    """A job of planted_hang, and the lines that it prints."""

    def __init__(self, args, case, folder):
        recovery = []
        version = subprocess.run([args.mpiexec, "--version"], capture_output=True, text=True, check=False).stdout
        if "Open MPI" in version or "OpenRTE" in version:
            recovery = ["--enable-recovery"]  # one rank's death must not end the others
        seconds = str(DEADLINE) if case.by == "deadline" else "300"
        command = [args.mpiexec, *filter(None, args.flags.split(";")), *recovery, "-n", str(case.ranks), args.program]
        command += [case.fate, case.transport, str(case.victim), str(case.exchange), seconds]
        environment = {**os.environ, "HALOCLINE_RECORD": folder}
        self.lines = []
        self.pids = {}
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for raw in self.process.stdout:
            line = raw.decode(errors="replace").rstrip()
            self.lines.append(line)
            words = line.split()
            if len(words) == 4 and words[0] == "rank" and words[2] == "is":
                self.pids[int(words[1])] = int(words[3])

    def wait(self, seconds, condition):
        """Whether the condition holds in time, and before the job has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None and not condition():
            time.sleep(0.02)
        return condition()

    def has(self, start):
        return any(line.startswith(start) for line in self.lines)

    def end(self):
        for pid in self.pids.values():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def recorded(folder):
    return {int(path.name.split("-")[1].split(".")[0]) for path in pathlib.Path(folder).glob("rank-*.json")}


def hang(args, job, case, folder):
    """Returns when the recordings are written. None, or why they are not."""
    if not job.wait(TIME_TO_START, lambda: len(job.pids) == case.ranks and job.has("planted")):
        return "the job has not started, or nothing was planted"
    others = set(range(case.ranks)) - {case.victim}
    written = others if case.fate in SILENT else others | {case.victim}
    if case.by == "attach":
        time.sleep(TIME_TO_HANG)
        for rank in written:
            done = subprocess.run(
                [args.halocline, "attach", str(job.pids[rank])], capture_output=True, text=True, env=ALONE, timeout=60, check=False
            )
            if done.returncode != 0:
                return f"attach to rank {rank} ends with {done.returncode}: {done.stderr.strip()}"
    if not job.wait(TIME_TO_WRITE, lambda: recorded(folder) >= written):
        return f"recordings of ranks {sorted(recorded(folder))}, expected were {sorted(written)}"
    return None


def wrong(case, domain):
    """None if a diagnosis names what was planted."""
    roots = domain["roots"]
    if case.fate == "differs":  # whichever side notices it first
        named = roots and all(root["kind"] == "failed" and "disagree" in root["text"] for root in roots)
        return None if named else "no disagreement is named"
    if len(roots) != 1:
        return f"{len(roots)} roots"
    root = roots[0]
    if root["ranks"] != [case.victim]:
        return f"rank {root['ranks']}"
    devices = case.transport in ("direct", "ipc_copy")
    kinds, number = {
        "sleeps": (["not_started"], [case.exchange]),
        "graph": (["not_started"], [case.exchange]),
        "killed": (["no_recording"], [case.exchange]),
        "stopped": (["no_recording"], [case.exchange]),
        "left": (["left"], None),
        "stream": (["device_behind"], [case.exchange]),
        "unclosed": (["not_closed"], None),
        "withheld": (["lost_message"], [case.exchange]),
        # Devices complete the exchange without the host. With MPI it depends on whether its messages left at its start.
        "half": (["not_started"], [case.exchange + 1])
        if devices
        else (["not_finished", "not_started"], [case.exchange, case.exchange + 1]),
    }[case.fate]
    if root["kind"] not in kinds:
        return f"kind {root['kind']}"
    if number is not None and root["number"] not in number:
        return f"exchange {root['number']}"
    return None


def run(args, case):
    """None if it is named rightly, or what is wrong; and the lines of the job and of the report."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(args, case, folder)
        try:
            trouble = hang(args, job, case, folder)
        finally:
            job.end()
        lines = list(job.lines)
        if trouble:
            return trouble, lines
        command = [args.halocline, "postmortem", folder]
        text = subprocess.run(command, capture_output=True, text=True, env=ALONE, check=False)
        done = subprocess.run([*command, "--json"], capture_output=True, text=True, env=ALONE, check=False)
        lines += text.stdout.splitlines()
        if done.returncode != 0:
            return f"postmortem ends with {done.returncode}: {done.stderr}", lines
        return wrong(case, json.loads(done.stdout)["domains"][0]), lines


def main():
    parser = argparse.ArgumentParser()
    for name in ("mpiexec", "program", "halocline"):
        parser.add_argument(name)
    parser.add_argument("--flags", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=len(PLANTED))
    parser.add_argument("--ranks", type=int, help="of all jobs (3 or 4)")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    failures = 0
    for seed in range(args.first, args.first + args.cases):
        case = case_of(seed, (args.ranks,) if args.ranks else (3, 4))
        trouble, lines = run(args, case)
        failures += trouble is not None
        print(f"seed {seed}: {case}: {'named rightly' if trouble is None else 'NAMED WRONGLY: ' + trouble}", flush=True)
        if args.show or trouble is not None:
            print("".join(f"    {line}\n" for line in lines), end="", flush=True)
    print(f"named rightly: {args.cases - failures} of {args.cases}")
    if failures:
        return 1
    print(f"cases passed: {args.cases}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
