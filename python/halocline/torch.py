# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges with gradients for PyTorch 2.4 and later.

    from halocline.torch import exchange

    with_halo = exchange(domain["u"], cells)      # cells: the owned cells of this rank's block, a tensor

Both functions are functional: they copy what they get into the field's memory, exchange, and return new tensors. Nothing that autograd
saves is the domain's memory, so that later exchanges change no gradient. The field is scratch for them: what it held is lost.
They are collective, as are their backward passes: all ranks have the same exchanges in their graphs. torch.compile keeps them in its
graphs as the operators halocline::exchange and halocline::accumulate, in the order of the calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils.dlpack import from_dlpack

from ._dense import field_of
from ._fields import Field
from .errors import CapabilityError, InvalidArgument

Tensors = list[torch.Tensor]

if not hasattr(torch.library, "custom_op"):
    raise CapabilityError(f"halocline.torch needs torch.library.custom_op; PyTorch is {torch.__version__}, allowed is 2.4 or later")


def exchange(field: Field, cells: torch.Tensor | Sequence[torch.Tensor]) -> Any:
    """The owned cells with their halos. cells: of this rank's only block, axes z, y, x or component, z, y, x; or a sequence, one for each
    block. Returns a tensor, or a list of them, with the shapes of Block.array. Halo cells that the exchange does not fill (edges and corners of a
    star, cells beyond open ends after on_open_boundary(None)) are 0. The backward is accumulate(). Of the field's dtype, on the block's device; on GPUs in PyTorch's current
    stream."""
    return _call(torch.ops.halocline.exchange, field, cells, "owned cells", field._dense.owned)


def accumulate(field: Field, arrays: torch.Tensor | Sequence[torch.Tensor]) -> Any:
    """The owned cells, each with the sum of the halo cells that are copies of it added: the transpose of exchange(), which is its backward.
    arrays: with their halos, as exchange() returns them. Returns the owned cells alike."""
    return _call(torch.ops.halocline.accumulate, field, arrays, "cells with their halo", field._dense.with_halo)


def _call(operator: Any, field: Field, given: Any, what: str, expected: tuple[tuple[int, ...], ...]) -> Any:
    dense = field._dense
    tensors = [given] if isinstance(given, torch.Tensor) else list(given)
    dense.check(what, expected, [(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)) for tensor in tensors])
    results = operator(tensors, dense.key, dense.lower, dense.upper)
    return results[0] if isinstance(given, torch.Tensor) else results


# The operators take what their results' shapes follow from, so that graphs compiled by one process are right in another.
_SCHEMA = "(Tensor[] tensors, str field, SymInt[] lower, SymInt[] upper) -> Tensor[]"


@torch.library.custom_op("halocline::exchange", mutates_args=(), schema=_SCHEMA)
def _exchange(cells: Tensors, field: str, lower: Sequence[int], upper: Sequence[int]) -> Tensors:
    at = field_of(field)
    memory, stream = _memory(at, cells)
    for array, block, mine in zip(memory, at.blocks, cells):
        array.zero_()
        array[block._with_components(block.owned)] = mine
    at._domain.exchange([at.name], stream=stream)
    return [array.clone(memory_format=torch.contiguous_format) for array in memory]


@torch.library.custom_op("halocline::accumulate", mutates_args=(), schema=_SCHEMA)
def _accumulate(arrays: Tensors, field: str, lower: Sequence[int], upper: Sequence[int]) -> Tensors:
    at = field_of(field)
    memory, stream = _memory(at, arrays)
    for array, mine in zip(memory, arrays):
        array.copy_(mine)
    at._domain.accumulate([at.name], stream=stream)
    owned = [array[block._with_components(block.owned)] for array, block in zip(memory, at.blocks)]
    return [cells.clone(memory_format=torch.contiguous_format) for cells in owned]


def _more(tensors: Tensors, lower: Sequence[int], upper: Sequence[int], sign: int) -> Tensors:
    """Empty tensors that have so many cells more, or less, than these."""
    return [
        tensor.new_empty((*tensor.shape[:-3], *(n + sign * (low + high) for n, low, high in zip(tensor.shape[-3:], lower, upper))))
        for tensor in tensors
    ]


def _save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.constants = inputs[1:]


_effects: Any = getattr(torch.library, "EffectType", None)  # of PyTorch's newer versions
for _forward, _backward, _sign in ((_exchange, _accumulate, 1), (_accumulate, _exchange, -1)):
    _forward.register_fake(lambda tensors, field, lower, upper, sign=_sign: _more(tensors, lower, upper, sign))
    _forward.register_autograd(
        lambda ctx, gradients, backward=_backward: (backward(list(gradients), *ctx.constants), None, None, None), setup_context=_save
    )
    # Compilers may not move one exchange before another: ranks whose blocks have other shapes may not do the same.
    if _effects is not None:
        _forward.register_effect(_effects.ORDERED)


def _memory(field: Field, given: Tensors) -> tuple[Tensors, Any]:
    """The field's current buffers, which no tensor refers to once a call has returned, and the stream of the call on GPUs. Work in that stream
    and in the blocks' streams is ordered both ways, so that a capture of the stream has the blocks' streams, too."""
    core = field._domain._core
    arrays = [block.array for block in field.blocks]
    if core.on_host:
        memory = [torch.from_numpy(array) for array in arrays]
        stream = None
    else:
        stream = torch.cuda.current_stream(given[0].device)
        if stream.cuda_stream in (0, 1):  # CUDA's default stream
            core.synchronize()
        else:
            core.wait_for_stream(stream.cuda_stream, False)
            core.let_stream_wait(stream.cuda_stream, False)
        memory = [from_dlpack(array._capsule()) for array in arrays]
    devices = {tensor.device for tensor in memory}
    if len(devices) > 1:
        raise CapabilityError(f"exchange() of PyTorch has blocks on {len(devices)} GPUs of one process; allowed is a process for each GPU")
    for tensor in given:
        if tensor.device not in devices:
            raise InvalidArgument(f"a tensor for '{field.name}' is on {tensor.device}; allowed is {devices.pop()}, where its block is")
    return memory, stream
