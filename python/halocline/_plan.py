# SPDX-License-Identifier: BSD-3-Clause
"""What a domain was planned with and for, as documents: the machine, and the cuts with their owners."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._blocks import Region
from .errors import InvalidArgument

Path_ = str | os.PathLike[str]


class Machine:
    """A machine as a value: nodes, devices, links, measured rates. `Domain.machine` is the one that was discovered; `halocline machine
    --json`, with `--measure` or without, writes the same documents. print() shows what there is of each kind."""

    def __init__(self, core: _core.Machine) -> None:
        self._core = core

    @classmethod
    def from_json(cls, text: str) -> Machine:
        """Raises InvalidArgument with the place in the document, the value and what is allowed."""
        return cls(_core.Machine.from_json(text))

    @classmethod
    def load(cls, file: Path_) -> Machine:
        """From a file that `save` or `halocline machine --json` wrote. Errors as for from_json."""
        return cls(_core.Machine.read(os.fspath(file)))

    def json(self) -> str:
        """The machine map, as `halocline machine --json` prints it."""
        return self._core.json()

    def save(self, file: Path_) -> None:
        """Writes json() to a file. Local: in a job, one rank calls it."""
        Path(file).write_text(self.json() + "\n", encoding="utf-8")

    @property
    def document(self) -> dict[str, Any]:
        """The document as dictionaries and lists; a copy."""
        document: dict[str, Any] = json.loads(self.json())
        return document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self.json() == other.json()

    def __hash__(self) -> int:
        return hash(self.json())

    def __repr__(self) -> str:
        return f"<halocline.Machine '{self.document['name']}'>"

    def __str__(self) -> str:
        document = self.document
        lines = [f"machine {document['name']}"]
        for kind in document["types"]:
            vertices = [vertex["kind"] for vertex in kind["vertices"]]
            counts = ", ".join(f"{vertices.count(name)} {name}" for name in dict.fromkeys(vertices))
            lines.append(f"  node type {kind['name']}: {counts}; {len(kind['links'])} links")
        lines.append(f"  nodes: {sum(node.get('count', 1) for node in document['nodes'])}, ranks: {len(document.get('ranks', []))}")
        return "\n".join(lines)


class Plan:
    """How a domain is cut, and which device owns each part: `Domain.plan_of_all()`; Domain(..., plan=...) cuts and places as it has it.

    cuts: for z, y, x the planes 0 = c0 < c1 < ... < cn = extent. owners: (rank, ordinal of its device) of the parts, x fastest, then y,
    then z.
    """

    SCHEMA = "halocline-plan/1"

    def __init__(self, cuts: Sequence[Sequence[int]], owners: Sequence[tuple[int, int]]) -> None:
        self.cuts = tuple(tuple(int(c) for c in planes) for planes in cuts)
        self.owners = tuple((int(rank), int(device)) for rank, device in owners)
        parts = 1
        if len(self.cuts) != 3:
            raise InvalidArgument(f"cuts of a plan are of {len(self.cuts)} dimension(s); allowed are three: z, y, x")
        for axis, planes in zip("zyx", self.cuts):
            if len(planes) < 2 or planes[0] != 0 or any(a >= b for a, b in zip(planes, planes[1:])):
                raise InvalidArgument(f"cuts of a plan in {axis} are {list(planes)}; allowed are increasing positions from 0 to the extent")
            parts *= len(planes) - 1
        if len(self.owners) != parts:
            raise InvalidArgument(f"a plan has {len(self.owners)} owner(s); allowed are {parts}, one for each part")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Cells of the whole domain."""
        return tuple(planes[-1] for planes in self.cuts)  # type: ignore[return-value]

    @property
    def grid(self) -> tuple[int, int, int]:
        """Parts in z, y, x."""
        return tuple(len(planes) - 1 for planes in self.cuts)  # type: ignore[return-value]

    def json(self) -> str:
        """The cuts by axis and the owners, as a document of the schema `Plan.SCHEMA`."""
        document = {"schema": self.SCHEMA, "cuts": dict(zip("zyx", self.cuts)), "owners": self.owners}
        return json.dumps(document, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Raises InvalidArgument for a document that is no plan."""
        try:
            document = json.loads(text)
            if not isinstance(document, dict) or document.get("schema") != cls.SCHEMA:
                raise InvalidArgument(f"the document is not a plan; allowed is one with schema '{cls.SCHEMA}'")
            return cls([document["cuts"][axis] for axis in "zyx"], [tuple(owner) for owner in document["owners"]])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidArgument):
                raise
            raise InvalidArgument(f"the document is not a plan: {error!r}; allowed is what Plan.json returns") from error

    @classmethod
    def load(cls, file: Path_) -> Plan:
        """From a file that `save` wrote. Errors as for from_json."""
        return cls.from_json(Path(file).read_text(encoding="utf-8"))

    def save(self, file: Path_) -> None:
        """Writes json() to a file. Local: in a job, one rank calls it."""
        Path(file).write_text(self.json() + "\n", encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and (self.cuts, self.owners) == (other.cuts, other.owners)

    def __hash__(self) -> int:
        return hash((self.cuts, self.owners))

    def __repr__(self) -> str:
        return f"<halocline.Plan {self.shape} as {' x '.join(map(str, self.grid))} parts>"

    def __str__(self) -> str:
        lines = [f"{' x '.join(map(str, self.shape))} cells in {' x '.join(map(str, self.grid))} parts (z, y, x)"]
        lines += [f"  planes in {axis}: {', '.join(map(str, planes))}" for axis, planes in zip("zyx", self.cuts)]
        lines += [f"  part {part}: rank {rank}, device {device}" for part, (rank, device) in enumerate(self.owners)]
        return "\n".join(lines)


def gathered_shape(core: Any, regions: Sequence[Region]) -> tuple[int, int, int]:
    """The end of all ranks' parts; regions: this rank's. Collective, a part of plan()."""
    mine = np.array([[s.stop for s in region] for region in regions], dtype=np.int64)
    stops = np.concatenate([np.frombuffer(one, dtype=np.int64).reshape(-1, 3) for one in core.all_gather("plan()", mine.tobytes())])
    return tuple(int(n) for n in stops.max(axis=0))  # type: ignore[return-value]


def gathered_plan(core: Any, regions: Sequence[Region]) -> Plan:
    """Of all ranks' parts; regions: this rank's. Collective."""
    mine = [[s.start for s in region] + [s.stop for s in region] + [core.rank, core.device(position)] for position, region in enumerate(regions)]
    of_all = core.all_gather("plan_of_all()", np.array(mine, dtype=np.int64).tobytes())
    parts = np.concatenate([np.frombuffer(one, dtype=np.int64).reshape(-1, 8) for one in of_all])
    cuts = [sorted({0, *(int(stop) for stop in parts[:, 3 + axis])}) for axis in range(3)]
    in_order = parts[np.lexsort((parts[:, 2], parts[:, 1], parts[:, 0]))]
    return Plan(cuts, [(int(rank), int(device)) for rank, device in in_order[:, 6:8]])
