# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py with another MPI than halocline's, in one process."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from halocline import _core, errors

if _core.mpi_library() is None:
    pytest.skip("halocline was built without MPI", allow_module_level=True)

#: Of scripts/python_environment.sh, with MPICH from PyPI; a library of one's own by the variable.
OTHER = Path(os.environ.get("HALOCLINE_TEST_OTHER_MPI", Path(sys.prefix) / "other_mpi/lib/libmpi.so.12"))


def test_another_mpi_is_refused_with_what_to_do():
    pytest.importorskip("mpi4py")
    if not OTHER.exists():
        pytest.skip("there is no other MPI beside halocline's")
    if "MPICH" in _core.mpi_library():
        pytest.skip("halocline's MPI is an MPICH, too")
    text = (
        "from mpi4py import MPI\nimport halocline\n"
        "print(MPI.Get_library_version())\n"
        "halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm='self').close()\n"
        "halocline.Domain((8, 8, 8), 1, {'u': 'int8'}, comm=MPI.COMM_WORLD)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=100,
        env={**os.environ, "HALOCLINE_BACKEND": "host", "MPI4PY_LIBMPI": str(OTHER)},
    )  # fmt: skip
    assert "MPICH Version" in ended.stdout, ended.stderr
    assert ended.returncode == 1 and "CapabilityError: mpi4py uses 'MPICH Version" in ended.stderr, ended.stderr
    assert "halocline 'Open MPI" in ended.stderr and "MPI4PY_LIBMPI=" in ended.stderr


def test_versions_are_compared(monkeypatch):
    """The same with a module that stands for mpi4py."""
    from halocline._launcher import ranks_of

    other = types.SimpleNamespace(Get_library_version=lambda: "Some MPI 1.0, of a test\n")
    monkeypatch.setitem(sys.modules, "mpi4py", types.SimpleNamespace(MPI=other))
    comm = types.SimpleNamespace(py2f=lambda: pytest.fail("the handle of another MPI was asked for"), size=1)
    with pytest.raises(errors.CapabilityError, match="mpi4py uses 'Some MPI 1.0', halocline '.*two MPIs in one process"):
        ranks_of(comm)
