# SPDX-License-Identifier: BSD-3-Clause
"""What a call with a stream costs and forgets, without a GPU: the extension is replaced by functions that record their calls."""

import pytest

import halocline
from halocline import errors


class Core:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))


class Stream:
    """Counts how often the protocol of streams is used."""

    def __init__(self, handle):
        self.handle, self.asked = handle, 0

    def __cuda_stream__(self):
        self.asked += 1
        return 0, self.handle


@pytest.fixture
def domain():
    made = halocline.Domain((8, 8, 8), 1, {"u": "float32", "v": "float32"}, backend="host")
    core, made._core, made._on_host = made._core, Core(), False
    yield made
    made._core = core
    made.close()


def test_a_stream_is_asked_once_and_a_call_is_one_of_the_extension(domain):
    stream = Stream(4096)
    for _ in range(3):
        domain.exchange(stream=stream)
    assert domain._core.calls == [("forget_stream",)] + [("exchange", None, 4096, True, False)] * 3
    assert stream.asked == 1


def test_another_stream_is_kept_instead(domain):
    first, second = Stream(4096), Stream(8192)
    for stream in (first, second, first):
        domain.exchange(stream=stream)
    exchanges = [call[2] for call in domain._core.calls if call[0] == "exchange"]
    assert exchanges == [4096, 8192, 4096] and domain._core.calls.count(("forget_stream",)) == 3


def test_another_object_of_a_stream_is_the_same_stream(domain):
    for _ in range(3):
        domain.exchange(stream=Stream(4096))
    assert domain._core.calls.count(("forget_stream",)) == 1


def test_numbers_of_streams_are_not_kept(domain):
    domain.exchange(stream=4096)
    assert domain._core.calls == [("exchange", None, 4096, False, False)] and domain._caller.stream is None


def test_own_streams_and_open_boundaries(domain):
    domain.exchange(stream="own")
    domain.on_open_boundary(lambda *_: None)
    domain.exchange(stream="own")
    stream = Stream(4096)
    for _ in range(2):
        domain.exchange(stream=stream)
    assert [call[2:] for call in domain._core.calls if call[0] == "exchange"] == [
        (0, False, False), (0, False, True), (4096, True, True), (4096, True, True)]  # fmt: skip


def test_a_selection_is_made_once(domain):
    for _ in range(3):
        domain.exchange(["u"], stream="own")
        domain.exchange({"u": 1, "v": 1}, stream="own")
    assert len({id(call[1]) for call in domain._core.calls}) == 2
    with pytest.raises(KeyError, match="'w'"):
        domain.exchange(["w"], stream="own")


def test_starts_and_ends_have_the_stream(domain):
    stream = Stream(4096)
    with domain.start_exchange(["u"], stream=stream):
        pass
    assert [call for call in domain._core.calls if call[0] != "forget_stream"] == [
        ("start_exchange", domain._selection(["u"]), 4096, True), ("finish", 4096, True, False)]  # fmt: skip


def test_what_is_no_stream_is_named(domain):
    with pytest.raises(errors.InvalidArgument, match="stream is 'fast'"):
        domain.exchange(stream="fast")
