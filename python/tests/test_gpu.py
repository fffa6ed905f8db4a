# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of GPUs in frameworks, and the order of their work and exchanges. Needs a GPU and PyTorch; CuPy where it is there."""

import numpy as np
import pytest

import halocline
from gpu_case import INNER, PADDED, SHAPE, WHOLE, domain, first_gpu, late, torch  # noqa: F401 - domain and first_gpu are fixtures
from halocline import errors


def test_tensors_are_the_domains_memory(domain):
    u = domain["u"]
    u.set(WHOLE)
    domain.exchange()
    tensor = torch.from_dlpack(u.array)
    assert tensor.shape == PADDED.shape and tensor.data_ptr() == u.array.ptr
    assert np.array_equal(tensor.cpu().numpy(), PADDED)
    tensor[INNER] *= 2
    assert np.array_equal(u.gather(), 2 * WHOLE)
    same = torch.as_tensor(u.array, device="cuda")
    assert same.data_ptr() == tensor.data_ptr() and torch.equal(same, tensor)
    with pytest.raises(BufferError, match="array"):
        domain.close()
    del tensor, same


def test_components_and_types():
    for dtype in ("float16", "float64", "int32", "complex64"):
        with halocline.Domain(SHAPE, 1, {"u": {"dtype": dtype, "components": 3}}, backend="cuda", devices=1) as domain:
            whole = np.stack([WHOLE, WHOLE + 1, -WHOLE]).astype(dtype)
            domain["u"].set(whole)
            domain.exchange()
            tensor = torch.from_dlpack(domain["u"].array)
            assert np.array_equal(tensor.cpu().numpy(), np.pad(whole, [(0, 0), (1, 1), (1, 1), (1, 1)], mode="wrap"))
            del tensor


def test_an_exchange_comes_after_the_work_of_a_stream_and_before_its_later_work(domain):
    values = torch.from_numpy(WHOLE).cuda()
    tensor = torch.from_dlpack(domain["u"].array)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    late(stream)
    with torch.cuda.stream(stream):
        tensor[INNER] = values
        domain.exchange(stream=stream)
        seen = tensor.clone()
    assert not stream.query(), "the host waited"
    stream.synchronize()
    assert np.array_equal(seen.cpu().numpy(), PADDED)
    del tensor


def test_what_a_framework_gets_is_ordered_after_an_exchange(domain):
    values = torch.from_numpy(WHOLE).cuda()
    tensor = torch.from_dlpack(domain["u"].array)
    torch.cuda.synchronize()
    writer, reader = torch.cuda.Stream(), torch.cuda.Stream()
    late(writer)
    with torch.cuda.stream(writer):
        tensor[INNER] = values
        domain.exchange(stream=writer)
    with torch.cuda.stream(reader):
        seen = torch.from_dlpack(domain["u"].array).clone()
    reader.synchronize()
    assert np.array_equal(seen.cpu().numpy(), PADDED)
    del tensor


def test_the_default_stream_is_waited_for(domain):
    values = torch.from_numpy(WHOLE).cuda()
    tensor = torch.from_dlpack(domain["u"].array)
    late(torch.cuda.default_stream())
    tensor[INNER] = values
    domain.exchange()
    assert np.array_equal(domain._core.download(0, 0, 0), PADDED)
    late(torch.cuda.default_stream())
    tensor[INNER] = 2 * values
    assert np.array_equal(domain["u"].gather(), 2 * WHOLE)
    del tensor


def test_accumulation_in_a_stream(domain):
    tensor = torch.from_dlpack(domain["u"].array)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    late(stream)
    with torch.cuda.stream(stream):
        tensor[...] = 1
        domain.accumulate(stream=stream)
        total = tensor[INNER].sum()
    stream.synchronize()
    assert int(total) == PADDED.size
    del tensor


def test_interiors_are_updated_while_halos_are_under_way(domain):
    u = domain["u"]
    u.set(WHOLE)
    stream = torch.cuda.Stream()
    block = u.blocks[0]
    with torch.cuda.stream(stream):
        now, then = torch.from_dlpack(block.array), torch.from_dlpack(block.next)
        with domain.start_exchange(stream=stream):
            then[block.interior] = now[halocline.shift(block.interior, dx=1)]
        for region in block.boundary:
            then[region] = now[halocline.shift(region, dx=1)]
    stream.synchronize()
    u.swap()
    assert np.array_equal(u.gather(), np.roll(WHOLE, -1, axis=2))
    del now, then


