# SPDX-License-Identifier: BSD-3-Clause
"""What the drivers of seeded cases share: their options, and a comparison of what they notice with what they have to notice."""

import argparse
import pathlib
import subprocess
import sys


def parser_of(description, runs):
    """The options of every driver; runs: how many seeds without --runs."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build folder")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--runs", type=int, default=runs, help="how many seeds")
    parser.add_argument("--seed", type=int, help="one seed alone")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time")
    parser.add_argument("--show", action="store_true", help="each case, and what it gave")
    return parser


def seeds_of(given):
    """The seeds that the options ask for."""
    return range(given.first, given.first + given.runs) if given.seed is None else range(given.seed, given.seed + 1)


def check(expected, command_of):
    """Runs the command of each kind. expected: by kind the words behind "FAILED: " of a driver that ends with 1, or None if nothing is wrong.
    Prints failures and "cases passed: N"; returns the exit code."""
    failures = []
    for kind, words in expected.items():
        done = subprocess.run([sys.executable, "-B", *command_of(kind)], capture_output=True, text=True, check=False)
        right = done.returncode == 0 if words is None else done.returncode == 1 and f"FAILED: {words}" in done.stdout
        if not right:
            failures.append(f"{kind}: exit code {done.returncode}, {done.stdout} {done.stderr}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"cases passed: {len(expected) - len(failures)}")
    return 1 if failures else 0
