# SPDX-License-Identifier: BSD-3-Clause
"""Images for ParaView, and checkpoints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _core
from ._domain import Domain
from ._options import checked
from .errors import InvalidArgument


def _numbers(domain: Domain, fields: Iterable[str] | None) -> list[int]:
    if fields is None:
        return []
    names = [fields] if isinstance(fields, str) else list(fields)
    if not names:
        raise InvalidArgument("fields is empty; allowed are names of fields, or None for all")
    return [domain[name]._id for name in names]


def _triple(values: Sequence[float], what: str) -> list[float]:
    if len(values) != 3:
        raise InvalidArgument(f"{what} is {values!r}; allowed are three numbers: z, y, x")
    return [float(value) for value in reversed(values)]


class Output:
    """A time series for ParaView and VTK: Output(domain, "out/heat.pvd") writes out/heat-000120.vti at step 120, an image of the whole
    domain with its fields as cell data, and lists it in out/heat.pvd.

    origin: the lower corner of the domain; spacing: the size of a cell; both z, y, x. fields: names; None for all. resume: keeps the
    steps that the series lists, up to the first one that is written, for a run that continues another. The folder exists; files
    appear whole. Collective, as are all calls. Raises InvalidArgument for a path that cannot be written, ResourceError for a full
    disk; the domain stays usable."""

    def __init__(
        self,
        domain: Domain,
        series: str | os.PathLike[str],
        *,
        origin: Sequence[float] = (0.0, 0.0, 0.0),
        spacing: Sequence[float] = (1.0, 1.0, 1.0),
        fields: Iterable[str] | None = None,
        resume: bool = False,
    ) -> None:
        self._domain = checked(domain, "domain", Domain, "a halocline.Domain")
        self._core = _core.Output(
            domain._realized(), os.fspath(series), _triple(origin, "origin"), _triple(spacing, "spacing"), _numbers(domain, fields), resume
        )

    def write(self, step: int, time: float, *, stream: Any = None) -> None:
        """start() and finish()."""
        self.start(step, time, stream=stream)
        self.finish()

    def start(self, step: int, time: float, *, stream: Any = None) -> None:
        """Copies the owned cells of the current buffers to pinned memory; the arrays may be changed afterwards. stream: as for
        Domain.exchange; with one the host does not wait for the copies."""
        domain = self._domain
        domain._realized()
        self._core.start(step, time, *domain._ordered(stream))

    def finish(self) -> None:
        """Waits for the copies and writes the files. Devices go on with their work."""
        self._domain._realized()
        self._core.finish()


class Restored(NamedTuple):
    """What Checkpoints.restore found."""

    metadata: dict[str, str]
    #: The manifest of the checkpoint.
    file: str
    #: Why newer checkpoints were refused; each reason names its file.
    refused: list[str]


class Checkpoints:
    """Checkpoints in a folder of their own, which may be restored with another number of ranks and another partition.

    generations: how many are kept, 1 or more. fields: names; None for all. all_buffers: also buffers that are not current, for schemes
    that read values of several earlier steps. most_bytes_per_second: of each rank's file, until finish() is called, so that writing
    disturbs steps and others less; 0: no limit. The folder is made by the first write, if its parent exists. A run that is killed at any
    time leaves the checkpoint before it whole. Collective, as are all calls; errors as for Output, and CapabilityError in builds
    without xxHash."""

    def __init__(
        self,
        domain: Domain,
        folder: str | os.PathLike[str],
        *,
        generations: int = 2,
        fields: Iterable[str] | None = None,
        all_buffers: bool = False,
        most_bytes_per_second: float = 0,
    ) -> None:
        self._domain = checked(domain, "domain", Domain, "a halocline.Domain")
        self._core = _core.Checkpoints(
            domain._realized(), os.fspath(folder), generations, _numbers(domain, fields), all_buffers, most_bytes_per_second
        )

    def write(self, metadata: Mapping[str, str] | None = None, *, stream: Any = None) -> None:
        """start() and finish(). metadata: strings that restore() returns, such as the step; rank 0's count."""
        self.start(metadata, stream=stream)
        self.finish()

    def start(self, metadata: Mapping[str, str] | None = None, *, stream: Any = None) -> None:
        """Copies the owned cells as Output.start does. A thread then writes this rank's file while the computation goes on."""
        kept = dict(metadata or {})
        for key, value in kept.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise InvalidArgument(f"metadata has {key!r}: {value!r}; allowed are strings")
        domain = self._domain
        domain._realized()
        self._core.start(kept, *domain._ordered(stream))

    def finish(self) -> None:
        """Waits for the files of all ranks, commits the checkpoint, and removes older ones."""
        self._domain._realized()
        self._core.finish()

    def restore(self, *, stream: Any = None) -> Restored | None:
        """Sets the owned cells from the newest checkpoint that is whole and fits the domain's shape and fields; halos keep their
        values. None if there is no checkpoint; InvalidArgument, and nothing changed, if each is refused."""
        domain = self._domain
        domain._realized()
        found = self._core.restore(*domain._ordered(stream))
        return None if found is None else Restored(*found)
