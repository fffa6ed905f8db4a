#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The code blocks of docs/guide/18-c-and-fortran.md are lines of examples, which tests run; the numbers of lines that it names are those of the files; and
every function of the C headers is in its table.

    quotes.py ROOT
"""

import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def quoted(block, files):
    """Whether the lines of a block follow one another in a file."""
    wanted = lines_of(block)
    return any(wanted == lines[i : i + len(wanted)] for lines in files for i in range(len(lines) - len(wanted) + 1))


def main(root):
    page = (root / "docs/guide/18-c-and-fortran.md").read_text(encoding="utf-8")
    files = [lines_of(path.read_text(encoding="utf-8")) for path in sorted((root / "examples").glob("*.*")) if path.suffix in (".c", ".f90")]
    wrong, checked = [], 0
    for language, block in re.findall(r"^```(c|fortran)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        checked += 1
        if not quoted(block, files):
            wrong.append(f"this {language} block is in no example:\n{block}")
    for name, count in re.findall(r"`(examples/\S+)` \| (\d+) \|", page):
        checked += 1
        code = [line for line in lines_of((root / name).read_text(encoding="utf-8")) if not line.startswith("!")]
        if len(code) != int(count):
            wrong.append(f"{name} has {len(code)} lines of code; the page names {count}")
    # `domain_plan`, `_realize`: the object's name is that of the name before.
    shown = set()
    for cell in re.findall(r"^\| ([^|]*`[^|]*) \|", page, re.MULTILINE):
        first = ""
        for name in re.findall(r"`([a-z_]+)`", cell):
            first = first if name.startswith("_") else name
            words = first.split("_")
            shown |= {"halocline_" + ("_".join(words[:n]) + name if name.startswith("_") else name) for n in range(1, len(words) + 1)}
    for header in sorted((root / "bindings/c/include").rglob("*.h")):
        for function in re.findall(r"HALOCLINE_API [a-z_ *]*?(halocline_\w+)\(", header.read_text(encoding="utf-8")):
            checked += 1
            if function not in shown:
                wrong.append(f"{function} of {header.name} is not in the table of functions")
    for text in wrong:
        print("FAILED:", text)
    print(f"{checked - len(wrong)} of {checked} as expected")
    return 1 if wrong or checked < 40 else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
