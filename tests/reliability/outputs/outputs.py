#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lets the files of each command that writes some fail at some byte or call, and looks at what is there afterwards.

    outputs.py BUILD [--first 0] [--runs 200] [--jobs 2] [--only WRITER] [--show]   cases by their seeds
    outputs.py BUILD --rounds 20 [--only WRITER]                                    each position and call with so many error numbers
    outputs.py BUILD --seed 17 [--show]                                             one case again

Without a fault, a library that is preloaded (interposer.cpp) reports which files a command of writers.py writes, by which calls. A case is a file and a
position, each multiple of 512 bytes below its length, at which its writes begin to fail; or one call that fails: open, fsync, close, rename, fchmod,
fallocate. Each with files of an earlier run in place and without; one of 20 error numbers, which is another one in each round. What must hold:

- the exit code is 1 or 2, and one error line names the file and the reason;
- the earlier file is there byte by byte, or none where there was none; other files of the command are the earlier ones, or whole new ones;
- nothing else is in the folder.

Prints each case that failed with its seed, a table, and "cases passed: N". Exit code 1 if one failed, 2 if a command cannot be run.
"""

import collections
import concurrent.futures
import dataclasses
import errno
import functools
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drivers  # noqa: E402  pylint: disable=wrong-import-position
import writers  # noqa: E402  pylint: disable=wrong-import-position

ERRORS = (
    errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOMEM, errno.ENXIO, errno.ENODEV,
    errno.EBADF, errno.ESTALE, errno.ETIMEDOUT, errno.EBUSY, errno.ENOTCONN, errno.EREMOTEIO, errno.EOVERFLOW, errno.ENOBUFS, errno.EAGAIN, errno.EMFILE,
)  # fmt: skip
HERE = pathlib.Path(__file__).resolve().parent
STEP = 512
LIMIT = 60.0  # seconds of a command
PRINTED = "printed"


class Unusable(Exception):
    """A command that does not run without a fault."""


@dataclasses.dataclass(frozen=True)
class Case:
    rank: int
    kind: str
    file: int
    number: int
    old: bool
    final: str  # what the file's name is in the end; empty if it is removed

    def variable(self, error):
        return f"{self.kind}:{self.file}:{self.number}:{error}"

    def __str__(self):
        what = f"from byte {self.number}" if self.kind == "write" else f"call {self.number}"
        return f"rank {self.rank}, {self.kind} of {self.final or 'a file that is removed'}, {what}, {'over an earlier file' if self.old else 'new'}"


@dataclasses.dataclass
class Result:
    code: int | None  # None after the limit
    err: str
    tree: dict
    log: list
    seconds: float

    def reached(self):
        return any(line[1] == "failed" for line in self.log)


def tree_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def fill(folder, tree):
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Command:
    """A writer's command, run in a folder of its own each time."""

    def __init__(self, writer, build):
        self.writer = writer
        self.build = build
        self.lock = threading.Lock()

    def words(self):
        if self.writer in writers.PLANTED:
            return [sys.executable, "-B", str(HERE / self.writer.program), *self.writer.words]
        program = str(self.build / self.writer.program)
        words = [program if word == "{halocline}" else word for word in (program, *self.writer.words)]
        launch = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(self.writer.ranks)] if self.writer.ranks else []
        return launch + words

    def run(self, before, fault=None, rank=0):
        with tempfile.TemporaryDirectory(prefix="halocline-outputs-") as name:
            log = pathlib.Path(name).resolve() / "log"
            folder = log.parent / "work"
            folder.mkdir()
            fill(folder, before)
            environment = os.environ | {
                "LD_PRELOAD": str(self.build / "tests/reliability/outputs/libhalocline_outputs.so"),
                "OUTPUTS_FOLDER": str(folder),
                "OUTPUTS_LOG": str(log),
                "OUTPUTS_RANK": str(rank),
                "HALOCLINE_BACKEND": "host",
                "HALOCLINE_TIMEOUT": "10",
                "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                "LC_ALL": "C",
            }
            if not self.writer.ranks:
                environment["HALOCLINE_COMM"] = "serial"
            if fault:
                environment["OUTPUTS_FAIL"] = fault
            begun = time.monotonic()
            printed = open(folder / PRINTED, "wb") if self.writer.printed else open(os.devnull, "wb")
            with printed, subprocess.Popen(
                self.words(), stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, cwd=folder, env=environment, start_new_session=True
            ) as process:
                try:
                    err = process.communicate(timeout=LIMIT)[1]
                    code = process.returncode
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    err = process.communicate()[1]
                    code = None
            seconds = time.monotonic() - begun
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
            return Result(code, err.decode(errors="replace"), tree_of(folder), [line.split(" ") for line in lines], seconds)

    def plain(self, before):
        result = self.run(before)
        if result.code != 0 or not result.log:
            raise Unusable(f"{self.writer.name}: without a fault: exit code {result.code}, {len(result.log)} calls, {result.err[-600:]}")
        return result

    @functools.cached_property
    def states(self):
        """By whether earlier files are there: the files before, and the result without a fault."""
        empty = {} if self.writer in writers.PLANTED else writers.inputs(self.build)
        new = self.plain(empty)
        if self.writer.old is None:
            earlier = new.tree
        else:
            earlier = empty | {path: self.writer.old for path in new.tree if path not in empty}
        return {False: (empty, new), True: (earlier, self.plain(earlier))}

    @functools.cached_property
    def cases(self):
        found = []
        for old, (_, plain) in self.states.items():
            found += cases_of(plain, old, self.writer)
        random.Random(self.writer.name).shuffle(found)
        return found

    def case_of(self, turn):
        with self.lock:
            cases = self.cases
        around, at = divmod(turn, len(cases))
        return cases[at], ERRORS[(at + around) % len(ERRORS)]


