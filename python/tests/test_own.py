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
            ([good[0], np.zeros(shapes[1], "float32")], None, "another type"),
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
