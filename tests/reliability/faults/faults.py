#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails the calls of a program, one case at a time, and looks at how the program ends.

    faults.py BUILD PART [--first 0] [--runs 200] [--show]     cases by their seeds
    faults.py BUILD PART --seed 17 [--show]                    one case again

PART is a name of scenarios.py: one program or several. First each runs with all calls counted: which sites there are (interposer/sites.hpp), how often each
rank is there. A case is a site of a program, a rank, the number of its call there, and whether later calls of that function fail, too. Seeds 0 to S - 1 are one
case for each of S sites, in an order that is the same in each run; five more rounds of S are other ranks, numbers and lasting failures; then they begin again.

As starting processes takes long, they live several times (--lives), each time with another case. A life that does not end as it must, or does not reach
its call, decides nothing: the case is run again by itself, and those behind it in other processes if these processes have ended with it.

A case fails if the program ends by a signal, lasts longer than its limit, leaves files, ends with 0 though its result is not verified, or ends
otherwise without a line that has the reason. Prints each failure with its seed, and "cases passed: N". Exit code 1 if one failed, 2 if the
program cannot be run, 77 if this machine lacks the GPUs.
"""

import collections
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drivers  # noqa: E402  pylint: disable=wrong-import-position
import scenarios  # noqa: E402  pylint: disable=wrong-import-position

#: Rounds over the sites: a rank (by its position among those that call the site, or all), the number of the call, and the mode.
ROUNDS = [(0, "first", "once"), (-1, "any", "once"), (0, "first", "on"), (-1, "first", "on"), ("all", "first", "once"), ("all", "any", "on")]


@dataclasses.dataclass(frozen=True)
class Case:
    site: str
    function: str
    number: int
    mode: str
    rank: str
    addresses: tuple

    def variable(self):
        return f"{self.site}:{self.number}:{self.mode}:{self.rank}"


@dataclasses.dataclass
class Site:
    function: str
    addresses: tuple
    calls: dict  # by rank


@dataclasses.dataclass
class Result:
    code: int | None  # None after the limit
    out: str
    err: str
    seconds: float
    reached: bool
    left: list
    died: list  # addresses of the program's frames when a signal ended it
    wrong_files: str = ""

    def shown(self):
        end = "no end" if self.code is None else f"exit code {self.code}"
        return f"{end} after {self.seconds:.2f} s; output: {self.out[-300:]!r}; errors: {self.err[-1200:]!r}"


def read_sites(path):
    sites = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        kind, rest = line.split(" ", 1)
        if kind != "seen":
            continue
        key, rest = rest.split(" ", 1)
        function, rank, calls, addresses = rest.rsplit(" ", 3)
        site = sites.setdefault(key, Site(function, tuple(a for a in addresses.split(",") if a != "0"), {}))
        site.calls[int(rank)] = site.calls.get(int(rank), 0) + int(calls)
    return sites


class Program:
    """A scenario, run in a folder of its own each time."""

    def __init__(self, scenario, build):
        self.scenario = scenario
        self.build = build
        self.library = build / "tests/reliability/faults/libhalocline_faults.so"
        self.sites = {}

    def learn(self):
        """Runs without a fault, for its sites and its result. Returns why it cannot be used, or nothing."""
        plain, self.sites = self.run()
        wrong = self.scenario.wrong(plain)
        if plain.code != 0 or not self.sites or wrong:
            return f"without a fault, {self.scenario.name}: {len(self.sites)} sites, {wrong}, {plain.shown()}"
        self.scenario.learn(plain)
        return ""

    def run(self, variable=None):
        """A run; with the variable of a case, its fault. Returns the result and the lines of FAULTS_FILE's sites."""
        with tempfile.TemporaryDirectory(prefix="halocline-faults-") as folder:
            log, work = places(folder)
            self.scenario.prepare(work, self.build)
            code, out, err, seconds = self.execute(work, log, variable, self.scenario.limit)
            lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
            reached = any(line.startswith("failed ") for line in lines)
            died = [address for line in lines if line.startswith("died ") for address in line.split(" ")[2].split(",")]
            result = Result(code, out, err, seconds, reached, self.scenario.left(work), died)
            result.wrong_files = self.scenario.wrong_files(work, code)
            return result, read_sites(log) if variable is None else {}

    def run_lives(self, cases):
        """Processes that live once for each of these cases. Returns the results of lives that have ended, and what is wrong with the end of the processes."""
        with tempfile.TemporaryDirectory(prefix="halocline-faults-") as folder:
            log, work = places(folder)
            for life in range(len(cases)):
                (work / str(life)).mkdir()
                self.scenario.prepare(work / str(life), self.build)
            limit = self.scenario.limit + 10 * len(cases)
            variable = ",".join(["none", *(part for case in cases for part in (case.variable(), "none"))])
            code, _, launcher, seconds = self.execute(work, log, variable, limit, len(cases))
            lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
            results = []
            err = said = ""
            for life, case in enumerate(cases):
                errors = work / str(life) / "errors"
                err = errors.read_text(encoding="utf-8", errors="replace") if errors.is_file() else ""
                said += err
                codes = re.findall(r"^ended with (\d)$", err, re.M)
                if len(codes) < self.scenario.processes:
                    break
                # Each life is between two parts without a fault.
                reached = any(line.startswith(f"failed {case.site} {2 * life + 1} ") for line in lines)
                results.append(Result(int(max(codes)), "", err, seconds / len(cases), reached, self.scenario.left(work / str(life)), []))
            # MPI cannot give up every call: a watchdog then ends the process, unless the launcher has ended it with the one that has failed.
            right = code == 0 if len(results) == len(cases) else scenarios.WATCHDOG in err
            return results, "" if right else f"exit code {code}, errors of the lives: {said[-600:]!r}, of the launcher: {launcher[-600:]!r}"

    def execute(self, work, log, variable, limit, lives=0):
        """(exit code, or None at the limit; output; errors; seconds) of a process."""
        preload = {"LD_PRELOAD": str(self.library), "FAULTS_FILE": str(log)}
        if variable:
            preload["FAULTS_FAIL"] = variable
        command, environment = self.scenario.command(work, self.build, preload)
        if lives:
            command = [*command, str(lives)]
        begun = time.monotonic()
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=work,
            env=os.environ | environment,
            start_new_session=True,
            text=True,
            errors="replace",
        ) as process:
            try:
                out, err = process.communicate(timeout=limit)
                code = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)  # mpirun ends its ranks
                try:
                    out, err = process.communicate(timeout=5)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    out, err = process.communicate()
                code = None
        return code, out, err, time.monotonic() - begun