def cases_of(plain, old, writer):
    """The positions and calls of a run without a fault."""
    paths = {}  # by rank and number
    bytes_of = collections.defaultdict(int)
    calls = set()
    final = {}
    folder = ""
    for rank, kind, file, number, *about in plain.log:
        key = (int(rank), int(file))
        if kind == "open":
            paths[key] = about[0]
            folder = about[0].rsplit("/work/", 1)[0] + "/work/"
        elif kind == "write":
            bytes_of[key] = int(number)
        elif kind == "rename":
            final[about[0]] = about[1]
        if kind not in ("write", "open", "rename"):
            calls.add((*key, kind, int(number)))
    renamed = collections.Counter()

    def name_of(key):
        path = paths.get(key, "")
        path = final.get(path, path).removeprefix(folder)
        return path if path in plain.tree else ""

    found = []
    for key, length in bytes_of.items():
        found += [Case(key[0], "write", key[1], at, old, name_of(key)) for at in range(0, length, STEP)]
    if writer.printed:  # the shell's open, and no name
        return found
    found += [Case(rank, "open", file, 1, old, name_of((rank, file))) for rank, file in paths]
    for rank, file, kind, number in sorted(calls):
        if kind == "close" and not bytes_of[rank, file]:
            continue  # nothing can be lost
        found.append(Case(rank, kind, file, number, old, name_of((rank, file))))
    for line in plain.log:
        if line[1] == "rename":
            renamed[line[0]] += 1
            found.append(Case(int(line[0]), "rename", 0, renamed[line[0]], old, line[5].removeprefix(folder)))
    return found


def judge(command, case, error, result):
    """What is wrong with how a case ended; empty if nothing."""
    writer = command.writer
    before, plain = command.states[case.old]
    if result.code is None:
        return "no end within the limit"
    if result.code < 0 or result.code >= 128 or "terminate called" in result.err:
        return f"a signal, exit code {result.code}"
    if not result.reached():
        return "" if result.code == 0 else "an error without a fault"
    return files_are_wrong(writer, case, before, plain.tree, result) or ending_is_wrong(writer, case, error, plain.tree.keys() - before.keys() or plain.tree, result)


def files_are_wrong(writer, case, before, new, result):
    after = result.tree
    for path in sorted(before.keys() | after.keys()):
        if writer.printed and path == PRINTED:
            continue
        if path not in after:
            if path in new:
                return f"{path} is gone"
            continue
        content = after[path]
        if path in before and content == before[path]:
            continue
        if path not in new or path.split("/")[-1].startswith(".halocline-"):
            return f"{path} is left, {len(content)} bytes"
        whole = content == new[path] if writer.same else writers.is_whole(path, content, new[path])
        if not whole:
            return f"{path} is cut: {len(content)} bytes, not {len(new[path])}" if path not in before else f"{path} is neither the earlier file nor the new one"
        if path == case.final and result.code != 0:
            return f"{path} is the new file, whose {case.kind} has failed"
    return ""


