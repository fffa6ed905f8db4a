# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchange of distributed 3-D stencil codes.

    import halocline

    domain = halocline.Domain((64, 64, 64), stencil=1, fields={"u": "float32"}, devices=4)
    domain["u"].set(lambda z, y, x: x + 64 * y)
    domain.exchange()

Shapes and indices are in C order: z, y, x. Several processes: comm=MPI.COMM_WORLD of mpi4py, or
comm=torch.distributed.group.WORLD.
"""

from pathlib import Path

from . import _core, _mpi, errors
from ._blocks import Block, shift
from ._domain import Domain
from ._fields import Field
from ._files import Checkpoints, Output, Restored
from ._gpu import BlockStream, DeviceArray
from ._handles import Exchange, Steps
from ._launcher import world
from ._plan import Machine, Plan
from ._ranks import StoreRanks
from ._stencil import Stencil
from .errors import Error

__version__: str = _core.version
#: The kinds of devices that this build can drive: ("host", "cuda"), or ("host",) where it was built without CUDA.
backends: tuple[str, ...] = _core.backends


def show_config() -> None:
    """Prints what this build can use: kinds of devices, and the MPI, or the plug-ins for MPIs and which one is in use. Local;
    `python -m halocline` prints the same."""
    print(f"halocline {__version__} ({Path(__file__).parent})")
    gpus = "" if "cuda" in backends else "; no GPUs: this is a build without CUDA, builds with it are named halocline-cuda"
    print(f"devices: {', '.join(backends)}{gpus}")
    print(f"MPI: {_mpi.description()}")


__all__ = ["Block", "BlockStream", "Checkpoints", "DeviceArray", "Domain", "Error", "Exchange", "Field", "Machine", "Output", "Plan", "Restored", "Stencil", "Steps", "StoreRanks", "__version__", "backends", "errors", "shift", "show_config", "world"]
