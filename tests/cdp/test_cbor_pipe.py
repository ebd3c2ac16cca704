"""The CBOR pipe against a scripted browser: framing, what stays CBOR, what is refused."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe import _core, errors
from stillframe.cdp import Connection, wire
from stillframe.cdp.transport.cbor_pipe import CborPipeTransport, CborSplitter

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
MESSAGES = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


def cbor(message: object) -> bytes:
    return _core.json_to_cbor(msgspec.json.encode(message))


@given(MESSAGES)
def test_messages_are_the_same_after_both_ways(message: dict[str, object]) -> None:
    assert msgspec.json.decode(_core.cbor_to_json(cbor(message))) == message


# In `make test` the cases are always the same ones, so a third of them; `make test-all` has others each time.
@settings(max_examples=100 if "STILLFRAME_CASES" in os.environ else 30)
@given(st.lists(MESSAGES, max_size=5), st.binary(max_size=5), st.lists(st.integers(0, 999), max_size=20))
def test_any_chunking_gives_the_same_frames(messages: list[object], rest: bytes, cuts: list[int]) -> None:
    frames = [cbor(message) for message in messages]
    rest = cbor({"a": rest.hex()})[: len(rest)]
    stream = b"".join(frames) + rest
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    splitter = CborSplitter()
    found = [frame for at, start in enumerate(edges[:-1]) for frame in splitter.feed(stream[start : edges[at + 1]])]
    assert found == frames
    assert splitter.partial == len(rest)


def test_a_large_frame_in_small_pieces_is_joined_once() -> None:
    frame = cbor({"text": "x" * 5_000_000})
    splitter = CborSplitter()
    found = [whole for at in range(0, len(frame), 100) for whole in splitter.feed(frame[at : at + 100])]
    assert found == [frame]


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (b'{"error":{}}\0', "answers in JSON.*pipe='json'"),
        (b"\xd8\x18\x5b" + bytes(8), "did not send CBOR: the message begins with d8 18 5b"),
    ],
)
def test_what_is_not_an_envelope_is_refused_at_once(stream: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CborSplitter().feed(stream)


class Scripted:
    """A connection over a CBOR pipe, and the browser's end of it by hand."""

    def __init__(self) -> None:
        self.read_fd, client_writes = os.pipe()
        client_reads, self.write_fd = os.pipe()
        self.connection = Connection(CborPipeTransport(client_reads, client_writes))
        self.splitter = CborSplitter()
        os.set_blocking(self.read_fd, False)

    async def read(self) -> dict[str, object]:
        """The next command."""
        while True:
            with suppress(BlockingIOError):
                for frame in self.splitter.feed(os.read(self.read_fd, 1 << 20)):
                    command: dict[str, object] = msgspec.json.decode(_core.cbor_to_json(frame))
                    return command
            await asyncio.sleep(0)

    async def write(self, data: bytes) -> None:
        await asyncio.to_thread(self._write, data)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.write_fd, data) :]


@pytest.fixture
async def scripted() -> AsyncIterator[Scripted]:
    scripted = Scripted()
    async with scripted.connection:
        yield scripted
    os.close(scripted.read_fd)
    os.close(scripted.write_fd)


LARGE = {"text": "é" * wire.LARGE}


@pytest.mark.parametrize("session_id", ["", "S", "5" * 32])
@pytest.mark.parametrize("number", [1, 23, 24, 256, 65536])
def test_a_large_answer_is_identified_by_its_first_and_last_bytes(session_id: str, number: int) -> None:
    frame = cbor({"id": number, "result": LARGE} | ({"sessionId": session_id} if session_id else {}))
    found = wire.skim_id(frame)
    assert found is not None
    raw = wire.skim_result(frame, found[1], session_id)
    assert raw is not None
    assert (found[0], bytes(raw)) == (number, cbor(LARGE))
    assert wire.skim_result(frame, found[1], "other") is None
    assert wire.skim_id(cbor({"id": number, "error": {}})) is None


async def test_a_large_result_stays_cbor_only_for_those_who_take_it(scripted: Scripted) -> None:
    root = scripted.connection.root
    for any_encoding in (True, False):
        call = asyncio.ensure_future(root.send_raw("A.b", {"x": "ü"}, any_encoding=any_encoding))
        command = await scripted.read()
        assert (command["method"], command["params"]) == ("A.b", {"x": "ü"})
        await scripted.write(cbor({"id": command["id"], "result": LARGE}))
        raw = bytes(await call)
        assert wire.is_cbor(raw) is any_encoding
        assert msgspec.json.decode(_core.cbor_to_json(raw) if any_encoding else raw) == LARGE
    plain = asyncio.ensure_future(root.call("A.b"))
    await scripted.write(cbor({"id": (await scripted.read())["id"], "result": LARGE}))
    assert await plain == LARGE


async def test_an_answer_or_event_nested_too_deep_ends_nothing_but_itself(scripted: Scripted) -> None:
    root = scripted.connection.root
    deep = msgspec.Raw(b"[" * 1000 + b"]" * 1000)
    heard: list[object] = []
    root.on("A.event", heard.append)
    call = asyncio.ensure_future(root.call("A.b"))
    number = (await scripted.read())["id"]
    await scripted.write(cbor({"method": "A.event", "params": {"a": deep}}))
    await scripted.write(cbor({"id": number, "result": {"a": deep}}))
    with pytest.raises(errors.CdpError, match="more than 300 levels") as caught:
        await call
    assert caught.value.method == "A.b"
    assert heard == []
    assert scripted.connection.counters.malformed == 1
    assert not scripted.connection.closed


async def test_parameters_that_are_not_json_are_the_callers_error(scripted: Scripted) -> None:
    with pytest.raises(errors.InputError, match=r"A\.b: the parameters cannot be sent"):
        await scripted.connection.root.call("A.b", {"x": msgspec.Raw(b"{nonsense")})
    assert not scripted.connection.pending


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (b'{"error":{"code":-32700}}\0', "it does not support --remote-debugging-pipe=cbor"),
        (b"\xd8\x18\x5a\x00\x00\x00\x03\xbf\x01\xff", "not a DevTools message"),
    ],
)
async def test_a_browser_that_speaks_otherwise_ends_the_connection(
    scripted: Scripted, stream: bytes, words: str
) -> None:
    await scripted.write(stream)
    await scripted.connection.wait_closed()
    assert words in str(scripted.connection.error)
