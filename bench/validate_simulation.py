#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parts of validate_simulation.sh and validate_simulation_gpu.sh.
  map FILE MB/S HOSTS-A-SWITCH UPLINK-MB/S   gives a discovered machine map the network that the hosts were given
  devices                                    how many devices the machine map on standard input has
  grid N                                     a grid of N parts, as near to a cube as its prime factors allow, x cut last
  table FOLDER CASE...                       compares the documents of cases; writes cases.csv; fails where nothing compares
"""

import csv
import json
import pathlib
import statistics
import sys

# Of 1,514 bytes of a full Ethernet frame, 1,448 are payload of TCP (IPv4, time stamps).
PAYLOAD = 1448 / 1514


def shape(path, rate, hosts_a_switch, uplink):
    document = json.loads(path.read_text())
    document["network"] = {"bandwidth": PAYLOAD * 1e6 * rate, "latency": 1e-4}
    if hosts_a_switch:
        level = {"children": hosts_a_switch, "bandwidth": PAYLOAD * 1e6 * uplink, "latency": 1e-4}
        document["network"]["fabric"] = {"shape": "fat_tree", "levels": [level]}
    document["sources"] = ["network: as it was shaped, times 1448/1514 for headers; latency assumed", *document["sources"]]
    path.write_text(json.dumps(document, indent=1) + "\n")


def grid_of(parts):
    grid = [1, 1, 1]
    factor = 2
    factors = []
    while parts > 1:
        if parts % factor:
            factor += 1
            continue
        factors.append(factor)
        parts //= factor
    for factor in sorted(factors, reverse=True):
        smallest = min(range(3), key=lambda i: (grid[i], -i))
        grid[smallest] *= factor
    return grid


def compare(folder, name):
    """A row, or why there is none."""
    real, simulated = (json.loads((folder / f"{name}.{kind}.json").read_text()) for kind in ("real", "simulated"))
    for key in ("domain", "transports"):
        if real[key] != simulated[key]:
            return f"{name} is not compared: the two differ in '{key}' ({json.dumps(real[key])} was real)"
    times = real["times"]
    # Back to back where that was measured: meeting at a barrier takes longer than a small exchange.
    steady = real.get("steady") or {}
    measured = steady.get("mean_s") if steady.get("exchanges") else times["p50_s"]
    return {
        "case": name,
        "messages": sum(share["messages"] for share in real["transports"]),
        "bytes": sum(share["bytes"] for share in real["transports"]),
        "real_min_s": times["min_s"],
        "real_median_s": times["p50_s"],
        "real_max_s": times["max_s"],
        **({"real_steady_s": measured} if measured != times["p50_s"] else {}),
        "simulated_s": simulated["simulated_s"],
        "error": simulated["simulated_s"] / measured - 1,
        "slowest": simulated["slowest"],
    }


def milliseconds(seconds):
    return f"{1e3 * seconds:.0f}" if seconds >= 0.1 else f"{1e3 * seconds:.3g}"


def table(folder, names):
    compared = [compare(folder, name) for name in names]
    rows = [row for row in compared if not isinstance(row, str)]
    for why in compared:
        if isinstance(why, str):
            print(f"validate_simulation: {why}", file=sys.stderr)
    if not rows:
        sys.exit("validate_simulation: nothing compares")
    with (folder / "cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{'case':12} {'messages':>8} {'real ms (least, most)':>26} {'steady ms':>10} {'simulated ms':>13} {'error':>8}  slowest")
    for row in rows:
        least, median, most = (milliseconds(row[f"real_{key}_s"]) for key in ("min", "median", "max"))
        steady = milliseconds(row["real_steady_s"]) if "real_steady_s" in row else "-"
        print(
            f"{row['case']:12} {row['messages']:8} {f'{median} ({least}, {most})':>26} {steady:>10} "
            f"{milliseconds(row['simulated_s']):>13} {100 * row['error']:+7.1f}%  {row['slowest']}"
        )
    errors = [abs(row["error"]) for row in rows]
    print(f"{len(rows)} cases, error: median {100 * statistics.median(errors):.1f}%, largest {100 * max(errors):.1f}%")
    if len(rows) < len(compared):
        sys.exit(f"validate_simulation: {len(compared) - len(rows)} of {len(compared)} cases are not compared")


def main():
    match sys.argv[1:]:
        case ["map", path, rate, hosts_a_switch, uplink]:
            shape(pathlib.Path(path), float(rate), int(hosts_a_switch), float(uplink))
        case ["devices"]:
            types = json.load(sys.stdin)["types"]
            print(sum(vertex["kind"] == "device" for vertex in types[0]["vertices"]))
        case ["grid", parts]:
            print(*grid_of(int(parts)))
        case ["table", folder, first, *others]:
            table(pathlib.Path(folder), [first, *others])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
