# SPDX-License-Identifier: BSD-3-Clause
"""The MPI of this process: the one that the module was linked with, or a plug-in for the one that mpi4py has loaded."""

from __future__ import annotations

from pathlib import Path

from . import _core
from .errors import CapabilityError, InvalidArgument

_BUILD = "build halocline with mpi4py's (pip install . in its sources, with the mpicxx of that MPI first in PATH)"
#: The name of the plug-in that was chosen.
_chosen: str | None = None


def check_same_mpi(theirs: str) -> None:
    """Chooses a plug-in in builds that have them. Raises CapabilityError if halocline does not call the MPI of mpi4py, whose version text
    this is."""
    theirs = _text(theirs)
    if _core.mpi_plugins and _chosen is None:
        _choose(theirs)
    ours = _core.mpi_library()
    if ours is not None and _text(ours) != theirs:
        raise CapabilityError(
            f"mpi4py uses '{first_line(theirs)}', halocline '{first_line(ours)}': two MPIs in one process do not see each other. Use mpi4py with "
            "halocline's MPI (MPI4PY_LIBMPI=<its libmpi.so> for a wheel of mpi4py, or pip install --no-binary mpi4py mpi4py), or " + _BUILD
        )


def _choose(theirs: str) -> None:
    global _chosen
    libraries: dict[str, str] = dict(_core.mpi_plugins)
    wanted = _core.wanted_mpi_plugin()
    if wanted is not None and wanted not in libraries:
        raise InvalidArgument(f"HALOCLINE_MPI_PLUGIN is '{wanted}'; allowed is one of {_named()}")
    # Opening a plug-in whose library is not there would load another MPI.
    loaded = {name for name, library in libraries.items() if _core.is_loaded(library)}
    if wanted is not None and wanted not in loaded:
        raise CapabilityError(
            f"HALOCLINE_MPI_PLUGIN is '{wanted}', for {libraries[wanted]}, but mpi4py uses '{first_line(theirs)}'"
            + "".join(f" in {libraries[name]}" for name in sorted(loaded))
            + f"; allowed is {', '.join(sorted(loaded)) or 'no plug-in of this build'}, or to leave the variable unset"
        )
    for name in libraries if wanted is None else [wanted]:
        if name in loaded and _text(_core.load_mpi_plugin(str(_file(name)))) == theirs:
            _chosen = name
            return
    if wanted is None:  # otherwise check_same_mpi() names both MPIs
        raise CapabilityError(
            f"mpi4py uses '{first_line(theirs)}', for which this halocline has no plug-in; it has {_named()}. Use mpi4py with one of these, or {_BUILD}"
        )


def _file(name: str) -> Path:
    return Path(_core.__file__).with_name(f"_mpi_{name}.so")


def _named() -> str:
    return ", ".join(f"{name} ({library})" for name, library in _core.mpi_plugins)


def description() -> str:
    """For show_config()."""
    ours = _core.mpi_library()
    if not _core.mpi_plugins:
        return "none: this build has no MPI" if ours is None else f"'{first_line(ours)}', linked"
    if _chosen is None or ours is None:
        return f"plug-ins {_named()}; none in use, one is chosen by the MPI of mpi4py"
    return f"plug-ins {_named()}; in use {_chosen}, '{first_line(ours)}'"


def first_line(version: str) -> str:
    """The first line of an MPI's version text, cut to fit into a sentence."""
    return _text(version).splitlines()[0].split(",")[0][:80].expandtabs(1)


def _text(version: str) -> str:
    return version.strip("\0\n ")
