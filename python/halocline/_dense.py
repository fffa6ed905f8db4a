# SPDX-License-Identifier: BSD-3-Clause
"""Fields as frameworks that trace programs see them: by constants, and by dense arrays that are no memory of a domain."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from .errors import CapabilityError, InvalidArgument

if TYPE_CHECKING:
    from ._fields import Field

Shape = tuple[int, ...]


class Dense(NamedTuple):
    """What is constant in a field of a realized domain. Shapes are of one array for each block of this rank: axes z, y, x, or
    component, z, y, x. lower, upper: cells of the halo, z, y, x."""

    key: str
    dtype: str
    owned: tuple[Shape, ...]
    with_halo: tuple[Shape, ...]
    lower: Shape
    upper: Shape

    def check(self, what: str, expected: tuple[Shape, ...], given: Sequence[tuple[str, Shape]]) -> None:
        """Raises InvalidArgument unless dtypes and shapes of the arrays of a call are the expected ones."""
        name = self.key.rpartition("@")[0]
        if len(given) != len(expected):
            raise InvalidArgument(f"{len(given)} array(s) of {what} for '{name}'; allowed are {len(expected)}, one for each block of this rank")
        for (dtype, shape), allowed in zip(given, expected):
            if dtype != self.dtype or shape != allowed:
                raise InvalidArgument(f"an array of {what} for '{name}' is {dtype} of shape {shape}; allowed is {self.dtype} of shape {allowed}")


_fields: WeakValueDictionary[str, Field] = WeakValueDictionary()
_numbers = itertools.count()


def dense(field: Field) -> Dense:
    """Gives a field its key; called once, when its domain is realized. The n-th field of a process has the same key in every run."""
    key = f"{field.name}@{next(_numbers)}"
    _fields[key] = field
    components = (field.components,) if field.components > 1 else ()
    owned, with_halo = [], []
    lower: Shape = (0, 0, 0)
    upper: Shape = (0, 0, 0)
    for block in field.blocks:
        low, high = block._all
        extents = tuple(high[axis] - low[axis] for axis in (2, 1, 0))
        lower = tuple(s.start for s in block.owned)
        upper = tuple(n - s.stop for n, s in zip(extents, block.owned))
        with_halo.append(components + extents)
        owned.append(components + tuple(s.stop - s.start for s in block.owned))
    return Dense(key, field.dtype.name, tuple(owned), tuple(with_halo), lower, upper)


def field_of(key: str) -> Field:
    """The field of a key. Raises InvalidArgument if its domain is closed or deleted, and CapabilityError if its exchange is not linear."""
    field = _fields.get(key)
    if field is None:
        raise InvalidArgument(f"the domain of the field '{key}' was deleted; allowed are calls while it exists")
    field._domain._realized()
    if field._domain._open_boundary is not None:
        raise CapabilityError("exchange() has no gradient of the function of on_open_boundary(); allowed are domains without it")
    return field
