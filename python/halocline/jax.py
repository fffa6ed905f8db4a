# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges with gradients for JAX, inside and outside of jit, on host devices and GPUs.

    from halocline.jax import exchange

    with_halo = exchange(domain["u"], cells)      # cells: the owned cells of this rank's block, an array

Each rank is a process with a JAX of its own, whose programs run on one device and call each other's exchanges; or a process of
jax.distributed, whose programs call them inside jax.shard_map. On GPUs the blocks of a process are on the GPU that the program runs on.
Both functions are pure: they copy what they get into the field's memory, exchange, and copy into new arrays. The field is scratch for them:
what it held is lost.
They are collective, as are their backward passes, and XLA runs calls in any order that their operands allow: where a call needs no result of
the one before, give it the token of that one. JAX returns before a call has run: wait for results before other calls of the domain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from . import _core
from ._dense import Dense, field_of
from ._fields import Field
from .errors import CapabilityError, InvalidArgument

Arrays = tuple[jax.Array, ...]

_handlers = _core.xla_handlers()
if not _handlers:
    raise CapabilityError("this build of halocline has no calls from JAX; build it with HALOCLINE_XLA_INCLUDE set to jax.ffi.include_dir()")
_TARGETS = ("halocline_exchange", "halocline_accumulate")  # by `backwards`
for _platform, _pair in _handlers.items():
    for _target, _handler in zip(_TARGETS, _pair):
        jax.ffi.register_ffi_target(_target, _handler, platform=_platform)

_type: Any = jax.ShapeDtypeStruct


def token() -> jax.Array:
    """For the first of several calls that run in order."""
    return jnp.zeros((), jnp.float32)


def exchange(field: Field, cells: jax.Array | Sequence[jax.Array], *, token: jax.Array | None = None) -> Any:
    """The owned cells with their halos. cells: of this rank's only block, axes z, y, x or component, z, y, x; or a sequence, one for each
    block; of the field's dtype. Returns an array, or a list of them, with the shapes of Block.array. Halo cells that the exchange does not fill (edges and corners of a
    star, cells beyond open ends after on_open_boundary(None)) are 0. The derivative backwards is accumulate().
    token: of the call that this one follows; the result is a pair then, with a token for the next call. Backward passes run in
    the opposite order."""
    return _call(field, cells, token, False)


def accumulate(field: Field, arrays: jax.Array | Sequence[jax.Array], *, token: jax.Array | None = None) -> Any:
    """The owned cells, each with the sum of the halo cells that are copies of it added: the transpose of exchange().
    arrays: with their halos, as exchange() returns them. Returns the owned cells alike. token: as for exchange()."""
    return _call(field, arrays, token, True)


def _call(field: Field, given: Any, after: jax.Array | None, backwards: bool) -> Any:
    constants = field._dense
    field_of(constants.key)
    single = not isinstance(given, (list, tuple))
    _check_mesh(field._domain._core.size)
    arrays = tuple(jnp.asarray(array) for array in ([given] if single else given))
    what, expected = ("cells with their halo", constants.with_halo) if backwards else ("owned cells", constants.owned)
    constants.check(what, expected, [(array.dtype.name, array.shape) for array in arrays])
    results, then = _operator(constants, backwards, arrays, token() if after is None else after)
    result = results[0] if single else list(results)
    return result if after is None else (result, then)


def _check_mesh(ranks: int) -> None:
    """Inside shard_map, each device of its mesh makes the call: all must be of different ranks."""
    mesh = jax.sharding.get_abstract_mesh()
    devices = math.prod(mesh.shape[axis] for axis in mesh.manual_axes)
    if mesh.manual_axes and devices != ranks:
        raise InvalidArgument(
            f"an exchange inside shard_map over {devices} devices of a mesh, of a domain of {ranks} rank(s); allowed is {ranks}, a device for each rank"
        )


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _operator(constants: Dense, backwards: bool, arrays: Arrays, after: jax.Array) -> tuple[Arrays, jax.Array]:
    shapes = constants.owned if backwards else constants.with_halo
    types = [*(_type(shape, constants.dtype) for shape in shapes), _type((), jnp.float32)]
    call = jax.ffi.ffi_call(_TARGETS[backwards], types, has_side_effect=True, input_output_aliases={len(arrays): len(shapes)})
    *results, then = call(*arrays, after, field=constants.key)
    return tuple(results), then


def _forward(constants: Dense, backwards: bool, arrays: Arrays, after: jax.Array) -> tuple[tuple[Arrays, jax.Array], None]:
    return _operator(constants, backwards, arrays, after), None


def _backward(constants: Dense, backwards: bool, _: None, gradients: tuple[Arrays, jax.Array]) -> tuple[Arrays, jax.Array]:
    return _operator(constants, not backwards, *gradients)


_operator.defvjp(_forward, _backward)
