#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""examples.py finds what is wrong: pages with one mistake each, and a program that stands for halocline."""

import pathlib
import subprocess
import sys
import tempfile

from planted import run_planted

HERE = pathlib.Path(__file__).resolve().parent

PROGRAM = """#!/bin/sh
case $1 in
  time) printf 'level   busy\\n-----  -----\\nnetwork  12.3 us\\n' ;;
  read) cat input.txt ;;
  fail) echo no >&2; exit 1 ;;
esac
"""
SHOWN = "level  busy\n---  ---\nnetwork  {}\n"


def console(body, marker=""):
    return f"{marker}```console\n{body}```\n"


def commands(cell):
    return f"<!-- example: commands -->\n| figure | command |\n|---|---|\n| 1 | {cell} |\n"


PAGES = [
    # text, exit code, words of standard error
    (console("$ halocline time\n" + SHOWN.format("4.56 ms")), 0, ""),
    (console("$ halocline time \\\n    --now\n" + SHOWN.format("4.56 ms")), 0, ""),
    (console("$ halocline time\n" + SHOWN.format("4.56 MB")), 1, "prints something else"),
    (console("$ halocline time\nlevel  busy\n---  ---\ncore  1 us\n"), 1, "-core # s\n+network # s"),
    (console("$ halocline time\nlevel  busy\n...\n"), 0, ""),
    (console("$ halocline time\n...\ncore  ...\n"), 1, "prints something else"),
    (console("$ halocline time\n" + SHOWN.format("4.56 ms") + "more\n"), 1, "prints something else"),
    (console("$ halocline time\nlevel   busy\n-----  -----\nnetwork  12.3 us\n", "<!-- example: exact -->\n"), 0, ""),
    (console("$ halocline time\nlevel   busy\n-----  -----\nnetwork  12.4 us\n", "<!-- example: exact -->\n"), 1, "12.3 us"),
    ("<!-- example: file input.txt -->\n```\na line\n```\n" + console("$ halocline read\na line\n"), 0, ""),
    (console("$ halocline read\na line\n"), 1, "ended with 1"),
    (console("$ make demo\nlevel busy\n...\n", "<!-- example: runs halocline time -->\n"), 0, ""),
    (console("$ halocline fail\nyes\n"), 1, "ended with 1"),
    (console("$ halocline time\nanything\n", "<!-- example: not run: needs 4 GPUs -->\n"), 1, "no example was run"),
    (console("$ halocline time\nanything\n", "<!-- example: perhaps -->\n"), 1, "nothing that an example can be"),
    ("    halocline time\n\n    level  busy\n", 1, "shows a command and its output"),
    ("```\nhalocline time\nlevel  busy\n```\n", 1, "shows a command and its output"),
    ("    halocline time\n    mpirun -n 2 halocline time   # twice\n" + console("$ halocline time\n...\n"), 0, ""),
    (commands("`halocline time`, `halocline time --again`"), 0, ""),
    (commands("`halocline time`, `halocline fail --now`"), 1, "'halocline fail --now' ended with 1"),
    (commands("`halocline time`, `halocline fail --backend cuda`, `bench_nothing --here`"), 0, ""),
    (commands("halocline time"), 1, "a table of commands without one"),
    ("Nothing is run here.\n", 1, "no example was run"),
]


def run(text):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "README.md").write_text(text)
        program = root / "halocline"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        return subprocess.run([sys.executable, HERE / "examples.py", root, program], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(run_planted(PAGES, run))
