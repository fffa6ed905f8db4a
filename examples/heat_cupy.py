# SPDX-License-Identifier: BSD-3-Clause
# The heat equation of heat.py on all GPUs of this process, with CuPy: each block's kernels are in the block's stream, in the order of
# the calls, and the host does not wait before the end. mpirun -n 2 python heat_cupy.py runs it on 2 ranks (needs mpi4py).
import cupy
import numpy as np

import halocline

n, steps, k = 48, 50, 0.1
fields = {"t": {"dtype": "float64", "buffers": 2}}
domain = halocline.Domain((n, n, n), halocline.Stencil.star(1), fields, backend="cuda", comm=halocline.world())
t = domain["t"]
t.set(lambda z, y, x: np.sin(2 * np.pi * z / n) * np.sin(2 * np.pi * y / n) * np.sin(2 * np.pi * x / n))


def on_gpu(block):
    """Both buffers of a block as arrays of CuPy, and where its kernels go."""
    gpu = cupy.cuda.Device(block.array.device)
    with gpu:
        buffers = [cupy.from_dlpack(block.array), cupy.from_dlpack(block.next)]
        return buffers, gpu, cupy.cuda.ExternalStream(block.stream.ptr, gpu.id)


def update(arrays, region):
    (old, new), gpu, stream = arrays
    with gpu, stream:
        sides = sum(old[halocline.shift(region, **{axis: by})] for axis in ("dz", "dy", "dx") for by in (-1, 1))
        new[region] = old[region] + k * (sides - 6 * old[region])


blocks = [(block, on_gpu(block)) for block in t.blocks]
for _ in range(steps):
    with domain.start_exchange(stream="own"):
        for block, arrays in blocks:
            update(arrays, block.interior)
    for block, arrays in blocks:
        for region in block.boundary:
            update(arrays, region)
        arrays[0].reverse()
    t.swap()

domain.synchronize()
exact = (1 - 2 * k * 3 * (1 - np.cos(2 * np.pi / n))) ** steps
if (amplitude := t.gather()) is not None:  # on rank 0
    print(f"amplitude after {steps} steps: {amplitude.max():.12f}, exact {exact:.12f}")
    print("passed" if abs(amplitude.max() - exact) < 1e-12 else "FAILED")
del blocks, arrays
domain.close()
