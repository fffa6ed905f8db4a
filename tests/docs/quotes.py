#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that README.md and the guide quote are lines of files in examples/, which tests compile and run.

    quotes.py ROOT

A block ```c, ```cuda or ```fortran quotes an example. So does one of any language behind <!-- block: from examples/FILE -->, which also names the
file. Its lines follow one another in the file; indentation and empty lines do not count. A line "// ..." ("! ...", "# ...") stands for any lines.
"""

import pathlib
import re
import sys

from blocks import BLOCK
from markdown import guide, line_of, place

SUFFIXES = {"c": ".c", "cuda": ".cu", "fortran": ".f90"}
GAP = re.compile(r"(//|!|#) \.\.\.")


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def parts_of(lines):
    """The lines between gaps."""
    parts = [[]]
    for line in lines:
        if GAP.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in parts if part]


def quoted(parts, lines):
    """Whether the parts are in a file, one behind the other."""
    at = 0
    for part in parts:
        places = [i for i in range(at, len(lines) - len(part) + 1) if lines[i : i + len(part)] == part]
        if not places:
            return False
        at = places[0] + len(part)
    return len(parts) > 0


def main(root):
    passed, wrong = 0, []
    for page in guide(root):
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            name = re.fullmatch(r"from (\S+)", block["words"] or "")
            if not name and block["kind"] not in SUFFIXES:
                continue
            where = place(page, root, line_of(text, block.start("body")))
            files = [root / name[1]] if name else sorted((root / "examples").glob("*" + SUFFIXES[block["kind"]]))
            if name and not (name[1].startswith("examples/") and files[0].is_file()):
                wrong.append(f"{where}: there is no example {name[1]}")
            elif any(quoted(parts_of(lines_of(block["body"])), lines_of(file.read_text(encoding="utf-8"))) for file in files):
                passed += 1
            else:
                wrong.append(f"{where}: not in {name[1] if name else 'any example'}")
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    if passed == 0:
        print("FAILED: nothing was quoted", file=sys.stderr)
    print(f"cases passed: {passed}")
    return 1 if wrong or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
