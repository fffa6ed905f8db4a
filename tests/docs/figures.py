#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the figures of README.md, the guide, the measurements and the decision records with the raw data in bench/results.

    figures.py ROOT [FILE.md ...]     without files: README.md, docs/guide/*.md, docs/measurements/*.md and docs/decisions/*.md

Comments in the Markdown, which nobody who reads a page sees, say where a figure is from. Behind figures of a sentence, one
reference for each of the numbers just before the comment, apart by semicolons:

    766, 770 and 768 us<!-- figures 2026-11-21-4x-h200-fused/summary.txt: "trivial +self"; "best +self"; "worst +self" -->

In front of a table, a line for each row, or for several rows with a key for each; $ in the cells stands for the key ($1 and $2
for the parts of a key with a comma in it), and cells are apart by |. The first column is the row's name. A cell with several
numbers has a reference for each; "-" leaves out a number, an empty cell what is in it, and a line "skip" a row:

    <!-- table 2026-11-21-4x-h200-chain:
    512 256: exchange-$-4r-graph20.json steady.mean_s *1e6 | summary.txt "exchange-$-4r-graph20" @4
    -->

The word before the colon is the file, or the folder, that references without one are about. What a reference is, sources.py says: FILE "words of a line" @number, FILE.csv key=value column, FILE.json key.key, factors (*1e6),
and "A minus B", "A over B", "A of B" (per cent), "A off B" (per cent more), "A below B" (per cent less). A figure holds if the raw value rounds to it.

A table of figures without a source has <!-- no raw data: why -->. It fails where a figure differs, a file or a line is not there, a
table of numbers in README.md, the guide or the measurements has neither comment, or nothing was compared.
"""

import pathlib
import re
import sys

from markdown import Mistake, guide, line_of, place, records
from sources import NUMBER, to_number, value_of

MARKER = re.compile(r"<!-- (figures|table|no raw data)( [^\s:]+)?:(.*?)-->", re.S)


def half_a_unit(text):
    """Half of the last digit's unit; zeros at the end of a whole number of four digits and more are no digits."""
    digits = text.lstrip("+-").replace(",", "")
    if "." in digits:
        return 0.5 * 10 ** -len(digits.split(".")[1])
    zeros = len(digits) - len(digits.rstrip("0")) if len(digits) > 3 else 0
    return 0.5 * 10 ** zeros


def compare(printed, reference, results, default):
    value = value_of(reference, results, default)
    if abs(value - to_number(printed)) > half_a_unit(printed) * 1.001 + 1e-12:
        raise Mistake(f"{printed} is printed, {value:.6g} is '{reference}'")


def check_sentence(text, marker, results):
    """Compares the numbers before a marker; returns how many."""
    references = [part.strip() for part in marker.group(3).split(";")]
    begin = text.rfind("\n\n", 0, marker.start()) + 2
    before = re.sub(r"<!--.*?-->", lambda m: " " * len(m.group()), text[begin:marker.start()], flags=re.S)
    if not before.rsplit("\n", 1)[-1].strip():
        raise Mistake("a marker of figures stands behind them, on their line")
    before = re.sub(r"\[\d{4}\]\([^)]*\)|\]\([^)]*\)", " ", before)
    numbers = NUMBER.findall(before)[-len(references):]
    if len(numbers) < len(references):
        raise Mistake(f"{len(references)} references, {len(numbers)} numbers before them")
    for printed, reference in zip(numbers, references):
        if reference != "-":
            compare(printed, reference, results, (marker.group(2) or "").strip())
    return sum(reference != "-" for reference in references)


def rows_of(lines):
    """The lines of a marker, row by row: None for a row that is skipped, or the cells' references."""
    rows = []
    for line in lines:
        if line == "skip":
            rows.append(None)
            continue
        keys, separator, cells = line.partition(": ")
        if not separator:
            raise Mistake(f"'{line}' has no 'key: cells'")
        for key in keys.split():
            filled = cells.replace("$1", key.split(",")[0]).replace("$2", key.split(",")[-1]).replace("$", key)
            rows.append([cell.strip() for cell in filled.split("|")])
    return rows


def table_behind(text, position):
    """The rows of the table behind a position, without head and rule; a list of cells each."""
    lines = text[position:].lstrip("\n").splitlines()
    taken = []
    for line in lines:
        if not line.strip().startswith("|"):
            break
        taken.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    if len(taken) < 3:
        raise Mistake("no table follows")
    return taken[2:]


def check_table(text, marker, results):
    default = (marker.group(2) or "").strip()
    rows = rows_of([line.strip() for line in marker.group(3).strip().splitlines()])
    if not (results / default).exists():
        raise Mistake(f"there is no bench/results/{default}")
    printed_rows = table_behind(text, marker.end())
    if len(rows) != len(printed_rows):
        raise Mistake(f"the table has {len(printed_rows)} rows, the marker {len(rows)}")
    count = 0
    for references, printed in zip(rows, printed_rows):
        if references is None:
            continue
        if len(references) != len(printed) - 1:
            raise Mistake(f"row '{printed[0]}' has {len(printed) - 1} cells, the marker {len(references)}")
        for cell_references, cell in zip(references, printed[1:]):
            if not cell_references:
                continue
            parts = [part.strip() for part in cell_references.split(";")]
            numbers = NUMBER.findall(re.sub(r"\]\([^)]*\)", "]", cell))
            if len(parts) != len(numbers):
                raise Mistake(f"row '{printed[0]}': '{cell}' holds {len(numbers)} numbers, the marker {len(parts)} references")
            for number, reference in zip(numbers, parts):
                if reference != "-":
                    try:
                        compare(number, reference, results, default)
                    except Mistake as mistake:
                        raise Mistake(f"row '{printed[0]}': {mistake}") from None
                    count += 1
    return count


WORDS_OF_FIGURES = set("ns us ms s x B KB MB GB W MHz of to a cell nothing".split())


def is_of_figures(rows):
    """Whether most cells behind the first column are numbers, with units or without."""
    cells = [cell for row in rows for cell in row[1:] if cell]
    numbers = [cell for cell in cells if NUMBER.match(cell) and set(re.findall(r"[A-Za-z]+", NUMBER.sub("", cell))) <= WORDS_OF_FIGURES]
    return len(cells) > 0 and len(numbers) > len(cells) / 2


def check_document(path, root, results):
    """Returns how many figures were compared, how many tables have no source, and what is wrong."""
    text = path.read_text(encoding="utf-8")
    count, without, wrong, covered = 0, 0, [], []
    for marker in MARKER.finditer(text):
        where = place(path, root, line_of(text, marker.start()))
        covered.append(line_of(text, marker.end()))
        try:
            if marker.group(1) == "no raw data":
                without += 1
                if not marker.group(3).strip():
                    raise Mistake("a table without raw data says why")
                table_behind(text, marker.end())
            else:
                count += (check_table if marker.group(1) == "table" else check_sentence)(text, marker, results)
        except Mistake as mistake:
            wrong.append(f"{where}: {mistake}")
    if path in records(root):
        return count, without, wrong
    for head in re.finditer(r"^ *\|.*\n *\|[-| :]+\|\n", text, re.M):
        line = line_of(text, head.start())
        if is_of_figures(table_behind(text, head.start())) and not any(c in (line - 1, line - 2) for c in covered):
            wrong.append(f"{place(path, root, line)}: a table of figures; allowed is with a comment <!-- table ...: ... --> or <!-- no raw data: why -->")
    return count, without, wrong


def main(arguments):
    root = pathlib.Path(arguments[0]).resolve()
    paths = [pathlib.Path(name).resolve() for name in arguments[1:]] or guide(root) + records(root)
    total, without, wrong = 0, 0, []
    for path in paths:
        count, unsourced, found = check_document(path, root, root / "bench" / "results")
        total, without, wrong = total + count, without + unsourced, wrong + found
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    if total == 0:
        print("FAILED: no figure was compared", file=sys.stderr)
    print(f"tables without raw data: {without}")
    print(f"cases passed: {total}")
    return 1 if wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
