#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""faults.py with a program that does one thing wrong when its call fails (planted.cpp): faults_test.py BUILD."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import drivers  # noqa: E402  pylint: disable=wrong-import-position

EXPECTED = {
    "right": None,
    "signal": "a signal",
    "hang": "no end within the limit",
    "file": "files are left: .halocline-0123456789abcdef",
    "silent": "no error line",
    "unverified": "ranks [0] are not verified",
}

if __name__ == "__main__":
    sys.exit(drivers.check(EXPECTED, lambda kind: [str(HERE / "faults.py"), sys.argv[1], f"planted_{kind}", "--only", "open", "--runs", "6"]))
