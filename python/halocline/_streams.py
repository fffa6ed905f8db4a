# SPDX-License-Identifier: BSD-3-Clause
"""The streams of frameworks, and how calls are ordered with work in them."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from .errors import DeviceError, InvalidArgument

#: CUDA's legacy default stream, which is also what None means.
LEGACY = (0, 1)
#: The argument `stream` of a caller who works in the blocks' own streams.
OWN = "own"


def stream_handle(stream: Any) -> int:
    """The handle of a stream: an int, or a stream of CuPy, PyTorch, Numba, or with __cuda_stream__. None is the legacy default."""
    if stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    raise InvalidArgument(f"stream is {stream!r}; allowed is an int, or a stream of CuPy, PyTorch or Numba, or with __cuda_stream__")


class Order(NamedTuple):
    """How a call is ordered with the caller's work: by a stream (0 for none) that the core may keep; or the host waits at the end."""

    stream: int
    keep: bool
    wait: bool


#: The host waits for the domain's work; in the blocks' own streams it does not.
WAITING = Order(0, False, True)
UNORDERED = Order(0, False, False)


def order_of(stream: Any) -> Order:
    """For the argument `stream` of calls on GPUs. Waits for the legacy default stream, if it is that one."""
    if stream is OWN or (isinstance(stream, str) and stream == OWN):
        return UNORDERED
    handle = stream_handle(stream)
    if handle in LEGACY:
        wait_for_default()
        return WAITING
    return Order(handle, not isinstance(stream, int), False)


def wait_for_default() -> None:
    """Blocks the host until CUDA's legacy default stream is done."""
    # A process that has not loaded the driver has no work there.
    code = ctypes.CDLL("libcuda.so.1").cuStreamSynchronize(ctypes.c_void_p(1))
    if code not in (0, 201):  # CUDA_ERROR_INVALID_CONTEXT: this thread has used no GPU
        raise DeviceError(f"cuStreamSynchronize of the default stream returned {code}")


class CallerStream:
    """The stream object that the caller used last. It is looked at once: as long as calls have the same object, they have its handle. The core
    may keep the stream until another one is used, so that the object is kept, too."""

    def __init__(self) -> None:
        self.stream: Any = None
        self._order = WAITING

    def order(self, core: Any, stream: Any) -> Order:
        """How a call on GPUs is ordered with work in `stream`."""
        if stream is not None and stream is self.stream:
            return self._order
        order = order_of(stream)
        # Another object with the same handle is the same stream, as the kept one exists: torch.cuda.current_stream() makes one each time.
        if order.keep and order != self._order:
            core.forget_stream()  # before it may end
            self.stream, self._order = stream, order
        return order
