#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""outputs.py with a program that does one thing wrong when a call fails (planted.py): outputs_test.py BUILD."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = {
    "right": None,
    "in_place": "out.txt is neither the earlier file nor the new one",
    "late": "out.txt is cut: ",
    "left": ".halocline-0123456789abcdef is left, ",
    "silent": "exit code 0",
    "signal": "a signal",
    "speechless": "0 lines of an error",
    "unnamed": "the error does not name out.txt",
    "reasonless": "the error does not have the reason, ",
}


def main():
    failures = []
    for kind, words in EXPECTED.items():
        command = [sys.executable, "-B", str(HERE / "outputs.py"), sys.argv[1], "--only", f"planted_{kind}", "--runs", "8"]
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
