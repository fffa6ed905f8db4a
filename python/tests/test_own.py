# SPDX-License-Identifier: BSD-3-Clause
"""Arrays and decompositions of the caller's."""

import gc
import weakref

import numpy as np
import pytest

import halocline
from halocline import errors

SHAPE = (9, 7, 11)
WHOLE = np.arange(np.prod(SHAPE), dtype=np.float64).reshape(SHAPE)


def planned(radius=1, components=1, **options):
    domain = halocline.Domain(SHAPE, radius, **options)
    domain.add_field("u", "float64", components=components)
    domain.plan()
    return domain


def with_halo(region, radius):
    return tuple(s.stop - s.start + 2 * radius for s in region)


def halos(region, radius):
    return np.pad(WHOLE, radius, mode="wrap")[tuple(slice(s.start, s.stop + 2 * radius) for s in region)]


LAYOUTS = {
    "C order": lambda shape: np.zeros(shape),
    "Fortran order": lambda shape: np.zeros(shape, order="F"),
    "padded": lambda shape: np.zeros((shape[0], shape[1] + 3, shape[2] + 5))[:, : shape[1], : shape[2]],
    "backwards": lambda shape: np.zeros(shape)[::-1, :, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("devices", [1, 3])
def test_own_arrays_in_any_layout(layout, devices):
    with planned(2, devices=devices) as domain:
        own = [LAYOUTS[layout](with_halo(region, 2)) for region in domain.regions]
        domain["u"].use(own)
        domain.realize()
        domain["u"].set(WHOLE)
        domain.exchange()
        for array, region in zip(own, domain.regions):
            assert np.array_equal(array, halos(region, 2))
        assert np.array_equal(domain["u"].gather(), WHOLE)


def test_arrays_of_a_staggered_field_have_its_layer():
    domain = halocline.Domain(SHAPE, 1, devices=2, boundary=("open", "open", "periodic"))
    u = domain.add_field("u", staggered=(True, False, True))
    domain.plan()
    own = [np.zeros([s.stop - s.start + 2 + layer for s, layer in zip(region, (int(region[0].stop == SHAPE[0]), 0, 0))]) for region in domain.regions]
    u.use(own)
    domain.realize()
    u.set(lambda z, y, x: 100 * z + 10 * y + x)
    assert np.array_equal(u.gather(), np.fromfunction(lambda z, y, x: 100 * z + 10 * y + x, (10, 7, 11)))
    assert all(block.owned == tuple(slice(1, s.stop - s.start + 1) for s in block.cells) for block in u.blocks)
    domain.close()


def test_components_as_an_array_of_structures():
    with planned(1, 3, devices=2) as domain:
        own = [np.zeros((*with_halo(region, 1), 3)) for region in domain.regions]
        domain["u"].use(own, "zyxc")
        domain.realize()
        domain["u"].set(np.stack([WHOLE, WHOLE + 1000, -WHOLE]))
        domain.exchange()
        for array, region in zip(own, domain.regions):
            assert np.array_equal(array[..., 0], halos(region, 1))
            assert np.array_equal(array[..., 2], -halos(region, 1))


def test_wider_halos_and_axes_in_another_order():
    with planned(1, devices=1) as domain:
        own = np.zeros((11 + 5, 9 + 2, 7 + 2))
        domain["u"].use(own, "xzy", halo=((1, 1), (1, 1), (3, 2)))
        domain.realize()
        domain["u"].set(WHOLE)
        domain.exchange()
        assert np.array_equal(own[2:-1].transpose(1, 2, 0), halos(domain.regions[0], 1))
        assert (own[:2] == 0).all() and (own[-1] == 0).all()


def test_own_arrays_are_kept_as_long_as_the_domain_or_its_arrays():
    domain = planned(1, devices=1)
    own = np.zeros(with_halo(domain.regions[0], 1))
    kept = weakref.ref(own)
    domain["u"].use(own)
    del own
    domain.realize()
    domain["u"].set(3)
    domain.exchange()
    array = domain["u"].array
    del domain
    gc.collect()
    assert kept() is not None and (array == 3).all()
    del array
    gc.collect()
    assert kept() is None


def test_bad_arrays_are_named():
    with planned(1, devices=2) as domain:
        shapes = [with_halo(region, 1) for region in domain.regions]
        good = [np.zeros(shape) for shape in shapes]
        read_only = np.zeros(shapes[1])
        read_only.flags.writeable = False
        for arrays, axes, message in [
            (good[:1], None, "1 array(s) for 'u'"),
            ([good[0], np.zeros(shapes[1], "float32")], None, "elements of float32"),
            ([good[0], read_only], None, "read-only"),
            ([good[0], np.zeros((4, 4, 4))], None, "u"),
            (good, "zyq", "axes is 'zyq'"),
            (good, "zyxc", "axes is 'zyxc'"),
        ]:
            with pytest.raises(errors.InvalidArgument) as caught:
                domain["u"].use(arrays, axes)
            assert message in str(caught.value)
        domain["u"].use(good)
        domain.realize()
    with pytest.raises(errors.InvalidArgument, match="plan"):
        domain = halocline.Domain(SHAPE)
        domain.add_field("u").use(good)


def test_an_own_decomposition():
    cells = [(slice(0, 9), slice(0, 3), slice(0, 11)), (slice(0, 9), slice(3, 7), slice(0, 11))]
    with halocline.Domain(cells=cells, fields={"u": "float64"}, devices=2) as domain:
        assert domain.shape == SHAPE and domain.regions == cells
        domain["u"].set(WHOLE)
        domain.exchange()
        for block in domain["u"].blocks:
            assert np.array_equal(block.array, halos(block.cells, 1))
    for bad in [dict(cells=cells, shape=SHAPE), {}, dict(cells=[(slice(0, 9), slice(0, 3))])]:
        with pytest.raises(errors.InvalidArgument):
            halocline.Domain(**bad, fields={"u": "float64"})


class OnGpu:
    """Says that it is in the memory of a GPU, as arrays of CuPy, PyTorch and Numba do."""

    def __init__(self, shape, **changes):
        self.shape = shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<f8", "data": (4096, False), "strides": None, "version": 3, **changes}


class OfDlpack:
    """An array of another library's, which NumPy's memory stands for."""

    def __init__(self, array, device=None):
        self._array = array
        self._device = device

    def __dlpack__(self, **_):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._device or self._array.__dlpack_device__()


@pytest.mark.parametrize("layout", ["C order", "Fortran order", "padded"])
def test_own_arrays_of_other_libraries(layout):
    with planned(2, devices=2) as domain:
        own = [LAYOUTS[layout](with_halo(region, 2)) for region in domain.regions]
        domain["u"].use([OfDlpack(array) for array in own])
        domain.realize()
        domain["u"].set(WHOLE)
        domain.exchange()
        for array, region in zip(own, domain.regions):
            assert np.array_equal(array, halos(region, 2))


def test_tensors_of_torch_are_own_arrays():
    torch = pytest.importorskip("torch")
    with planned(1, 3, devices=2) as domain:
        own = [torch.zeros((*with_halo(region, 1), 3), dtype=torch.float64) for region in domain.regions]
        with pytest.raises(errors.InvalidArgument, match="requires its gradient"):
            domain["u"].use([tensor.requires_grad_() for tensor in own], "zyxc")
        domain["u"].use([tensor.detach() for tensor in own], "zyxc")
        domain.realize()
        domain["u"].set(np.stack([WHOLE, WHOLE + 1000, -WHOLE]))
        domain.exchange()
        for tensor, region in zip(own, domain.regions):
            assert np.array_equal(np.asarray(tensor.detach())[..., 1], halos(region, 1) + 1000)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (OnGpu, "OnGpu, is on a GPU, the domain's devices are on the host; allowed is an array of the host"),
        (lambda shape: OfDlpack(np.zeros(shape), (2, 0)), "OfDlpack, is on a GPU, the domain's devices are on the host"),
        (lambda shape: OfDlpack(np.zeros(shape), (7, 0)), "is on a device of DLPack's kind 7"),
        (lambda shape: OfDlpack(np.zeros(shape, "int32")), "has elements of int32; allowed is float64"),
        (lambda shape: np.zeros(shape, ">f8"), "byte order of another machine (>f8)"),
        (lambda shape: [[1.0]] * 3, "is a builtins.list"),
        (lambda shape: None, "is a builtins.NoneType"),
        (lambda shape: np.zeros(shape, [("a", "f8"), ("b", "i4")])["a"], "multiples of its elements' 8"),
    ],
)
def test_arrays_that_cannot_be_taken_are_named(array, message):
    with planned(1, devices=1) as domain:
        with pytest.raises(errors.InvalidArgument) as caught:
            domain["u"].use([array(with_halo(domain.regions[0], 1))])
        assert message in str(caught.value) and "'u'" in str(caught.value)
        domain["u"].use(np.zeros(with_halo(domain.regions[0], 1)))
        domain.realize()


def test_what_a_gpus_array_says_of_itself():
    """Without a GPU: the description is read, and the memory is not touched."""
    from halocline._own import memory_of

    plain = memory_of(OnGpu((4, 5, 6)), "u", on_host=False)
    assert plain[:4] == (4096, (4, 5, 6), (30, 6, 1), "float64")
    turned = memory_of(OnGpu((4, 5, 6), strides=(8, 32, 160), typestr="<f8"), "u", on_host=False)
    assert turned.strides == (1, 4, 20)
    for changes, message in [
        (dict(data=(4096, True)), "read-only"),
        (dict(mask=3), "mask"),
        (dict(strides=(8, 4, 2)), "multiples"),
        (dict(typestr=">f8"), "byte order"),
    ]:
        with pytest.raises(errors.InvalidArgument, match=message):
            memory_of(OnGpu((4, 5, 6), **changes), "u", on_host=False)
