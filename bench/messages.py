#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the values of --messages on nodes that are namespaces of this machine (scripts/virtual_nodes.sh), in interleaved rounds.

    bench/messages.py HALOCLINE [--nodes 2] [--ranks 8] [--sizes 16 32] [--rounds 7] [--options "--radius 1 ..."]

SIZE is the number of cells in each dimension of a device's subdomain; the domain is cut as --grid says. Each round runs every size with every
value of --messages, and by-neighbour once more at its end, so that the spread of a value against itself is measured under the same
conditions. Prints a line for each run: messages and bytes by mpi_staged in an exchange, of all ranks, and microseconds of exchanges back to
back; then medians with minimum and maximum, and the ratio of by-neighbour's median to each.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys

WAYS = ("by-neighbour", "by-direction", "by-rank", "by-node")
LAUNCHER = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "virtual_nodes.sh"


def measure(given, size, way):
    grid = [int(n) for n in given.grid.split("x")]
    command = [str(LAUNCHER), "--nodes", str(given.nodes), "-n", str(given.ranks), given.halocline, "exchange", "--size"]
    command += [str(size * n) for n in grid] + ["--messages", way, *shlex.split(given.options), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "HALOCLINE_BACKEND": "host"})
    if done.returncode != 0:
        print(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    document = json.loads(done.stdout)
    staged = next(row for row in document["transports"] if row["transport"] == "mpi_staged")
    return staged["messages"], staged["bytes"], 1e6 * document["steady"]["mean_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halocline")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--grid", default="2x2x2", help="subdomains in x, y and z (2x2x2)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[16, 32])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--options", default="--transports self,direct,mpi_staged --repeat 1 --steady 300")
    given = parser.parse_args()
    times = {}
    print("round size messages         number   bytes      us", flush=True)
    for n in range(given.rounds):
        for size in given.sizes:
            for way in (*WAYS, "again"):
                number, bytes_, us = measure(given, size, WAYS[0] if way == "again" else way)
                times.setdefault(size, {}).setdefault(way, []).append(us)
                print(f"{n:>5} {size:>4} {way:<16} {number:>6} {bytes_:>7} {us:>7.0f}  load {os.getloadavg()[0]:.1f}", flush=True)
    print("\nsize messages           median us (minimum to maximum)   by-neighbour's median / median")
    for size, by_way in times.items():
        base = statistics.median(by_way[WAYS[0]])
        for way, us in by_way.items():
            middle = statistics.median(us)
            print(f"{size:>4} {way:<16} {middle:>9.0f} ({min(us):.0f} to {max(us):.0f})".ljust(56) + f"{base / middle:>6.2f}")


if __name__ == "__main__":
    main()
