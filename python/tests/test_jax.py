# SPDX-License-Identifier: BSD-3-Clause
"""The exchange with its gradient in JAX: on a GPU where JAX has one and Halocline is built with CUDA, on host devices otherwise."""

import gc

import numpy as np
import pytest

import halocline
from diffusion import steps_of_halos
from halocline import _core, errors

jax = pytest.importorskip("jax")
if not _core.xla_handlers():
    pytest.skip("halocline was built without the headers of jaxlib", allow_module_level=True)
ON_GPU = "cuda" in halocline.backends and jax.default_backend() == "gpu"
if not ON_GPU:
    jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402 - as configured
from jax.test_util import check_grads  # noqa: E402

from halocline.jax import accumulate, exchange, token  # noqa: E402

SHAPE = (5, 4, 6)


def made(radius=1, dtype="float64", components=1, devices=1, **options):
    options |= {"backend": "cuda", "devices": 1} if ON_GPU else {"backend": "host", "devices": devices}
    return halocline.Domain(SHAPE, radius, {"u": {"dtype": dtype, "components": components}}, **options)


def owned(field, seed=0):
    """Random owned cells of each block."""
    random = np.random.default_rng(seed)
    return [jnp.asarray(random.standard_normal(shape), field.dtype.name) for shape in field._dense.owned]


def whole_of(field, arrays):
    whole = np.zeros(SHAPE)
    for block, array in zip(field.blocks, arrays):
        whole[block.cells] = array
    return whole


@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize("compiled", [False, True])
def test_halos_are_the_neighbours_cells(devices, compiled):
    with made(2, devices=devices) as domain:
        u = domain["u"]
        cells = owned(u)
        function = jax.jit(lambda arrays: exchange(u, arrays)) if compiled else lambda arrays: exchange(u, arrays)
        padded = np.pad(whole_of(u, cells), 2, mode="wrap")
        for block, array in zip(u.blocks, function(cells)):
            assert np.array_equal(array, padded[tuple(slice(c.start, c.stop + 4) for c in block.cells)])


def test_halo_cells_that_are_not_exchanged_are_zero():
    with made(halocline.Stencil.star(1)) as domain:
        accumulate(domain["u"], jnp.full(domain["u"]._dense.with_halo[0], jnp.nan))
        halos = exchange(domain["u"], owned(domain["u"])[0])
        assert not jnp.isnan(halos).any() and (halos[0, 0] == 0).all() and (halos[0, 1:-1, 1:-1] != 0).all()


@pytest.mark.skipif(ON_GPU, reason="the arrays are NumPy's")
def test_arrays_of_structures():
    domain = halocline.Domain(SHAPE, 1, backend="host")
    u = domain.add_field("u", "float32", components=2)
    domain.plan()
    u.use(np.zeros([n + 2 for n in SHAPE] + [2], np.float32), "zyxc")
    domain.realize()
    (cells,) = owned(u)
    assert np.array_equal(exchange(u, cells), np.pad(cells, [(0, 0), (1, 1), (1, 1), (1, 1)], mode="wrap"))


