# SPDX-License-Identifier: BSD-3-Clause
"""Types of what callers pass, and the options of a domain for the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from operator import index
from typing import Any

import numpy as np

from . import _core
from ._plan import Machine, Plan
from .errors import InvalidArgument


def checked(value: Any, name: str, kind: type | tuple[type, ...], allowed: str) -> Any:
    """The value. Raises InvalidArgument if it is not of that type."""
    if not isinstance(value, kind):
        raise InvalidArgument(f"{name} is {value!r}; allowed is {allowed}")
    return value


def three_bools(values: Iterable[bool], name: str) -> tuple[bool, bool, bool]:
    three = tuple(values) if isinstance(values, Iterable) else ()
    if len(three) != 3 or not all(isinstance(value, (bool, np.bool_, int)) and value in (0, 1) for value in three):
        raise InvalidArgument(f"{name} is {values!r}; allowed are three bools: z, y, x")
    return tuple(bool(value) for value in three)  # type: ignore[return-value]


def of_axes(value: str | Iterable[str]) -> Any:
    """One name for all three axes, or three; what is neither as it is."""
    return (value,) * 3 if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else value


def by_name(fields: Mapping[str, Any] | None, add_field: Callable[..., Any]) -> dict[str, Mapping[str, Any]]:
    """The options of each field, as add_field(name, **options) has them."""
    options: dict[str, Mapping[str, Any]] = {}
    allowed = list(signature(add_field).parameters)[1:]
    for name, given in checked({} if fields is None else fields, "fields", Mapping, "a dict: dtypes, or dicts of options, by name").items():
        options[name] = given if isinstance(given, Mapping) else {"dtype": given}
        for option in options[name]:
            if option not in allowed:
                raise InvalidArgument(f"field '{name}' has an option {option!r}; allowed are {', '.join(allowed)}")
    return options


#: What the options may be, for errors.
_ALLOWED = {
    "backend": "'host', 'cuda' or None",
    "devices": "an int of 1 or more, or None",
    "boundary": "one name, or three: z, y, x",
    "in_place": "a bool",
    "steps_per_exchange": "an int of 1 or more",
    "partition": "a name",
    "transports": "a str of names with commas between them, or None",
    "messages": "a name",
    "ranks_per_node": "an int of 1 or more, or None",
    "validate_ordering": "a bool",
    "measure_weights": "a bool",
    "timeout": "a number of seconds, or None",
}


def settings_of(plan: Plan | None, machine: Machine | None, boundary: Sequence[str], **options: Any) -> _core.Settings:
    """The options of Domain, by their names; boundary: of z, y, x."""
    settings = _core.Settings()
    for name, value in {**options, "boundary": boundary}.items():
        try:
            setattr(settings, name, list(value)[::-1] if name == "boundary" else value)
        except TypeError as error:
            raise InvalidArgument(f"{name} is {value!r}; allowed is {_ALLOWED[name]}") from error
    if machine is not None:
        settings.machine = checked(machine, "machine", Machine, "a halocline.Machine, such as Machine.load(file)")._core
    if plan is not None:
        settings.cuts = [list(planes) for planes in reversed(plan.cuts)]
        settings.owners = list(plan.owners)
    return settings


def shape_of(shape: Sequence[int] | None, plan: Plan | None) -> tuple[int, ...] | None:
    """The cells of a domain, None where neither is given."""
    if plan is not None:
        checked(plan, "plan", Plan, "a halocline.Plan")
    if shape is None:
        return None if plan is None else plan.shape
    try:
        cells = tuple(index(n) for n in shape)
    except TypeError:
        cells = ()
    if len(cells) != 3:
        raise InvalidArgument(f"shape is {shape!r}; allowed are three ints: nz, ny, nx")
    if plan is not None and cells != plan.shape:
        raise InvalidArgument(f"shape is {cells}; allowed is the plan's {plan.shape}, or no shape")
    return cells
