# SPDX-License-Identifier: BSD-3-Clause
"""Bad input gets one error that names the thing, the value and what is allowed."""

import os
import subprocess
import sys

import pytest

import halocline
from halocline import _core, errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(shape=(8, 8)), "shape is (8, 8)"),
        (dict(shape=(8, 8, 8), stencil=-1), "stencil radius is -1"),
        (dict(shape=(8, 8, 8), stencil=(1, 2)), "stencil radius is (1, 2)"),
        (dict(shape=(8, 8, 8), fields={"u": "float128x"}), "dtype of 'u' is 'float128x'"),
        (dict(shape=(8, 8, 8), fields={"u": "S4"}), "dtype of 'u' is bytes32"),
        (dict(shape=(8, 8, 8), boundary="closed", fields={"u": "int8"}), "boundary is 'closed'"),
        (dict(shape=(8, 8, 8), boundary=("open", "open"), fields={"u": "int8"}), "allowed is one name, or three"),
        (dict(shape=(8, 8, 8), partition="best", fields={"u": "int8"}), "best"),
        (dict(shape=(8, 8, 8), transports="pigeon", fields={"u": "int8"}), "pigeon"),
        (dict(shape=(8, 8, 8), messages="by_pigeon", fields={"u": "int8"}), "allowed are by_neighbour, by_direction, by_rank, by_node and auto"),
        (dict(shape=(8, 8, 8), comm=3, fields={"u": "int8"}), "comm is 3"),
        (dict(shape=(0, 8, 8), fields={"u": "int8"}), "0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(errors.InvalidArgument) as caught:
        halocline.Domain(**arguments)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_bad_calls_are_named():
    with halocline.Domain((8, 8, 8), 1, {"u": "float32", "v": {"dtype": "int32", "buffers": 2}}, devices=2) as domain:
        u = domain["u"]
        for call, message in [
            (lambda: domain.exchange("u"), "fields is 'u'"),
            (lambda: domain.exchange([]), "fields is empty"),
            (lambda: domain.exchange({"u": -1}), "depth"),
            (lambda: domain.accumulate(combine="max"), "combine is 'max'"),
            (lambda: u.array, "2 arrays on this rank"),
            (lambda: u.blocks[0].next, "'u'"),
            (lambda: u.set([[1.0]]), "shape (1, 1)"),
            (lambda: domain.add_field("w", "int8"), "add_field"),
        ]:
            with pytest.raises(errors.InvalidArgument) as caught:
                call()
            assert message in str(caught.value)
        first = domain.start_exchange()
        with pytest.raises(errors.InvalidArgument):
            domain.start_exchange()
        first.finish()
        with pytest.raises(errors.InvalidArgument, match="no exchange is under way"):
            first.finish()


def test_a_job_without_a_communicator_is_refused():
    text = "import halocline\nhalocline.Domain((8, 8, 8), 1, {'u': 'int8'}%s)\n"
    environment = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "HALOCLINE_COMM": "serial"}

    def ended(more):
        return subprocess.run([sys.executable, "-c", text % more], capture_output=True, text=True, env=environment, timeout=60)

    alone = ended("")
    assert alone.returncode != 0 and "comm=MPI.COMM_WORLD" in alone.stderr
    assert ended(", comm='self'").returncode == 0


def test_each_kind_of_error_is_a_class():
    kinds = {"InvalidArgument": ValueError, "CapabilityError": RuntimeError, "ResourceError": MemoryError,
             "CommunicationError": ConnectionError, "DeviceError": RuntimeError, "DeadlineError": TimeoutError,
             "ProtocolError": RuntimeError, "InternalError": RuntimeError}  # fmt: skip
    for name, base in kinds.items():
        assert issubclass(getattr(errors, name), (base, halocline.Error))


def test_gpus_that_are_not_there():
    if os.path.exists("/dev/nvidia0"):
        pytest.skip("this machine has a GPU")
    with pytest.raises(errors.CapabilityError) as caught:
        halocline.Domain((8, 8, 8), 1, {"u": "float32"}, backend="cuda")
    # A build without CUDA names the option that changes it; one with CUDA, what the machine lacks.
    assert ("CMAKE_ARGS=-DHALOCLINE_CUDA=ON" in str(caught.value)) == ("cuda" not in halocline.backends)


def test_backends_name_what_the_build_drives():
    assert halocline.backends in (("host",), ("host", "cuda"))


def test_the_configuration_is_printed(capsys):
    halocline.show_config()
    first, devices, mpi = capsys.readouterr().out.splitlines()
    assert first.startswith(f"halocline {halocline.__version__} (")
    assert devices == f"devices: {', '.join(halocline.backends)}" or ("cuda" not in halocline.backends and "named halocline-cuda" in devices)
    ours = _core.mpi_library()
    if _core.mpi_plugins:
        assert mpi.startswith("MPI: plug-ins ")
    else:
        assert mpi == ("MPI: none: this build has no MPI" if ours is None else f"MPI: '{ours.splitlines()[0].split(',')[0]}', linked")
