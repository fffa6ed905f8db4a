# SPDX-License-Identifier: BSD-3-Clause
"""Reads the CSV files of bench_study, the baselines, bench_ceilings and bench_pack. Standard library alone."""

import csv
import pathlib
import statistics


def rows(folder, name):
    """The rows of folder/name.csv as dictionaries; none where there is no such file."""
    path = pathlib.Path(folder) / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def exchanges(folder, study):
    """One dictionary for each label, grid and config of a study, in the file's order: the fields of its rows, with, in
    microseconds, `median`, `lowest` and `highest` of the rounds' medians, and `steady` (None without)."""
    groups = {}
    for row in rows(folder, study):
        grid = tuple(row[f"grid_{dim}"] for dim in "xyz")
        groups.setdefault((row["label"], row["kind"], grid, row["config"]), []).append(row)
    found = []
    for group in groups.values():
        medians = [float(row["median_s"]) * 1e6 for row in group]
        steady = [float(row["steady_s"]) * 1e6 for row in group if row["steady_s"]]
        one = dict(group[0])
        one["median"] = statistics.median(medians)
        one["lowest"] = min(medians)
        one["highest"] = max(medians)
        one["steady"] = statistics.median(steady) if steady else None
        found.append(one)
    return found


def ceiling(folder, part, what, size=None):
    """The median of the first ceiling of a part whose description starts with `what`; None where it is not there."""
    for row in rows(folder, "ceilings"):
        if row["part"] == part and row["what"].startswith(what) and size in (None, int(float(row["bytes"]))):
            return float(row["median"])
    return None
