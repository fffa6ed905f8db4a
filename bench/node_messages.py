#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the values of --messages with their predictions and with MPI by hand, on nodes that are namespaces of this machine.

    bench/node_messages.py BIN OUT [--sizes 16 32] [--beds 2:none 2:200mbit 4:none] [--ranks 8] [--repetitions 400] [--runs 3]

BIN is the folder of the programs halocline and bench_exchange_baselines. For each bed, which is a number of nodes and the rate of their
links (scripts/virtual_nodes.sh), and each run, `halocline machine --measure` writes a machine map to OUT/map-<bed>-<run>.json; it fits four costs
of messages to exchanges of 16^3 and 48^3 cells a device. Right after it, the run times all contenders of bench_exchange_baselines in turns, with --messages
auto on that map, and `halocline simulate` predicts the exchanges from the map. OUT/cases.csv has a row for each run and contender:
microseconds of an exchange back to back, as minimum and median of the rounds in the run; and the prediction for values of --messages.
Prints medians over runs, of times, predictions and the predictions' errors in each run.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

LAUNCHER = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "virtual_nodes.sh"
GRID = (2, 2, 2)
WAYS = ("by_neighbour", "by_direction", "by_rank", "by_node")


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, "HALOCLINE_BACKEND": "host"})
    if done.returncode != 0:
        print(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
        sys.exit(2)
    return done.stdout


class Bed:
    def __init__(self, name, given):
        self.name = name.replace(":", "-")
        nodes, rate = name.split(":")
        self.nodes = int(nodes)
        self.launch = [str(LAUNCHER), "--nodes", nodes] + ([] if rate == "none" else ["--rate", rate]) + ["-n", str(given.ranks)]
        # As bench_exchange_baselines has it: successive subdomains, x fastest, fill one node after the other.
        left = given.ranks // self.nodes
        self.within = []
        for extent in GRID:
            self.within.append(min(left, extent))
            left //= self.within[-1]

    def measure(self, given, run):
        self.map = given.out / f"map-{self.name}-{run}.json"
        seconds = str(given.measure_seconds)
        command = [str(given.bin / "halocline"), "machine", "--measure", "--measure-bytes", "65536", "--measure-seconds", seconds, "--json"]
        self.map.write_text(output_of(self.launch + command))

    def predictions(self, given, size):
        grids = ["--partition", "given", "--node-grid", *[str(n // m) for n, m in zip(GRID, self.within)], "--device-grid", *map(str, self.within)]
        times = {}
        for way in WAYS:
            command = [str(given.bin / "halocline"), "simulate", "--machine", str(self.map), "--size", *[str(size * n) for n in GRID], "--radius", "1"]
            command += ["--fields", "f64", "--transports", "self,direct,mpi_staged", "--place", "trivial", "--messages", way.replace("_", "-")]
            times[way] = 1e6 * json.loads(output_of(command + grids + ["--json"]))["simulated_s"]
        return times

    def times(self, given, size):
        command = [str(given.bin / "bench_exchange_baselines"), str(size), "1", str(given.repetitions), *map(str, GRID), str(self.map)]
        rows = []
        for line in output_of(self.launch + command).splitlines():
            if "wrong" in line:
                print(line, file=sys.stderr)
                sys.exit(2)
            found = re.match(r"(\S.*?)  +(\d+) +(\d+) +(\d+) +[\d.]+$", line)
            if found:
                rows.append((found[1].strip(), int(found[2]), int(found[3])))
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[16, 32])
    parser.add_argument("--beds", nargs="+", default=["2:none", "2:200mbit", "4:none"])
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--measure-seconds", type=float, default=5)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for bed in [Bed(name, given) for name in given.beds]:
        for run in range(given.runs):
            bed.measure(given, run)
            predicted = {size: bed.predictions(given, size) for size in given.sizes}
            for size in given.sizes:
                seen = set()
                for name, least, middle in bed.times(given, size):
                    way = name.removeprefix("halocline ")
                    expected = predicted[size].get(way)
                    contender = f"{way} again" if way in seen else way
                    seen.add(way)
                    rows.append({"bed": bed.name, "cells": size, "run": run, "contender": contender, "min_us": least, "median_us": middle,
                                 "predicted_us": "" if expected is None else f"{expected:.0f}",
                                 "error": "" if expected is None else f"{expected / middle - 1:.3f}", "load": f"{os.getloadavg()[0]:.1f}"})
                print(f"{bed.name}, run {run}, {size}^3: load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
        with open(given.out / "cases.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    report(rows)


def report(rows):
    cases = {}
    for row in rows:
        key = row["bed"], row["cells"], row["contender"].split(":")[0]
        cases.setdefault(key, []).append(row)
    print(f"{'bed':<12} {'cells':>5} {'contender':<28} {'median us':>9} {'of runs':>16} {'predicted':>9} {'error':>7}")
    errors = []
    for (bed, cells, contender), found in cases.items():
        times = [row["median_us"] for row in found]
        middle = statistics.median(times)
        text = f"{bed:<12} {cells:>5} {contender:<28} {middle:>9.0f} {f'{min(times)} to {max(times)}':>16}"
        if found[0]["predicted_us"] and "again" not in contender:
            predicted = statistics.median(float(row["predicted_us"]) for row in found)
            of_runs = [float(row["predicted_us"]) / row["median_us"] - 1 for row in found]
            errors += [abs(error) for error in of_runs]
            text += f" {predicted:>9.0f} {100 * statistics.median(of_runs):>+6.0f}%"
        print(text)
    if errors:
        print(f"predictions: median error {100 * statistics.median(errors):.1f} %, largest {100 * max(errors):.0f} %, of {len(errors)}")


if __name__ == "__main__":
    main()