def test_own_streams_need_no_other_order(domain):
    values = torch.from_numpy(WHOLE).cuda()
    block = domain["u"].blocks[0]
    tensor = torch.from_dlpack(block.array)
    torch.cuda.synchronize()
    stream = torch.cuda.ExternalStream(block.stream.ptr)
    late(stream)
    with torch.cuda.stream(stream):
        tensor[INNER] = values
        domain.exchange(stream="own")
        seen = tensor.clone()
    assert not stream.query(), "the host waited"
    stream.synchronize()
    assert np.array_equal(seen.cpu().numpy(), PADDED)
    del tensor


@pytest.mark.parametrize("framework", ["torch", "cupy"])
def test_captured_steps_are_replayed(domain, framework):
    library = pytest.importorskip(framework)
    u = domain["u"]
    u.set(WHOLE)
    block = u.blocks[0]
    now, then = (library.from_dlpack(array) for array in (block.array, block.next))
    streams = torch.cuda if framework == "torch" else library.cuda
    own = streams.ExternalStream(block.stream.ptr)
    by_one = [halocline.shift(block.owned, dx=1), halocline.shift(block.owned, dz=-1)]

    def step(source, target, region):
        domain.exchange()
        with streams.stream(own) if framework == "torch" else own:
            if framework == "torch":
                target[block.owned].copy_(source[region])
            else:
                library.copyto(target[block.owned], source[region])
        u.swap()

    with domain.capture() as steps:
        step(now, then, by_one[0])
        step(then, now, by_one[1])
        with pytest.raises(errors.InvalidArgument, match="within capture"):
            domain.exchange(stream=torch.cuda.Stream())
    assert np.array_equal(u.gather(), WHOLE), "nothing has run"
    for _ in range(3):
        steps.launch()
    assert np.array_equal(u.gather(), np.roll(WHOLE, (3, -3), (0, 2)))
    with pytest.raises(errors.InvalidArgument, match="whole cycles"), domain.capture():
        u.swap()
    with pytest.raises(ZeroDivisionError), domain.capture() as broken:
        domain.exchange()
        raise ZeroDivisionError
    with pytest.raises(errors.InvalidArgument, match="not recorded"):
        broken.launch()
    steps.launch()
    del now, then
    domain.close()
    with pytest.raises(errors.InvalidArgument, match="closed"):
        steps.launch()


def test_what_is_not_possible_is_named(domain):
    with pytest.raises(errors.CapabilityError, match="NumPy cannot access"):
        np.asarray(domain["u"].array)
    with pytest.raises(errors.InvalidArgument, match="stream is 'fast'"):
        domain.exchange(stream="fast")
    with halocline.Domain(SHAPE, 1, {"u": "float32"}, backend="host") as host:
        with pytest.raises(errors.InvalidArgument, match="host devices"):
            host.exchange(stream=torch.cuda.Stream())


def test_cupy(domain):
    cupy = pytest.importorskip("cupy")
    values = cupy.asarray(WHOLE)
    array = cupy.from_dlpack(domain["u"].array)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        array[INNER] = values
        domain.exchange(stream=stream)
        seen = array.copy()
    stream.synchronize()
    assert np.array_equal(cupy.asnumpy(seen), PADDED)
    handle = stream.ptr
    del stream  # the domain refers to it until another one is used
    other = cupy.cuda.Stream(non_blocking=True)
    domain.exchange(stream=other)
    domain.exchange(stream=other.ptr)
    domain.exchange()
    assert handle != 0
    del array


def test_jax_takes_dense_arrays_only(domain):
    jax = pytest.importorskip("jax")
    # The rows of a field are padded. If a JAX takes them, the guide's page has to change.
    with pytest.raises(jax.errors.JaxRuntimeError, match="striding"):
        jax.dlpack.from_dlpack(domain["u"].array)


