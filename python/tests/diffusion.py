# SPDX-License-Identifier: BSD-3-Clause
"""A diffusion by exchanges, for the tests of frameworks with gradients."""

import halocline


def steps_of_halos(exchange, field, cells, k, steps):
    """With the coefficient k in each cell; nonlinear, so that the framework keeps arrays for the gradient. exchange: the framework's."""
    for _ in range(steps):
        halos = exchange(field, cells)
        cells = [
            a[block.owned] + q * (a[halocline.shift(block.owned, dz=1)] * a[halocline.shift(block.owned, dx=-1)] - a[block.owned] ** 2)
            for block, a, q in zip(field.blocks, halos, k)
        ]
    return cells
