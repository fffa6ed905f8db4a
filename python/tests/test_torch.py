# SPDX-License-Identifier: BSD-3-Clause
"""The exchange with its gradient in PyTorch, on the host. test_gpu_gradients.py has the same on a GPU."""

import gc

import numpy as np
import pytest

import halocline
from diffusion import steps_of_halos
from halocline import errors

torch = pytest.importorskip("torch")
from halocline.torch import accumulate, exchange  # noqa: E402 - needs torch

SHAPE = (5, 4, 6)


def made(radius=1, dtype="float64", components=1, **options):
    return halocline.Domain(SHAPE, radius, {"u": {"dtype": dtype, "components": components}}, **options)


def owned(field, seed=0):
    """Random owned cells of each block, which require their gradients."""
    generator = torch.Generator().manual_seed(seed)
    dtype = getattr(torch, field.dtype.name)
    shapes = [block.array[(..., *block.owned)].shape for block in field.blocks]
    return [torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


def whole_of(field, tensors):
    whole = torch.zeros(SHAPE, dtype=tensors[0].dtype)
    for block, tensor in zip(field.blocks, tensors):
        whole[block.cells] = tensor
    return whole


@pytest.mark.parametrize("devices", [1, 3])
def test_halos_are_the_neighbours_cells(devices):
    with made(2, devices=devices) as domain:
        u = domain["u"]
        cells = owned(u)
        padded = np.pad(whole_of(u, cells).detach().numpy(), 2, mode="wrap")
        for block, tensor in zip(u.blocks, exchange(u, cells)):
            assert np.array_equal(tensor.detach().numpy(), padded[tuple(slice(c.start, c.stop + 4) for c in block.cells)])


def test_halo_cells_that_are_not_exchanged_are_zero():
    with made(halocline.Stencil.star(1)) as domain:
        u = domain["u"]
        u.array[...] = np.nan
        halos = exchange(u, owned(u)[0])
        assert not halos.isnan().any() and (halos[0, 0] == 0).all() and (halos[0, 1:-1, 1:-1] != 0).all()


CASES = {
    "one block": dict(),
    "three blocks": dict(devices=3),
    "a star": dict(radius=halocline.Stencil.star(1), devices=2),
    "open ends": dict(boundary=("open", "periodic", "open"), devices=2),
    "asymmetric": dict(radius=halocline.Stencil(lower=(1, 0, 2), upper=(0, 2, 1)), devices=2),
    "components": dict(components=2, devices=2),
    "complex": dict(dtype="complex128", devices=2),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("function", [exchange, accumulate])
def test_gradients_of_first_and_second_order(case, function):
    with made(**CASES[case]) as domain:
        domain.on_open_boundary(None)
        u = domain["u"]
        cells = owned(u)
        if function is accumulate:
            cells = [torch.randn_like(tensor).requires_grad_() for tensor in exchange(u, cells)]
        assert torch.autograd.gradcheck(lambda *tensors: function(u, tensors), cells)
        assert torch.autograd.gradgradcheck(lambda *tensors: function(u, tensors), cells)


def test_a_loss_through_several_steps_has_the_gradient_of_one_process():
    with made(devices=3) as domain:
        u = domain["u"]
        cells, k = owned(u, 1), owned(u, 2)
        whole, coefficient = (whole_of(u, tensors).detach().requires_grad_() for tensors in (cells, k))
        loss = sum((tensor**2).sum() for tensor in steps_of_halos(exchange, u, cells, k, 3))
        loss.backward()
        a = whole
        for _ in range(3):
            a = a + coefficient * (torch.roll(a, -1, 0) * torch.roll(a, 1, 2) - a**2)
        expected = (a**2).sum()
        expected.backward()
        assert torch.allclose(loss, expected, rtol=1e-13)
        for tensors, reference in ((cells, whole), (k, coefficient)):
            assert torch.allclose(whole_of(u, [tensor.grad for tensor in tensors]), reference.grad, rtol=1e-11, atol=1e-12)


def test_results_are_no_memory_of_the_domain():
    domain = made()
    u = domain["u"]
    (cells,) = owned(u)
    before = cells.detach().clone()
    first = exchange(u, cells)
    kept = first.detach().clone()
    exchange(u, torch.zeros_like(cells))
    assert torch.equal(first, kept) and torch.equal(cells, before)
    first += 1  # in place: nobody has saved it
    first.sum().backward()
    assert cells.grad.sum() == first.numel()
    domain.close()
    assert torch.equal(first, kept + 1)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_torch_compile_keeps_exchanges_in_one_graph(backend):
    with made(devices=2) as domain:
        u = domain["u"]
        cells, k = owned(u, 1), owned(u, 2)

        def loss(cells, k):
            return sum((tensor**2).sum() for tensor in steps_of_halos(exchange, u, cells, k, 2))

        expected = torch.autograd.grad(loss(cells, k), cells + k)
        compiled = torch.compile(loss, backend=backend, fullgraph=True)
        for found, right in zip(torch.autograd.grad(compiled(cells, k), cells + k), expected):
            assert torch.allclose(found, right)


def test_a_compiled_program_exchanges_in_the_order_of_its_calls(monkeypatch):
    domain = halocline.Domain(SHAPE, 1, {name: "float64" for name in "uvw"})
    order = []
    for way in ("exchange", "accumulate"):
        call = getattr(domain, way)
        monkeypatch.setattr(domain, way, lambda names, *, stream, call=call: (order.extend(names), call(names, stream=stream)))

    def sums(*cells):  # no exchange depends on another, and the last one's result is not used
        halos = [exchange(domain[name], tensor) for name, tensor in zip("uvw", cells)]
        return (halos[1] ** 2).sum() + (halos[0] ** 2).sum()

    cells = [owned(domain[name])[0] for name in "uvw"]
    torch.compile(sums, backend="inductor", fullgraph=True)(*cells).backward()
    assert "".join(order[:3]) == "uvw" and sorted(order[3:]) == ["u", "v"]


def test_programs_of_several_fields_are_compiled_for_each():
    with made() as one, made(2) as two:
        compiled = torch.compile(lambda field, cells: exchange(field, cells).sum(), backend="aot_eager", fullgraph=True)
        for domain in (one, two, one):
            (cells,) = owned(domain["u"])
            assert torch.allclose(compiled(domain["u"], cells), exchange(domain["u"], cells).sum())


def test_opcheck():
    with made(halocline.Stencil(lower=(1, 0, 2), upper=(0, 2, 1)), components=2, devices=2) as domain:
        u = domain["u"]
        cells = owned(u)
        for operator, tensors in ((torch.ops.halocline.exchange, cells), (torch.ops.halocline.accumulate, exchange(u, cells))):
            tensors = [tensor.detach().requires_grad_() for tensor in tensors]
            torch.library.opcheck(operator, (tensors, u._dense.key, u._dense.lower, u._dense.upper))


def test_a_block_without_a_gradient():
    with made(devices=2) as domain:
        cells = owned(domain["u"])
        exchange(domain["u"], cells)[0].sum().backward()
        halo = np.prod([n + 2 for n in cells[0].shape])
        assert sum(float(tensor.grad.sum()) for tensor in cells) == halo


def test_calls_without_their_domain_are_refused():
    domain = made()
    u = domain["u"]
    (cells,) = owned(u)
    halos = exchange(u, cells)
    domain.close()
    with pytest.raises(errors.InvalidArgument, match="domain is closed"):
        exchange(u, cells)
    del domain, u
    gc.collect()
    with pytest.raises(errors.InvalidArgument, match="'u@[0-9]+' was deleted"):
        halos.sum().backward()


def test_bad_tensors_are_named():
    with made(devices=2) as domain:
        u = domain["u"]
        cells = owned(u)
        for given, message in [
            (cells[0], r"1 array\(s\) of owned cells for 'u'; allowed are 2"),
            ([tensor.float() for tensor in cells], "float32 of shape .* allowed is float64"),
            ([tensor[1:] for tensor in cells], "allowed is float64 of shape"),
        ]:
            with pytest.raises(errors.InvalidArgument, match=message):
                exchange(u, given)
        with pytest.raises(errors.InvalidArgument, match="cells with their halo"):
            accumulate(u, cells)
        domain.on_open_boundary(lambda *_: None)
        with pytest.raises(errors.CapabilityError, match="on_open_boundary"):
            exchange(u, cells)
