#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes weak scaling by simulation apart: what each row of `halocline simulate --study weak` sends between nodes, to how many, and how
long it takes under other suppositions.
  simulate_parts.py HALOCLINE MACHINE.json MOST-NODES OUT.csv
Rows are 1, 2, 4, ... nodes with a rank a device; staged messages alone, and with all routes within nodes that the study has (`+self`).
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

EXCHANGE = ["--radius", "3", "--fields", "4xf32"]
ROUTES = {"remote": "mpi_staged", "self": "self,peer_copy,ipc_copy,mpi_staged"}
US = "us a message"


def suppositions(machine, folder):
    """Name, machine map, flags."""
    document = json.loads(pathlib.Path(machine).read_text())
    result = [("as the map", machine, []), ("links alone", machine, ["--links-alone"])]
    for level in document["network"]["fabric"]["levels"]:
        level["bandwidth"] /= 2
    tapered = folder / "tapered.json"
    tapered.write_text(json.dumps(document))
    result.append(("uplinks 2:1", str(tapered), []))
    return result + [(f"{cost} {US}", machine, ["--mpi-overhead", str(cost)]) for cost in (10, 100)]


def ask(halocline, command, machine, nodes, devices, *flags):
    side = round(750 * (nodes * devices) ** (1 / 3))
    size = ["--nodes", str(nodes), "--ranks-per-node", str(devices), "--size", str(side)]
    words = [halocline, command, "--machine", machine, *size, *EXCHANGE, *flags, "--json"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def traffic(halocline, machine, nodes, devices):
    """What nodes and ranks send to other nodes."""
    slots = ask(halocline, "place", machine, nodes, devices)["placement"]["slots"]
    node_of = {slot["subdomain"]: slot["node"] for slot in slots}
    sent, neighbours, messages = defaultdict(int), defaultdict(set), defaultdict(int)
    for route in ask(halocline, "route", machine, nodes, devices, "--transports", "mpi_staged")["routes"]:
        here, there = node_of[route["from"]], node_of[route["to"]]
        if here == there:
            continue
        sent[here] += route["bytes"]
        neighbours[here].add(there)
        messages[route["from"]] += 1
    grid = ask(halocline, "partition", machine, nodes, devices)["partition"]["node_grid"]
    return {
        "nodes": nodes,
        "node_grid": "x".join(str(n) for n in grid),
        "bytes_off_node": max(sent.values(), default=0),
        "neighbour_nodes": max(map(len, neighbours.values()), default=0),
        "messages_off_node_a_rank": max(messages.values(), default=0),
    }


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    halocline, machine, most, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    types = json.loads(pathlib.Path(machine).read_text())["types"]
    devices = sum(vertex["kind"] == "device" for vertex in types[0]["vertices"])
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        nodes = 1
        while nodes <= most:
            row = traffic(halocline, machine, nodes, devices)
            for name, file, flags in suppositions(machine, pathlib.Path(folder)):
                for routes, transports in ROUTES.items():
                    found = ask(halocline, "simulate", file, nodes, devices, "--transports", transports, *flags)
                    row[f"{routes}, {name}, ms"] = f"{1e3 * found['simulated_s']:.2f}"
            rows.append(row)
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            nodes *= 2
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
