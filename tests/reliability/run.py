#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs seeds that no earlier run has tried, adds them to the ledger, and writes the page from it: `make reliability`.

    run.py BUILD [--minutes 25] [--jobs N] [--only PART]... [--ledger FILE] [--page FILE]   runs; both files are rewritten after each part
    run.py --write [--ledger FILE] [--page FILE]                                 writes the page from the ledger
    run.py --check [--ledger FILE] [--page FILE]                                 compares them

The parts are tests of ctest in the folder BUILD that take a range of seeds: the programs fuzz_*, fault_*, losses, soak_*, simulation, outputs,
and cli_command_lines. Each gets an equal share of the time, with the arguments that its test has, on N cores. What a seed tries also depends
on the commit, which the ledger names. Exit code 1 if a seed failed, in this run or, with --check, if the page is not the ledger's; 2 if a
program cannot be run.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
#: Seeds at a time: a series ends soon after its share of the time.
FIRST_BATCH = {
    "losses": 8,
    "cli_command_lines": 100,
    "fault_threads": 100,
    "fault_mpi": 100,
    "fault_cuda": 100,
    "fault_cuda_mpi": 100,
    "fault_tool": 400,
    "soak_exchanges": 20000,
    "soak_domains": 400,
    "soak_replays": 4000,
    "simulation": 100,
    "outputs": 220,
}
BATCH_SECONDS = 10
#: Of programs that are run without a fault first, and of cases that last for a timeout.
LONG_BATCH_SECONDS = 40
LONG_BATCHES = ("fault_threads", "fault_mpi", "fault_cuda", "fault_cuda_mpi", "fault_tool", "losses")
#: Parts whose program runs cases at once itself.
WITH_JOBS = (*LONG_BATCHES, "outputs")
#: Cores that a case keeps busy, where that is more than one.
CORES = {"fault_threads": 2, "fault_mpi": 2, "fault_cuda": 2, "fault_cuda_mpi": 2, "losses": 4, "soak_exchanges": 4, "soak_domains": 4, "soak_replays": 4}

#: What a test answers to a range of seeds, and the words of the page for it. {range}: the arguments of the range.
PARTS = {
    "fuzz_machine_map": "machine maps; small ones are simulated",
    "fuzz_network": "networks: ibnetdiscover, Slurm, hwloc, pairs of hosts",
    "fuzz_matrix": "communication matrices and profiles",
    "fuzz_manifest": "manifests of checkpoints",
    "fuzz_tuning": "files of tuned choices, and their entries as messages",
    "fuzz_recording": "recordings of ranks, for a postmortem",
    "fuzz_wire": "messages between ranks in set-up",
    "fuzz_arguments": "command lines, parsed",
    "fuzz_pictures": "CSV files and traces that `plot` reads",
    "cli_command_lines": "wrong command lines, given to the program",
    "fault_threads": "one call fails: the life of a domain, with ranks that are threads",
    "fault_mpi": "the same with MPI",
    "fault_cuda": "the same with GPUs, where calls of CUDA fail, too: ranks that are threads",
    "fault_cuda_mpi": "the same with MPI",
    "fault_tool": "one call fails: commands of halocline",
    "soak_exchanges": "exchanges by all transports, every cell compared; nothing that a process holds grows",
    "soak_domains": "the same for domains, from their plan to close()",
    "soak_replays": "the same for graphs, captured, replayed and destroyed",
    "simulation": "ranks, workers and time simulated: delays, switches, ranks that leave or stop, failed calls",
    "outputs": "files of commands fail at each 512th byte and at each call, by 20 error numbers",
    "losses": "a rank of an MPI job is killed, stopped, or stuck at some call",
}


class Unusable(Exception):
    """A program that cannot be run, or whose answer is not understood."""


class Skipped(Exception):
    """A part that cannot be run on this machine, with the reason."""


