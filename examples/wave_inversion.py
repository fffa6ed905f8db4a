# SPDX-License-Identifier: BSD-3-Clause
# Full-waveform inversion with PyTorch: the velocity of a box follows from waves of two sources, recorded in one plane. The gradient goes
# backwards through each exchange. mpirun -n 2 python wave_inversion.py runs it on 2 ranks (needs mpi4py), and compares the gradient with
# one rank's. On host devices, or on a GPU for each rank (--cuda).
import math
import sys

import numpy as np
import torch

import halocline
from halocline.torch import exchange

shape, steps, iterations = (14, 20, 18), 30, 5
sources = [(3, 6, 5), (3, 13, 12)]  # z, y, x
ranks = halocline.world()
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # a core for each rank
backend = "cuda" if "--cuda" in sys.argv[1:] else "host"


class Waves:
    """The wave equation u_tt = c^2 laplace(u), u = 0 at the box's ends, by leapfrog; m is (c dt / h)^2 of this rank's cells."""

    def __init__(self, comm):
        self.domain = halocline.Domain(shape, halocline.Stencil.star(1), {"u": "float64"}, comm=comm, backend=backend, devices=1, boundary="open")
        self.domain.on_open_boundary(None)
        self.u = self.domain["u"]
        (self.block,) = self.u.blocks
        self.cells = torch.from_dlpack(self.block.array)  # on its device
        axes = (torch.arange(s.start, s.stop, device=self.cells.device) for s in self.block.cells)
        self.z, self.y, self.x = torch.meshgrid(*axes, indexing="ij")
        self.receivers = ((self.z == shape[0] - 4) & (self.y % 3 == 1) & (self.x % 3 == 1)).nonzero(as_tuple=True)

    def record(self, m):
        """The wave at this rank's receivers, (source, step, receiver)."""
        owned, traces = self.block.owned, []
        for z, y, x in sources:
            source = ((self.z == z) & (self.y == y) & (self.x == x)).double()
            before = now = torch.zeros_like(m)
            for step in range(steps):
                halos = exchange(self.u, now)
                laplacian = sum(halos[halocline.shift(owned, **{axis: by})] for axis in ("dz", "dy", "dx") for by in (-1, 1)) - 6 * now
                ricker = (1 - 2 * (0.5 * (step - 6)) ** 2) * math.exp(-((0.5 * (step - 6)) ** 2))
                before, now = now, 2 * now - before + m * laplacian + ricker * source
                traces.append(now[self.receivers])
        return torch.stack(traces)

    def true_m(self):
        distance = sum(((axis - n / 2) / 4) ** 2 for axis, n in zip((self.z, self.y, self.x), shape))
        return 0.2 + 0.06 * torch.exp(-distance)

    def misfit(self, m, observed):
        """Of this rank's receivers. The gradients of all ranks' misfits together are the gradient of their sum."""
        return 0.5 * (self.record(m) - observed).square().sum()

    def gather(self, cells):
        self.cells[self.block.owned] = cells
        return self.u.gather(None)


def start(waves):
    """A constant velocity, the records of the true one, and the gradient."""
    with torch.no_grad():
        observed = waves.record(waves.true_m())
    m = torch.full_like(waves.true_m(), 0.2).requires_grad_()
    (gradient,) = torch.autograd.grad(waves.misfit(m, observed), m)
    return m, observed, waves.gather(gradient)


waves, alone = Waves(ranks), Waves("self")
m, observed, gradient = start(waves)
reference = start(alone)[2]
difference = np.abs(gradient - reference).max() / np.abs(reference).max()

# Steepest descent, not beside sources and receivers, where the gradient is largest. It works on each cell by itself.
between = (waves.z > 4) & (waves.z < 10)
optimiser = torch.optim.SGD([m], lr=0.03 / np.abs(gradient[5:10]).max(), momentum=0.6)
misfits = []
for _ in range(iterations):
    optimiser.zero_grad()
    loss = waves.misfit(m, observed)
    loss.backward()  # collective, as exchange() is
    m.grad *= between
    optimiser.step()
    misfits.append(loss.item() if ranks is None else ranks.allreduce(loss.item()))
error = [np.square(waves.gather(cells) - alone.true_m().cpu().numpy()).sum() for cells in (torch.full_like(m, 0.2), m.detach())]

if ranks is None or ranks.rank == 0:
    print(f"gradient: largest difference from one rank's, relative to its largest value: {difference:.1e}")
    print("misfit: " + " ".join(f"{misfit:.3g}" for misfit in misfits))
    print(f"squared error of m: {error[0]:.4f} before, {error[1]:.4f} after")
    print("passed" if difference < 1e-12 and misfits[-1] < 0.25 * misfits[0] and error[1] < 0.7 * error[0] else "FAILED")
del waves.cells, alone.cells  # the domains' memory
waves.domain.close()
alone.domain.close()
