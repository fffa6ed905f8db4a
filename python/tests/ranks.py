# SPDX-License-Identifier: BSD-3-Clause
"""A job of several ranks: mpirun -n N python ranks.py. Rank 0 prints "passed" if all ranks have found what they expect."""

import pathlib
import shutil
import tempfile

import numpy as np
from mpi4py import MPI

import halocline

world = MPI.COMM_WORLD
shape = (12, 10, 14)
whole = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
ok = True


def check(condition):
    global ok
    ok = ok and bool(condition)


try:
    halocline.Domain(shape, 1, {"u": "float32"})
    check(world.size == 1)
except halocline.errors.InvalidArgument as error:
    check("comm=MPI.COMM_WORLD" in str(error))

with halocline.Domain(shape, 2, {"u": "float64", "v": {"dtype": "int32", "buffers": 2}}, comm=world, devices=2) as domain:
    u, v = domain["u"], domain["v"]
    u.set(lambda z, y, x: (z * shape[1] + y) * shape[2] + x)
    domain.exchange(["u"])
    padded = np.pad(whole, 2, mode="wrap")
    for block in u.blocks:
        check(np.array_equal(block.array, padded[tuple(slice(c.start, c.stop + 4) for c in block.cells)]))
    on_root, everywhere = u.gather(), u.gather(root=None)
    check((on_root is None) == (world.rank != 0) and np.array_equal(everywhere, whole))
    # Another rank's cells are refused by name, on every rank.
    try:
        u[...]
        check(world.size == 1)
    except IndexError as error:
        check("belong to other ranks" in str(error))

    v.set(world.rank)
    with domain.start_exchange(["v"]):
        pass
    v.swap()
    for block in u.blocks:
        block.array[...] = 1
    domain.accumulate(["u"])
    # Each owned cell has been added once for each halo that has a copy of it.
    check(u.gather(None).sum() == sum(block_cells for block_cells in world.allreduce([b.array.size for b in u.blocks])))

# Collective calls that differ are named on all ranks, and change nothing.
with halocline.Domain(shape, 1, {"u": "float64", "v": "float64"}, comm=world, timeout=20) as domain:
    u, v = domain["u"], domain["v"]
    u.set(whole)
    first = "rank 0" if world.size == 2 else f"ranks {', '.join(map(str, range(world.size - 1)))}"
    for most, other, names in [
        (u.gather, v.gather, ("gather() of 'u' to rank 0", "gather() of 'v' to rank 0")),
        (lambda: u.gather(None), lambda: u.gather(0), ("gather() of 'u' to all ranks", "gather() of 'u' to rank 0")),
        (domain.plan_of_all, u.gather, ("plan_of_all()", "gather() of 'u' to rank 0")),
        (domain.close, u.gather, ("close()", "gather() of 'u' to rank 0")),
        (domain.rebalance, domain.close, ("rebalance()", "close()")),
        (u.gather, lambda: halocline.Output(domain, "another.pvd"), ("gather() of 'u' to rank 0", "Output")),
    ]:
        if world.size == 1:
            break
        try:
            (most if world.rank < world.size - 1 else other)()
            check(False)
        except halocline.errors.InvalidArgument as error:
            last = f"rank {world.size - 1}: {names[1]}"
            expected = f"the ranks are in different collective calls ({first}: {names[0]}, {last}); allowed is the same order on all ranks"
            check(str(error) == expected)
    try:
        u.gather(world.size)
        check(False)
    except halocline.errors.InvalidArgument as error:
        check(str(error) == f"root of gather() is {world.size}; allowed is 0 to {world.size - 1}, or None for all ranks")
    check(np.array_equal(u.gather(None), whole))

# A decomposition of the ranks' own: uneven slabs, and arrays of their own.
cuts = [0, *(4 + 2 * rank for rank in range(world.size - 1)), 12]
mine = (slice(cuts[world.rank], cuts[world.rank + 1]), slice(0, 10), slice(0, 14))
domain = halocline.Domain(cells=mine, stencil=1, comm=world)
field = domain.add_field("u", "float64")
domain.plan()
own = np.zeros(tuple(s.stop - s.start + 2 for s in mine), order="F")
field.use(own)
domain.realize()
check(domain.shape == shape and domain.regions == [mine])
field.set(whole)
domain.exchange()
check(np.array_equal(own, np.pad(whole, 1, mode="wrap")[tuple(slice(s.start, s.stop + 2) for s in mine)]))
domain.close()

# A checkpoint and an image of all ranks; each rank restores the checkpoint by itself.
folder = pathlib.Path(world.bcast(tempfile.mkdtemp() if world.rank == 0 else None))
with halocline.Domain(shape, 1, {"u": "float64"}, comm=world) as domain:
    domain["u"].set(whole)
    halocline.Output(domain, folder / "u.pvd").write(3, 0.5)
    try:
        halocline.Checkpoints(domain, folder / "saved").write({"step": "3"})
        kept = True
    except halocline.errors.CapabilityError:  # a build without xxHash
        kept = False
check((folder / "u-000003.vti").stat().st_size > whole.nbytes)
if kept:
    with halocline.Domain(shape, 1, {"u": "float64"}, comm="self") as domain:
        check(halocline.Checkpoints(domain, folder / "saved").restore().metadata == {"step": "3"})
        check(np.array_equal(domain["u"].gather(), whole))
world.barrier()
if world.rank == 0:
    shutil.rmtree(folder)

# An array on one rank keeps all from closing.
domain = halocline.Domain(shape, 1, {"u": "float32"}, comm=world)
kept = domain["u"].array if world.rank == 0 else None
try:
    domain.close()
    check(False)
except BufferError as error:
    check("1 array" in str(error))
del kept
domain.close()

# A rank's error reaches all.
try:
    halocline.Domain(shape, 1, {"u": "float32" if world.rank == 0 else "float64"}, comm=world)
    check(world.size == 1)
except halocline.Error as error:
    check("u" in str(error))

# A communicator of some ranks, with a domain of its own.
half = world.Split(world.rank % 2, world.rank)
with halocline.Domain((8, 8, 8), 1, {"u": "int16"}, comm=half) as domain:
    domain["u"].set(world.rank % 2)
    domain.exchange()
    check(all((block.array == world.rank % 2).all() for block in domain["u"].blocks))
half.Free()

if world.allreduce(ok, op=MPI.LAND) and world.rank == 0:
    print("passed")