CASES = {
    "three blocks": {"devices": 3},
    "a star": {"radius": halocline.Stencil.star(1), "devices": 2},
    "open ends": {"boundary": ("open", "periodic", "open"), "devices": 2},
    "asymmetric": {"radius": halocline.Stencil(lower=(1, 0, 2), upper=(0, 2, 1)), "devices": 2},
    "components": {"components": 2, "devices": 2},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("function", [exchange, accumulate])
def test_gradients_of_first_and_second_order(case, function):
    with made(**CASES[case]) as domain:
        domain.on_open_boundary(None)
        u = domain["u"]
        cells = owned(u)
        if function is accumulate:
            cells = exchange(u, cells)
        check_grads(jax.jit(lambda arrays: [jnp.sin(a) for a in function(u, arrays)]), (cells,), order=2, modes=["rev"])


def test_a_loss_through_several_steps_has_the_gradient_of_one_process():
    with made(devices=3) as domain:
        u = domain["u"]
        cells, k = owned(u, 1), owned(u, 2)

        def one_process(a, q):
            for _ in range(3):
                a = a + q * (jnp.roll(a, -1, 0) * jnp.roll(a, 1, 2) - a**2)
            return (a**2).sum()

        loss = jax.jit(jax.value_and_grad(lambda c, q: sum((a**2).sum() for a in steps_of_halos(exchange, u, c, q, 3)), argnums=(0, 1)))
        found, gradients = loss(cells, k)
        expected, whole = jax.value_and_grad(one_process, argnums=(0, 1))(jnp.asarray(whole_of(u, cells)), jnp.asarray(whole_of(u, k)))
        assert np.allclose(found, expected, rtol=1e-13)
        for mine, theirs in zip(gradients, whole):
            assert np.allclose(whole_of(u, mine), theirs, rtol=1e-11, atol=1e-12)


def test_steps_in_a_loop_of_xla():
    with made() as domain:
        u = domain["u"]
        (cells,) = owned(u)

        def step(a, _):
            return exchange(u, a)[halocline.shift(u.blocks[0].owned, dx=1)], None

        moved, _ = jax.jit(lambda a: jax.lax.scan(step, a, None, length=4))(cells)
        assert np.array_equal(moved, np.roll(cells, -4, axis=2))


def test_tokens_order_calls_and_their_backward_passes(monkeypatch):
    domain = halocline.Domain(SHAPE, 1, {name: "float64" for name in "uvwxyz"}, backend="cuda" if ON_GPU else "host", devices=1)
    names = list("zuxvyw")
    order = []
    look_up = halocline._dense.field_of

    def sums(cells):
        after, total = token(), 0.0
        for name, array in zip(names, cells):
            halos, after = exchange(domain[name], array, token=after)
            total += (halos**2).sum()
        return total

    cells = [owned(domain[name], i)[0] for i, name in enumerate(names)]
    compiled = jax.jit(jax.value_and_grad(sums)).lower(cells).compile()
    monkeypatch.setattr(halocline._dense, "field_of", lambda key: (order.append(key[0]), look_up(key))[1])
    jax.block_until_ready(compiled(cells))
    assert order == names + names[::-1]


def test_bad_arrays_are_named():
    with made(devices=2) as domain:
        u = domain["u"]
        cells = owned(u)
        several = [(cells[0], r"1 array\(s\) of owned cells for 'u'; allowed are 2")]
        for given, message in [
            *([] if ON_GPU else several),
            ([array.astype("float32") for array in cells], "float32 of shape .* allowed is float64"),
            ([array[1:] for array in cells], "allowed is float64 of shape"),
        ]:
            with pytest.raises(errors.InvalidArgument, match=message):
                exchange(u, given)
        with pytest.raises(errors.InvalidArgument, match="cells with their halo"):
            accumulate(u, cells)
        domain.on_open_boundary(lambda *_: None)
        with pytest.raises(errors.CapabilityError, match="on_open_boundary"):
            exchange(u, cells)


def test_compiled_calls_without_their_domain_are_refused():
    domain = made()
    (cells,) = owned(domain["u"])
    compiled = jax.jit(lambda array, u=domain["u"]: exchange(u, array)).lower(cells).compile()
    compiled(cells).block_until_ready()
    domain.close()
    with pytest.raises(Exception, match="the domain is closed"):
        compiled(cells).block_until_ready()
    key = domain["u"]._dense.key
    del domain
    jax.clear_caches()
    gc.collect()
    with pytest.raises(Exception, match=f"'{key}' was deleted|the domain is closed"):
        compiled(cells).block_until_ready()


def test_arrays_of_another_kind_of_device_are_named():
    cpu = jax.devices("cpu")[0]
    if not ON_GPU:
        pytest.skip("JAX has no GPU beside its CPU")
    with made() as domain, jax.default_device(cpu):
        cells = jnp.zeros(SHAPE)
        with pytest.raises(Exception, match="arrays are in the memory of the host; allowed is a GPU"):
            exchange(domain["u"], cells).block_until_ready()
    with halocline.Domain(SHAPE, 1, {"u": "float64"}, backend="host", devices=1) as domain:
        with pytest.raises(Exception, match="arrays are in the memory of a GPU; allowed is the host"):
            exchange(domain["u"], jnp.zeros(SHAPE)).block_until_ready()


@pytest.mark.skipif(not ON_GPU, reason="streams are of GPUs")
def test_calls_in_a_row_are_ordered_in_the_stream():
    """No result is waited for between 200 calls, and the field is scratch for all of them."""
    with halocline.Domain((64, 48, 80), 1, {"u": "float64"}, backend="cuda", devices=1) as domain:
        u = domain["u"]
        inside = halocline.shift(u.blocks[0].owned, dx=1)
        cells = start = owned(u)[0]
        move = jax.jit(lambda array: exchange(u, array)[inside])
        for _ in range(200):
            cells = move(cells)
        assert np.array_equal(cells, np.roll(start, -200, axis=2))


def sharded(field, devices):
    mesh = jax.make_mesh((devices,), ("z",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:devices])
    spread = jax.sharding.PartitionSpec("z")
    return jax.jit(jax.shard_map(lambda array: exchange(field, array), mesh=mesh, in_specs=spread, out_specs=spread))


def test_inside_shard_map():  # on several ranks: jax_shards.py
    with made(2) as domain:
        (cells,) = owned(domain["u"])
        assert np.array_equal(sharded(domain["u"], 1)(cells), np.pad(cells, 2, mode="wrap"))


@pytest.mark.skipif(len(jax.devices()) < 2, reason="one device; XLA_FLAGS=--xla_force_host_platform_device_count=2 makes two")
def test_several_devices_of_one_rank_are_refused():
    with made() as domain:
        (cells,) = owned(domain["u"])
        with pytest.raises(errors.InvalidArgument, match="over 2 devices of a mesh, .* allowed is 1"):
            sharded(domain["u"], 2)(jnp.concatenate([cells, cells]))
