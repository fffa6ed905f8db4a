# SPDX-License-Identifier: BSD-3-Clause
"""Which fields an exchange is of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral

from . import _core
from ._fields import Field
from ._options import checked
from .errors import InvalidArgument

#: Fields of an exchange: their names, or names with the depth of the halo to fill.
Fields = Iterable[str] | Mapping[str, int]


class Selections:
    """The selections of a domain, each made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[tuple[str, int | None], ...], _core.Selection] = {}

    def of(self, fields: Fields | None, field_of: Callable[[str], Field]) -> _core.Selection | None:
        """By names and depths; None for all fields. field_of: a field by its name; raises KeyError for a name that there is not."""
        if fields is None:
            return None
        if isinstance(fields, str) or not isinstance(fields, Iterable):
            raise InvalidArgument(f"fields is {fields!r}; allowed is a list of names, or names with depths")
        depths = tuple(fields.items()) if isinstance(fields, Mapping) else tuple((name, None) for name in fields)
        found = self._made.get(depths)
        if found is None:
            if not depths:
                raise InvalidArgument("fields is empty; allowed are names of fields, or None for all")
            for name, depth in depths:
                if isinstance(fields, Mapping):
                    checked(depth, f"depth of field '{name}'", Integral, "an int of 1 or more")
            found = self._made[depths] = _core.Selection([(field_of(name)._id, depth) for name, depth in depths])
        return found
