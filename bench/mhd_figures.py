# SPDX-License-Identifier: BSD-3-Clause
"""The figures of mhd's studies: reads mhd-strong.csv, mhd-parts.csv, mhd-weak.csv, mhd-orders.csv and mhd-backends.csv, which
`halocline run mhd --study NAME --csv FILE` writes. plot.py draws them."""

import tables


def studied(folder, study):
    """The rows of a study on more and more devices, without the one on the processor's cores."""
    return [row for row in tables.rows(folder, f"mhd-{study}") if row["kind"] == "devices"]


def curves(rows, label, value):
    """{label(row): {devices: value(row)}}, in the file's order; rows without a value are left out."""
    found = {}
    for row in rows:
        y = value(row)
        if y is not None:
            found.setdefault(label(row), {})[int(row["devices"])] = y
    return found


def number(key, scale=1.0):
    return lambda row: float(row[key]) * scale if row[key] else None


def of_cell(key):
    """Nanoseconds a cell from a column of seconds a step."""
    return lambda row: float(row[key]) * 1e9 / (int(row["x"]) * int(row["y"]) * int(row["z"]))


def size_of(row):
    edges = [row[key] for key in "xyz"]
    return f"{edges[0]}^3" if len(set(edges)) == 1 else "x".join(edges)


def draw(axes, found, style="-", name="{}"):
    """One curve a label; the same label has the same colour in each call."""
    for i, (label, points) in enumerate(found.items()):
        devices = sorted(points)
        axes.plot(devices, [points[n] for n in devices], style, marker="o", color=f"C{i % 10}", label=name.format(label))


def finish(axes, title, y, log=True):
    axes.set_xscale("log", base=2)
    if log:
        axes.set_yscale("log")
    ticks = sorted({int(x) for line in axes.get_lines() if line.get_marker() == "o" for x in line.get_xdata()})
    axes.set_xticks(ticks, [str(n) for n in ticks])
    axes.set_xlabel("devices")
    axes.set_ylabel(y, fontsize=9)
    axes.set_title(title, fontsize=10)
    axes.grid(which="both", alpha=0.3)
    axes.legend(fontsize=8)


def scaling(plt, save, folder, out, study, title, label):
    rows = studied(folder, study)
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    draw(axes, curves(rows, label, number("ns_per_cell")), name="{}")
    draw(axes, curves(rows, label, number("model_ns_per_cell")), "--", "{}, model")
    for row in tables.rows(folder, f"mhd-{study}"):
        if row["kind"] == "cores":
            axes.axhline(float(row["ns_per_cell"]), color="k", ls=":", label=f"{size_of(row)} on the processor's cores")
    finish(axes, title, "ns a cell and step")
    save(figure, out, f"mhd-{study}")


def parts(plt, save, folder, out):
    rows = studied(folder, "parts")
    if not rows:
        return
    plain = [row for row in rows if row["corners"] == "0"]
    sent = [row for row in rows if row["corners"] == "1"]
    found = {}
    for name, some, key in (
        ("step", plain, "step_s"),
        ("computation", plain, "compute_s"),
        ("exchange", plain, "exchange_s"),
        ("exchange with corners", sent, "exchange_s"),
        ("synchronisation", plain, "synchronisation_s"),
    ):
        found.update(curves(some, lambda _, name=name: name, of_cell(key)))
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    draw(axes, found)
    finish(axes, f"A step's parts, each alone: {size_of(rows[0])}", "ns a cell and step")
    save(figure, out, "mhd-parts")


def weak(plt, save, folder, out):
    rows = studied(folder, "weak")
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    sizes = {}
    for row in rows:  # a part's size names the series
        sizes.setdefault(row["series"], size_of(row))
    draw(axes, curves(rows, lambda row: f"{sizes[row['series']]} a device", number("step_s", 1e3)))
    finish(axes, "Weak scaling", "ms a step", log=False)
    axes.set_ylim(bottom=0)
    save(figure, out, "mhd-weak")


def power(plt, save, folder, out):
    rows = studied(folder, "strong") or studied(folder, "backends")
    found = curves(rows, lambda row: f"{size_of(row)}, power {row['power_source']}", number("updates_per_s_per_w", 1e-6))
    if not found:
        return
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    draw(axes, found)
    finish(axes, "Energy efficiency", "million cell updates a second a watt", log=False)
    axes.set_ylim(bottom=0)
    save(figure, out, "mhd-power")


def draw_all(plt, save, folder, out):
    scaling(plt, save, folder, out, "strong", "Strong scaling", size_of)
    scaling(plt, save, folder, out, "backends", "Strong scaling", size_of)
    scaling(plt, save, folder, out, "orders", "Orders of the differences", lambda row: f"order {row['order']}")
    parts(plt, save, folder, out)
    weak(plt, save, folder, out)
    power(plt, save, folder, out)
