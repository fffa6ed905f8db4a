# SPDX-License-Identifier: BSD-3-Clause
"""Halos, cell by cell, beside numpy.pad."""

import ctypes

import numpy as np
import pytest

import halocline

SHAPE = (9, 7, 11)


def values(dtype, components=1, seed=0):
    random = np.random.default_rng(seed)
    shape = (components, *SHAPE) if components > 1 else SHAPE
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return (random.random(shape) + 1j * random.random(shape)).astype(dtype)
    return (random.random(shape) * 100).astype(dtype)


def expected(whole, block, below, above):
    """The cells of a block with its halo; below, above: widths in z, y, x."""
    before = whole.ndim - 3
    padded = np.pad(whole, [(0, 0)] * before + list(zip(below, above)), mode="wrap")
    return padded[(..., *(slice(c.start, c.stop + b + a) for c, b, a in zip(block.cells, below, above)))]


@pytest.mark.parametrize("wire", ["f32", "float32", np.float32])
@pytest.mark.parametrize("devices", [1, 4])
def test_halos_in_a_wire_format_are_rounded(devices, wire):
    whole = values("float64")
    with halocline.Domain(SHAPE, 1, {"u": {"dtype": "float64", "wire": wire}}, devices=devices) as domain:
        u = domain["u"]
        u.set(whole)
        domain.exchange()
        for block in u.blocks:
            right = expected(whole.astype("float32").astype("float64"), block, (1, 1, 1), (1, 1, 1))
            right[1:-1, 1:-1, 1:-1] = whole[block.cells]
            assert np.array_equal(block.array, right)
    with pytest.raises(halocline.errors.InvalidArgument, match="wire of field 'n' is i16; allowed for elements i32 is none"):
        halocline.Domain(SHAPE, 1, {"n": {"dtype": "int32", "wire": "i16"}})


@pytest.mark.parametrize("devices", [1, 2, 4, 6])
@pytest.mark.parametrize("radius", [1, 2, (0, 1, 2)])
def test_halos_are_the_neighbours_cells(devices, radius):
    widths = (radius,) * 3 if isinstance(radius, int) else radius
    whole = values("float64")
    with halocline.Domain(SHAPE, radius, {"u": "float64"}, devices=devices) as domain:
        u = domain["u"]
        assert len(u.blocks) == devices
        u.set(whole)
        domain.exchange()
        for block in u.blocks:
            assert np.array_equal(block.array, expected(whole, block, widths, widths))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("components", [1, 3])
def test_element_types_and_components(dtype, components):
    whole = values(dtype, components)
    with halocline.Domain(SHAPE, 1, {"u": {"dtype": dtype, "components": components}}, devices=3) as domain:
        u = domain["u"]
        u.set(whole)
        domain.exchange()
        for block in u.blocks:
            assert block.array.dtype == np.dtype(dtype)
            assert np.array_equal(block.array, expected(whole, block, (1, 1, 1), (1, 1, 1)))
        assert np.array_equal(u.gather(), whole)


def test_a_star_leaves_edges_alone():
    with halocline.Domain(SHAPE, halocline.Stencil.star(1), {"u": "float32"}, devices=1) as domain:
        domain["u"].array[...] = -1
        domain["u"].set(values("float32"))
        domain.exchange()
        array = domain["u"].array
        assert array[0, 0, 1] == -1 and array[0, 1, 1] != -1
        del array


def test_asymmetric_stencils():
    whole = values("int32")
    stencil = halocline.Stencil(lower=(1, 0, 2), upper=(0, 2, 1))
    with halocline.Domain(SHAPE, stencil, {"u": "int32"}, devices=2) as domain:
        domain["u"].set(whole)
        domain.exchange()
        for block in domain["u"].blocks:
            assert np.array_equal(block.array, expected(whole, block, (1, 0, 2), (0, 2, 1)))