def commands_of(build, parts):
    """By name of the part, the command of its test without a range of seeds."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise Unusable(f"ctest in {build}: {shown.stderr.strip()}")
    found = {}
    for test in json.loads(shown.stdout)["tests"]:
        if test["name"] in parts and "command" in test:
            words = list(test["command"])
            for option in ("--runs", "--only", "--slack"):  # a test has few cases, and allows for a busy machine
                if option in words:
                    at = words.index(option)
                    del words[at : at + 2]
            found[test["name"]] = words
    if not found:
        raise Unusable(f"{build} has none of the tests {', '.join(parts)}; allowed is a folder in which they are built")
    return found


def run_seeds(part, command, first, count):
    """How many failed, the longest time of one in seconds and the number of call sites where they are known, and the time of all."""
    number = "--count" if part == "cli_command_lines" else "--runs"
    begun = time.monotonic()
    done = subprocess.run([*command, "--first", str(first), number, str(count)], capture_output=True, text=True, check=False)
    print(done.stdout, end="", flush=True)
    passed = re.search(r"^cases passed: (\d+)$", done.stdout, re.M)
    if done.returncode == 77:
        raise Skipped(f"{part}: {done.stdout.strip().rpartition('skipped: ')[2]}")
    if done.returncode not in (0, 1) or not passed:
        raise Unusable(f"{part}: exit code {done.returncode}, {done.stderr.strip() or 'no count of cases'}")
    failed = count - int(passed.group(1))
    if done.returncode == 1:
        failed = max(failed, 1)
    longest = re.search(r"longest ([\d.]+) s", done.stdout)
    sites = re.search(r"^sites failed: \d+ of (\d+)", done.stdout, re.M)
    measured = {"longest_s": float(longest.group(1))} if longest else {}
    over = re.search(r"^over the timeout of .* p99 (-?[\d.]+) s, most (-?[\d.]+) s, of (\d+) errors", done.stdout, re.M)
    if over:
        measured |= {"p99_over_s": float(over.group(1)), "most_over_s": float(over.group(2)), "errors": int(over.group(3))}
    known = re.search(r"known limits: (\d+)", done.stdout)
    if sites and known:
        measured |= {"sites": int(sites.group(1)), "known": int(known.group(1))}
    return failed, measured, time.monotonic() - begun


def commit_of(root):
    """The commit of a clone, with a mark if files differ from it."""
    head = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False)
    changed = subprocess.run(
        ["git", "-C", str(root), "status", "--porcelain", "--", "src", "include", "cli", "apps", "tests", ":!tests/reliability/ledger.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (head.stdout.strip() or "unknown") + (" and changes" if changed.stdout.strip() else "")


def run_part(part, command, first, seconds, jobs, keeps_going=False):
    """A row of the ledger: seeds from `first` on, for about so many seconds on so many cores; ends at a failure, or keeps going."""
    row = {"part": part, "first": first, "end": first, "failed": 0, "seconds": 0.0}
    cases = max(1, jobs // CORES.get(part, 1))
    if part in WITH_JOBS:
        cases = max(2, cases)  # one alone would mostly wait
        command = [*command, "--jobs", str(cases)]
    workers = 1 if part in WITH_JOBS else cases
    begun = time.monotonic()
    lock = threading.Lock()

    def work():
        count = FIRST_BATCH.get(part, 1000) * cases // workers
        while True:
            with lock:
                begin = row["end"]
                row["end"] += count
            failed, measured, took = run_seeds(part, command, begin, count)
            with lock:
                add(row, failed, measured)
                left = begun + seconds - time.monotonic()
                if (row["failed"] and not keeps_going) or left <= 0:
                    return
            count = max(1, int(count / max(took, 0.01) * min(LONG_BATCH_SECONDS if part in LONG_BATCHES else BATCH_SECONDS, left)))

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for worker in [pool.submit(work) for _ in range(workers)]:
            worker.result()
    row["seconds"] = round(time.monotonic() - begun, 1)
    if jobs > 1:
        row["jobs"] = jobs
    return row


def add(row, failed, measured):
    """Adds what a batch gave to the row of its part."""
    row["failed"] += failed
    if "longest_s" in measured:
        row["longest_s"] = max(row.get("longest_s", 0.0), measured["longest_s"])
    if "errors" in measured:
        row["errors"] = row.get("errors", 0) + measured["errors"]
        for name in ("p99_over_s", "most_over_s"):  # of its batches, the longest
            row[name] = max(row.get(name, measured[name]), measured[name])
    if "sites" in measured:
        row["sites"] = measured["sites"]
        row["known"] = row.get("known", 0) + measured["known"]


def read(ledger):
    return json.loads(ledger.read_text(encoding="utf-8")) if ledger.is_file() else []


def write(ledger, page, rows):
    ledger.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    page.write_text(page_of(rows), encoding="utf-8")


def page_of(rows):
    lines = [
        "# Reliability in figures",
        "",
        "Written by `make reliability` from [its ledger](../tests/reliability/ledger.json), which has each run with seeds, commit and date. [What each part does](../tests/reliability/README.md)",
        "and how a seed is run again is described with the tests. A run takes seeds that no run before has taken.",
        "",
        "| part | what | seeds tried | failed | longest of one | time in all | last commit, date |",
        "|---|---|---|---|---|---|---|",
    ]
    for part, what in PARTS.items():
        of_part = [row for row in rows if row["part"] == part]
        if not of_part:
            continue
        seeds = sum(row["end"] - row["first"] for row in of_part)
        longest = max((row["longest_s"] for row in of_part if "longest_s" in row), default=None)
        lines.append(
            f"| `{part}` | {what} | {seeds:,} | {sum(row['failed'] for row in of_part)} | {'' if longest is None else f'{longest:.3f} s'} "
            f"| {sum(row['seconds'] for row in of_part) / 60:.1f} min | {of_part[-1]['commit']}, {of_part[-1]['date']} |"
        )
    covered = [coverage_of(rows, part) for part in PARTS if any(row["part"] == part and "sites" in row for row in rows)]
    if covered:
        lines += ["", "Faults are injected at call sites (allocation, system calls, MPI, CUDA, files), one in each case:", "", *covered]
    losses = [row for row in rows if "errors" in row]
    if losses:
        lines += ["", losses_of(losses)]
    failed = [row for row in rows if row["failed"]]
    if failed:
        lines += ["", "Seeds that failed are in these ranges; each cause is fixed unless it is marked open:", ""]
        lines += [
            f"- `{row['part']}`, {row['first']} to {row['end'] - 1}, commit {row['commit']}: {row['failed']}: {row.get('cause', 'open')}" for row in failed
        ]
    return "\n".join(lines) + "\n"


def losses_of(rows):
    """How long after the timeout the other ranks had their errors."""
    return (
        f"In `losses`, ranks that were not lost reported {sum(row['errors'] for row in rows):,} errors, at most "
        f"{max(row['p99_over_s'] for row in rows):.2f} s after the timeout (99 of 100, in the slowest batch), {max(row['most_over_s'] for row in rows):.2f} s (all)."
    )


def coverage_of(rows, part):
    """How many of the sites of the last commit have failed; seeds go round over them."""
    of_part = [row for row in rows if row["part"] == part and "sites" in row]
    last = of_part[-1]
    sites = last["sites"]
    tried = {seed % sites for row in of_part if row["commit"] == last["commit"] for seed in range(row["first"], min(row["end"], row["first"] + sites))}
    return (
        f"- `{part}`: {len(tried):,} of {sites:,} sites ({100 * len(tried) // sites} %) at commit {last['commit']}; "
        f"of all cases, {sum(row['known'] for row in of_part):,} ended as known limits, which are not counted as failed"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cores to use")
    parser.add_argument("--keep-going", action="store_true", help="go on with a part after a seed that failed")
    parser.add_argument("--commit", help="the commit of the programs; without it, the one of this clone")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="PART", help="this part, which may be given several times")
    parser.add_argument("--ledger", type=pathlib.Path, default=HERE / "ledger.json")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "reliability.md")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    rows = read(given.ledger)
    if given.check:
        same = given.page.is_file() and given.page.read_text(encoding="utf-8") == page_of(rows)
        print(f"cases {'passed' if same else 'failed'}: 1" + ("" if same else f"\n{given.page} is not what {given.ledger} gives; run.py --write"))
        return 0 if same else 1
    if given.write:
        write(given.ledger, given.page, rows)
        return 0
    if given.build is None or given.minutes <= 0 or given.jobs <= 0:
        parser.error("allowed is a build folder, more than 0 minutes, and more than 0 jobs")
    failed = 0
    try:
        commands = commands_of(given.build, given.only or PARTS)
        for part, command in commands.items():
            first = max((row["end"] for row in rows if row["part"] == part), default=0)
            try:
                row = run_part(part, command, first, 60 * given.minutes / len(commands), given.jobs, given.keep_going)
            except Skipped as why:
                print(f"run.py: skipped: {why}", flush=True)
                continue
            row |= {"commit": given.commit or commit_of(ROOT), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}
            failed += row["failed"]
            rows.append(row)
            write(given.ledger, given.page, rows)
    except Unusable as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
