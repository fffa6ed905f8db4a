#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the plans of the joint search and of exact with the assignment, on links with the bandwidths that the search assumes.

    bench/shaped_links.py HALOCLINE PROPERTY_JOINT SEARCH.csv OUT [--machines 10] [--rounds 5] [--seconds 2]

PROPERTY_JOINT is the test program with the 500 random machines, SEARCH.csv their simulated times (bench/results/2026-11-24-joint-search). Taken are the first
machines on which exact and the assignment are simulated to be 10 % or more slower than the search, and that are one node whose devices share a load/store
domain: there each message is one flow over the links of its path.

Each device becomes a node that is a namespace of this machine (scripts/virtual_nodes.sh), with one rank and one host device; the map's packages and PCIe
switches become switches of that network. Fields are repeated until an exchange takes 1 ms at the map's bandwidths, and all bandwidths are divided by one
number, so that the exchange by exact and the assignment is simulated to take --seconds. `halocline exchange` plans by this map and sends by mpi_staged. A
round runs both plans on each machine, in turns; a run gives the median of three exchanges, after one. OUT receives the maps, the links, rounds.csv, and
summary.csv with the medians of the rounds.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import shlex
import statistics
import subprocess
import sys

LAUNCHER = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "virtual_nodes.sh"
PLANS = {"exact_and_qap": ["--partition", "exact", "--place", "exact"], "found": ["--partition", "fastest", "--place", "fastest"]}
EXCHANGE = ["exchange", "--transports", "self,direct,mpi_staged", "--repeat", "3", "--warm-up", "1", "--steady", "0"]
# With put, Open MPI's requests wait behind the data of the other direction, and the directions take turns.
SEND_ONLY = ["--mca", "btl_tcp_flags", "1"]
# The map is of one node. Processes that cannot see each other cannot map each other's memory, so that messages use the links.
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
OFF = 1.1
LEAST_SECONDS = 1e-3


def output_of(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words)}: exit code {done.returncode}")
    return done.stdout


def exported(program, seed, folder):
    """A machine of the test, with a rank for each device."""
    where = {"HALOCLINE_JOINT_FOLDER": str(folder), "HALOCLINE_JOINT_FIRST": str(seed), "HALOCLINE_JOINT_LAST": str(seed)}
    output_of([program, "--gtest_also_run_disabled_tests", "--gtest_filter=*Export"], env={**os.environ, **where})
    file = folder / f"{seed}.json"
    case = json.loads(file.read_text())
    file.unlink()
    case["machine"]["ranks"] = [{"node": 0, "devices": [d]} for d in range(len(devices_of(case["machine"])))]
    return case


def devices_of(machine):
    return [v for v, vertex in enumerate(machine["types"][0]["vertices"]) if vertex["kind"] == "device"]


def can_be_shaped(machine):
    vertices = machine["types"][0]["vertices"]
    return len(machine["nodes"]) == 1 and all("load_store_domain" in vertices[d] for d in devices_of(machine))


def cases_of(given):
    with open(given.search) as file:
        rows = list(csv.DictReader(file))
    cases = {}
    for row in rows:
        if float(row["exact_and_qap_s"]) < OFF * float(row["found_s"]) or len(cases) == given.machines:
            continue
        case = exported(given.property_joint, row["seed"], given.out)
        if can_be_shaped(case["machine"]):
            cases[row["seed"]] = case
    return cases


def write_map(case):
    case["map"].write_text(json.dumps(case["machine"], indent=1) + "\n")


def width_between(links, here, end, before=None):
    """Of the path over links that are a tree; 0 if there is none."""
    if here == end:
        return float("inf")
    ahead = [(link["bandwidth"], link["a"] + link["b"] - here) for link in links if here in (link["a"], link["b"])]
    return max((min(width, width_between(links, there, end, here)) for width, there in ahead if there != before), default=0)


def links_of(machine):
    """Lines for virtual_nodes.sh: without cards, which no message uses, and without links that are narrower than the way by switches."""
    node = machine["types"][0]
    devices, lines = devices_of(machine), []
    for_messages = [link for link in node["links"] if "nic" not in {node["vertices"][link[end]]["kind"] for end in "ab"}]
    by_switches = [link for link in for_messages if not {link["a"], link["b"]} <= set(devices)]
    for link in for_messages:
        names = [str(devices.index(v)) if v in devices else f"s{v}" for v in (link["a"], link["b"])]
        if link in by_switches or link["bandwidth"] >= width_between(by_switches, link["a"], link["b"]):
            lines.append(f"{names[0]} {names[1]} {round(link['bandwidth'] / 125)}kbit")
    return "\n".join(lines) + "\n"


