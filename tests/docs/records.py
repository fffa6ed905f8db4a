#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the decision records: every one has a status, and every record that a status names exists.

    records.py ROOT

A record is docs/decisions/NNNN-words.md. Its first line is "# NNNN: title", its third the status:

    Status: accepted.
    Status: accepted, amended by [0036](0036-packets.md): small messages take another path.
    Status: accepted, amended 2026-11-23: what changed.
    Status: superseded in part by [0015](0015-fused-exchange.md): which part.
    Status: superseded by [0015](0015-fused-exchange.md): why.

Several records are separated by commas. A record can only be changed by a later one. docs/decisions/README.md lists each record once, in order,
with the same status in its last column ("accepted", "amended by 0036", "superseded in part by 0015").
"""

import pathlib
import re
import sys

LINK = r"\[\d{4}\]\([^()\s]+\)"
LINKS = rf"{LINK}(?:, {LINK})*"
STATUS = re.compile(rf"Status: (?:accepted\.|(?P<how>accepted, amended (?P<when>\d{{4}}-\d\d-\d\d)|(?:accepted, amended|superseded in part|superseded) by (?P<by>{LINKS})): \S.*)")
ROW = re.compile(r"^\| \[(\d{4})\]\(([^()\s]+)\) \|.*\| ([^|]+) \|$", re.M)


def short(match):
    """The status as the table of README.md has it."""
    if not match["how"]:
        return "accepted"
    words = re.sub(r"\[(\d{4})\]\([^()\s]+\)", r"\1", match["how"])
    return words.replace("accepted, ", "")


def check_record(path, names):
    """Returns the record's status in short (None where it has none), and what is wrong with it."""
    number, lines, wrong = path.name[:4], path.read_text(encoding="utf-8").split("\n"), []
    if not lines[0].startswith(f"# {number}: "):
        wrong.append(f"{path.name}:1: the first line is '{lines[0]}'; allowed is '# {number}: title'")
    match = STATUS.fullmatch(lines[2]) if len(lines) > 2 and lines[1] == "" else None
    if not match:
        return None, wrong + [f"{path.name}:3: has no status; allowed is 'Status: accepted.' or another form of tests/docs/records.py"]
    for of, file in re.findall(r"\[(\d{4})\]\(([^()\s]+)\)", match["by"] or ""):
        if file not in names:
            wrong.append(f"{path.name}:3: refers to {file}, which does not exist")
        elif not file.startswith(of + "-"):
            wrong.append(f"{path.name}:3: refers to {of} by a link to {file}")
        elif of <= number:
            wrong.append(f"{path.name}:3: refers to {of}; allowed is a later record")
    return short(match), wrong


def main(arguments):
    folder = pathlib.Path(arguments[0]).resolve() / "docs" / "decisions"
    paths = sorted(folder.glob("[0-9][0-9][0-9][0-9]-*.md"))
    names = {path.name for path in paths}
    listed = ROW.findall((folder / "README.md").read_text(encoding="utf-8"))
    wrong, expected = [], []
    for path in paths:
        status, found = check_record(path, names)
        wrong += found
        expected.append((path.name[:4], path.name, status))
    for path in sorted(folder.glob("*.md")):
        if path.name != "README.md" and path.name not in names:
            wrong.append(f"{path.name}: is no record; allowed is NNNN-words.md")
    for number in {n for n, _, _ in expected if [m for m, _, _ in expected].count(n) > 1}:
        wrong.append(f"{number}: two records have this number")
    if [row[:2] for row in listed] != [row[:2] for row in expected]:
        missing = sorted({row[1] for row in expected} ^ {row[1] for row in listed})
        wrong.append(f"README.md: the table does not list each record once, in order (differs in: {', '.join(missing) or 'order'})")
    statuses = {name: status for _, name, status in expected if status}
    for _, name, status in listed:
        if name in statuses and status != statuses[name]:
            wrong.append(f"README.md: {name} is listed as '{status}', its status is '{statuses[name]}'")
    for line in wrong:
        print(f"FAILED: docs/decisions/{line}", file=sys.stderr)
    if not paths:
        print("FAILED: no record was found", file=sys.stderr)
    print(f"cases passed: {len(paths)}")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
