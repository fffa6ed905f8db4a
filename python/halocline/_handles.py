# SPDX-License-Identifier: BSD-3-Clause
"""What a domain's calls return: an exchange under way, and captured steps."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from .errors import CapabilityError, Error, InvalidArgument

if TYPE_CHECKING:
    from ._domain import Domain
    from ._streams import Order


class Exchange:
    """An exchange under way, made by Domain.start_exchange. As a context manager it finishes at the end."""

    def __init__(self, domain: Domain, order: Order) -> None:
        self._domain = domain
        self._order = order

    def finish(self) -> None:
        """Returns when all halos of this rank are filled; on GPUs with a stream, when its later work is ordered after that."""
        self._domain._finish(self._order)

    def is_ready(self) -> bool:
        """Makes progress, and returns whether finish() would not wait for messages."""
        return self._domain._core.is_ready()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.finish()


class Steps:
    """Steps that Domain.capture records."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._graph: Any = None

    def __enter__(self) -> Steps:
        core = self._domain._realized()
        if core.on_host:
            raise CapabilityError("capture() needs GPUs; work of NumPy is done at once and cannot be recorded")
        if self._domain._open_boundary is not None:
            raise CapabilityError("capture() cannot record the function of on_open_boundary(); allowed are domains without it")
        core.begin_capture()
        self._domain._capture = self
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._domain._capture = None
        try:
            self._graph = self._domain._core.end_capture()
        except Error:
            if kind is None:
                raise  # otherwise the first error has the reason
        if kind is not None:
            self._graph = None

    def launch(self, *, stream: Any = None) -> None:
        """Runs the steps once more, on all ranks. stream: as for Domain.exchange."""
        if self._graph is None:
            raise InvalidArgument("launch() of steps that are not recorded; allowed is after the `with` block of capture()")
        domain = self._domain
        core = domain._realized()
        core.launch(self._graph, *domain._ordered(stream))
