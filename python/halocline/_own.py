# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of the caller's, of any library, as memory for Field.use."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .errors import CapabilityError, DeviceError, InvalidArgument

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # kinds of DLPack


class Memory(NamedTuple):
    """Where an array is: address of its first element, shape, strides in elements, dtype; and what keeps it."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    keeps: Any


def memory_of(array: Any, name: str, *, on_host: bool) -> Memory:
    """The memory of an array for field `name`, on the host (NumPy, DLPack) or a GPU (__cuda_array_interface__, DLPack). Raises
    InvalidArgument for one that cannot be written, or is not on the host though the domain is. Which memory GPUs take is checked by
    Domain::use_array."""
    if isinstance(array, np.ndarray):
        if not array.flags.writeable:
            raise InvalidArgument(f"an array for '{name}' is read-only; allowed are arrays that can be written")
        return _of_bytes(array, name, array.ctypes.data, array.shape, array.strides, array.dtype)
    if getattr(array, "requires_grad", False):
        raise InvalidArgument(f"an array for '{name}' is a tensor that requires its gradient; allowed is its detach()")
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        if on_host:
            raise _on_gpu(array, name, "a GPU")
        return _of_interface(array, name, interface)
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return _of_dlpack(array, name, on_host)
    raise InvalidArgument(
        f"an array for '{name}' is a {_kind(array)}; allowed is a numpy.ndarray, or an object with __dlpack__ or __cuda_array_interface__"
    )


def _of_interface(array: Any, name: str, interface: dict[str, Any]) -> Memory:
    address, read_only = interface["data"]
    if read_only:
        raise InvalidArgument(f"an array for '{name}' is read-only; allowed are arrays that can be written")
    if interface.get("mask") is not None:
        raise InvalidArgument(f"an array for '{name}' has a mask; allowed are arrays without")
    if interface.get("stream") is not None:
        # What the producer's stream still writes is there when the domain has the array.
        code = ctypes.CDLL("libcuda.so.1").cuStreamSynchronize(ctypes.c_void_p(interface["stream"]))
        if code != 0:
            raise DeviceError(f"cuStreamSynchronize of the stream of an array for '{name}' returned {code}")
    shape = tuple(interface["shape"])
    dtype = np.dtype(interface["typestr"])
    strides = interface.get("strides")
    if strides is None:  # C order
        strides = tuple(int(np.prod(shape[axis + 1 :], dtype=np.int64)) * dtype.itemsize for axis in range(len(shape)))
    return _of_bytes(array, name, address, shape, strides, dtype)


def _of_dlpack(array: Any, name: str, on_host: bool) -> Memory:
    kind, _ = array.__dlpack_device__()
    if on_host and kind not in (_CPU, _CUDA_HOST, _CUDA_MANAGED):
        raise _on_gpu(array, name, "a GPU" if kind == _CUDA else f"a device of DLPack's kind {kind}")
    try:
        address, shape, strides, dtype, keeps = _core.dlpack_memory(array)
    except (TypeError, RuntimeError, BufferError) as error:
        raise CapabilityError(f"an array for '{name}': {_kind(array)} does not export its memory: {error}") from error
    return Memory(address, tuple(shape), tuple(strides), dtype, (array, keeps))


def _of_bytes(array: Any, name: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> Memory:
    if dtype.byteorder not in "=|" and dtype.newbyteorder("=") != dtype:
        raise InvalidArgument(f"an array for '{name}' has the byte order of another machine ({dtype.str}); allowed is this one's")
    if any(step % dtype.itemsize != 0 for step in strides):
        raise InvalidArgument(f"strides of an array for '{name}' are {strides} bytes; allowed are multiples of its elements' {dtype.itemsize}")
    return Memory(address, tuple(shape), tuple(step // dtype.itemsize for step in strides), dtype.name, array)


def _kind(array: Any) -> str:
    return f"{type(array).__module__}.{type(array).__qualname__}"


def _on_gpu(array: Any, name: str, where: str) -> InvalidArgument:
    return InvalidArgument(
        f"an array for '{name}', a {_kind(array)}, is on {where}, the domain's devices are on the host; allowed is an array of the host, or "
        'GPUs (backend="cuda")'
    )
