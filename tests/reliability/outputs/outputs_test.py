#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""outputs.py with a program that does one thing wrong when a call fails (planted.py): outputs_test.py BUILD."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import drivers  # noqa: E402  pylint: disable=wrong-import-position

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

if __name__ == "__main__":
    sys.exit(drivers.check(EXPECTED, lambda kind: [str(HERE / "outputs.py"), sys.argv[1], "--only", f"planted_{kind}", "--runs", "8"]))
