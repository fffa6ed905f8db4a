#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of lines that docs/guide/18-c-and-fortran.md names are those of the files, and every function of the C headers is in its table.

    quotes.py ROOT
"""

import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def main(root):
    page = (root / "docs/guide/18-c-and-fortran.md").read_text(encoding="utf-8")
    wrong, checked = [], 0
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
