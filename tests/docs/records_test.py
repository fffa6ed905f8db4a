#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""records.py finds what is wrong: one record with one mistake each, before an intact later one."""

import pathlib
import subprocess
import sys
import tempfile

from planted import run_planted

HERE = pathlib.Path(__file__).resolve().parent
BY = "by [0002](0002-later.md)"
LISTED = "accepted"

DOCUMENTS = [
    # (first record, its status in the table), exit code, words of standard error
    (("# 0001: a\n\nStatus: accepted.\n", LISTED), 0, ""),
    ((f"# 0001: a\n\nStatus: accepted, amended {BY}: more.\n", "amended by 0002"), 0, ""),
    (("# 0001: a\n\nStatus: accepted, amended 2026-11-23: more.\n", "amended 2026-11-23"), 0, ""),
    ((f"# 0001: a\n\nStatus: superseded in part {BY}: the rest.\n", "superseded in part by 0002"), 0, ""),
    ((f"# 0001: a\n\nStatus: superseded {BY}: all.\n", "superseded by 0002"), 0, ""),
    (("# 0001: a\n\n## Context\n", LISTED), 1, "0001-a.md:3: has no status"),
    (("# 0001: a\nStatus: accepted.\n", LISTED), 1, "0001-a.md:3: has no status"),
    (("# 0001: a\n\nStatus: perhaps.\n", LISTED), 1, "has no status"),
    ((f"# 0001: a\n\nStatus: superseded {BY}.\n", "superseded by 0002"), 1, "has no status"),
    (("# 0001: a\n\nStatus: superseded by 0002: all.\n", "superseded by 0002"), 1, "has no status"),
    (("# 0001: a\n\nStatus: superseded by [0003](0003-gone.md): all.\n", "superseded by 0003"), 1, "0003-gone.md, which does not exist"),
    (("# 0001: a\n\nStatus: superseded by [0003](0002-later.md): all.\n", "superseded by 0003"), 1, "by a link to 0002-later.md"),
    (("# 0001: a\n\nStatus: superseded by [0001](0001-a.md): all.\n", "superseded by 0001"), 1, "allowed is a later record"),
    (("# 0007: a\n\nStatus: accepted.\n", LISTED), 1, "the first line is '# 0007: a'"),
    ((f"# 0001: a\n\nStatus: superseded {BY}: all.\n", LISTED), 1, "is listed as 'accepted', its status is 'superseded by 0002'"),
    (("# 0001: a\n\nStatus: accepted.\n", None), 1, "does not list each record once"),
]


def run(planted):
    text, listed = planted
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "docs" / "decisions"
        folder.mkdir(parents=True)
        (folder / "0001-a.md").write_text(text)
        (folder / "0002-later.md").write_text("# 0002: later\n\nStatus: accepted.\n")
        rows = [f"| [0001](0001-a.md) | a | {listed} |"] if listed else []
        (folder / "README.md").write_text("\n".join(["| record | about | status |", "|---|---|---|"] + rows + ["| [0002](0002-later.md) | b | accepted |", ""]))
        return subprocess.run([sys.executable, HERE / "records.py", name], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(run_planted(DOCUMENTS, run))
