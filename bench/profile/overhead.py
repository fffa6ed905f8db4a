#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `halocline profile` costs a halo exchange, end to end: many short runs with and without it in turns.
  overhead.py run HALOCLINE OUT.csv [--pairs N] [--size N] [--ranks N]   adds runs to OUT.csv
  overhead.py table OUT.csv                                              ratios with / without, and their intervals
A pair is a run without and one with the library, in turns which comes first. Wall times are of single exchanges within a run, the least
and the lower quartile of them, so that what other programs take of the cores does not count; processor time is user and system time of
the whole job, from mpirun's start to its end. Intervals are of 95 %, by bootstrap over pairs. Wants a host backend and an mpirun.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["size", "ranks", "pair", "profiled", "exchanges", "least_s", "quartile_s", "processor_s", "wall_s"]
REPEAT, STEADY = 2000, 2000


def one_run(halocline, size, ranks, profiled, folder):
    program = [halocline, "exchange", "--backend", "host", "--size", str(size), "--transports", "mpi_staged,self"]
    program += ["--repeat", str(REPEAT), "--steady", str(STEADY), "--json"]
    if ranks == 1:
        program += ["--devices-per-rank", "2"]
    if profiled:
        program = [halocline, "profile", "--output", str(folder / "job.csv"), "--", *program]
    begin = time.monotonic()
    job = subprocess.Popen(
        [str(ROOT / "scripts/mpirun.sh"), "-n", str(ranks), *program], stdout=subprocess.PIPE, text=True
    )
    document = json.loads(job.stdout.read())
    _, status, usage = os.wait4(job.pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.exit(f"overhead: a run ended with status {status}")
    if profiled and not (folder / "job.csv").exists():
        sys.exit("overhead: the profiled run wrote no file, so nothing was profiled")
    times = document["times"]
    return [REPEAT + STEADY, times["min_s"], times["p25_s"], usage.ru_utime + usage.ru_stime, wall]


def run(arguments):
    halocline = str(pathlib.Path(arguments.halocline).resolve())
    path = pathlib.Path(arguments.out)
    is_new = not path.exists()
    with path.open("a", newline="") as file, tempfile.TemporaryDirectory() as folder:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for pair in range(arguments.pairs):
            for profiled in (0, 1) if pair % 2 == 0 else (1, 0):
                row = one_run(halocline, arguments.size, arguments.ranks, profiled, pathlib.Path(folder))
                writer.writerow([arguments.size, arguments.ranks, pair, profiled, row[0], *(f"{x:.9f}" for x in row[1:])])
            file.flush()


def quartile(values):
    return statistics.quantiles(values, n=4, method="inclusive")[0]


def interval(pairs, statistic, rounds=2000):
    """The statistic's 95 % interval over pairs drawn again with replacement."""
    draw = random.Random(1)
    found = sorted(statistic(draw.choices(pairs, k=len(pairs))) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds)]


def ratio_of_quartiles(pairs):
    return quartile([with_it for _, with_it in pairs]) / quartile([without for without, _ in pairs])


def median_ratio(pairs):
    return statistics.median(with_it / without for without, with_it in pairs)


def table(arguments):
    cases = {}
    with open(arguments.out, newline="") as file:
        for row in csv.DictReader(file):
            case = cases.setdefault((int(row["ranks"]), int(row["size"])), {})
            case.setdefault(row["pair"], {})[row["profiled"]] = row
    statistics_of = {
        "least exchange, lower quartile of runs": ("least_s", ratio_of_quartiles),
        "lower quartile of exchanges, the same of runs": ("quartile_s", ratio_of_quartiles),
        "processor time, lower quartile of runs": ("processor_s", ratio_of_quartiles),
        "processor time, median of pairs": ("processor_s", median_ratio),
    }
    for (ranks, size), runs in cases.items():
        whole = [pair for pair in runs.values() if len(pair) == 2]
        print(f"{ranks} ranks, {size}^3, {len(whole)} pairs")
        for name, (column, statistic) in statistics_of.items():
            pairs = [(float(pair["0"][column]), float(pair["1"][column])) for pair in whole]
            low, high = interval(pairs, statistic)
            without = quartile([first for first, _ in pairs])
            print(f"  {name:46} {without:12.6g} s without, ratio {statistic(pairs):.4f} [{low:.4f}, {high:.4f}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("halocline")
    runs.add_argument("out")
    runs.add_argument("--pairs", type=int, default=40)
    runs.add_argument("--size", type=int, default=64)
    runs.add_argument("--ranks", type=int, default=2)
    runs.set_defaults(work=run)
    tables = commands.add_parser("table")
    tables.add_argument("out")
    tables.set_defaults(work=table)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()
