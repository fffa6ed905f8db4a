# SPDX-License-Identifier: BSD-3-Clause
"""The part of a field that one subdomain has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._gpu import BlockStream, DeviceArray
from ._streams import wait_for_default
from .errors import CapabilityError, InvalidArgument

if TYPE_CHECKING:
    from ._fields import Field

Region = tuple[slice, slice, slice]
#: First cell, and the first beyond, both x, y, z.
Cells = tuple[Sequence[int], Sequence[int]]


def shift(region: Region, dz: int = 0, dy: int = 0, dx: int = 0) -> Region:
    """The region moved by so many cells: `a[shift(r, dx=1)]` has the upper neighbours in x of the cells of `a[r]`."""
    return tuple(slice(s.start + d, s.stop + d) for s, d in zip(region, (dz, dy, dx)))  # type: ignore[return-value]


def region_between(cells: Cells, origin: Sequence[int]) -> Region:
    """Slices in C order of an array that begins at `origin`; both x, y, z."""
    low, high = cells
    return tuple(slice(low[d] - origin[d], high[d] - origin[d]) for d in (2, 1, 0))  # type: ignore[return-value]


def cells_of(region: Region) -> Cells:
    """The cells of a region of the domain."""
    if len(region) != 3 or not all(isinstance(s, slice) and s.step in (None, 1) for s in region):
        raise InvalidArgument(f"cells is {region!r}; allowed are three slices with start and stop: z, y, x")
    return tuple(int(s.start) for s in reversed(region)), tuple(int(s.stop) for s in reversed(region))


class Block:
    """A field in one subdomain of this rank.

    Regions are slices of `array`, in the order z, y, x; with several components they follow an axis of components, as in
    `array[:, *region]` or `array[(..., *region)]`.
    """

    def __init__(self, field: Field, position: int) -> None:
        self._field = field
        self._position = position
        core = field._domain._core
        self.subdomain: int = core.subdomain_id(position)
        self.device: int = core.device(position)
        self._all: Cells = core.with_halo(position, field._id)
        owned: Cells = core.owned(position, field._id)
        #: The cells that this subdomain owns, in the whole domain.
        self.cells: Region = region_between(owned, (0, 0, 0))
        #: The same cells in `array`.
        self.owned: Region = region_between(owned, self._all[0])

    @property
    def stream(self) -> BlockStream:
        """On GPUs, where to launch kernels that need no other ordering: `exchange(stream="own")` is ordered with them."""
        core = self._field._domain._core
        if core.on_host:
            raise CapabilityError("blocks of host devices have no stream; allowed are GPUs, as calls of the host are complete at return")
        return BlockStream(core.stream(self._position), self.device)

    @property
    def interior(self) -> Region:
        """Cells whose update reads no halo: they may be updated while an exchange is under way."""
        return region_between(self._field._domain._core.interior(self._position), self._all[0])

    @property
    def boundary(self) -> list[Region]:
        """The other owned cells, as disjoint regions."""
        boxes = self._field._domain._core.boundary(self._position)
        return [region_between(box, self._all[0]) for box in boxes]

    @property
    def array(self) -> Any:
        """The current buffer with its halo, without a copy: axes z, y, x, or component, z, y, x. A numpy.ndarray, or a DeviceArray on a
        GPU. The domain cannot be closed while the array, or a view of it, exists."""
        return self.buffer(0)

    @property
    def next(self) -> Any:
        """The buffer that `Field.swap` makes the current one."""
        return self.buffer(1)

    def buffer(self, ahead: int) -> Any:
        """The buffer that is current after `ahead` swaps."""
        domain = self._field._domain
        if domain._core.on_host:
            return domain._core.array(self._position, self._field._id, ahead)
        return DeviceArray(domain, self._position, self._field._id, ahead, self._field.dtype)

    def _with_components(self, region: tuple[Any, ...]) -> tuple[Any, ...]:
        return (slice(None), *region) if self._field.components > 1 else region

    def _read(self) -> Any:
        """The current buffer: the array itself on the host, a copy of a GPU's."""
        core = self._field._domain._core
        if core.on_host:
            return self.array
        wait_for_default()
        return core.download(self._position, self._field._id, 0)

    def _write(self, region: tuple[Any, ...], values: np.ndarray) -> None:
        core = self._field._domain._core
        array = self._read()
        array[self._with_components(region)] = values
        if not core.on_host:
            core.upload(self._position, self._field._id, 0, np.ascontiguousarray(array))
