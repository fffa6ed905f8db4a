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
        (dict(shape=(8, 8, 8), fields={"u": ">f4"}), "dtype of 'u' is >f4, with the byte order of another machine; allowed is this one's, float32"),
        (dict(shape=(8, 8, 8), boundary="closed", fields={"u": "int8"}), "boundary is 'closed'"),
        (dict(shape=(8, 8, 8), boundary=("open", "open"), fields={"u": "int8"}), "allowed is one name, or three"),
        (dict(shape=(8, 8, 8), partition="best", fields={"u": "int8"}), "best"),
        (dict(shape=(8, 8, 8), transports="pigeon", fields={"u": "int8"}), "pigeon"),
        (dict(shape=(8, 8, 8), messages="by_pigeon", fields={"u": "int8"}), "allowed are by_neighbour, by_direction, by_rank, by_node and auto"),
        (dict(shape=(8, 8, 8), comm=3, fields={"u": "int8"}), "comm is 3"),
        (dict(shape=(0, 8, 8), fields={"u": "int8"}), "0"),
        (dict(shape=(4.5, 8, 8)), "shape is (4.5, 8, 8); allowed are three ints"),
        (dict(shape=8), "shape is 8; allowed are three ints"),
        (dict(shape=(8, 8, 8), boundary=3), "boundary is 3; allowed is one name, or three"),
        (dict(shape=(8, 8, 8), devices="2"), "devices is '2'; allowed is an int of 1 or more, or None"),
        (dict(shape=(8, 8, 8), transports=["direct"]), "transports is ['direct']; allowed is a str of names"),
        (dict(shape=(8, 8, 8), timeout="5"), "timeout is '5'; allowed is a number of seconds, or None"),
        (dict(shape=(8, 8, 8), machine="summit"), "machine is 'summit'; allowed is a halocline.Machine, such as Machine.load(file)"),
        (dict(plan="cuts"), "plan is 'cuts'; allowed is a halocline.Plan"),
        (dict(shape=(8, 8, 8), stencil=1.5), "stencil radius is 1.5"),
        (dict(shape=(8, 8, 8), stencil="star"), "stencil radius is 'star'"),
        (dict(shape=(8, 8, 8), fields=["u"]), "fields is ['u']; allowed is a dict: dtypes, or dicts of options, by name"),
        (
            dict(shape=(8, 8, 8), fields={"u": {"bufers": 2}}),
            "field 'u' has an option 'bufers'; allowed are dtype, components, buffers, stencil, staggered, wire",
        ),
        (dict(shape=(8, 8, 8), fields={"u": {"buffers": "2"}}), "buffers of 'u' is '2'; allowed is an int of 1 or more"),
        (dict(shape=(8, 8, 8), fields={"u": {"staggered": True}}), "staggered of 'u' is True; allowed are three bools: z, y, x"),
        (dict(shape=(8, 8, 8), fields={"u": {"staggered": "xyz"}}), "staggered of 'u' is 'xyz'; allowed are three bools: z, y, x"),
        (dict(shape=(8, 8, 8), fields={"u": {"wire": "x"}}), "wire of field 'u' is 'x'; allowed are f32, bf16, f16, or a dtype"),
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
            (lambda: domain.exchange({"u": 0}), "depth of field 'u' is 0; allowed is 1 or more"),
            (lambda: domain.exchange({"u": "1"}), "depth of field 'u' is '1'; allowed is an int of 1 or more"),
            (lambda: domain.exchange(1), "fields is 1; allowed is a list of names"),
            (lambda: domain.on_open_boundary({}), "fill is {}; allowed is a function fill(block, region, axis, side), or None"),
            (lambda: halocline.Output(None, "u.pvd"), "domain is None; allowed is a halocline.Domain"),
            (lambda: u.gather(1), "root of gather() is 1; allowed is 0 to 0, or None for all ranks"),
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
