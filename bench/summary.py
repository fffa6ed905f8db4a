#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""summary.py FOLDER [--short]: the key figures of a folder of CSV files as text: ceilings, ladders, baselines, the
staged bound, jacobi3d, pack. --short leaves out the curves and some rungs of the ladder."""

import json
import pathlib
import sys

import tables

CEILINGS = [
    ("memory", "copy by kernel, read plus written", None, "GB/s"),
    ("links", "copy engine 0->1, one way", None, "GB/s"),
    ("links", "copy engine, ring of all", None, "GB/s"),
    ("links", "put by 132 blocks", None, "GB/s"),
    ("host", "all GPUs to pinned memory", None, "GB/s"),
    ("host", "all GPUs, both ways", None, "GB/s"),
    ("latency", "launch of an empty kernel and synchronise", None, "us"),
    ("latency", "graph of one kernel", None, "us"),
    ("latency", "flag from GPU to GPU", None, "us"),
    ("mpi", "host memory", 4 << 20, "GB/s"),
    ("mpi_device", "device memory", 4 << 20, "GB/s"),
    ("ucx", "host memory", 4 << 20, "GB/s"),
    ("ucx_device", "device memory", 4 << 20, "GB/s"),
]


def print_ceilings(folder):
    found = [(part, what, tables.ceiling(folder, part, what, size), unit) for part, what, size, unit in CEILINGS]
    if any(value is not None for _, _, value, _ in found):
        print("\nceilings")
    for part, what, value, unit in found:
        if value is not None:
            print(f"  {part + ': ' + what:<56} {value:>10.2f} {unit}")


def print_exchanges(folder, study, only=None):
    entries = [one for one in tables.exchanges(folder, study) if only is None or one["config"] in only]
    if not entries:
        return
    print(f"\n{study}, us: medians of the slowest rank, lowest and highest round; back to back")
    for one in entries:
        steady = f"{one['steady']:10.1f}" if one["steady"] else f"{'-':>10}"
        rate = float(one["bytes_out"]) / one["median"] * 1e-3
        print(
            f"  {one['label']:<22} {one['config']:<22} {one['median']:>10.1f} {one['lowest']:>10.1f} "
            f"{one['highest']:>10.1f} {steady} {rate:>8.1f} GB/s  {one['routes']}"
        )


def print_baselines(folder):
    """A row for each way, a column for each size and grid; then how each way's transfer compares with its ceiling."""
    entries = tables.exchanges(folder, "baseline")
    if not entries:
        return
    for one in entries:
        one["case"] = one["size"] + "^3 " + "x".join(one[f"grid_{dim}"] for dim in "xyz")
    cases = list(dict.fromkeys(one["case"] for one in entries))
    ways = list(dict.fromkeys(one["config"] for one in entries))
    found = {(one["config"], one["case"]): one for one in entries}
    width = max(len(way) for way in ways) + 2
    print("\nbaselines, us: back to back | behind a barrier; cells a GPU and grid of ranks")
    print("  " + " " * width + "".join(f"{case:>18}" for case in cases))
    for way in ways:
        line = ""
        for case in cases:
            one = found.get((way, case))
            line += f"{one['steady']:>9.1f} |{one['median']:>7.1f}" if one and one["steady"] else f"{'-':>17}"
            line += " "
        print(f"  {way:<{width}}" + line.rstrip())
    print_ratios(found, cases, width)
    log = pathlib.Path(folder) / "baselines.log"
    if log.exists():
        print("\nbaselines, what libraries were set to, or not reported")
        marks = ("p2p channels", "NCCL version", "OMPI_MCA_", "not reported")
        lines = (line.strip() for line in log.read_text(errors="replace").splitlines())
        for line in dict.fromkeys(line.split("NCCL INFO ")[-1] for line in lines if any(m in line for m in marks)):
            print(f"  {line}")
    print("\nbaselines, variants and transfers")
    for one in entries:
        print(f"  {one['case']:<14} {one['config']:<{width}} {one['routes']}; {one['note']}")


def print_ratios(found, cases, width):
    """The best of the other ways over the best of Halocline, both protocols."""
    line = ""
    for case in cases:
        for key, end in (("steady", " |"), ("median", " ")):
            times = {True: [], False: []}
            for (way, of), one in found.items():
                if of == case and one[key]:
                    times[way.startswith("Halocline")].append(one[key])
            ratio = f"{min(times[False]) / min(times[True]):.2f}" if times[True] and times[False] else "-"
            line += f"{ratio:>{9 if key == 'steady' else 7}}" + end
    print(f"  {'best other / Halocline':<{width}}" + line.rstrip())


