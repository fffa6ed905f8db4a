#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `--place system` is worth: one exchange simulated with and without, and what planning takes.
  system_placement.py HALOCLINE MACHINES-FOLDER OUT.csv
512^3 or 1024^3 cells, radius 1, a rank for each device. Exchange times are simulated; planning times are processor time of `halocline place`.
"""

import csv
import json
import pathlib
import resource
import subprocess
import sys

# Name, devices of a node, cells a side, numbers of nodes.
CASES = [("titan", 1, 512, (16, 32, 64, 128, 256)), ("puhti", 4, 1024, (4, 8, 16, 32, 64)),
         ("summit", 6, 1024, (4, 8, 16, 64)), ("frontier", 8, 1024, (4, 8, 16, 64))]


def run(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    found = subprocess.run([*words, "--json"], capture_output=True, text=True, check=True)
    return json.loads(found.stdout), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def row_of(halocline, machines, name, devices, side, nodes):
    where = ["--machine", str(machines / f"{name}.json"), "--nodes", str(nodes), "--ranks-per-node", str(devices)]
    words = [*where, "--size", str(side)]
    row = {"machine": name, "nodes": nodes, "devices": nodes * devices, "cells": side}
    for method in ("automatic", "system"):
        row[f"{method}_s"] = run([halocline, "simulate", *words, "--place", method])[0]["simulated_s"]
        plan, seconds = run([halocline, "place", *words, "--place", method])
        row[f"{method}_plan_s"] = f"{seconds:.2f}"
    row["method"] = plan["placement"]["method"]
    return row


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    halocline, machines, out = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    rows = []
    for name, devices, side, counts in CASES:
        for nodes in counts:
            rows.append(row_of(halocline, machines, name, devices, side, nodes))
            print(rows[-1], flush=True)
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
