# SPDX-License-Identifier: BSD-3-Clause
"""What a step reads around a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral

from . import _core
from .errors import InvalidArgument

Widths = tuple[int, int, int]


@dataclass(frozen=True)
class Stencil:
    """Cells that a step reads below and above in each dimension, in the order (z, y, x), and whether it reads the edges and
    corners of the halo. Where an int is allowed, Stencil.box of it is meant."""

    lower: Widths
    upper: Widths
    edges: bool = True
    corners: bool = True

    @staticmethod
    def box(radius: int | Sequence[int]) -> Stencil:
        """`radius` cells on all sides, or one radius for each of z, y, x; with edges and corners."""
        widths = _widths(radius)
        return Stencil(widths, widths)

    @staticmethod
    def star(radius: int | Sequence[int]) -> Stencil:
        """The same without edges and corners, such as the 7-point stencil."""
        widths = _widths(radius)
        return Stencil(widths, widths, edges=False, corners=False)

    def _spec(self) -> _core.StencilSpec:
        return _core.StencilSpec(tuple(reversed(self.lower)), tuple(reversed(self.upper)), self.edges, self.corners)


def _widths(radius: int | Sequence[int]) -> Widths:
    widths = tuple(radius) if isinstance(radius, Iterable) else (radius,) * 3
    if len(widths) != 3 or not all(isinstance(w, Integral) and w >= 0 for w in widths):
        raise InvalidArgument(f"stencil radius is {radius!r}; allowed is an int from 0 on, or three of them: z, y, x")
    return tuple(int(w) for w in widths)  # type: ignore[return-value]


def stencil_of(value: Stencil | int | Sequence[int]) -> Stencil:
    return value if isinstance(value, Stencil) else Stencil.box(value)
