#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares tuned exchanges with the best fixed choice and with the default, at 12 cases on host devices or on two GPUs.

    bench/tune.py BENCH_TUNE RESULTS.jsonl [--backend host|cuda]   runs the cases (at most a minute each), and prints the summary as CSV
    bench/tune.py --table RESULTS.jsonl           prints the summary of a run

BENCH_TUNE is the program bench_tune (bench/tune). In each case it tunes within 2 s, sets up every fixed choice (grids x transports x
messages x packed rows), times each alone, and then the ten fastest, the default (twice) and the tuned choice in turns, in 60 fresh rounds.
Which fixed choice is the best is decided by the even rounds and its time taken from the odd ones, as is every time of the table. 'spread' is
how far two domains with the same settings were apart in these rounds, the default's or others. A tuned choice is 'within' if it is at most 10 %
(on GPUs 3 %) slower than the best, or slower by no more than the spread. The exit code is 1 if one is not.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

MPIRUN = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "mpirun.sh"
# ranks, ranks of a node (virtual nodes of one host), devices of a rank, cells, radius, fields
CASES = [
    (1, 1, 4, "32", 1, 1),
    (1, 1, 4, "64", 3, 4),
    (1, 1, 3, "96x32x32", 2, 1),
    (2, 2, 1, "64", 1, 1),
    (2, 2, 2, "32", 3, 2),
    (4, 4, 1, "32", 1, 1),
    (4, 4, 1, "64", 2, 4),
    (4, 2, 1, "32", 1, 1),
    (4, 2, 1, "64", 3, 2),
    (2, 1, 2, "32", 1, 1),
    (4, 1, 1, "32", 1, 1),
    (2, 1, 2, "128x16x16", 2, 1),
]
#: The same for two GPUs: 64 to 512 cells an edge and GPU.
CASES_OF_GPUS = [
    (1, 1, 1, "64", 3, 4),
    (1, 1, 2, "64x64x128", 1, 1),
    (1, 1, 2, "64x64x128", 3, 4),
    (1, 1, 2, "256x256x512", 3, 4),
    (2, 2, 1, "64x64x128", 3, 4),
    (2, 2, 1, "128x64x64", 3, 4),
    (2, 2, 1, "256x256x512", 3, 4),
    (2, 2, 1, "512x256x256", 3, 4),
    (2, 2, 1, "512x512x1024", 3, 4),
    (2, 2, 1, "256x256x512", 1, 1),
    (2, 1, 1, "64x64x128", 3, 4),
    (2, 1, 1, "256x256x512", 3, 4),
]


def run(program, backend, ranks, ranks_per_node, devices, size, radius, fields):
    command = [str(MPIRUN), "-n", str(ranks)] if ranks > 1 else []
    command += [program, "--size", size, "--radius", str(radius), "--fields", str(fields), "--devices-per-rank", str(devices)]
    settings = {**os.environ, "HALOCLINE_BACKEND": backend, "HALOCLINE_RANKS_PER_NODE": str(ranks_per_node), "HALOCLINE_LOG": "error"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=settings)
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    return {**json.loads(done.stdout), "backend": backend, "load": round(os.getloadavg()[0], 1)}


def spread_of(result):
    """The largest ratio of two domains with the same settings, less 1."""
    by_settings = {}
    for one in result["finalists"]:
        by_settings.setdefault(one["settings"], []).append(one["odd_s"])
    return max(max(times) / min(times) for times in by_settings.values()) - 1


def table(results):
    rows = csv.writer(sys.stdout)
    rows.writerow(
        "case ranks nodes devices_per_rank size radius fields choices load default_us tuned_us best_us tuned_over_best spread_percent default_over_tuned tuning_s tuned best".split()
    )
    within, faster = 0, 0
    allowance = 0.03 if results[0].get("backend") == "cuda" else 0.1
    for case, r in enumerate(results, 1):
        ratio, spread, gain = r["tuned_s"] / r["best_s"], spread_of(r), r["default_s"] / r["tuned_s"]
        within += ratio <= 1 + max(allowance, spread)
        faster += gain >= 1.1 and r["tuned"] != "default"
        rows.writerow(
            [case, *(r[key] for key in ("ranks", "nodes", "devices_per_rank", "size", "radius", "fields", "choices", "load"))]
            + [f"{1e6 * r[key]:.1f}" for key in ("default_s", "tuned_s", "best_s")]
            + [f"{ratio:.3f}", f"{100 * spread:.1f}", f"{gain:.3f}", f"{r['tuning_s']:.2f}", r["tuned"], r["best"]]
        )
    print(
        f"{within} of {len(results)} within {100 * allowance:.0f} % of the best or the spread; {faster} of {len(results)} at least 10 % faster than the default",
        file=sys.stderr,
    )
    return 0 if within == len(results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="bench_tune")
    parser.add_argument("results")
    parser.add_argument("--backend", choices=("host", "cuda"), default="host")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if not given.table:
        with open(given.results, "w", encoding="utf-8") as out:
            for case in CASES if given.backend == "host" else CASES_OF_GPUS:
                print(json.dumps(run(given.program, given.backend, *case)), file=out, flush=True)
    with open(given.results, encoding="utf-8") as lines:
        return table([json.loads(line) for line in lines])


if __name__ == "__main__":
    sys.exit(main())
