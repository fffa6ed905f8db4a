# SPDX-License-Identifier: BSD-3-Clause
# The heat equation on a periodic cube, with updates of the interiors while halos are under way.
# mpirun -n 4 python heat.py runs it on 4 ranks (needs mpi4py).
import numpy as np

import halocline

n, steps, k = 48, 50, 0.1
fields = {"t": {"dtype": "float64", "buffers": 2}}
domain = halocline.Domain((n, n, n), halocline.Stencil.star(1), fields, comm=halocline.world())
t = domain["t"]
t.set(lambda z, y, x: np.sin(2 * np.pi * z / n) * np.sin(2 * np.pi * y / n) * np.sin(2 * np.pi * x / n))


def update(block, region):
    old, new = block.array, block.next
    sides = sum(old[halocline.shift(region, **{axis: by})] for axis in ("dz", "dy", "dx") for by in (-1, 1))
    new[region] = old[region] + k * (sides - 6 * old[region])


for _ in range(steps):
    with domain.start_exchange():
        for block in t.blocks:
            update(block, block.interior)
    for block in t.blocks:
        for region in block.boundary:
            update(block, region)
    t.swap()

exact = (1 - 2 * k * 3 * (1 - np.cos(2 * np.pi / n))) ** steps
if (amplitude := t.gather()) is not None:  # on rank 0
    print(f"amplitude after {steps} steps: {amplitude.max():.12f}, exact {exact:.12f}")
    print("passed" if abs(amplitude.max() - exact) < 1e-12 else "FAILED")
domain.close()
