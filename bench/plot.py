#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plot.py FOLDER [OUT]: draws what bench_study, the baselines and bench_pack wrote into FOLDER (CSV) as PNG files in
OUT (default: FOLDER): ladder.png (specialisation, with the baselines), placement.png, weak.png, strong.png, pack.png,
those of them that there are rows for; and what `halocline run mhd --study NAME --csv FOLDER/mhd-NAME.csv` wrote:
mhd-strong.png, mhd-parts.png, mhd-weak.png, mhd-orders.png, mhd-backends.png, mhd-power.png. Needs matplotlib."""

import pathlib
import sys

import mhd_figures
import tables

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import matplotlib.ticker
except ImportError:
    sys.exit("plot.py needs matplotlib: python3 -m pip install matplotlib")


def microseconds(axes, entries):
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(matplotlib.ticker.StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(matplotlib.ticker.LogFormatter(minor_thresholds=(1.5, 0.5)))
    simulated = all(one["device"] == "simulated" for one in entries)
    what = "simulated" if simulated else "median of the slowest rank"
    axes.set_ylabel(f"exchange, us ({what})", fontsize=9)


def bars(axes, entries):
    """Grouped bars, one group a label, one bar a config."""
    found = {(one["label"], one["config"]): (one["median"], one["lowest"], one["highest"]) for one in entries}
    groups = list(dict.fromkeys(one["label"] for one in entries))
    configs = list(dict.fromkeys(one["config"] for one in entries))
    width = 0.8 / max(1, len(configs))
    for c, config in enumerate(configs):
        for g, label in enumerate(groups):
            if (label, config) not in found:
                continue
            height, low, high = found[label, config]
            axes.bar(
                g + (c - (len(configs) - 1) / 2) * width,
                height,
                width,
                color=f"C{c % 10}",
                label=config if g == 0 or config not in axes.get_legend_handles_labels()[1] else None,
                yerr=[[height - low], [high - height]],
                error_kw={"elinewidth": 0.8},
            )
    axes.set_xticks(range(len(groups)), groups, rotation=40, ha="right", fontsize=8)
    microseconds(axes, entries)
    axes.grid(axis="y", which="both", alpha=0.3)
    axes.legend(fontsize=8)


def draw_bars(folder, out, name, studies, title):
    entries = [one for study in studies for one in tables.exchanges(folder, study)]
    if not entries:
        return
    labels = {one["label"] for one in entries}
    figure, axes = plt.subplots(figsize=(max(7, 0.75 * len(labels) + 3), 5))
    bars(axes, entries)
    axes.set_title(title)
    save(figure, out, name)


def draw_curves(folder, out, study, title):
    """Time over GPUs, a panel for each size rule, a curve for each config. Weak cubes grow with the GPUs, so that
    `kind` tells the rules apart."""
    panels = {}
    for one in tables.exchanges(folder, study):
        rule = f"{one['size']}^3 cells a GPU" if one["kind"] == "block" else "domain"
        config = one["config"] + ("/ca" if one["label"].endswith("/ca") else "")
        gpus = int(one["nodes"]) * int(one["gpus_per_node"])
        panels.setdefault(rule, {}).setdefault(config, {})[gpus] = (one["median"], one["size"])
    if not panels:
        return
    figure, all_axes = plt.subplots(1, len(panels), figsize=(5 * len(panels), 4.5), squeeze=False)
    for axes, (rule, curves) in zip(all_axes[0], panels.items()):
        sizes = {}
        for config, points in curves.items():
            gpus = sorted(points)
            sizes.update({n: points[n][1] for n in gpus})
            axes.plot(gpus, [points[n][0] for n in gpus], marker="o", label=config)
        axes.set_xscale("log", base=2)
        names = [f"{n}\n{sizes[n]}" if rule == "domain" else str(n) for n in sorted(sizes)]
        axes.set_xticks(sorted(sizes), names)
        axes.set_xlabel("GPUs, and the domain's edge" if rule == "domain" else "GPUs")
        microseconds(axes, tables.exchanges(folder, study))
        axes.set_title(f"{title}: {rule}", fontsize=9)
        axes.grid(which="both", alpha=0.3)
        axes.legend(fontsize=8)
    save(figure, out, study)


def draw_pack(folder, out):
    rows = [row for row in tables.rows(folder, "pack") if row["element"] == "f32"]
    if not rows:
        return
    blocks = sorted({int(row["block"]) for row in rows}, reverse=True)
    figure, all_axes = plt.subplots(len(blocks), 1, figsize=(11, 3.2 * len(blocks)), squeeze=False)
    for axes, block in zip(all_axes[:, 0], blocks):
        here = [row for row in rows if int(row["block"]) == block]
        directions = [d for d in ("+x", "+y", "+z", "all") if any(row["direction"] == d for row in here)]
        rates = {(row["method"], row["direction"]): float(row["gb_per_s"]) for row in here}
        methods = list(dict.fromkeys(row["method"] for row in here))
        width = 0.8 / len(directions)
        for i, direction in enumerate(directions):
            heights = [rates.get((method, direction), 0) for method in methods]
            name = "all directions" if direction == "all" else f"sent towards {direction}"
            axes.bar([m + i * width for m in range(len(methods))], heights, width, label=name)
        axes.set_xticks([m + 0.3 for m in range(len(methods))], methods, rotation=25, ha="right", fontsize=7)
        axes.set_ylabel("GB/s of halo")
        axes.set_title(f"{block}^3 cells, fp32, radius {here[0]['radius']}", fontsize=9)
        axes.grid(axis="y", alpha=0.3)
        axes.legend(fontsize=7)
    save(figure, out, "pack")


def save(figure, out, name):
    path = out / f"{name}.png"
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
    print(path)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[-1])
    out.mkdir(parents=True, exist_ok=True)
    draw_bars(folder, out, "ladder", ["specialisation", "baseline"], "Specialisation, and baselines")
    draw_bars(folder, out, "placement", ["placement"], "Placement")
    draw_curves(folder, out, "weak", "Weak scaling")
    draw_curves(folder, out, "strong", "Strong scaling")
    draw_pack(folder, out)
    mhd_figures.draw_all(plt, save, folder, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