def places(folder):
    """In a folder: the file of the faults, and the program's own folder, which is made."""
    work = pathlib.Path(folder) / "work"
    work.mkdir()
    return pathlib.Path(folder) / "faults", work


def judge(scenario, case, result):
    """What is wrong with how a case ended; empty if nothing."""
    if result.code is None:
        return "no end within the limit"
    if result.code < 0 or result.code >= 128 or "terminate called" in result.err or "Signal: " in result.err:
        return "a signal"
    if result.left and not case.function.startswith(("unlink", "remove")):
        return f"files are left: {', '.join(result.left)}"
    if result.wrong_files:
        return result.wrong_files
    if result.code == 0:
        return scenario.wrong(result)
    return scenario.unclear(result, case)


class Cases:
    """The cases of all sites of some programs, by seed."""

    def __init__(self, programs):
        self.programs = programs
        #: By the hashes of the sites: one order in each run, with few changes where threads see other sites.
        self.order = sorted((key, at) for at, program in enumerate(programs) for key in program.sites)

    def of(self, seed):
        """The program and the case of a seed."""
        turn, place = divmod(seed % (len(self.order) * len(ROUNDS)), len(self.order))
        key, at = self.order[place]
        site = self.programs[at].sites[key]
        which, number, mode = ROUNDS[turn]
        ranks = sorted(site.calls)
        calls = min(site.calls.values()) if which == "all" else site.calls[ranks[which]]
        chosen = 1 if number == "first" else random.Random(seed).randint(1, calls)
        return self.programs[at], Case(key, site.function, chosen, mode, "all" if which == "all" else str(ranks[which]), site.addresses)


