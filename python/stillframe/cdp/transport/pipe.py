"""NUL-terminated JSON over two file descriptors: Chrome's --remote-debugging-pipe.

When the pipe closes, Chrome exits (in 0.17 s, Chromium 156), so a browser on a pipe cannot outlive its client.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Protocol

from stillframe.cdp.transport.base import OnClose, OnFrame
from stillframe.cdp.transport.delivery import TURN_S, Delivery

READ_SIZE = 1 << 18
"""Bytes of one read; a Linux pipe holds 64 KiB by default (pipe(7)), so this rarely limits a read."""
READ_BUDGET = 1 << 21
"""Bytes read in one turn of the loop: a large frame is read in few turns, and other tasks have theirs."""
JOIN_LIMIT = 1 << 16
"""Bytes up to which queued frames are joined into one write: the size of a Linux pipe."""


class NulSplitter:
    """Splits a stream of bytes at NULs, in linear time for any chunk sizes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames that `data` completes, without their NUL."""
        end = data.find(0)
        if end < 0:
            self._parts.append(data)
            return []
        frames = data.split(b"\0")
        if self._parts:
            self._parts.append(frames[0])
            frames[0] = b"".join(self._parts)
            self._parts.clear()
        if rest := frames.pop():
            self._parts.append(rest)
        return frames

    @property
    def partial(self) -> int:
        """The number of bytes of the incomplete frame."""
        return sum(map(len, self._parts))


class FrameSplitter(Protocol):
    """Splits a stream of bytes into frames."""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames that `data` completes; raises ValueError for an invalid stream."""
        ...

    @property
    def partial(self) -> int:
        """The number of bytes of the incomplete frame."""
        ...


class PipeTransport:
    """Reads frames from `read_fd` and writes them to `write_fd`; owns both descriptors."""

    peer = "pipe"
    _end = b"\0"

    def __init__(self, read_fd: int, write_fd: int, splitter: FrameSplitter | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._read_fd = read_fd
        self._write_fd = write_fd
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)
        self._splitter: FrameSplitter = splitter or NulSplitter()
        self._queue: deque[bytes | memoryview] = deque()
        self._flushing = False
        self._open = True
        self.delivery: Delivery | None = None
        self._on_close: OnClose | None = None

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to read the pipe and to deliver frames."""
        self.delivery, self._on_close = Delivery(on_frame, self._pause, self._resume), on_close
        self._resume()

    def send(self, frame: bytes) -> None:
        """Queue one frame without blocking; frames of one turn of the loop leave in one write."""
        if not self._open:
            return
        self._queue.append(frame)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    async def aclose(self) -> None:
        """Write what is queued as far as the pipe takes it, and close. Idempotent."""
        if self._open and self._queue:
            self._flush()
        self._close("closed by this client")

    # -- reading

    def _resume(self) -> None:
        if self._open:
            self._loop.add_reader(self._read_fd, self._readable)

    def _pause(self) -> None:
        if self._open:
            self._loop.remove_reader(self._read_fd)

    def _readable(self) -> None:
        assert self.delivery is not None
        budget, end = READ_BUDGET, self._loop.time() + TURN_S
        while self._open and budget > 0 and not self.delivery.paused and self._loop.time() < end:
            try:
                data = os.read(self._read_fd, READ_SIZE)
            except BlockingIOError:
                return
            except InterruptedError:
                continue
            except OSError as error:
                self._close(f"reading failed: {error}")
                return
            if not data:
                self._close(self._end_of_stream())
                return
            budget -= len(data)
            try:
                frames = self._splitter.feed(data)
            except ValueError as error:
                self._close(str(error))
                return
            self.delivery.add(frames)

    def _end_of_stream(self) -> str:
        cut = self._splitter.partial
        return "the browser closed the pipe" + (f" in the middle of a frame ({cut} bytes)" if cut else "")

    # -- writing

    def _flush(self) -> None:
        try:
            while self._open and self._queue:
                chunk = self._next_chunk()
                written = os.write(self._write_fd, chunk)
                if written < len(chunk):
                    self._queue.appendleft(memoryview(chunk)[written:])
        except (BlockingIOError, InterruptedError):
            self._queue.appendleft(memoryview(chunk))
            self._loop.add_writer(self._write_fd, self._writable)
        except OSError as error:
            self._close(f"writing failed: {error}")
        else:
            self._flushing = False

    def _writable(self) -> None:
        self._loop.remove_writer(self._write_fd)
        self._flush()

    def _next_chunk(self) -> bytes | memoryview:
        """Return the next bytes to write: the rest of a partly written frame, or small frames joined."""
        first = self._queue.popleft()
        if isinstance(first, memoryview):
            return first
        frames, size = [first], len(first)
        while self._queue and size < JOIN_LIMIT and isinstance(self._queue[0], bytes):
            frames.append(self._queue.popleft())  # type: ignore[arg-type]  # narrowed one line above
            size += len(frames[-1])
        frames.append(b"")
        return self._end.join(frames)

    # -- the end

    def _close(self, reason: str) -> None:
        if not self._open:
            return
        self._open = False
        self._queue.clear()
        if self.delivery is not None:
            self.delivery.clear()
        self._loop.remove_reader(self._read_fd)
        self._loop.remove_writer(self._write_fd)
        os.close(self._read_fd)
        os.close(self._write_fd)
        if self._on_close is not None:
            self._on_close(reason)
