from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe import errors
from stillframe.cdp import Connection, PipeTransport
from stillframe.cdp.transport.delivery import TURN_S
from stillframe.cdp.transport.pipe import NulSplitter

FRAMES = st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\0", b"x")), max_size=12)


def chunks(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        yield data[start:end]


@given(FRAMES, st.binary(max_size=9).map(lambda b: b.replace(b"\0", b"y")), st.lists(st.integers(0, 999), max_size=30))
def test_any_chunking_gives_the_same_frames(frames: list[bytes], rest: bytes, cuts: list[int]) -> None:
    stream = b"".join(frame + b"\0" for frame in frames) + rest
    splitter = NulSplitter()
    found = [frame for chunk in chunks(stream, cuts) for frame in splitter.feed(chunk)]
    assert found == frames
    assert splitter.partial == len(rest)


def test_a_large_frame_in_small_pieces_is_joined_once() -> None:
    splitter = NulSplitter()
    for _ in range(50_000):
        assert splitter.feed(b"x" * 100) == []
    assert splitter.feed(b"end\0") == [b"x" * 5_000_000 + b"end"]
    assert splitter.partial == 0


class End:
    """The browser's end of two pipes, by hand."""

    def __init__(self) -> None:
        self.read_fd, client_writes = os.pipe()
        client_reads, self.write_fd = os.pipe()
        self.transport = PipeTransport(client_reads, client_writes)
        self.frames: list[bytes | bytearray] = []
        self.reasons: list[str] = []
        self.closed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        os.set_blocking(self.read_fd, False)

    def start(self) -> None:
        self.transport.start(self.frames.append, self.ended)

    def ended(self, reason: str) -> None:
        self.reasons.append(reason)
        self.closed.set_result(reason)

    def close(self) -> None:
        for fd in (self.read_fd, self.write_fd):
            with suppress(OSError):
                os.close(fd)

    async def read(self, size: int) -> bytes:
        """Exactly `size` bytes of what the client wrote."""
        data = bytearray()
        while len(data) < size:
            with suppress(BlockingIOError):
                data += os.read(self.read_fd, 10_000)
            await asyncio.sleep(0)
        return bytes(data)

    async def until_closed(self) -> str:
        return await self.closed


@pytest.fixture
async def end() -> AsyncIterator[End]:
    end = End()
    yield end
    await end.transport.aclose()
    end.close()


async def test_frames_sent_together_leave_in_one_write(end: End) -> None:
    end.start()
    end.transport.send(b"one")
    end.transport.send(b"two")
    await asyncio.sleep(0)
    assert os.read(end.read_fd, 100) == b"one\0two\0"


async def test_a_full_pipe_delays_the_rest_and_keeps_the_order(end: End) -> None:
    end.start()
    frames = [bytes([65 + n]) * (300_000 if n % 2 else 10) for n in range(8)]
    for frame in frames:
        end.transport.send(frame)
    expected = b"".join(frame + b"\0" for frame in frames)
    assert await end.read(len(expected)) == expected
    end.transport.send(b"after")
    assert await end.read(6) == b"after\0"


async def test_frames_arrive_whole(end: End) -> None:
    end.start()
    for piece in (b"fi", b"rst\0seco", b"nd\0", b"thi"):
        os.write(end.write_fd, piece)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert end.frames == [b"first", b"second"]


async def test_the_end_of_the_stream_says_whether_it_cut_a_frame(end: End) -> None:
    end.start()
    os.write(end.write_fd, b"whole\0par")
    os.close(end.write_fd)
    assert await end.until_closed() == "the browser closed the pipe in the middle of a frame (3 bytes)"
    assert end.frames == [b"whole"]


async def test_writing_to_a_browser_that_is_gone_ends_the_transport(end: End) -> None:
    end.start()
    os.close(end.read_fd)
    end.transport.send(b"hello")
    assert "writing failed" in await end.until_closed()
    end.transport.send(b"dropped")


async def test_closing_writes_what_is_queued_and_frees_the_descriptors(end: End) -> None:
    end.start()
    end.transport.send(b"last words")
    await end.transport.aclose()
    await end.transport.aclose()
    assert os.read(end.read_fd, 100) == b"last words\0"
    assert os.read(end.read_fd, 100) == b""
    with pytest.raises(BrokenPipeError):
        os.write(end.write_fd, b"x")
    assert end.reasons == ["closed by this client"]


async def test_a_handler_may_close_the_connection_between_two_frames(end: End) -> None:
    connection = Connection(end.transport)
    heard: list[str] = []
    closing: list[asyncio.Task[None]] = []
    connection.root.on("A.first", lambda event: closing.append(asyncio.create_task(connection.aclose())))
    connection.root.on("A.second", lambda event: heard.append("second"))
    os.write(end.write_fd, b'{"method":"A.first"}\0{"method":"A.second"}\0')
    await connection.wait_closed()
    await closing[0]
    assert isinstance(connection.error, errors.ConnectionLost)
    assert heard == ["second"]


async def test_a_flood_of_frames_leaves_turns_to_other_tasks(end: End) -> None:
    """Each frame is some work; a pipe holds many of them."""
    delivered: list[bytes | bytearray] = []
    between: list[int] = []

    def work(frame: bytes | bytearray) -> None:
        until = time.thread_time() + TURN_S / 4
        while time.thread_time() < until:
            pass
        delivered.append(frame)

    end.transport.start(work, end.ended)
    count = 100
    os.write(end.write_fd, b"".join(b"%d\0" % number for number in range(count)))
    while len(delivered) < count:
        before = len(delivered)
        await asyncio.sleep(0)
        between.append(len(delivered) - before)
    assert delivered == [b"%d" % number for number in range(count)]
    assert max(between) <= 5
    os.write(end.write_fd, b"after\0")
    while delivered[-1] != b"after":  # noqa: ASYNC110  the loop has no event for a turn
        await asyncio.sleep(0)


async def test_closing_drops_the_frames_of_a_flood_that_are_left(end: End) -> None:
    delivered: list[bytes | bytearray] = []

    def work(frame: bytes | bytearray) -> None:
        until = time.thread_time() + TURN_S
        while time.thread_time() < until:
            pass
        delivered.append(frame)

    end.transport.start(work, end.ended)
    os.write(end.write_fd, b"x\0" * 50)
    while not delivered:  # noqa: ASYNC110  the loop has no event for a turn
        await asyncio.sleep(0)
    await end.transport.aclose()
    after = len(delivered)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(delivered) == after < 50
