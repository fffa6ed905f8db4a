# SPDX-License-Identifier: BSD-3-Clause
"""The exchange with its gradient in PyTorch, on a GPU: in streams, in a graph, compiled. test_torch.py has the same on the host."""

import numpy as np

import halocline
from gpu_case import PADDED, SHAPE, WHOLE, domain, first_gpu, late, torch  # noqa: F401 - domain and first_gpu are fixtures
from halocline.torch import accumulate, exchange


def test_the_gradient_of_an_exchange():
    with halocline.Domain((5, 4, 6), 1, {"u": {"dtype": "float64", "components": 2}}, backend="cuda", devices=1) as domain:
        u = domain["u"]
        cells = torch.randn((2, 5, 4, 6), dtype=torch.float64, device="cuda", requires_grad=True)
        for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
            stream.wait_stream(torch.cuda.default_stream())
            with torch.cuda.stream(stream):
                halos = exchange(u, cells)
                expected = np.pad(cells.detach().cpu().numpy(), [(0, 0), (1, 1), (1, 1), (1, 1)], mode="wrap")
                assert np.array_equal(halos.detach().cpu().numpy(), expected)
                assert torch.autograd.gradcheck(lambda tensor: exchange(u, tensor), [cells])
                assert torch.autograd.gradcheck(lambda tensor: accumulate(u, tensor), [halos.detach().requires_grad_()])
            stream.synchronize()


def test_an_exchange_with_a_gradient_is_ordered_in_its_stream(domain):
    values, cells = torch.from_numpy(WHOLE).cuda(), torch.zeros(SHAPE, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    late(stream)
    with torch.cuda.stream(stream):
        cells.copy_(values)
        seen = exchange(domain["u"], cells) + 0
    stream.synchronize()
    assert np.array_equal(seen.cpu().numpy(), PADDED)


def test_exchanges_and_gradients_in_a_graph_of_pytorch(domain):
    cells = torch.zeros(SHAPE, device="cuda", requires_grad=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.default_stream())

    def step():
        halos = exchange(domain["u"], cells)
        return halos, torch.autograd.grad((halos**2).sum(), cells)[0]

    with torch.cuda.stream(stream):
        eager = step()
    stream.synchronize()
    assert not eager[0].any()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        halos, gradient = step()
    for factor in (1, 3):
        with torch.no_grad(), torch.cuda.stream(stream):
            cells.copy_(torch.from_numpy(factor * WHOLE))
            graph.replay()
        stream.synchronize()
        assert np.array_equal(halos.detach().cpu().numpy(), factor * PADDED)
        copies = np.pad(np.arange(WHOLE.size).reshape(SHAPE), 1, mode="wrap").ravel()
        assert np.allclose(gradient.cpu().numpy().ravel(), 2 * factor * WHOLE.ravel() * np.bincount(copies))


def test_exchanges_in_a_function_that_pytorch_compiles(domain):
    u = domain["u"]
    inside = u.blocks[0].owned

    def step(cells):
        return (exchange(u, cells)[halocline.shift(inside, dx=1)] * cells).sum()

    cells = torch.from_numpy(WHOLE / WHOLE.size).cuda().requires_grad_()
    (expected,) = torch.autograd.grad(step(cells), cells)
    compiled = torch.compile(step, fullgraph=True)
    assert torch.allclose(compiled(cells), step(cells))
    (gradient,) = torch.autograd.grad(compiled(cells), cells)
    assert torch.allclose(gradient, expected)
