# SPDX-License-Identifier: BSD-3-Clause
"""A rank of a job without MPI: RANK=r WORLD_SIZE=n python without_mpi.py (torch | PORT of test_without_mpi.Values). Prints "passed" if it
finds what it expects."""

import os
import sys

import numpy as np

import halocline
from halocline import errors

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
shape = (12, 10, 14)
whole = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)

if sys.argv[1] == "torch":
    import torch.distributed as dist

    assert dist.group.WORLD is None
    try:
        halocline.Domain(shape, 1, {"u": "float32"}, comm=dist.group.WORLD)
        assert size == 1
    except errors.InvalidArgument as error:
        assert "torch.distributed.group.WORLD after torch.distributed.init_process_group()" in str(error), error
    dist.init_process_group("gloo")
    comm = dist.group.WORLD
    pairs = [dist.new_group([low, low + 1]) for low in range(0, size, 2)]
    part = pairs[rank // 2]
else:
    from test_without_mpi import Manager

    manager = Manager(("localhost", int(sys.argv[1])), authkey=b"halocline")
    manager.connect()
    comm = halocline.StoreRanks(manager.values(), rank, size)
    part = halocline.StoreRanks(manager.values(), rank % 2, 2, name=f"pair {rank // 2}")

# Halos, cell by cell, of several devices and several domains at a time.
with (
    halocline.Domain(shape, 2, {"u": "float64"}, comm=comm, devices=2) as domain,
    halocline.Domain((8, 8, 8), 1, {"u": "int16"}, comm=part) as of_pair,
):
    u = domain["u"]
    u.set(whole)
    domain.exchange()
    padded = np.pad(whole, 2, mode="wrap")
    for block in u.blocks:
        assert np.array_equal(block.array, padded[tuple(slice(c.start, c.stop + 4) for c in block.cells)])
    assert np.array_equal(u.gather(root=None), whole)
    assert "direct" in domain.explain() and "MPI" not in domain.explain().split("routes")[1].split("traffic")[0]
    of_pair["u"].set(rank // 2)
    of_pair.exchange()
    assert all((block.array == rank // 2).all() for block in of_pair["u"].blocks)
    large = halocline.Domain((96, 96, 96), 1, {"u": "float64"}, comm=comm)
    large["u"].set(rank)
    assert large["u"].gather(root=None).max() == size - 1  # 7 MB: in several values
    large.close()

if sys.argv[1] == "torch":
    # The gradient of a sum over all ranks: each cell counts as often as it is in an array.
    import torch

    from halocline.torch import exchange

    with halocline.Domain(shape, 1, {"u": "float64"}, comm=comm) as domain:
        block = domain["u"].blocks[0]
        cells = torch.from_numpy(whole[block.cells]).clone().requires_grad_()
        halos = exchange(domain["u"], cells)
        halos.sum().backward()
        counts = torch.tensor([cells.grad.sum(), halos.numel()])
        dist.all_reduce(counts)
        assert counts[0] == counts[1] and cells.grad.max() > cells.grad.min(), counts

# An error of one rank is one of all.
try:
    halocline.Domain(shape, 1, {"u": "float32" if rank == 0 else "float64"}, comm=comm)
    assert False
except errors.Error as error:
    assert "u" in str(error)

# Two nodes have no route.
try:
    halocline.Domain(shape, 1, {"u": "float32"}, comm=comm, ranks_per_node=1)
    assert False
except errors.CapabilityError as error:
    assert "no message passing between the ranks" in str(error), error

# A rank that does not come.
if rank != 0:
    try:
        halocline.Domain(shape, 1, {"u": "float32"}, comm=comm, timeout=0.5)
        assert False
    except errors.DeadlineError as error:
        assert "rank 0" in str(error) or "timeout 0.5 s" in str(error), error

if sys.argv[1] == "torch":
    dist.barrier()  # rank 0 has the store
print("passed")
