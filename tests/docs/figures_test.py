#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""figures.py finds what is wrong: each document here has one mistake, and its words must be in what it says."""

import pathlib
import subprocess
import sys
import tempfile

from planted import run_planted

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = "run/times.csv"
TABLE = "| size | us |\n|---|---|\n| 64 | {} |\n| 128 | 20 |\n"
MARKED = '<!-- table run/times.csv:\n64: size=64 time_s *1e6 {}\n128: size=128 time_s *1e6\n-->\n' + TABLE

DOCUMENTS = [
    # text, exit code, words of standard error
    (MARKED.format("", "10.2"), 0, ""),
    (MARKED.format("", "10"), 0, ""),
    (MARKED.format("", "10.3"), 1, "row '64': 10.3 is printed, 10.24 is"),
    (MARKED.format("", "10.2 (11)"), 1, "'10.2 (11)' holds 2 numbers, the marker 1"),
    (MARKED.format("| time_s", "10.2"), 1, "has 1 cells, the marker 2"),
    (MARKED.format("", "10.2") + "| 256 | 40 |\n", 1, "the table has 3 rows, the marker 2"),
    ("It takes 10 and 20 us<!-- figures run/times.csv: size=64 time_s *1e6; size=128 time_s *1e6 -->.\n", 0, ""),
    ("It takes 10 us, 95 % more<!-- figures run/times.csv: -; size=128 time_s off size=64 time_s -->.\n", 0, ""),
    ("It takes 10 us, 97 % more<!-- figures run/times.csv: -; size=128 time_s off size=64 time_s -->.\n", 1, "97 is printed"),
    ("It takes 12 us<!-- figures run/times.csv: size=64 time_s *1e6 -->.\n", 1, "12 is printed, 10.24 is"),
    ("It takes 10 us<!-- figures run/gone.csv: size=64 time_s *1e6 -->.\n", 1, "there is no file"),
    ("It takes 10 us<!-- figures run/times.csv: size=65 time_s *1e6 -->.\n", 1, "0 rows are like 'size=65 time_s'"),
    ("It takes 10 us<!-- figures run/times.csv: size=64 time_us -->.\n", 1, "has no column 'time_us'"),
    ("It takes 7 us<!-- figures run/log.txt: first @2 -->.\n", 0, ""),
    ("It takes 7 us<!-- figures run/log.txt: first @3 -->.\n", 1, "there is no @3"),
    ("It takes 7 us<!-- figures run/log.txt: took -->.\n", 1, "2 lines have 'took'"),
    ("It takes 1,500 us<!-- figures run/map.json: list.1.time *1e6 -->.\n", 0, ""),
    ("It takes 1,500 us<!-- figures run/map.json: list.2.time *1e6 -->.\n", 1, "has no 'list.2.time'"),
    (TABLE.format("10.2"), 1, "a table of figures"),
    ("It takes 10 us<!-- figures run/times.csv: size=64 time_s *1e6 -->.\n\n<!-- no raw data: counted by hand -->\n" + TABLE.format("3"), 0, ""),
    ("No figure at all.\n", 1, "no figure was compared"),
]


def run(text):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        data = root / "bench" / "results" / "run"
        data.mkdir(parents=True)
        (data / "times.csv").write_text("size,time_s\n64,1.024e-05\n128,2.00e-05\n")
        (data / "log.txt").write_text("first took 5 to 7 us\nsecond took 9 us\n")
        (data / "map.json").write_text('{"list": [{"time": 1}, {"time": 0.0015}]}')
        (root / "README.md").write_text(text)
        return subprocess.run([sys.executable, HERE / "figures.py", root], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(run_planted(DOCUMENTS, run))