def planned(given, command, case, plan):
    """The document of a command about a plan for a case."""
    return json.loads(output_of([given.halocline, command, "--machine", str(case["map"]), *PLANS[plan], *case["words"], "--json"]))


def prepare(given, seed, case):
    """Scales a case and writes its files; returns the begin of its row in the summary."""
    case.update(map=given.out / f"{seed}-map.json", links=given.out / f"{seed}-links.txt", words=shlex.split(case["arguments"]))
    del case["machine"]["types"][1:]
    write_map(case)
    nominal = planned(given, "simulate", case, "exact_and_qap")["simulated_s"]
    times = math.ceil(LEAST_SECONDS / nominal)
    case["words"][-1] = case["words"][-1].replace("1x", f"{times}x")
    factor = times * nominal / given.seconds
    for link in case["machine"]["types"][0]["links"]:
        link["bandwidth"] = 125 * max(1, round(link["bandwidth"] * factor / 125))  # whole kbit/s
    write_map(case)
    case["links"].write_text(links_of(case["machine"]))
    row = {"seed": seed, "devices": len(case["machine"]["ranks"]), "divided_by": f"{1 / factor:.0f}", "arguments": shlex.join(case["words"])}
    for plan in PLANS:
        place = planned(given, "explain", case, plan)
        grid = [n * d for n, d in zip(place["partition"]["node_grid"], place["partition"]["device_grid"])]
        row[f"{plan}_grid"] = "x".join(str(n) for n in grid)
        row[f"{plan}_devices"] = " ".join(str(slot["device"]) for slot in place["placement"]["slots"])
        row[f"{plan}_simulated_s"] = f"{planned(given, 'simulate', case, plan)['simulated_s']:.4f}"
    return row


def measure(given, case, row, plan):
    devices = str(row["devices"])
    words = [str(LAUNCHER), "--nodes", devices, "--links", str(case["links"]), *SEND_ONLY, "-n", devices, *ALONE, given.halocline, *EXCHANGE,
             "--machine", str(case["map"]), *PLANS[plan], *case["words"], "--json"]
    document = json.loads(output_of(words, env={**os.environ, "HALOCLINE_BACKEND": "host", "HALOCLINE_SLOW_PATHS": "0", "HALOCLINE_LOG": "error"}))
    if "x".join(str(n) for n in document["subdomain_grid"]) != row[f"{plan}_grid"]:
        sys.exit(f"seed {row['seed']}: the exchange has the grid {document['subdomain_grid']}, simulated was {row[f'{plan}_grid']}")
    return document["times"]["p50_s"]


def summarise(row, times):
    for plan in PLANS:
        row[f"{plan}_measured_s"] = f"{statistics.median(times[plan]):.4f}"
    for kind in ("simulated", "measured"):
        row[f"{kind}_ratio"] = f"{float(row[f'exact_and_qap_{kind}_s']) / float(row[f'found_{kind}_s']):.3f}"
    return row


def write_rows(file, rows):
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("halocline")
    parser.add_argument("property_joint")
    parser.add_argument("search")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--machines", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    cases = cases_of(given)
    summary = [prepare(given, seed, case) for seed, case in cases.items()]
    rounds, times = [], {seed: {plan: [] for plan in PLANS} for seed in cases}
    for n in range(given.rounds):
        for row in summary:
            for plan in list(PLANS)[:: 1 if n % 2 == 0 else -1]:
                seconds = measure(given, cases[row["seed"]], row, plan)
                times[row["seed"]][plan].append(seconds)
                rounds.append({"round": n, "seed": row["seed"], "plan": plan, "seconds": f"{seconds:.4f}", "load": f"{os.getloadavg()[0]:.1f}"})
                print(*rounds[-1].values(), "simulated", row[f"{plan}_simulated_s"], flush=True)
        write_rows(given.out / "rounds.csv", rounds)
    write_rows(given.out / "summary.csv", [summarise(row, times[row["seed"]]) for row in summary])


if __name__ == "__main__":
    main()
