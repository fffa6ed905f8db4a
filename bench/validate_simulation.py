#!/usr/bin/env python3
"""Parts of validate_simulation.sh.
  map FILE MB/S HOSTS-A-SWITCH UPLINK-MB/S   gives a discovered machine map the network that the hosts were given
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


def compare(folder, name):
    real, simulated = (json.loads((folder / f"{name}.{kind}.json").read_text()) for kind in ("real", "simulated"))
    for key in ("domain", "transports"):
        if real[key] != simulated[key]:
            sys.exit(f"validate_simulation: case {name}: the two differ in '{key}', so they are not of one exchange")
    times = real["times"]
    return {
        "case": name,
        "messages": sum(share["messages"] for share in real["transports"]),
        "bytes": sum(share["bytes"] for share in real["transports"]),
        "real_min_s": times["min_s"],
        "real_median_s": times["p50_s"],
        "real_max_s": times["max_s"],
        "simulated_s": simulated["simulated_s"],
        "error": simulated["simulated_s"] / times["p50_s"] - 1,
    }


def table(folder, names):
    rows = [compare(folder, name) for name in names]
    with (folder / "cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{'case':12} {'messages':>8} {'real ms (least, most)':>26} {'simulated ms':>13} {'error':>8}")
    for row in rows:
        span = f"{1e3 * row['real_median_s']:.0f} ({1e3 * row['real_min_s']:.0f}, {1e3 * row['real_max_s']:.0f})"
        print(f"{row['case']:12} {row['messages']:8} {span:>26} {1e3 * row['simulated_s']:13.0f} {100 * row['error']:+7.1f}%")
    errors = [abs(row["error"]) for row in rows]
    print(f"{len(rows)} cases, error: median {100 * statistics.median(errors):.1f}%, largest {100 * max(errors):.1f}%")


def main():
    match sys.argv[1:]:
        case ["map", path, rate, hosts_a_switch, uplink]:
            shape(pathlib.Path(path), float(rate), int(hosts_a_switch), float(uplink))
        case ["table", folder, first, *others]:
            table(pathlib.Path(folder), [first, *others])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
