# SPDX-License-Identifier: BSD-3-Clause
"""One program of jax.distributed on all ranks, with exchanges inside shard_map: mpirun -n N python jax_shards.py. On a GPU for each rank with --cuda.
Rank 0 prints "passed" if all ranks have found what they expect."""

import socket
import sys

import jax
import numpy as np
from mpi4py import MPI

import halocline

world = MPI.COMM_WORLD
gpu = "--cuda" in sys.argv[1:]
if not gpu:
    jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
with socket.socket() as free:
    free.bind(("localhost", 0))
    address = world.bcast(f"localhost:{free.getsockname()[1]}")
jax.distributed.initialize(address, world.size, world.rank, local_device_ids=[world.rank] if gpu else None)
import jax.numpy as jnp  # noqa: E402 - as configured

from halocline.jax import exchange  # noqa: E402

n = 4  # planes of a rank
shape = (n * world.size, 6, 8)
mine = slice(n * world.rank, n * (world.rank + 1)), slice(0, 6), slice(0, 8)
domain = halocline.Domain(cells=mine, stencil=1, fields={"u": "float64"}, comm=world, backend="cuda" if gpu else "host")
u = domain["u"]
inside = u.blocks[0].owned

mesh = jax.make_mesh((world.size,), ("z",), axis_types=(jax.sharding.AxisType.Auto,))
spread = jax.sharding.PartitionSpec("z")
whole = np.random.default_rng(3).standard_normal(shape)
cells = jax.make_array_from_callback(shape, jax.sharding.NamedSharding(mesh, spread), lambda index: whole[index])


def step(a):
    halos = exchange(u, a)
    return a + 0.1 * halos[halocline.shift(inside, dz=1)] * halos[halocline.shift(inside, dx=-1)]


def loss(a, by):
    for _ in range(3):
        a = by(a)
    return (a**2).sum()  # over all ranks


sharded = jax.shard_map(step, mesh=mesh, in_specs=spread, out_specs=spread, check_vma=False)
found, gradient = jax.jit(jax.value_and_grad(lambda a: loss(a, sharded)))(cells)
expected, serial = jax.value_and_grad(lambda a: loss(a, lambda b: b + 0.1 * jnp.roll(b, -1, 0) * jnp.roll(b, 1, 2)))(jnp.asarray(whole))
ok = np.allclose(found, expected, rtol=1e-13)
(shard,) = gradient.addressable_shards
ok = ok and np.allclose(shard.data, serial[shard.index], rtol=1e-12, atol=1e-13)
ok = world.allreduce(bool(ok), MPI.LAND)
if world.rank == 0:
    print("passed" if ok else "FAILED")
domain.close()
jax.distributed.shutdown()
