# SPDX-License-Identifier: BSD-3-Clause
"""What a process has to do with the others of its job."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from .errors import CapabilityError, InvalidArgument

# Set by Open MPI, MPICH and Intel MPI, PMIx, Slurm's srun, torchrun.
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS", "WORLD_SIZE")


def _ranks_of_launcher() -> tuple[str, int] | None:
    for name in _SIZES:
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 1:
            return name, int(value)
    return None


def handle_of(comm: Any) -> int | None:
    """The Fortran handle of an mpi4py communicator; None where this process is alone.

    Raises InvalidArgument if a launcher started several processes and `comm` is None, and CapabilityError if mpi4py uses
    another MPI than this module.
    """
    if comm is None:
        launched = _ranks_of_launcher()
        if launched is not None:
            raise InvalidArgument(
                f"comm is None in a job of {launched[1]} processes ({launched[0]}); allowed is comm=MPI.COMM_WORLD of mpi4py, "
                'or comm="self" for a domain of this process alone'
            )
        return None
    if isinstance(comm, str) and comm == "self":
        return None
    if not hasattr(comm, "py2f"):
        raise InvalidArgument(f'comm is {comm!r}; allowed is a communicator of mpi4py, "self" or None')
    ours = _core.mpi_library()
    if ours is not None:
        from mpi4py import MPI

        theirs = MPI.Get_library_version().strip("\0\n ")
        if theirs != ours.strip("\0\n "):
            raise CapabilityError(
                f"mpi4py uses {theirs!r}, halocline {ours.strip()!r}: two MPIs in one process do not see each other; build both "
                "with the same MPI"
            )
    return int(comm.py2f())
