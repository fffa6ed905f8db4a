#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""faults.py with a program that does one thing wrong when its call fails (planted.cpp): faults_test.py BUILD."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = {
    "right": None,
    "signal": "a signal",
    "hang": "no end within the limit",
    "file": "files are left: .halocline-0123456789abcdef",
    "silent": "no error line",
    "unverified": "ranks [0] are not verified",
}


def main():
    failures = []
    for kind, words in EXPECTED.items():
        command = [sys.executable, "-B", str(HERE / "faults.py"), f"planted_{kind}", sys.argv[1], "--only", "open", "--runs", "6"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        right = done.returncode == 0 if words is None else done.returncode == 1 and f"FAILED: {words}" in done.stdout
        if not right:
            failures.append(f"{kind}: exit code {done.returncode}, {done.stdout} {done.stderr}")
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"cases passed: {len(EXPECTED) - len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
