# SPDX-License-Identifier: BSD-3-Clause
"""A distributed 3-D domain."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from types import TracebackType
from typing import Any

from . import _core
from ._blocks import Block, Region, cells_of, region_between
from ._fields import ELEMENTS, Field, checked_dtype, wire_of
from ._handles import Exchange, Steps
from ._launcher import ranks_of
from ._options import by_name, checked, of_axes, settings_of, shape_of, three_bools
from ._plan import Machine, Plan, gathered_plan, gathered_shape
from ._selections import Fields, Selections
from ._stencil import Stencil, stencil_of
from ._streams import OWN, UNORDERED, WAITING, CallerStream, Order
from .errors import Error, InvalidArgument

OpenBoundary = Callable[[Block, Region, str, str], None]


class Domain:
    """A 3-D domain of shape (nz, ny, nx), cut among the devices of all ranks.

    cells: instead of a shape, for codes with a decomposition of their own: the region (slices z, y, x) that this rank owns, or one for each of
        its devices. Nothing is partitioned or placed then.
    stencil: an int (all neighbours so many cells away), or a Stencil.
    fields: a dtype by name, or options: dtype, components, buffers, stencil, staggered (three bools: z, y, x), wire ("f32", "bf16" or "f16":
        a narrower format in which cells are sent). With fields, the constructor calls realize().
    reductions: for reduce(), by name the field and the number: {"residual": ("r", "sum_of_squares")}.
    comm: an mpi4py communicator, a process group of torch.distributed, or StoreRanks; None without a launcher; "self" for a domain of this
        process alone in a job of several.
    devices: devices of each rank, for backend "host" or "cuda"; unset, one host device, or an even share of the node's GPUs.
    boundary: "periodic", "open" or "periodic_in_kernel", or three of them: z, y, x.
    in_place: kernels write the buffer that they read; cells that are sent are then not in Block.interior.
    steps_per_exchange: one exchange serves so many steps, with halos of so many times the radius.
    partition: "automatic", "exact", "bisection", "z_order" or "fastest".
    plan: cuts and owners of an earlier domain, or of one's own.
    machine: plans for this one instead of the discovered one; its ranks are comm's.
    measure_weights: a kernel is run on each device, and cells are cut in proportion to the speeds.
    transports: those that may be used, in this order ("direct,mpi_staged"), or those that may not ("-ipc_copy").
    ranks_per_node: virtual nodes of so many ranks.
    validate_ordering: finds work that is not ordered with exchanges; slow.
    messages: "by_neighbour", "by_direction", or "by_rank", which sends all from one rank to another by mpi_staged as one, or "by_node", which
        does so from one node to another (host devices only), or "auto": one of these, by predicted time.
    timeout: seconds that a collective or one step of an exchange may take; unset, HALOCLINE_TIMEOUT or 120. The same on all ranks.

    Collective over comm, as are all calls but those that are marked as local. On host devices all calls are complete when they return: NumPy
    sees the halos that exchange() filled.
    """

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        stencil: Stencil | int | Sequence[int] = 1,
        fields: Mapping[str, Any] | None = None,
        *,
        reductions: Mapping[str, tuple[str, str]] | None = None,
        cells: Region | Sequence[Region] | None = None,
        comm: Any = None,
        devices: int | None = None,
        backend: str | None = None,
        boundary: str | Sequence[str] = "periodic",
        in_place: bool = False,
        steps_per_exchange: int = 1,
        partition: str = "automatic",
        plan: Plan | None = None,
        machine: Machine | None = None,
        transports: str | None = None,
        messages: str = "by_neighbour",
        ranks_per_node: int | None = None,
        validate_ordering: bool = False,
        measure_weights: bool = False,
        timeout: float | None = None,
    ) -> None:
        self._closed = True
        ranks = ranks_of(comm)  # counts the domains of a store's ranks, on all of them alike: before a check that may fail on one
        if (shape is None and plan is None) == (cells is None):
            raise InvalidArgument("shape and cells are both given, or neither is; allowed is one of them, or a plan")
        self._shape = shape_of(shape, plan)
        self._boundaries = of_axes(boundary)
        settings = settings_of(
            plan, machine, self._boundaries, backend=backend, devices=devices, in_place=in_place, steps_per_exchange=steps_per_exchange,
            partition=partition, transports=transports, messages=messages, ranks_per_node=ranks_per_node,
            validate_ordering=validate_ordering, measure_weights=measure_weights, timeout=timeout,
        )  # fmt: skip
        self._fields: dict[str, Field] = {}
        self._reductions: dict[str, int] = {}
        self._on_host = True  # known after realize()
        self._caller = CallerStream()
        self._selections = Selections()
        self._capture: Steps | None = None  # under way
        self._is_planned = False
        self._is_realized = False
        self._open_boundary: OpenBoundary | None = None
        self._staggered: dict[str, tuple[bool, bool, bool]] = {}
        regions: Any = [] if cells is None else [cells] if isinstance(cells[0], slice) else cells
        boxes = [cells_of(region) for region in regions]
        self._core = _core.Domain((self._shape or (0, 0, 0))[::-1], boxes, stencil_of(stencil)._spec(), ranks, settings)
        self._closed = False
        for name, options in by_name(fields, self.add_field).items():
            self.add_field(name, **options)
        for name, (field, what) in (reductions or {}).items():
            self.add_reduction(name, field, what)
        if fields is not None:
            self.realize()

    def __repr__(self) -> str:
        return f"<halocline.Domain {self._shape or ''}: {', '.join(self._fields) or 'no fields'}{', closed' if self._closed else ''}>"

    def add_field(
        self,
        name: str,
        dtype: Any = "float64",
        *,
        components: int = 1,
        buffers: int = 1,
        stencil: Stencil | int | Sequence[int] | None = None,
        staggered: Sequence[bool] = (False, False, False),
        wire: str | None = None,
    ) -> Field:
        """Before plan() and realize(); for domains that were made without `fields`. Local."""
        kind = checked_dtype(dtype, name)
        spec = None if stencil is None else stencil_of(stencil)._spec()
        for count, what in ((components, "components"), (buffers, "buffers")):
            checked(count, f"{what} of '{name}'", Integral, "an int of 1 or more")
        layers = three_bools(staggered, f"staggered of '{name}'")
        number = self._open().add_field(name, ELEMENTS[kind.name], components, buffers, spec, layers[::-1], wire_of(wire, name))
        self._fields[name] = Field(self, name, number, kind, components, buffers)
        self._staggered[name] = layers
        return self._fields[name]

    def add_reduction(self, name: str, field: str, what: str) -> None:
        """A number that reduce() computes from a field of float32 or float64, over all its components: "sum", "sum_of_squares", "min", "max"
        or "max_abs". Before plan() and realize(); for domains that were made without `fields`. Local."""
        if name in self._reductions:
            raise InvalidArgument(f"reduction name is '{name}', which is taken; allowed are other names")
        self._reductions[name] = self._open().add_reduction(self[field]._id, what)

    def plan(self) -> None:
        """Partitions and places, so that `regions` and `shape` are known. Needed before realize() only for Field.use."""
        core = self._open()
        core.plan()
        self._is_planned = True
        if self._shape is None:  # with cells
            self._shape = gathered_shape(core, self.regions)

    @property
    def regions(self) -> list[Region]:
        """The cells of this rank's subdomains in the whole domain, after plan()."""
        core = self._planned(".regions")
        return [region_between(core.planned(position), (0, 0, 0)) for position in range(core.subdomain_count)]

    @property
    def machine(self) -> Machine:
        """The machine that was planned for, after plan(); InvalidArgument before it. Local."""
        return Machine(self._planned(".machine").machine())

    def plan_of_all(self) -> Plan:
        """The cuts and owners of all ranks' parts, after plan(). Collective."""
        return gathered_plan(self._core, self.regions)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Cells of the whole domain: nz, ny, nx. With `cells`, after plan(). Local."""
        if self._shape is None:
            self._planned(".shape")
        return self._shape  # type: ignore[return-value]

    def tune(self, file: str | os.PathLike[str] | None = None, *, budget: float = 2, again: bool = False) -> None:
        """Before plan(): chooses transports, messages, grid and sizes of tuning by trials of about `budget` seconds in all. What is not 3 %
        faster is not chosen. file: keeps choices for later jobs. again: tries even if it has one. For domains that were made without `fields`. Collective."""
        if not 0 < budget <= 3600:
            raise InvalidArgument(f"budget is {budget!r}; allowed is above 0 and at most 3600 seconds")
        self._open().tune("" if file is None else os.fspath(file), float(budget), bool(again))

    def realize(self) -> None:
        """Partitions, places, routes and allocates. Called by the constructor if it gets `fields`."""
        if self._shape is None:
            self.plan()
        core = self._open()
        core.realize()
        self._on_host = core.on_host
        self._is_realized = True
        for field in self._fields.values():
            _ = field._dense

    def __getitem__(self, name: str) -> Field:
        if name not in self._fields:
            raise KeyError(f"field is '{name}'; allowed is one of {', '.join(self._fields) or 'none, as there is no field'}")
        return self._fields[name]

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields by name, in the order in which they were added. Local."""
        return self._fields

    def shape_of(self, field: Field) -> tuple[int, int, int]:
        """Cells of a field: the domain's, and one more where it is staggered in an open dimension."""
        return tuple(n + m for n, m in zip(self.shape, self._layers(field)))  # type: ignore[return-value]

    def _layers(self, field: Field) -> list[int]:
        """In z, y, x: 1 where the field has a layer of cells more than the domain, at its upper end; otherwise 0."""
        return [int(s and b == "open") for s, b in zip(self._staggered[field.name], self._boundaries)]

    def exchange(self, fields: Fields | None = None, *, stream: Any = None) -> None:
        """Fills the halos of all fields, or some, in their current buffers: exchange(["u"]), exchange({"u": 1}). stream: on GPUs, the
        stream of CuPy, PyTorch or another framework in which the caller works: the exchange comes after its work so far, its later work
        after the exchange, and the host does not wait. None is CUDA's default stream, for which it does; "own" are the blocks' own (Block.stream)."""
        core = self._realized()
        boxes = core.exchange(self._selection(fields), *self._ordered(stream))
        if boxes:
            self._fill(boxes)

    def start_exchange(self, fields: Fields | None = None, *, stream: Any = None) -> Exchange:
        """Starts the same, and returns. Until its finish(), interiors may be updated; other owned cells may be read, halos not.

            with domain.start_exchange():
                update(block.interior)      # while messages are under way
        """
        core = self._realized()
        order = self._ordered(stream)
        core.start_exchange(self._selection(fields), order.stream, order.keep)
        return Exchange(self, order)

    def accumulate(self, fields: Fields | None = None, *, combine: str = "add", stream: Any = None) -> None:
        """The exchange backwards: halo cells are added to the cells that they are copies of, or replace them (combine "replace"), in
        a fixed order."""
        if combine not in ("add", "replace"):
            raise InvalidArgument(f'combine is {combine!r}; allowed is "add" or "replace"')
        self._realized().accumulate(self._selection(fields), combine == "replace", *self._ordered(stream))

    def reduce(self, names: Iterable[str] | None = None, *, stream: Any = None) -> None:
        """Computes reductions, all or some, of fields in their current buffers, over the cells that all ranks own: in double precision, with
        the same bits on all ranks and in every run; a NaN gives NaN. On GPUs ordered by `stream`, as exchange(), without the host."""
        if isinstance(names, str):
            raise InvalidArgument(f"names is '{names}'; allowed is a list of names")
        core = self._realized()
        numbers = list(self._reductions.values()) if names is None else [self._reduction(name) for name in names]
        core.reduce(numbers, *self._ordered(stream))

    def value(self, name: str) -> float:
        """The latest result of a reduction. On GPUs waits for the blocks' streams. Local."""
        return float(self._realized().value(self._reduction(name)))

    def result_addresses(self, name: str) -> list[int]:
        """Where kernels find the result of a reduction, a float64 in the memory of the device of each block; in the order of
        `field.blocks`. The same until close() or rebalance(). Local."""
        core, number = self._realized(), self._reduction(name)
        return [core.result(position, number) for position in range(core.subdomain_count)]

    def _reduction(self, name: str) -> int:
        if name not in self._reductions:
            raise KeyError(f"reduction is '{name}'; allowed is one of {', '.join(self._reductions) or 'none, as there is no reduction'}")
        return self._reductions[name]

    def rebalance(self, speeds: Sequence[float] | None = None) -> None:
        """Cuts the domain anew, in proportion to the speeds (above 0, any unit) of this rank's devices, or of a standard kernel without
        them, and moves the owned cells of all buffers there. Blocks from before are invalid: take `field.blocks` again. Raises BufferError,
        on all ranks, while arrays of the domain exist on a rank."""
        core = self._realized()
        self._refuse_leases("rebalance()", lambda: core.rebalance([]))
        core.rebalance([] if speeds is None else [float(speed) for speed in speeds])
        for field in self._fields.values():
            field._blocks = None

    def capture(self) -> Steps:
        """Records the exchanges, swaps and kernels in the blocks' streams of a `with` block, instead of running them:

            with domain.capture() as steps:
                domain.exchange()
                ...                     # kernels in block.stream
            for _ in range(1000):
                steps.launch()

        GPUs only. Whole cycles of swaps; accumulate() has been called once before, if it is in there. Local."""
        return Steps(self)

    def on_open_boundary(self, fill: OpenBoundary | None) -> None:
        """fill(block, region, axis, side) is called by exchanges for each block at an open end, z after y after x, to set
        block.array[region]: halo cells of a field beyond the "lower" or "upper" end of axis "x", "y" or "z". None: they keep their
        values."""
        if fill is not None and not callable(fill):
            raise InvalidArgument(f"fill is {fill!r}; allowed is a function fill(block, region, axis, side), or None")
        self._open().leave_open_boundaries()
        self._open_boundary = fill

    def synchronize(self) -> None:
        """Waits for all work of this rank. Local."""
        self._realized().synchronize()

    def explain(self) -> str:
        """What was decided, and why. Local."""
        return str(self._realized().explain())

    def _refuse_leases(self, call: str, follow: Callable[[], None]) -> None:
        """follow: makes the call of the core, which learns by it that the domain has failed where the ranks cannot compare."""
        counts = [self._core.leases]
        try:
            ranks = self._core.size if self._is_realized else 1
        except Error:
            ranks = 1  # the domain has failed: it closes without communication
        if ranks > 1:
            try:
                counts = [int(count) for count in self._core.all_gather(call, str(counts[0]).encode())]
            except Error as error:
                if not isinstance(error, InvalidArgument):  # which all ranks get that are in different calls
                    with suppress(Error):  # that follows from this one
                        follow()
                raise
        for rank, count in enumerate(counts):
            if count > 0:
                where = f" on rank {rank}" if len(counts) > 1 else ""
                raise BufferError(
                    f"{count} array(s) of the domain still exist{where}; allowed is {call} after they, and views of them, are deleted"
                )

    def close(self) -> None:
        """Frees everything. Raises BufferError, on all ranks, while arrays of this domain exist on a rank: delete them before, or
        copy."""
        if self._closed:
            return
        self._refuse_leases("close()", self._core.close)
        self._core.close()
        self._closed = True
        self._caller.stream = None

    def __enter__(self) -> Domain:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        # After an error other ranks may not come here, and frames of the traceback hold arrays.
        if kind is None:
            self.close()

    def __del__(self) -> None:
        if getattr(self, "_core", None) is None:
            return  # the constructor raised an error
        if self._caller.stream is not None:
            self._core.forget_stream()
        # Nobody waits for a domain of one process; others are closed by all ranks together, or leak with a line in the log.
        if self._closed or not self._is_realized:
            return
        try:
            if self._core.size == 1 and self._core.leases == 0:
                self._core.close()
                self._closed = True
        except Exception:  # noqa: BLE001 - a destructor has no caller
            pass

    def _open(self) -> Any:
        if self._closed:
            raise InvalidArgument("the domain is closed; allowed is a new one")
        return self._core

    def _planned(self, call: str) -> Any:
        if not (self._is_planned or self._is_realized):
            raise InvalidArgument(f"the domain is not partitioned yet; allowed is {call} after plan()")
        return self._open()

    def _realized(self) -> Any:
        if not self._is_realized:
            self._open()
            raise InvalidArgument("the domain has no memory yet; allowed is this call after realize()")
        return self._open()

    def _selection(self, fields: Fields | None) -> _core.Selection | None:
        return self._selections.of(fields, self.__getitem__)

    def _ordered(self, stream: Any) -> Order:
        """How a call is ordered with the caller's work."""
        if self._on_host:
            if stream is not None:
                raise InvalidArgument(f"stream is {stream!r}; allowed is None on host devices, where calls are complete when they return")
            return WAITING
        if self._capture is not None:
            if stream not in (None, OWN):
                raise InvalidArgument(f'stream is {stream!r} within capture(); allowed is None or "own": work is recorded in the blocks\' streams')
            return UNORDERED
        order = self._caller.order(self._core, stream)
        return order if self._open_boundary is None else order._replace(wait=True)

    def _finish(self, order: Order) -> None:
        boxes = self._realized().finish(*order)
        if boxes:
            self._fill(boxes)

    def _fill(self, boxes: list[Any]) -> None:
        if self._open_boundary is None:
            return
        by_number = {field._id: field for field in self._fields.values()}
        for box in boxes:
            block = by_number[box.field].blocks[box.subdomain]
            region = block._with_components(region_between(box.box, block._all[0]))
            self._open_boundary(block, region, "xyz"[box.dimension], "upper" if box.upper else "lower")
