#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two builds of the command-line tool by interleaved runs of the same commands.

    bench/interleaved.py BEFORE AFTER CASES [--runs 7] [--mpirun "mpirun --oversubscribe --bind-to none"]

BEFORE and AFTER are executables of halocline. A line of the file CASES is a name, a number of ranks (0: without mpirun) and the arguments of
a command that prints JSON, separated by ` | `:

    512^3, 1 rank | 0 | exchange --size 512 --radius 3 --fields 4xf32 --steady 400 --graph 20

A round runs each case by BEFORE, by AFTER, and by BEFORE once more, so that the spread of a build against itself is measured under the same
conditions. Prints microseconds: medians with minimum and maximum of each series, and the ratios of medians, for exchanges back to back
(steady.mean_s) and behind a barrier (times.p50_s). Marks what is slower by more than 2 % and by more than BEFORE is against itself; the exit
code is 1 then, and 2 if a command fails.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys

FIGURES = {"back to back": ("steady", "mean_s"), "behind a barrier": ("times", "p50_s")}


def measure(executable, ranks, arguments, mpirun):
    command = [*(shlex.split(mpirun) + ["-n", ranks] if ranks != "0" else []), executable, *shlex.split(arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        print(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    document = json.loads(done.stdout)
    return {name: 1e6 * document[section][key] for name, (section, key) in FIGURES.items() if section in document}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("cases")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mpirun", default="mpirun --oversubscribe --bind-to none")
    given = parser.parse_args()
    with open(given.cases) as lines:
        cases = [[part.strip() for part in line.split(" | ", 2)] for line in lines if line.strip()]
    series = {}
    for _ in range(given.runs):
        for name, ranks, arguments in cases:
            for build, executable in (("before", given.before), ("after", given.after), ("again", given.before)):
                for figure, value in measure(executable, ranks, arguments, given.mpirun).items():
                    series.setdefault((name, figure), {}).setdefault(build, []).append(value)
    slower = 0
    print(f"{'case':<28}{'figure':<18}{'before':>24}{'after':>24}{'before again':>24}  after/before  again/before")
    for (name, figure), builds in series.items():
        middle = {build: statistics.median(values) for build, values in builds.items()}
        texts = "".join(f"{f'{middle[b]:.2f} ({min(builds[b]):.2f}-{max(builds[b]):.2f})':>24}" for b in ("before", "after", "again"))
        change, own = middle["after"] / middle["before"], middle["again"] / middle["before"]
        mark = change > 1 + max(0.02, abs(own - 1))
        slower += mark
        print(f"{name:<28}{figure:<18}{texts}  {change:12.3f}  {own:12.3f}{'  slower' if mark else ''}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
