# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a driver notices of programs that do one thing wrong each with what it has to notice."""

import subprocess
import sys


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