def test_some_fields_and_a_depth():
    with halocline.Domain(SHAPE, 2, {"u": "float32", "v": "float32"}, devices=1) as domain:
        for name in "uv":
            domain[name].array[...] = -1
            domain[name].set(7)
        domain.exchange({"u": 1})
        u = domain["u"].array.copy()
        assert (u[1:-1, 1:-1, 1:-1] == 7).all() and (u[0] == -1).all()
        assert (domain["v"].array[0] == -1).all()
        domain.exchange(["v"])
        assert (domain["v"].array == 7).all()


def test_buffers_and_swap():
    with halocline.Domain(SHAPE, 1, {"u": {"dtype": "int32", "buffers": 2}}, devices=1) as domain:
        u = domain["u"]
        u.blocks[0].array[...] = 1
        u.blocks[0].next[...] = 2
        u.swap()
        assert (u.array == 2).all() and (u.blocks[0].next == 1).all()


def test_interior_and_boundary_are_the_owned_cells():
    with halocline.Domain(SHAPE, 1, {"u": "int32"}, devices=4) as domain:
        for block in domain["u"].blocks:
            array = block.array
            array[...] = 0
            array[block.interior] += 1
            for region in block.boundary:
                array[region] += 1
            owned = np.zeros_like(array)
            owned[block.owned] = 1
            assert np.array_equal(array, owned)
            del array


def test_work_between_start_and_finish():
    with halocline.Domain((12, 12, 12), 1, {"u": {"dtype": "float64", "buffers": 2}}, devices=4) as domain:
        u = domain["u"]
        u.set(lambda z, y, x: z * 144 + y * 12 + x)
        with domain.start_exchange() as exchange:
            for block in u.blocks:
                block.next[block.interior] = 2 * block.array[block.interior]
            assert exchange.is_ready() in (True, False)
        for block in u.blocks:
            for region in block.boundary:
                block.next[region] = 2 * block.array[region]
        u.swap()
        assert np.array_equal(u.gather(), 2.0 * np.arange(12**3).reshape(12, 12, 12))


def test_accumulate_is_the_adjoint_of_exchange():
    random = np.random.default_rng(1)
    fields = {"x": "int64", "y": "int64"}
    with halocline.Domain(SHAPE, 1, fields, devices=4) as domain:
        x, y = domain["x"], domain["y"]
        x.set(random.integers(-50, 50, SHAPE))
        weights = [random.integers(-50, 50, block.array.shape) for block in y.blocks]
        for block, weight in zip(y.blocks, weights):
            block.array[...] = weight
        before = x.gather()
        domain.exchange(["x"])
        left = sum(int((block.array * weight).sum()) for block, weight in zip(x.blocks, weights))
        domain.accumulate(["y"])
        assert left == int((before * y.gather()).sum())


def test_reductions_are_of_owned_cells():
    random = np.random.default_rng(2)
    reductions = {"sum": ("u", "sum"), "squares": ("u", "sum_of_squares"), "least": ("u", "min"), "most": ("v", "max"), "most_abs": ("v", "max_abs")}
    with halocline.Domain(SHAPE, 2, {"u": "float64", "v": "float32"}, devices=4, reductions=reductions) as domain:
        u, v = random.integers(-50, 50, SHAPE), random.integers(-70, 30, SHAPE)
        for field in domain.fields.values():
            for block in field.blocks:
                block.array[...] = np.nan  # halos
        domain["u"].set(u.astype("float64"))
        domain["v"].set(v.astype("float32"))
        with pytest.raises(halocline.errors.InvalidArgument, match="after reduce"):
            domain.value("sum")
        domain.reduce()
        expected = {"sum": u.sum(), "squares": (u * u).sum(), "least": u.min(), "most": v.max(), "most_abs": abs(v).max()}
        assert {name: domain.value(name) for name in reductions} == expected
        for address in domain.result_addresses("squares"):
            assert ctypes.c_double.from_address(address).value == expected["squares"]
        domain["u"].set(u + 1.0)
        domain.reduce(["sum"])
        assert domain.value("sum") == (u + 1).sum()
        assert domain.value("least") == expected["least"]


