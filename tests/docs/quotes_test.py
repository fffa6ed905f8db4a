#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""quotes.py finds what is wrong: pages with one mistake each, and two files that stand for examples."""

import pathlib
import subprocess
import sys
import tempfile

from planted import run_planted

HERE = pathlib.Path(__file__).resolve().parent


def block(kind, body, name=""):
    return (f"<!-- block: from {name} -->\n" if name else "") + f"```{kind}\n{body}```\n"


PAGES = [
    # text, exit code, words of standard error
    (block("c", "int b = 2;\nint c = 3;\n"), 0, ""),
    (block("c", "int b = 2;\n\n    int c = 3;\n"), 0, ""),
    (block("c", "int a = 1;\nint c = 3;\n"), 1, "README.md:2: not in any example"),
    (block("c", "int a = 1;\n// ...\nint c = 3;\n"), 0, ""),
    (block("c", "int c = 3;\n// ...\nint a = 1;\n"), 1, "not in any example"),
    (block("c", "// ...\n"), 1, "not in any example"),
    (block("fortran", "a = 1\n! ...\nc = 3\n"), 0, ""),
    (block("fortran", "int a = 1;\n"), 1, "not in any example"),
    (block("cpp", "int a = 1;\n", "examples/one.c"), 0, ""),
    (block("cpp", "int a = 1;\n", "examples/two.f90"), 1, "README.md:3: not in examples/two.f90"),
    (block("cpp", "int a = 1;\n", "examples/none.c"), 1, "there is no example examples/none.c"),
    (block("cpp", "int a = 1;\n"), 1, "nothing was quoted"),
]


def run(text):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "README.md").write_text(text)
        (root / "examples").mkdir()
        (root / "examples" / "one.c").write_text("int a = 1;\nint b = 2;\n  int c = 3;\n")
        (root / "examples" / "two.f90").write_text("a = 1\nb = 2\nc = 3\n")
        return subprocess.run([sys.executable, HERE / "quotes.py", root], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(run_planted(PAGES, run))
