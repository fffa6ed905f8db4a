# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges with gradients for PyTorch.

    from halocline.torch import exchange

    with_halo = exchange(domain["u"], cells)      # cells: the owned cells of this rank's block, a tensor

Both functions are functional: they copy what they get into the field's memory, exchange, and return new tensors. Nothing that autograd
saves is the domain's memory, so that later exchanges change no gradient. The field is scratch for them: what it held is lost.
They are collective, as are their backward passes: all ranks have the same exchanges in their graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import torch

from ._fields import Field
from .errors import CapabilityError, InvalidArgument

Tensors = tuple[torch.Tensor, ...]
F = TypeVar("F", bound=Callable[..., Any])


def _outside_graphs(function: F) -> F:
    """Makes torch.compile leave its graph for the function, whose calls of C++ it cannot trace."""
    disable = getattr(getattr(torch, "compiler", None), "disable", None)  # since PyTorch 2.1
    return function if disable is None else disable(function)  # type: ignore[no-any-return]


@_outside_graphs
def exchange(field: Field, cells: torch.Tensor | Sequence[torch.Tensor]) -> Any:
    """The owned cells with their halos. cells: of this rank's only block, axes z, y, x or component, z, y, x; or a sequence, one for each
    block. Returns a tensor, or a tuple of them, with the shapes of Block.array. Halo cells that the exchange does not fill (edges and corners of a
    star, cells beyond open ends after on_open_boundary(None)) are 0. The backward is accumulate(). Of the field's dtype, on the block's device; on GPUs in PyTorch's current
    stream."""
    return _apply(_Exchange, field, cells, "owned cells", lambda block: block.owned)


@_outside_graphs
def accumulate(field: Field, arrays: torch.Tensor | Sequence[torch.Tensor]) -> Any:
    """The owned cells, each with the sum of the halo cells that are copies of it added: the transpose of exchange(), which is its backward.
    arrays: with their halos, as exchange() returns them. Returns the owned cells alike."""
    return _apply(_Accumulate, field, arrays, "cells with their halo", lambda block: tuple(slice(0, n) for n in _extents(block)))


class _Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, field: Field, *cells: torch.Tensor) -> Tensors:
        ctx.field = field
        memory = _memory(field)
        for array, block, mine in zip(memory, field.blocks, cells):
            array.zero_()
            array[block._with_components(block.owned)] = mine.detach()
        field._domain.exchange([field.name], stream=_stream(memory))
        return tuple(array.clone(memory_format=torch.contiguous_format) for array in memory)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return None, *_Accumulate.apply(ctx.field, *gradients)


class _Accumulate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, field: Field, *arrays: torch.Tensor) -> Tensors:
        ctx.field = field
        memory = _memory(field)
        for array, mine in zip(memory, arrays):
            array.copy_(mine.detach())
        field._domain.accumulate([field.name], stream=_stream(memory))
        owned = [array[block._with_components(block.owned)] for array, block in zip(memory, field.blocks)]
        return tuple(cells.clone(memory_format=torch.contiguous_format) for cells in owned)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return None, *_Exchange.apply(ctx.field, *gradients)


def _apply(function: Any, field: Field, given: Any, what: str, region: Callable[[Any], Any]) -> Any:
    tensors: Tensors = (given,) if isinstance(given, torch.Tensor) else tuple(given)
    blocks = field.blocks
    if field._domain._open_boundary is not None:
        raise CapabilityError("exchange() has no gradient of the function of on_open_boundary(); allowed are domains without it")
    if len(tensors) != len(blocks):
        raise InvalidArgument(f"{len(tensors)} tensor(s) of {what} for '{field.name}'; allowed are {len(blocks)}, one for each block of this rank")
    for tensor, block in zip(tensors, blocks):
        shape = tuple(s.stop - s.start for s in region(block))
        expected = (field.components, *shape) if field.components > 1 else shape
        if tuple(tensor.shape) != expected or str(tensor.dtype) != f"torch.{field.dtype.name}":
            raise InvalidArgument(
                f"a tensor of {what} for '{field.name}' is {tensor.dtype} of shape {tuple(tensor.shape)}; allowed is torch.{field.dtype.name} "
                f"of shape {expected}"
            )
    results = function.apply(field, *tensors)
    return results[0] if isinstance(given, torch.Tensor) else results


def _memory(field: Field) -> list[torch.Tensor]:
    """The field's current buffers, which no tensor refers to once a call has returned."""
    arrays = [block.array for block in field.blocks]
    return [torch.from_numpy(array) if isinstance(array, np.ndarray) else torch.from_dlpack(array) for array in arrays]


def _stream(memory: list[torch.Tensor]) -> Any:
    devices = {tensor.device for tensor in memory}
    if len(devices) > 1:
        raise CapabilityError(f"exchange() of PyTorch has blocks on {len(devices)} GPUs of one process; allowed is a process for each GPU")
    device = devices.pop()
    return torch.cuda.current_stream(device) if device.type == "cuda" else None


def _extents(block: Any) -> tuple[int, ...]:
    low, high = block._all
    return tuple(high[axis] - low[axis] for axis in (2, 1, 0))
