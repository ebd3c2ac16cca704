"""What a program of an emulated device reads and writes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from stillframe_phone.emulated.files import EmulatedFiles

Sink = Callable[[bytes], object]
"""Takes output."""
Source = Callable[[], Awaitable[bytes]]
"""Returns the next bytes of the input, b"" at its end."""


async def no_input() -> bytes:
    """Return the end of an input at once."""
    return b""


class Input:
    """Reads a source in lines or as a whole."""

    def __init__(self, source: Source = no_input, content: bytes = b"") -> None:
        self._source = source
        self._buffer = content

    async def read(self) -> bytes:
        """Return everything up to the end."""
        chunks = [self._buffer]
        self._buffer = b""
        while data := await self._source():
            chunks.append(data)
        return b"".join(chunks)

    async def line(self) -> bytes:
        """Return the next line with its newline, b"" at the end."""
        while b"\n" not in self._buffer:
            data = await self._source()
            if not data:
                break
            self._buffer += data
        head, newline, self._buffer = self._buffer.partition(b"\n")
        return head + newline


class Streams(NamedTuple):
    """Input, output and error output of a command."""

    stdin: Input
    stdout: Sink
    stderr: Sink

    def complain(self, text: str) -> None:
        """Write a line to the error output; what came from bytes that are not UTF-8 becomes these bytes again."""
        self.stderr(f"{text}\n".encode(errors="surrogateescape"))


class Call(NamedTuple):
    """One run of a program: its arguments, its streams, and the files of the device."""

    name: str
    arguments: list[str]
    streams: Streams
    files: EmulatedFiles
    environment: Mapping[str, str]

    def out(self, data: str | bytes) -> None:
        """Write to the output; text is encoded."""
        self.streams.stdout(data if isinstance(data, bytes) else data.encode(errors="surrogateescape"))

    def err(self, text: str) -> None:
        """Write a line to the error output."""
        self.streams.complain(text)

    def fail(self, text: str, status: int = 1) -> int:
        """Write a line with the name of the program to the error output, and return the exit status."""
        self.err(f"{self.name}: {text}")
        return status


Program = Callable[[Call], int | Awaitable[int | None] | None]
"""Runs one command and returns its exit status, where None is 0; it may be a coroutine function."""


async def run_program(program: Program, call: Call) -> int:
    """Run a program, also one that is a coroutine function, and return its exit status."""
    status = program(call)
    if inspect.isawaitable(status):
        status = await status
    return status or 0


def cause(failure: OSError) -> str:
    """Return what programs print of an OSError: `No such file or directory`."""
    return failure.strerror or str(failure)
