# SPDX-License-Identifier: BSD-3-Clause
"""A program of a user's that type checkers read; it runs, too."""

import pathlib
import tempfile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import halocline

if TYPE_CHECKING:  # read, too
    import halocline.jax
    import halocline.torch


def average(block: halocline.Block, region: tuple[slice, slice, slice]) -> npt.NDArray[np.float64]:
    array: npt.NDArray[np.float64] = block.array
    sides = array[halocline.shift(region, dx=1)] + array[halocline.shift(region, dx=-1)]
    return np.asarray(sides / 2)


def main() -> float:
    fields = {"u": {"dtype": "float64", "buffers": 2}}
    with halocline.Domain((8, 8, 8), halocline.Stencil.star(1), fields, comm=halocline.world(), devices=2) as domain:
        u: halocline.Field = domain["u"]
        u.set(lambda z, y, x: x + 0.0 * (y + z))
        with domain.start_exchange(["u"]) as exchange:
            ready: bool = exchange.is_ready()
            inner = [average(block, block.interior) for block in u.blocks]
        domain.exchange({"u": 1})
        domain.accumulate(combine="replace")
        plan: halocline.Plan = domain.plan_of_all()
        machine: halocline.Machine = domain.machine
        with tempfile.TemporaryDirectory() as folder:
            output: halocline.Output = halocline.Output(domain, f"{folder}/u.pvd", spacing=(1, 1, 0.5), fields=["u"])
            output.write(0, 0.0)
            try:
                checkpoints = halocline.Checkpoints(domain, pathlib.Path(folder), generations=1)
                checkpoints.write({"step": "7"})
                restored: halocline.Restored | None = checkpoints.restore()
                print(restored.metadata["step"] if restored else "none")
            except halocline.errors.CapabilityError as error:  # a build without xxHash
                print(error)
        print(ready, len(inner), plan.grid, machine.json()[:1], domain.explain()[:7], domain.regions[0])
        whole = u.gather()
        return 0.0 if whole is None else float(whole.max())


if __name__ == "__main__":
    print(main())