def print_staged_bound(folder):
    """What staging cannot beat: all bytes down, over MPI, and up, each at the rate of all GPUs at once, one after
    another, and the slowest of the three where they overlap perfectly."""
    down = tables.ceiling(folder, "host", "all GPUs to pinned memory")
    up = tables.ceiling(folder, "host", "pinned memory to all GPUs")
    entries = [one for one in tables.exchanges(folder, "specialisation") if one["config"] == "+remote"]
    entries = [one for one in entries if not one["label"].endswith("/ca") and int(one["ranks_per_node"]) > 1]
    mpi = [
        row
        for row in tables.rows(folder, "ceilings")
        if row["part"] == "mpi" and "both ways" in row["what"] and float(row["bytes"]) == 4 << 20
    ]
    if not (down and up and mpi and entries):
        return
    rate = float(mpi[0]["median"])
    print("\nstaged (+remote) beside its bound from this run's rates, us: slowest of the three, and their sum")
    for one in entries:
        gigabytes = float(one["bytes_out"]) * 1e-9
        if int(one["ranks_per_node"]) != int(one["gpus_per_node"]):
            continue  # the MPI rate was measured with a rank a GPU
        legs = [gigabytes / down * 1e6, gigabytes / rate * 1e6, gigabytes / up * 1e6]
        print(
            f"  {one['label']:<22} {one['median']:>10.1f}   {max(legs):>10.1f} ({one['median'] / max(legs):.2f} times)"
            f"   {sum(legs):>10.1f} ({one['median'] / sum(legs):.2f} times)"
        )


def print_own(folder):
    """What `halocline exchange` says, by cells a GPU and ranks."""
    documents = []
    for path in sorted(pathlib.Path(folder).glob("exchange-*.json")):
        try:
            documents.append((path.stem, json.loads(path.read_text())))
        except ValueError:
            print(f"\n{path.name} holds no result")
    if documents:
        print("\nhalocline exchange, us: median and fastest behind a barrier; back to back; MB a subdomain sends to others")
    for name, document in documents:
        times = [document["times"][key] * 1e6 for key in ("p50_s", "min_s")]
        steady = document["steady"]["mean_s"] * 1e6
        sent = sum(row["bytes"] for row in document["transports"] if row["transport"] != "self")
        parts = document["subdomain_grid"]
        megabytes = sent / (parts[0] * parts[1] * parts[2]) * 1e-6
        print(
            f"  {name:<28} {times[0]:>9.1f} {times[1]:>9.1f} {steady:>9.1f} {megabytes:>9.2f} MB "
            f"{megabytes / steady * 1e3:>7.1f} GB/s"
        )


def print_candidates(folder):
    for path in sorted(pathlib.Path(folder).glob("candidates-*.json")):
        edge = path.stem.split("-")[1]
        print(f"\n{edge}^3 cut by each grid, us back to back: predicted, measured, off by; MB that a device sends at most")
        for candidate in json.loads(path.read_text())["candidates"]:
            grid = "x".join(map(str, candidate["device_grid"]))
            try:
                document = json.loads((path.parent / f"candidate-{edge}-{grid}.json").read_text())
            except (OSError, ValueError):
                continue
            measured = document["steady"]["mean_s"] * 1e6
            predicted = candidate.get("predicted_s", 0) * 1e6
            print(
                f"  {grid:<12} {predicted:>9.1f} {measured:>9.1f} {(predicted / measured - 1) * 100:>+7.0f} % "
                f"{candidate['most_bytes_of_a_device'] * 1e-6:>9.2f} MB"
            )


def print_jacobi(folder):
    documents = []
    for path in sorted(pathlib.Path(folder).glob("jacobi-*.json")):
        try:
            documents.append((path.stem, json.loads(path.read_text())))
        except ValueError:
            print(f"\n{path.name} holds no result")
    if documents:
        print("\njacobi3d, ms a step: in all, in kernels, waiting; GB/s of one read and one write a cell in the kernel")
    for name, document in documents:
        result = document["result"]
        steps = result["steps"]
        cells = result["updates_per_second"] * result["total_s"] / steps
        gpus = int(name.split("-")[2].rstrip("g"))
        # Steps that are replayed are not told apart into parts.
        compute = result.get("compute_s", 0)
        each = [result.get(key, float("nan")) / steps * 1e3 for key in ("total_s", "compute_s", "exchange_s")]
        rate = 8 * cells / gpus / (compute / steps) * 1e-9 if compute > 0 else float("nan")
        print(f"  {name:<28} {each[0]:>9.3f} {each[1]:>9.3f} {each[2]:>9.3f} {rate:>9.1f} GB/s")


def print_pack(folder):
    rows = [row for row in tables.rows(folder, "pack") if row["element"] == "f32"]
    chosen = [row for row in rows if row["direction"] in ("all", "+x")]
    if chosen:
        print("\npack, fp32")
    for row in chosen:
        print(
            f"  {row['method']:<34} {row['block']:>5} {row['direction']:>4} {float(row['median_s']) * 1e6:>10.2f} us "
            f"{float(row['gb_per_s']):>8.1f} GB/s"
        )


def main():
    arguments = sys.argv[1:]
    short = "--short" in arguments
    folders = [argument for argument in arguments if argument != "--short"]
    if len(folders) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = folders[0]
    print_ceilings(folder)
    print_exchanges(folder, "specialisation", {"+remote", "+self", "+direct"} if short else None)
    for study in () if short else ("placement", "weak", "strong"):
        print_exchanges(folder, study)
    print_baselines(folder)
    print_staged_bound(folder)
    print_own(folder)
    print_candidates(folder)
    print_jacobi(folder)
    if not short:
        print_pack(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
