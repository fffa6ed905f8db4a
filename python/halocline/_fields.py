# SPDX-License-Identifier: BSD-3-Clause
"""A field of a domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._blocks import Block, Region
from ._dense import Dense, dense
from ._own import memory_of
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._domain import Domain

#: Names of the library by those of NumPy.
ELEMENTS = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
    "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


def checked_dtype(dtype: Any, name: str) -> np.dtype[Any]:
    """The dtype of field `name`, with this machine's byte order. Raises InvalidArgument for another order, and for what is no element of fields."""
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise InvalidArgument(f"dtype of '{name}' is {dtype!r}; allowed is one of {', '.join(ELEMENTS)}") from error
    if kind.name not in ELEMENTS:
        raise InvalidArgument(f"dtype of '{name}' is {kind.name}; allowed is one of {', '.join(ELEMENTS)}")
    if not kind.isnative:
        raise InvalidArgument(f"dtype of '{name}' is {kind.str}, with the byte order of another machine; allowed is this one's, {kind.name}")
    return kind


def wire_of(wire: Any, name: str) -> str | None:
    """The library's name of a wire format, which may be given as a dtype, too."""
    if wire is None or (isinstance(wire, str) and wire in (*ELEMENTS.values(), "bf16")):
        return wire
    try:
        return ELEMENTS[np.dtype(wire).name]
    except (KeyError, TypeError) as error:
        raise InvalidArgument(f"wire of field '{name}' is {wire!r}; allowed are f32, bf16, f16, or a dtype such as float32") from error


# Bytes that one step of gather() brings to each rank.
_GATHERED_BYTES = 64 << 20


