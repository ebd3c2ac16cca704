"""Send requests to the background process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from stillframe._core import __version__
from stillframe.errors import SessionServerFailed
from stillframe.session_server.address import SOCKET
from stillframe.session_server.messages import LIMIT, Answer, Request, error_of, line


class NotRunning(SessionServerFailed):
    """No background process runs."""


async def request(directory: Path, call: str, session: str = "", **fields: Any) -> Any:
    """Send a request and return its result; raises the error that it ends with, NotRunning if there is no process."""
    async for answer in answers(directory, call, session, **fields):
        if answer.is_last:
            return answer.result
    raise AssertionError("`answers` ends with a result or raises")


async def answers(directory: Path, call: str, session: str = "", **fields: Any) -> AsyncIterator[Answer]:
    """Send a request and yield its answers, the result last; raises as `request` does."""
    try:
        reader, writer = await asyncio.open_unix_connection(directory / SOCKET, limit=LIMIT)
    except (FileNotFoundError, ConnectionRefusedError):
        raise NotRunning("no sessions run in the background: open one with `stillframe session open NAME`") from None
    except OSError as error:
        raise SessionServerFailed(f"cannot reach the sessions in the background: {error.strerror}") from None
    try:
        writer.write(line(Request(call, __version__, session, fields)))
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        while content := await _line(reader):
            answer = msgspec.json.decode(content, type=Answer)
            if answer.error is not None:
                raise error_of(answer.error)
            yield answer
            if answer.is_last:
                return
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    raise SessionServerFailed(
        "the background process ended during the request, and its sessions with it: open them again"
    )


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        content = await reader.readline()
    except ConnectionError:
        return b""
    return content if content.endswith(b"\n") else b""
