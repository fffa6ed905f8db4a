# SPDX-License-Identifier: BSD-3-Clause
# Jacobi iterations for Laplace's equation with Warp: the problem of Warp's distributed examples, periodic in y, with given values at both ends
# of x. On Warp's CPU device, or on the GPU of each rank (--cuda). mpirun -n 2 python jacobi_warp.py runs it on 2 ranks (needs mpi4py).
import sys

import numpy as np
import warp as wp

import halocline

ny, nx, iterations = 64, 80, 300
gpu = "--cuda" in sys.argv[1:]
ranks = halocline.world()
wp.init()
domain = halocline.Domain((1, ny, nx), halocline.Stencil.star((0, 1, 1)), {"a": {"dtype": "float32", "buffers": 2}}, comm=ranks, devices=1,
                          backend="cuda" if gpu else "host", boundary=("periodic", "periodic", "open"))  # fmt: skip
a = domain["a"]
(block,) = a.blocks
device = f"cuda:{block.array.device}" if gpu else "cpu"
stream = wp.get_stream(device) if gpu else None


@wp.kernel
def fill_ends(a: wp.array3d[wp.float32], row: int, below: int, above: int):
    y = wp.tid()
    value = wp.sin(2.0 * wp.pi * float(y + row) / float(ny))
    if below == 1:
        a[0, y, 0] = value
    if above == 1:
        a[0, y, a.shape[2] - 1] = value


@wp.kernel
def update(now: wp.array3d[wp.float32], then: wp.array3d[wp.float32], y0: int, x0: int, residual: wp.array[wp.float32]):
    j, i = wp.tid()
    y, x = j + y0, i + x0
    then[0, y, x] = 0.25 * (now[0, y - 1, x] + now[0, y + 1, x] + now[0, y, x - 1] + now[0, y, x + 1])
    wp.atomic_add(residual, 0, (then[0, y, x] - now[0, y, x]) * (then[0, y, x] - now[0, y, x]))


def launch(buffers, region):
    _, y, x = region
    wp.launch(update, dim=(y.stop - y.start, x.stop - x.start), inputs=[*buffers, y.start, x.start, residual], device=device)


domain.on_open_boundary(None)  # halo cells beyond the ends keep their values
buffers = [wp.from_dlpack(block.array), wp.from_dlpack(block.next)]
residual = wp.zeros(1, dtype=wp.float32, device=device)
for buffer in buffers:
    buffer.zero_()
    ends = [int(block.cells[2].start == 0), int(block.cells[2].stop == nx)]
    wp.launch(fill_ends, dim=buffer.shape[1], inputs=[buffer, block.cells[1].start - block.owned[1].start, *ends], device=device)

for _ in range(iterations):
    residual.zero_()
    with domain.start_exchange(stream=stream):
        launch(buffers, block.interior)
    for region in block.boundary:
        launch(buffers, region)
    buffers.reverse()
    a.swap()

norm = float(residual.numpy()[0])  # waits for Warp's work
norm = np.sqrt(norm if ranks is None else ranks.allreduce(norm))
del buffers, buffer
if (result := a.gather()) is not None:  # on rank 0
    serial = np.zeros((ny, nx + 2), np.float32)
    serial[:, 0] = serial[:, -1] = np.sin(2 * np.pi * np.arange(ny) / ny)
    for _ in range(iterations):
        sides = np.roll(serial, 1, 0) + np.roll(serial, -1, 0)
        serial[:, 1:-1] = np.float32(0.25) * (sides[:, 1:-1] + serial[:, :-2] + serial[:, 2:])
    difference = np.abs(result[0] - serial[:, 1:-1]).max()
    print(f"norm of the last change {norm:.3e}; largest difference from NumPy's solution {difference:.1e}")
    print("passed" if difference < 1e-6 and result.max() > 0.5 else "FAILED")
domain.close()
