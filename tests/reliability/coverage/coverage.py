#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which lines and branches of src/ the tests have run, from the counts in a build of the preset `coverage`:
    coverage.py BUILD OUT
Files for GPUs are left out: no GPU, no count. So are the branches that exceptions add to each call. Prints a table of the stages; OUT gets
the same by file (files.csv), the lines that did not run (lines.txt), and the branches that were not taken of lines that did (branches.txt).
Needs gcovr (requirements.txt).
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NOT_HERE = ["src/device/cuda/", "src/comm/mpi_absent.cpp"]
#: Objects with bugs in them: the branches of a changed copy are not those of the source.
COPIES = ["halocline_planted.dir"]


def counts(build):
    """gcovr's report by file."""
    command = [sys.executable, "-m", "gcovr", "--root", ROOT, "--object-directory", build, "--filter", "src/", "--json", "-",
               "--exclude-throw-branches", "--exclude-unreachable-branches", "--gcov-ignore-parse-errors=negative_hits.warn",
               "--gcov-suspicious-hits-threshold=0", "--merge-mode-functions=separate", "-j", str(os.cpu_count() or 1)]
    for one in NOT_HERE:
        command += ["--exclude", one]
    for one in COPIES:
        command += ["--exclude-directories", f".*/{one}"]
    done = subprocess.run([*map(str, command), str(build)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"coverage: gcovr ended with exit code {done.returncode}")
    return json.loads(done.stdout)["files"]


class Count:
    def __init__(self):
        self.lines = self.lines_run = self.branches = self.branches_taken = 0
        self.left = []
        self.not_taken = collections.Counter()  # by line

    def add(self, file):
        """A template has its lines and branches once for each of its arguments: one of them is enough. Copies that did not run may have other
        branches; they count only on lines that no copy has run."""
        names = [(one.get("demangled_name", one.get("name")), one) for one in file["functions"]]
        begins = {name: one["lineno"] for name, one in names}
        ran = {name for name, one in names if one.get("execution_count", 0) > 0}
        ran_somewhere = {begins[name] for name in ran}
        run, taken = collections.defaultdict(bool), collections.defaultdict(bool)
        lines = [line for line in file["lines"] if not (line.get("gcovr/noncode") or line.get("gcovr/excluded"))]
        for line in lines:
            run[line["line_number"]] |= line["count"] > 0
        for line in lines:
            number, branches, function = line["line_number"], line["branches"], line.get("function_name")
            begin = begins.get(function, number)
            if run[number] and function in begins and function not in ran and begin in ran_somewhere:
                continue
            for place, branch in enumerate(branches):
                taken[number, begin, len(branches), place] |= branch["count"] > 0
        self.lines += len(run)
        self.lines_run += sum(run.values())
        self.branches += len(taken)
        self.branches_taken += sum(taken.values())
        self.left += sorted(number for number, was in run.items() if not was)
        self.not_taken.update(number for (number, *_), was in taken.items() if run[number] and not was)

    def include(self, other):
        for name in ("lines", "lines_run", "branches", "branches_taken"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name):
        return [name, self.lines, self.lines - self.lines_run, share(self.lines_run, self.lines), self.branches,
                self.branches - self.branches_taken, share(self.branches_taken, self.branches)]


def share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"


def ranges(numbers):
    """Follows of numbers: "3-5 9"."""
    text = []
    for number in numbers:
        if text and number == text[-1][1] + 1:
            text[-1][1] = number
        else:
            text.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in text)


def main():
    options = argparse.ArgumentParser(description="Which lines and branches of src/ the tests have run.")
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("out", type=pathlib.Path)
    given = options.parse_args()
    files = {}
    for one in counts(given.build.resolve()):
        files.setdefault(one["file"], Count()).add(one)
    if not files:
        sys.exit(f"coverage: '{given.build}' has no counts; allowed is a build of the preset coverage whose tests have run")
    stages, everything = collections.defaultdict(Count), Count()
    for name, count in files.items():
        stages[name.split("/")[1]].include(count)
        everything.include(count)
    given.out.mkdir(parents=True, exist_ok=True)
    heading = ["file", "lines", "not run", "%", "branches", "not taken", "%"]
    with open(given.out / "files.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(heading)
        table.writerows(count.row(name) for name, count in sorted(files.items()))
    with open(given.out / "lines.txt", "w") as file:
        file.writelines(f"{name}: {ranges(count.left)}\n" for name, count in sorted(files.items()) if count.left)
    with open(given.out / "branches.txt", "w") as file:
        file.writelines(f"{name}: {ranges(sorted(count.not_taken))}\n" for name, count in sorted(files.items()) if count.not_taken)
    for row in [["stage", *heading[1:]], *(count.row(name) for name, count in sorted(stages.items())), everything.row("src")]:
        print("{:<12} {:>8} {:>8} {:>6} {:>9} {:>10} {:>6}".format(*row))


if __name__ == "__main__":
    main()
