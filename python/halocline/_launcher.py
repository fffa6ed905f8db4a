# SPDX-License-Identifier: BSD-3-Clause
"""What a process has to do with the others of its job."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._mpi import check_same_mpi, first_line
from ._ranks import StoreRanks, is_process_group, ranks_of_group
from .errors import InvalidArgument

#: The number of processes, as launchers give it.
_SIZES = {
    "OMPI_COMM_WORLD_SIZE": "Open MPI's mpirun",
    "PMI_SIZE": "MPICH's mpiexec",
    "MPI_LOCALNRANKS": "MPICH's mpiexec",
    "SLURM_STEP_NUM_TASKS": "Slurm's srun",
    "WORLD_SIZE": "torchrun",
}
_TORCH = "comm=torch.distributed.group.WORLD after torch.distributed.init_process_group()"
_MPI = "comm=MPI.COMM_WORLD of mpi4py"


def _launched() -> tuple[str, str, int] | None:
    """The launcher, what shows it, and the number of processes of a job of several."""
    for name, launcher in _SIZES.items():
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 1:
            return launcher, f"{name}={value}", int(value)
    return None


def world() -> Any:
    """The ranks of the job that this process belongs to, for Domain(comm=halocline.world()): MPI.COMM_WORLD of mpi4py under mpirun or srun,
    torch.distributed's world under torchrun, None for a process of its own. Local."""
    launched = _launched()
    if launched is None:
        return None
    if launched[0] == "torchrun":
        from torch import distributed

        return distributed.group.WORLD  # None before init_process_group(), which Domain refuses
    from mpi4py import MPI

    return MPI.COMM_WORLD


def ranks_of(comm: Any) -> int | _core.StoreRanks | None:
    """The ranks of a domain: the Fortran handle of an mpi4py communicator, ranks that share a store, or None for this process alone.

    Raises InvalidArgument if a launcher started several processes and `comm` is None or a world of one rank, and CapabilityError if
    mpi4py uses another MPI than this module.
    """
    if comm is None:
        launched = _launched()
        if launched is not None:
            ways = f"{_TORCH}, or {_MPI} under its mpirun" if launched[0] == "torchrun" else f"{_MPI}, or {_TORCH}"
            raise InvalidArgument(
                f"comm is None in a job of {launched[2]} processes, started by {launched[0]} ({launched[1]}); allowed is {ways}, or "
                'comm="self" for a domain of this process alone'
            )
        return None
    if isinstance(comm, str) and comm == "self":
        return None
    if isinstance(comm, StoreRanks):
        return comm._next()
    if is_process_group(comm):
        return ranks_of_group(comm)._next()
    if not hasattr(comm, "py2f"):
        raise InvalidArgument(f'comm is {comm!r}; allowed is a communicator of mpi4py, a process group of torch.distributed, a StoreRanks, "self" or None')
    return _handle_of(comm)


def _handle_of(comm: Any) -> int:
    from mpi4py import MPI

    check_same_mpi(MPI.Get_library_version())
    launched = _launched()
    if launched is not None and comm.size == 1 and MPI.Comm.Compare(comm, MPI.COMM_WORLD) == MPI.IDENT:
        raise InvalidArgument(
            f"comm has one rank in a job of {launched[2]} processes, started by {launched[0]} ({launched[1]}), which is not the launcher of "
            f"mpi4py's MPI ('{first_line(MPI.Get_library_version())}'); allowed is the mpirun of that MPI, {_TORCH}, or "
            'comm="self" for a domain of each process alone'
        )
    return int(comm.py2f())