def place_of(program, addresses):
    """The functions that return addresses lie in, innermost first."""
    if not addresses:
        return ""
    binary = program.scenario.binary(program.build)
    command = ["addr2line", "-f", "-C", "-e", str(binary), *[hex(int(address, 16) - 1) for address in addresses]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    names = done.stdout.splitlines()[::2]
    return " < ".join(name[:110] for name in names)


#: What is_known() allows, in the place of what is wrong.
KNOWN = "a known limit"


def is_known(program, case, result, wrong):
    """Whether a case is one of scenarios.KNOWN."""
    return any(
        wrong.startswith(ending) and function in case.function and within in place_of(program, result.died)
        for function, within, ending, _ in scenarios.KNOWN
    )


def series_of(chosen, lives):
    """Parts of the cases, in order, for one process each: of one program, and as many as it lives."""
    series = []
    for one in chosen:
        of_program = lives or one[1].scenario.lives
        if series and series[-1][0][1] is one[1] and len(series[-1]) < of_program:
            series[-1].append(one)
        else:
            series.append([one])
    return series


def main():
    parser = drivers.parser_of(__doc__, 200)
    parser.add_argument("part", choices=sorted(scenarios.PARTS))
    parser.add_argument("--only", default="", help="cases of functions whose name has this regular expression; others are not run, and not counted")
    parser.add_argument("--lives", type=int, default=0, help="cases of a process, at most 64 (default: as scenarios.py has it); 1: each by itself")
    given = parser.parse_args()
    build = given.build.resolve()
    totals = collections.Counter()
    longest = 0.0
    sites_failed = set()
    programs = [Program(scenario, build) for scenario in scenarios.PARTS[given.part]]

    if skipped := next((why for scenario in scenarios.PARTS[given.part] if (why := scenario.skipped())), ""):
        print(f"{given.part}: skipped: {skipped}")
        return 77
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        if unusable := [why for why in pool.map(Program.learn, programs) if why]:
            print(f"faults.py: {unusable[0]}", file=sys.stderr)
            return 2
        cases = Cases(programs)

        def by_itself(program, case):
            result, _ = program.run(case.variable())
            wrong = judge(program.scenario, case, result)
            return result, KNOWN if wrong and is_known(program, case, result, wrong) else wrong

        def run_series(series):
            """(seed, program, case, result, what is wrong) of cases of one program."""
            program = series[0][1]
            told = []
            while series:
                lived, end = program.run_lives([case for _, _, case in series]) if len(series) > 1 else ([], "")
                # The case in which the processes ended too early, too.
                for place, (seed, _, case) in enumerate(series[: len(lived) + 1]):
                    if place < len(lived) and lived[place].reached and not judge(program.scenario, case, lived[place]):
                        totals["in series"] += 1
                        told.append((seed, program, case, lived[place], ""))
                    else:
                        told.append((seed, program, case, *by_itself(program, case)))
                if end and not told[-1][4]:
                    told[-1] = (*told[-1][:4], f"processes of cases from seed {series[0][0]} on end wrongly, and rightly for this one by itself: {end}")
                series = series[len(lived) + 1 :]
            return told

        chosen = [(seed, *cases.of(seed)) for seed in drivers.seeds_of(given)]
        chosen = [one for one in chosen if re.search(given.only, one[2].function)]
        for seed, program, case, result, wrong in itertools.chain.from_iterable(pool.map(run_series, series_of(chosen, given.lives))):
            name = program.scenario.name
            totals["cases"] += 1
            totals["reached"] += result.reached
            totals["ended with 0"] += result.code == 0
            longest = max(longest, result.seconds)
            if result.reached:
                sites_failed.add((name, case.site))
            if wrong == KNOWN:
                totals["known"] += 1
            elif wrong:
                totals["failed"] += 1
            if (wrong and wrong != KNOWN) or given.show:
                print(f"{name} seed {seed} {'FAILED' if wrong else 'ok'}: {wrong}", flush=True)
                print(f"  {case.function}, call {case.number} of rank {case.rank}, {case.mode}; FAULTS_FAIL={case.variable()}")
                print(f"  {place_of(program, case.addresses)}")
                if result.died:
                    print(f"  died in {place_of(program, result.died)}")
                print(f"  {result.shown()}", flush=True)
    print(
        f"sites failed: {len(sites_failed)} of {len(cases.order)}; cases whose call was reached: {totals['reached']} of {totals['cases']}; "
        f"ended with 0, verified: {totals['ended with 0']}; known limits: {totals['known']}; in a process with others: {totals['in series']}; longest {longest:.3f} s"
    )
    print(f"cases passed: {totals['cases'] - totals['failed']}")
    lost = totals["cases"] >= 20 and 2 * totals["reached"] < totals["cases"]
    if lost:
        print("faults.py: most calls were not reached again: their sites have other names in each run", file=sys.stderr)
    return 1 if totals["failed"] or lost else 0


if __name__ == "__main__":
    sys.exit(main())
