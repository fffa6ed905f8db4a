# SPDX-License-Identifier: BSD-3-Clause
"""What the tests on a GPU with PyTorch share: a domain of one field, its cells with and without halos, a stream that is busy."""

import numpy as np
import pytest

import halocline

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

SHAPE = (24, 20, 28)
WHOLE = np.arange(np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
PADDED = np.pad(WHOLE, 1, mode="wrap")
INNER = (slice(1, -1),) * 3


@pytest.fixture(autouse=True)
def first_gpu():
    """Arrays are made on the GPU of the domain: JAX leaves the last GPU that it has found current."""
    torch.cuda.set_device(0)


@pytest.fixture
def domain():
    made = halocline.Domain(SHAPE, 1, {"u": {"dtype": "float32", "buffers": 2}}, backend="cuda", devices=1)
    yield made
    if not made._closed:
        made.close()


def late(stream):
    """Keeps a stream busy for about a tenth of a second."""
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
