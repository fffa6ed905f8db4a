# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the memory of a GPU, and the streams of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._streams import LEGACY, stream_handle
from .errors import CapabilityError

if TYPE_CHECKING:
    from ._domain import Domain


class BlockStream:
    """The CUDA stream of a block, in which exchanges are ordered with the caller's work: cupy.cuda.ExternalStream(block.stream.ptr),
    torch.cuda.ExternalStream(block.stream.ptr), numba.cuda.external_stream(block.stream.ptr)."""

    def __init__(self, ptr: int, device: int) -> None:
        self.ptr = ptr
        self.device = device

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr

    def __repr__(self) -> str:
        return f"<halocline.BlockStream {self.ptr:#x} on device {self.device}>"


class DeviceArray:
    """A buffer of a field with its halo in the memory of a GPU: for torch.from_dlpack, cupy.from_dlpack, jax.dlpack and others, without
    a copy. They order their work after the domain's so far. Later exchanges are ordered after theirs by the argument `stream` of
    Domain.exchange and the calls like it. The domain cannot be closed while what they made of it exists."""

    def __init__(self, domain: Domain, position: int, field: int, ahead: int, dtype: np.dtype) -> None:
        self._domain = domain
        self._place = (position, field, ahead)
        self._lease = self._capsule()  # counts this object, too
        address, shape, strides, ordinal = domain._core.layout(position, field, ahead)
        self.ptr: int = address
        self.shape: tuple[int, ...] = tuple(shape)
        self.strides: tuple[int, ...] = tuple(strides)
        self.dtype = dtype
        self.device: int = ordinal

    def _capsule(self) -> Any:
        return self._domain._core.device_array(*self._place)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device  # kDLCUDA

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("halocline exports arrays without a copy, on their own device")
        if stream != -1:
            handle = stream_handle(stream)
            if handle in LEGACY:
                self._domain._core.synchronize()
            else:
                self._domain._core.let_stream_wait(handle, False)
        return self._capsule()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        # Not all consumers look at a stream here, so the domain's work is done before.
        self._domain._core.synchronize()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.ptr, False),
            "strides": self.strides,
            "stream": None,
            "version": 3,
        }

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise CapabilityError(
            "the array is in the memory of a GPU, which NumPy cannot access; allowed are torch.from_dlpack, cupy.from_dlpack and others, "
            'or set(), gather() and indexing, which copy, or devices on the host (backend="host")'
        )

    def __repr__(self) -> str:
        return f"<halocline.DeviceArray {self.shape} {self.dtype.name} on GPU {self.device}>"
