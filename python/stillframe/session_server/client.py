"""Send requests to the background process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe._core import __version__
from stillframe.extend import time_limit
from stillframe.session_server.address import SOCKET
from stillframe.session_server.errors import SessionServerFailed
from stillframe.session_server.messages import LIMIT, Answer, CallMessage, error_of, line
from stillframe.session_server.peer import peer_of

if TYPE_CHECKING:
    from pathlib import Path

GREETING_S = 15.0
"""Seconds for the process to greet; it takes a millisecond, and some seconds on a machine with far too much to do."""


class NotRunning(SessionServerFailed):
    """No background process runs."""

    def __init__(self) -> None:
        super().__init__("no sessions run in the background: open one with `stillframe session open NAME`")


class Ended(SessionServerFailed):
    """The background process has ended during a request."""

    def __init__(self) -> None:
        super().__init__("the background process ended during the request, and its sessions with it: open them again")


async def request(directory: Path, call: str, session: str = "", **fields: Any) -> Any:
    """Send a request and return its result; raises the error that it ends with, NotRunning if there is no process."""
    async with contextlib.aclosing(answers(directory, call, session, **fields)) as all_answers:
        async for answer in all_answers:
            if answer.is_last:
                return answer.result
    raise AssertionError("`answers` ends with a result or raises")


async def answers(directory: Path, call: str, session: str = "", **fields: Any) -> AsyncGenerator[Answer]:
    """Send a request and yield its answers, the result last; raises as `request` does."""
    try:
        reader, writer = await asyncio.open_unix_connection(directory / SOCKET, limit=LIMIT)
    except (FileNotFoundError, ConnectionRefusedError):
        raise NotRunning from None
    except OSError as error:
        raise SessionServerFailed(f"cannot reach the sessions in the background: {error.strerror}") from None
    try:
        if not await _greeted(reader, writer):
            raise NotRunning  # it was about to end when it was asked
        writer.write(line(CallMessage(call, __version__, session, fields)))
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        while content := await _line(reader):
            answer = msgspec.json.decode(content, type=Answer)
            if answer.error is not None:
                raise error_of(answer.error)
            yield answer
            if answer.is_last:
                return
        raise Ended
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _greeted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Return whether the process greets; raises SessionServerFailed if it neither does so nor ends.

    Whatever the request is, a process that is stopped or stuck does not keep the command waiting.
    """
    try:
        async with time_limit(GREETING_S):
            return bool(await _line(reader))
    except TimeoutError:
        pid = peer_of(writer).pid
        raise SessionServerFailed(
            f"the background process{f' {pid}' if pid else ''} has not answered for {GREETING_S:g} s: "
            f"end it{f' with `kill -9 {pid}`' if pid else ''}, and open the sessions again"
        ) from None


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        content = await reader.readline()
    except ConnectionError:
        return b""
    return content if content.endswith(b"\n") else b""
