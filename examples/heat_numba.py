# SPDX-License-Identifier: BSD-3-Clause
# The heat equation of heat.py with loops that Numba compiles. mpirun -n 2 python heat_numba.py runs it on 2 ranks (needs mpi4py).
import numba
import numpy as np

import halocline

n, steps, k = 48, 50, 0.1
fields = {"t": {"dtype": "float64", "buffers": 2}}
domain = halocline.Domain((n, n, n), halocline.Stencil.star(1), fields, backend="host", comm=halocline.world())
t = domain["t"]
t.set(lambda z, y, x: np.sin(2 * np.pi * z / n) * np.sin(2 * np.pi * y / n) * np.sin(2 * np.pi * x / n))


@numba.njit(nogil=True)
def update(now, then, low, high):
    for z in range(low[0], high[0]):
        for y in range(low[1], high[1]):
            for x in range(low[2], high[2]):
                sides = now[z - 1, y, x] + now[z + 1, y, x] + now[z, y - 1, x] + now[z, y + 1, x] + now[z, y, x - 1] + now[z, y, x + 1]
                then[z, y, x] = now[z, y, x] + k * (sides - 6 * now[z, y, x])


def run(block, region):
    update(block.array, block.next, tuple(s.start for s in region), tuple(s.stop for s in region))


for _ in range(steps):
    with domain.start_exchange():
        for block in t.blocks:
            run(block, block.interior)
    for block in t.blocks:
        for region in block.boundary:
            run(block, region)
    t.swap()

exact = (1 - 2 * k * 3 * (1 - np.cos(2 * np.pi / n))) ** steps
if (amplitude := t.gather()) is not None:  # on rank 0
    print(f"amplitude after {steps} steps: {amplitude.max():.12f}, exact {exact:.12f}")
    print("passed" if abs(amplitude.max() - exact) < 1e-12 else "FAILED")
domain.close()
