# SPDX-License-Identifier: BSD-3-Clause
# The heat equation of heat.py with files: --output DIR writes images for ParaView, --checkpoint DIR a checkpoint, and
# --restart DIR continues from one, on any number of ranks (mpirun -n 4 python heat_files.py; needs mpi4py).
import argparse

import numpy as np

import halocline

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=50)
for option in ("--output", "--checkpoint", "--restart"):
    parser.add_argument(option, metavar="DIR")
options = parser.parse_args()
n, steps, k = 48, options.steps, 0.1
fields = {"t": {"dtype": "float64", "buffers": 2}}
domain = halocline.Domain((n, n, n), halocline.Stencil.star(1), fields, comm=halocline.world())
t = domain["t"]
t.set(lambda z, y, x: np.sin(2 * np.pi * z / n) * np.sin(2 * np.pi * y / n) * np.sin(2 * np.pi * x / n))
output, first = None, 0
if options.output:
    output = halocline.Output(domain, f"{options.output}/heat.pvd", spacing=3 * [1 / n], resume=bool(options.restart))
if options.restart and (restored := halocline.Checkpoints(domain, options.restart).restore()):
    first = int(restored.metadata["step"])


def update(block, region):
    old, new = block.array, block.next
    sides = sum(old[halocline.shift(region, **{axis: by})] for axis in ("dz", "dy", "dx") for by in (-1, 1))
    new[region] = old[region] + k * (sides - 6 * old[region])


for step in range(first, steps):
    with domain.start_exchange():
        for block in t.blocks:
            update(block, block.interior)
    for block in t.blocks:
        for region in block.boundary:
            update(block, region)
    t.swap()
    if output and (step + 1) % 10 == 0:
        output.write(step + 1, (step + 1) * k)
if options.checkpoint:
    halocline.Checkpoints(domain, options.checkpoint).write({"step": str(steps)})

exact = (1 - 2 * k * 3 * (1 - np.cos(2 * np.pi / n))) ** steps
if (amplitude := t.gather()) is not None:  # on rank 0
    print(f"amplitude after {steps} steps: {amplitude.max():.12f}, exact {exact:.12f}")
    print("passed" if abs(amplitude.max() - exact) < 1e-12 else "FAILED")
domain.close()
