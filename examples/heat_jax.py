# SPDX-License-Identifier: BSD-3-Clause
# The heat equation of heat.py with JAX: all steps are one program of XLA, which calls the exchanges. On host devices, or on GPUs (--cuda).
# mpirun -n 2 python heat_jax.py runs it on 2 ranks (needs mpi4py), with --cuda on a GPU each: set XLA_PYTHON_CLIENT_PREALLOCATE=false, as
# each rank's JAX uses memory of all GPUs that it sees.
import sys

import jax
import numpy as np

import halocline

gpu = "--cuda" in sys.argv[1:]
if not gpu:
    jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
from halocline.jax import exchange  # noqa: E402 - as configured

n, steps, k = 48, 50, 0.1
domain = halocline.Domain((n, n, n), halocline.Stencil.star(1), {"t": "float64"}, backend="cuda" if gpu else "host", devices=1, comm=halocline.world())
t = domain["t"]
t.set(lambda z, y, x: np.sin(2 * np.pi * z / n) * np.sin(2 * np.pi * y / n) * np.sin(2 * np.pi * x / n))
(block,) = t.blocks
if gpu:  # XLA's programs run where the rank's block is
    jax.config.update("jax_default_device", jax.devices()[block.array.device])


def step(cells, _):
    halos = exchange(t, cells)
    sides = sum(halos[halocline.shift(block.owned, **{axis: by})] for axis in ("dz", "dy", "dx") for by in (-1, 1))
    return cells + k * (sides - 6 * cells), None


@jax.jit
def run(cells):
    return jax.lax.scan(step, cells, length=steps)[0]


t[block.cells] = np.asarray(run(t[block.cells]))  # waits for the result

exact = (1 - 2 * k * 3 * (1 - np.cos(2 * np.pi / n))) ** steps
if (amplitude := t.gather()) is not None:  # on rank 0
    print(f"amplitude after {steps} steps: {amplitude.max():.12f}, exact {exact:.12f}")
    print("passed" if abs(amplitude.max() - exact) < 1e-12 else "FAILED")
domain.close()