def test_reductions_that_there_are_not():
    with halocline.Domain(SHAPE, 1, {"u": "float64", "n": "int32"}) as domain:
        with pytest.raises(KeyError, match="none, as there is no reduction"):
            domain.value("sum")
    domain = halocline.Domain(SHAPE, 1)
    domain.add_field("u")
    domain.add_field("n", "int32")
    domain.add_reduction("sum", "u", "sum")
    for call, match in (
        (lambda: domain.add_reduction("sum", "u", "max"), "taken"),
        (lambda: domain.add_reduction("mean", "u", "mean"), "allowed is one of sum, sum_of_squares, min, max, max_abs"),
        (lambda: domain.add_reduction("sum_of_n", "n", "sum"), "field 'n' is of i32"),
        (lambda: domain.reduce(), "after realize"),
    ):
        with pytest.raises(halocline.errors.InvalidArgument, match=match):
            call()
    domain.realize()
    with pytest.raises(halocline.errors.InvalidArgument, match="a list of names"):
        domain.reduce("sum")
    domain.close()


def test_open_boundaries_are_filled_in_order():
    with halocline.Domain(SHAPE, 1, {"u": "float32"}, devices=2, boundary=("periodic", "periodic", "open")) as domain:
        u = domain["u"]
        with pytest.raises(halocline.errors.InvalidArgument, match="on_open_boundary"):
            domain.exchange()
    with halocline.Domain(SHAPE, 1, {"u": "float32"}, devices=2, boundary=("open", "periodic", "open")) as domain:
        calls = []

        def fill(block, region, axis, side):
            calls.append((block.subdomain, axis))
            block.array[region] = {"x": 1000, "z": 2000}[axis]

        domain.on_open_boundary(fill)
        u = domain["u"]
        u.set(5)
        domain.exchange()
        assert sorted(calls) == sorted(calls, key=lambda call: call[0]) and {axis for _, axis in calls} == {"x", "z"}
        for block in u.blocks:
            array = block.array.copy()
            if block.cells[2].start == 0:
                assert (array[1:-1, :, 0] == 1000).all()
            if block.cells[0].start == 0:
                assert (array[0] == 2000).all()


def test_staggered_fields_have_one_layer_more():
    options = {"u": {"dtype": "float32", "staggered": (False, False, True)}}
    with halocline.Domain(SHAPE, 1, options, devices=2, boundary=("periodic", "periodic", "open")) as domain:
        domain.on_open_boundary(None)
        domain["u"].set(lambda z, y, x: x)
        domain.exchange()
        whole = domain["u"].gather()
        assert whole.shape == (9, 7, 12) and (whole[..., 11] == 11).all()


def test_global_indices():
    whole = values("float32", 2)
    with halocline.Domain(SHAPE, 1, {"u": {"dtype": "float32", "components": 2}}, devices=4) as domain:
        u = domain["u"]
        u.set(whole)
        for index in [(3, 2, 1), (slice(2, 8), slice(None), 4), (-1, Ellipsis), (slice(1, 1), 0, 0), Ellipsis]:
            assert np.array_equal(u[index], whole[(slice(None), *index) if isinstance(index, tuple) else index])
        u[2:7, 1, :] = 3
        whole[:, 2:7, 1, :] = 3
        assert np.array_equal(u.gather(None), whole)
        with pytest.raises(IndexError, match="z is 9; allowed is -9 to 8"):
            u[9, 0, 0]
        with pytest.raises(halocline.errors.InvalidArgument, match="step"):
            u[::2, 0, 0]


def test_copies_are_equal_to_the_arrays_themselves():
    whole = values("float64", 2)
    with halocline.Domain(SHAPE, 1, {"u": {"dtype": "float64", "components": 2}}, devices=2) as domain:
        u = domain["u"]
        u.set(whole)
        domain.exchange()
        for position, block in enumerate(u.blocks):
            copy = domain._core.download(position, 0, 0)
            assert np.array_equal(copy, block.array)
            domain._core.upload(position, 0, 0, np.ascontiguousarray(copy * 2))
            assert np.array_equal(copy * 2, block.array)
            with pytest.raises(halocline.errors.InvalidArgument):
                domain._core.upload(position, 0, 0, np.ascontiguousarray(copy[:1]))