class Field:
    """One field: its arrays on this rank, and its cells by their place in the whole domain (z, y, x)."""

    def __init__(self, domain: Domain, name: str, number: int, dtype: np.dtype, components: int, buffers: int) -> None:
        self._domain = domain
        self._id = number
        self.name = name
        self.dtype = dtype
        self.components = components
        self.buffers = buffers
        self._blocks: list[Block] | None = None
        self._constants: Dense | None = None

    def __repr__(self) -> str:
        return f"<halocline.Field '{self.name}': {self.dtype.name}, {self.components} component(s), {self.buffers} buffer(s)>"

    @property
    def blocks(self) -> list[Block]:
        """The parts of this rank, one for each of its subdomains."""
        self._domain._realized()
        if self._blocks is None:
            self._blocks = [Block(self, position) for position in range(self._domain._core.subdomain_count)]
        return self._blocks

    @property
    def _dense(self) -> Dense:
        if self._constants is None:
            self._domain._realized()
            self._constants = dense(self)
        return self._constants

    def use(
        self,
        arrays: Any,
        axes: str | None = None,
        *,
        halo: tuple[tuple[int, int], tuple[int, int], tuple[int, int]] | None = None,
        buffer: int = 0,
    ) -> None:
        """Takes arrays of the caller's, one for each local subdomain (Domain.regions), as memory of a buffer: after Domain.plan(), before
        realize(), for all buffers. Arrays of NumPy or with DLPack on the host; on GPUs those with __cuda_array_interface__ or DLPack
        (CuPy, PyTorch, Numba) in memory of the device of the subdomain. They hold their halo, in any order and with any strides. axes: the
        meaning of their indices, "zyx" or "czyx" at first; "zyxc" is an array of structures. halo: cells below and above in z, y, x;
        unset, as many on either side. The domain refers to them until it is deleted. Local."""
        core = self._domain._open()
        if not isinstance(arrays, (list, tuple)):
            arrays = [arrays]
        regions = self._domain.regions
        if len(arrays) != len(regions):
            raise InvalidArgument(f"{len(arrays)} array(s) for '{self.name}'; allowed are {len(regions)}, one for each subdomain of this rank")
        layers = self._domain._layers(self)
        axes = axes or ("czyx" if self.components > 1 else "zyx")
        for position, (array, region) in enumerate(zip(arrays, regions)):
            memory = memory_of(array, self.name, on_host=core.on_host)
            if halo is not None:
                widths = halo
            else:
                extents = [memory.shape[axes.index(d)] if d in axes and axes.index(d) < len(memory.shape) else 0 for d in "zyx"]
                stops = [s.stop + (layer if s.stop == n else 0) for s, layer, n in zip(region, layers, self._domain.shape)]
                more = [n - (stop - s.start) for n, stop, s in zip(extents, stops, region)]
                widths = tuple((m // 2, m - m // 2) for m in more)  # type: ignore[assignment]
            below, above = ([width[side] for width in reversed(widths)] for side in (0, 1))
            if memory.dtype != self.dtype.name:
                raise InvalidArgument(f"an array for '{self.name}' has elements of {memory.dtype}; allowed is {self.dtype.name}")
            core.use_array(self._id, position, buffer, memory, axes, below, above)

    @property
    def array(self) -> Any:
        """`Block.array` of the only subdomain of this rank."""
        if len(self.blocks) != 1:
            raise InvalidArgument(
                f"field '{self.name}' has {len(self.blocks)} arrays on this rank; allowed is .array with one, and .blocks with several"
            )
        return self.blocks[0].array

    def swap(self) -> None:
        """The next buffer becomes the current one; on all ranks at the same point."""
        self._domain._realized().swap(self._id)

    def set(self, values: Callable[..., Any] | np.ndarray | float) -> None:
        """Sets the owned cells of the current buffer. `values` is a function of the cells' global indices, called once for each
        block with three broadcastable arrays f(z, y, x); or what can be assigned to all owned cells of the whole domain: an array
        in C order, (component,) z, y, x, or a number. Local; halos are filled by the next exchange."""
        for block in self.blocks:
            cells = block.cells
            if callable(values):
                part = values(*np.ogrid[cells])
            elif np.ndim(values) == 0:
                part = values
            else:
                whole = np.asarray(values)
                expected = self._shape()
                if whole.shape != expected:
                    raise InvalidArgument(f"values for '{self.name}' have shape {whole.shape}; allowed is {expected}, or a number")
                part = whole[block._with_components(cells)]
            block._write(block.owned, part)

    def gather(self, root: int | None = 0) -> np.ndarray | None:
        """The owned cells of the whole domain as one new array, on rank `root`, or on all ranks for None; None elsewhere.
        Collective, with the same field and root on all ranks. Brings 64 MiB at a time to each rank. Raises InvalidArgument for a root that is
        no rank."""
        core = self._domain._realized()
        blocks = self.blocks
        mine = np.array([[(s.start, s.stop) for s in block.cells] for block in blocks], dtype=np.int64)
        call = f"gather() of '{self.name}' to {'all ranks' if root is None else f'rank {root}'}"
        boxes = [np.frombuffer(one, dtype=np.int64).reshape(-1, 3, 2) for one in core.all_gather(call, mine.tobytes())]
        if root is not None and root not in range(core.size):  # after the comparison: all ranks raise it
            raise InvalidArgument(f"root of gather() is {root!r}; allowed is 0 to {core.size - 1}, or None for all ranks")
        wanted = root is None or core.rank == root
        whole = np.empty(self._shape(), self.dtype) if wanted else None
        arrays = [block._read() for block in blocks]
        shape = self._shape()[-3:]
        plane = self.dtype.itemsize * self.components * shape[1] * shape[2]
        step = max(1, _GATHERED_BYTES // plane)
        for low in range(0, shape[0], step):
            high = min(low + step, shape[0])
            parts = [
                np.ascontiguousarray(array[block._with_components(_planes(block, low, high))]).tobytes()
                for block, array in zip(blocks, arrays)
            ]
            for their_boxes, data in zip(boxes, core.all_gather(call, b"".join(parts))):
                if whole is not None:
                    self._place(whole, their_boxes, data, low, high)
        return whole

    def __getitem__(self, index: Any) -> np.ndarray:
        """A copy of cells of the whole domain, `u[z, y, x]` with ints and slices. They must be owned by this rank; gather() brings
        others."""
        region, flat = self._region(index)
        shape = tuple(s.stop - s.start for s in region)
        values = np.empty(((self.components,) if self.components > 1 else ()) + shape, self.dtype)
        for block, theirs, here in self._parts(region):
            values[block._with_components(here)] = block._read()[block._with_components(theirs)]
        return values[(..., *flat)]

    def __setitem__(self, index: Any, values: Any) -> None:
        """Sets cells of the whole domain that this rank owns."""
        region, flat = self._region(index)
        shape = tuple(s.stop - s.start for s in region)
        whole = np.empty(((self.components,) if self.components > 1 else ()) + shape, self.dtype)
        whole[(..., *flat)] = values
        for block, theirs, here in self._parts(region):
            block._write(theirs, whole[block._with_components(here)])

    def _shape(self) -> tuple[int, ...]:
        shape = self._domain.shape_of(self)
        return (self.components, *shape) if self.components > 1 else shape

    def _place(self, whole: np.ndarray, boxes: np.ndarray, data: bytes, low: int, high: int) -> None:
        """Copies a rank's cells of the planes from low to high."""
        at = 0
        for box in boxes:
            region: list[Any] = [slice(max(box[0, 0], low), min(box[0, 1], high)), *(slice(b, e) for b, e in box[1:])]
            shape = (self.components, *(max(s.stop - s.start, 0) for s in region))
            count = int(np.prod(shape))
            values = np.frombuffer(data, self.dtype, count, at).reshape(shape)
            at += count * self.dtype.itemsize
            if count > 0:
                whole[(..., *region)] = values if self.components > 1 else values[0]

    def _region(self, index: Any) -> tuple[Region, tuple[Any, ...]]:
        """An index as slices of cells, and what removes the dimensions that were given as ints."""
        parts = index if isinstance(index, tuple) else (index,)
        if len(parts) < 3 and Ellipsis not in parts:
            parts = (*parts, Ellipsis)
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            parts = (*parts[:at], *([slice(None)] * (3 - len(parts) + 1)), *parts[at + 1 :])
        shape = self._shape()[-3:]
        region: list[slice] = []
        flat: list[Any] = []
        for part, extent, name in zip(parts, shape, "zyx"):
            if isinstance(part, slice):
                start, stop, step = part.indices(extent)
                if step != 1:
                    raise InvalidArgument(f"the step of a slice in {name} is {step}; allowed is 1")
                region.append(slice(start, max(start, stop)))
                flat.append(slice(None))
            else:
                cell = int(part) + (extent if part < 0 else 0)
                if not 0 <= cell < extent:
                    raise IndexError(f"{name} is {part}; allowed is -{extent} to {extent - 1}")
                region.append(slice(cell, cell + 1))
                flat.append(0)
        if len(parts) != 3:
            raise InvalidArgument(f"{len(parts)} indices for '{self.name}'; allowed are three: z, y, x")
        return tuple(region), tuple(flat)  # type: ignore[return-value]

    def _parts(self, region: Region) -> list[tuple[Block, Region, Region]]:
        """By block that owns a part of the region: the part in the block's array, and in the region."""
        found, cells = [], 0
        for block in self.blocks:
            both = [(max(r.start, c.start), min(r.stop, c.stop)) for r, c in zip(region, block.cells)]
            if any(low >= high for low, high in both):
                continue
            theirs = tuple(slice(o.start + low - c.start, o.start + high - c.start)
                           for (low, high), c, o in zip(both, block.cells, block.owned))  # fmt: skip
            here = tuple(slice(low - r.start, high - r.start) for (low, high), r in zip(both, region))
            found.append((block, theirs, here))
            cells += int(np.prod([high - low for low, high in both]))
        wanted = int(np.prod([r.stop - r.start for r in region]))
        if cells != wanted:
            owned = ", ".join(str(tuple((s.start, s.stop) for s in block.cells)) for block in self.blocks)
            raise IndexError(
                f"{wanted - cells} of {wanted} cells of '{self.name}' belong to other ranks; this rank owns (z, y, x) {owned}; "
                "gather() brings cells of other ranks"
            )
        return found  # type: ignore[return-value]


def _planes(block: Block, low: int, high: int) -> Region:
    """The block's owned cells in planes low to high of the whole domain, in its array."""
    first = block.owned[0].start - block.cells[0].start
    start = max(block.cells[0].start, low)
    stop = max(start, min(block.cells[0].stop, high))
    return (slice(start + first, stop + first), block.owned[1], block.owned[2])