def test_numba(domain):
    cuda = pytest.importorskip("numba.cuda")
    domain["u"].set(WHOLE)
    array = cuda.as_cuda_array(domain["u"].array)
    domain.exchange(stream=cuda.stream())
    domain.synchronize()
    assert np.array_equal(array.copy_to_host(), PADDED)
    del array


def zeros_of(library, shape, dtype="float32"):
    """On the GPU, by each framework."""
    if library == "torch":
        return torch.zeros(shape, dtype=getattr(torch, dtype), device="cuda")
    if library == "numba":
        return pytest.importorskip("numba.cuda").to_device(np.zeros(shape, dtype))
    return pytest.importorskip("cupy").zeros(shape, dtype)


def on_host(array):
    for name in ("copy_to_host", "get", "cpu"):  # Numba, CuPy, PyTorch
        if hasattr(array, name):
            return np.asarray(getattr(array, name)())
    return np.asarray(array)


@pytest.mark.parametrize("library", ["torch", "cupy", "numba"])
@pytest.mark.parametrize("axes", ["zyx", "xzy", "czyx", "zyxc"])
def test_own_arrays(library, axes):
    components = 3 if "c" in axes else 1
    made = halocline.Domain(SHAPE, 1, backend="cuda", devices=1)
    field = made.add_field("u", "float32", components=components)
    made.plan()
    extents = dict(zip("zyx", (n + 2 for n in SHAPE)), c=components)
    own = zeros_of(library, tuple(extents[axis] for axis in axes))
    field.use(own, axes)
    made.realize()
    field.set(np.stack([WHOLE, 2 * WHOLE, -WHOLE]) if components == 3 else WHOLE)
    made.exchange()
    made.synchronize()
    seen = on_host(own).transpose([axes.index(axis) for axis in ("czyx" if components == 3 else "zyx")])
    assert np.array_equal(seen[-1], -PADDED) if components == 3 else np.array_equal(seen, PADDED)
    made.close()


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_own_arrays_with_strides_of_their_own(library):
    made = halocline.Domain(SHAPE, 1, backend="cuda", devices=1)
    field = made.add_field("u", "float32")
    made.plan()
    whole = zeros_of(library, (SHAPE[0] + 5, SHAPE[1] + 6, SHAPE[2] + 7))
    part = whole[3:, 4:, 5:]
    field.use(part)
    made.realize()
    assert field.array.strides == tuple(4 * n for n in ((SHAPE[1] + 6) * (SHAPE[2] + 7), SHAPE[2] + 7, 1))
    field.set(WHOLE)
    made.exchange()
    made.synchronize()
    assert np.array_equal(on_host(part), PADDED) and on_host(whole)[:3].max() == 0
    made.close()


def test_an_exchange_of_own_arrays_comes_after_the_work_of_a_stream():
    made = halocline.Domain(SHAPE, 1, backend="cuda", devices=1)
    field = made.add_field("u", "float32")
    made.plan()
    own = torch.zeros(PADDED.shape, device="cuda")
    field.use(own)
    made.realize()
    values, stream = torch.from_numpy(WHOLE).cuda(), torch.cuda.Stream()
    torch.cuda.synchronize()
    late(stream)
    with torch.cuda.stream(stream):
        own[INNER] = values
        made.exchange(stream=stream)
        seen = own.clone()
    stream.synchronize()
    assert np.array_equal(seen.cpu().numpy(), PADDED)
    made.close()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (lambda: np.zeros(PADDED.shape, "float32"), "allowed are memory of device 0"),
        (lambda: torch.zeros(PADDED.shape), "allowed are memory of device 0"),
        (lambda: torch.zeros(PADDED.shape, dtype=torch.float64, device="cuda"), "elements of float64; allowed is float32"),
        (lambda: torch.zeros(PADDED.shape, device="cuda", requires_grad=True), "requires its gradient"),
    ],
)
def test_own_arrays_that_cannot_be_taken_are_named(array, message):
    made = halocline.Domain(SHAPE, 1, backend="cuda", devices=1)
    field = made.add_field("u", "float32")
    made.plan()
    with pytest.raises(errors.InvalidArgument, match=message):
        field.use(array())
        made.realize()