def ending_is_wrong(writer, case, error, new, result):
    kind = "warning" if writer.warns and result.code == 0 else "error"
    if writer.ranks and result.code == 0 and case.kind in ("open", "close"):
        return ""  # calls of MPI's own, which goes on without; the files are whole
    if result.code not in ((0, 1, 2) if writer.warns else (1, 2)):
        return f"exit code {result.code}"
    lines = re.findall(rf"^halocline[^:]*: {kind}: .*$", result.err, re.M)
    if not 1 <= len(lines) <= writer.lines:
        return f"{len(lines)} lines of an {kind}"
    names = ["standard output"] if writer.printed else [path.split("/")[-1] for path in ([case.final] if case.final else new)]
    if not any(name in line for line in lines for name in names):
        return f"the {kind} does not name {' or '.join(names)}"
    of_mpi = writer.ranks and any(re.search(r"cannot be written: (MPI has written|MPI_ERR_)", line) for line in lines)
    if not of_mpi and not any(os.strerror(error) in line for line in lines):
        return f"the {kind} does not have the reason, {os.strerror(error)}"
    return ""


def is_known(writer, case, wrong):
    """Whether a case is one of writers.KNOWN."""
    return any(writer.name == name and case.kind == kind and ending in wrong for name, kind, ending, _ in writers.KNOWN)


def shown(text):
    """The lines of a launcher's output that are not its own."""
    lines = [line for line in text.splitlines() if ": error: " in line or ": warning: " in line]
    return "\n".join(lines)[:600] or text[-600:]


def seeds_of(given, commands):
    """Pairs of a command and a number of its case, with their seeds."""
    if given.rounds:
        turns = ((command, at) for command in commands for at in range(given.rounds * len(command.cases)))
    else:
        turns = ((commands[seed % len(commands)], seed // len(commands)) for seed in drivers.seeds_of(given))
    position = {command.writer.name: at for at, command in enumerate(commands)}
    return [(turn * len(commands) + position[command.writer.name], command, turn) for command, turn in turns]


def main():
    parser = drivers.parser_of(__doc__, 200)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--only", help="cases of one writer")
    parser.add_argument("--without", action="append", default=[], choices=("mpi", "png", "xxhash"), help="what the build does not have")
    given = parser.parse_args()
    build = given.build.resolve()
    of = [writer for writer in writers.WRITERS if writer.needs not in given.without and not (writer.ranks and "mpi" in given.without)]
    if given.only:
        of = [writer for writer in of + writers.PLANTED if writer.name == given.only]
    if not of:
        parser.error(f"--only is '{given.only}'; allowed is one of {', '.join(writer.name for writer in writers.WRITERS)}")
    commands = [Command(writer, build) for writer in of]
    totals = collections.defaultdict(collections.Counter)
    longest = 0.0

    def one(turn):
        seed, command, number = turn
        case, error = command.case_of(number)
        result = command.run(command.states[case.old][0], case.variable(error), case.rank)
        wrong = judge(command, case, error, result)
        return seed, command, case, error, result, wrong, bool(wrong) and is_known(command.writer, case, wrong)

    try:
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for seed, command, case, error, result, wrong, known in pool.map(one, seeds_of(given, commands)):
                total = totals[command.writer.name]
                total["cases"] += 1
                total["reached"] += result.reached()
                total["known"] += known
                total["failed"] += bool(wrong) and not known
                longest = max(longest, result.seconds)
                if (wrong and not known) or given.show:
                    print(f"{command.writer.name} seed {seed} {'known' if known else 'FAILED' if wrong else 'ok'}: {wrong}")
                    print(f"  {case}, {errno.errorcode[error]}; OUTPUTS_RANK={case.rank} OUTPUTS_FAIL={case.variable(error)}")
                    print(f"  exit code {result.code} after {result.seconds:.2f} s: {shown(result.err)!r}", flush=True)
    except Unusable as error:
        print(f"outputs.py: {error}", file=sys.stderr)
        return 2
    print(f"{'writer':<20} {'cases':>6} {'reached':>8} {'failed':>7} {'known':>6}")
    for name, total in totals.items():
        print(f"{name:<20} {total['cases']:>6} {total['reached']:>8} {total['failed']:>7} {total['known']:>6}")
    cases, reached, failed = (sum(total[key] for total in totals.values()) for key in ("cases", "reached", "failed"))
    known = sum(total["known"] for total in totals.values())
    print(f"cases whose call was reached: {reached} of {cases}; known limits: {known}; longest {longest:.3f} s")
    print(f"cases passed: {cases - failed}")
    lost = cases >= 20 and 10 * reached < 9 * cases
    if lost:
        print("outputs.py: more than a tenth of the calls were not reached again", file=sys.stderr)
    return 1 if failed or lost else 0


if __name__ == "__main__":
    sys.exit(main())
