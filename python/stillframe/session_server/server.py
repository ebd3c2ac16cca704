"""The background process: keeps the sessions of a user and answers the commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from stillframe._core import __version__
from stillframe.errors import InputError, StillframeError
from stillframe.extend import page_state
from stillframe.extend.signals import Committed, Effect, Mutated, NavigatedWithinDocument, Signal
from stillframe.model.change import StateChange
from stillframe.model.structs import Value
from stillframe.model.verdict import Reason
from stillframe.security.input_files import InputRefused, read_json
from stillframe.security.redaction import logger
from stillframe.security.secret_store import Secrets
from stillframe.session_server.errors import SessionServerFailed
from stillframe.session_server.messages import (
    LIMIT,
    ActFields,
    Answer,
    CallMessage,
    Greeting,
    OpenFields,
    TextFields,
    failure_of,
    line,
)
from stillframe.session_server.peer import peer_of
from stillframe.sessions.sessions import Sessions

if TYPE_CHECKING:
    import socket

    from stillframe import Page
    from stillframe.core import Snapshot

# The changes of a page as they happen, whatever causes them.

NEWS = (Mutated, Committed, NavigatedWithinDocument)
"""Signals after which the page may look different."""


class Delta(Value, frozen=True, kw_only=True, rename="camel"):
    """One change of a watched page, and how the page came to rest."""

    url: str
    reason: Reason
    detail: str | None
    state_change: StateChange


async def deltas(page: Page) -> AsyncIterator[Delta]:
    """Yield each change of a page once the page is still, until it is closed; the first look yields nothing."""
    state = page_state(page)
    changed = asyncio.Event()
    changed.set()

    def heard(_now: float, signal: Signal, _effects: tuple[Effect, ...]) -> None:
        if isinstance(signal, NEWS):
            changed.set()

    removes = state.on_signal(heard), state.listen("close", lambda _: changed.set())
    last: Snapshot | None = None
    try:
        while await changed.wait() and not page.closed:
            changed.clear()
            try:
                verdict, snapshot = await page.settle(), await page.snapshot()
            except StillframeError:
                continue  # a page that crashed or was closed; the next signal tells
            last, before = snapshot, last
            change = state.compare(before, last)
            if change is not None:
                delta = Delta(url=page.url, reason=verdict.reason, detail=verdict.detail, state_change=change)
                yield state.redact(delta)
    finally:
        for remove in removes:
            remove()


IDLE_S = 600.0
"""Seconds without a session and without a request after which the process ends."""

LOOK_S = 2.0
"""Seconds between looks whether the socket is still reachable."""

log = logger("stillframe.sessions")

Fields = TypeVar("Fields", OpenFields, ActFields, TextFields)

Emit = Callable[[Any], Awaitable[None]]


class SessionServer:
    """Answers requests until it has been idle for `idle_s` seconds, or `stop` is called."""

    def __init__(self, sessions: Sessions, *, idle_s: float = IDLE_S) -> None:
        self._sessions = sessions
        self._idle_s = idle_s
        self._stopped = asyncio.Event()
        self._stop_requested = False
        self._connections: set[asyncio.Task[None]] = set()
        self._used_at = time.monotonic()
        self._calls: dict[str, Callable[[CallMessage, Emit], Awaitable[Any]]] = {
            "open": self._open,
            "list": self._list,
            "close": self._close,
            "act": self._act,
            "text": self._text,
            "watch": self._watch,
            "stop": self._stop,
        }

    async def serve(self, listening: socket.socket, is_reachable: Callable[[], bool] = lambda: True) -> None:
        """Serve on a listening socket until the end, which also comes once the socket is not reachable any more."""
        server = await asyncio.start_unix_server(self._connected, sock=listening, limit=LIMIT)
        try:
            await self._needed(is_reachable)
        finally:
            server.close()
            for task in tuple(self._connections):
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    def stop(self) -> None:
        """End `serve`; the sessions close with their block."""
        self._stopped.set()

    async def _needed(self, is_reachable: Callable[[], bool]) -> None:
        """Wait until nothing has needed the process for long enough, or nothing can reach it."""
        while not self._stopped.is_set() and is_reachable():
            if self._connections or self._sessions.list():
                self._used_at = time.monotonic()
            left = self._used_at + self._idle_s - time.monotonic()
            if left <= 0:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, LOOK_S)):  # noqa: TID251  a pause of an idle process, without a heartbeat
                    await self._stopped.wait()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if _is_own(writer):
                await self._answer(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client is gone, or the process ends
        finally:
            self._connections.discard(task)
            self._used_at = time.monotonic()
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            if self._stop_requested:
                self.stop()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def emit(event: Any) -> None:
            writer.write(line(Answer(event=event)))
            await writer.drain()

        writer.write(line(Greeting(__version__)))
        try:
            content = await reader.readline()
        except ValueError:
            content = b""  # longer than LIMIT, which no command sends
        last = await self._until_gone(reader, self._result(content, emit))
        if last is not None:
            writer.write(line(last))
            await writer.drain()

    async def _until_gone(self, reader: asyncio.StreamReader, work: Any) -> Answer | None:
        """Do some work unless the client leaves before it is done."""
        working = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, leaving):
                if not task.done():
                    task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)
        return None if working.cancelled() else working.result()

    async def _result(self, content: bytes, emit: Emit) -> Answer:
        try:
            request = read_json(content, CallMessage)
            return Answer(result=await self._call_of(request)(request, emit))
        except InputRefused as error:
            return Answer(error=failure_of(InputError(f"the request is not valid: {error}")))
        except StillframeError as error:
            return Answer(error=failure_of(error))
        except Exception as error:
            log.exception("a request failed")
            return Answer(
                error=failure_of(SessionServerFailed(f"a bug in stillframe: {type(error).__name__}: {error}"))
            )

    def _call_of(self, request: CallMessage) -> Callable[[CallMessage, Emit], Awaitable[Any]]:
        if request.version != __version__ and request.call != "stop":
            raise SessionServerFailed(
                f"the sessions in the background run stillframe {__version__}, and this command is "
                f"{request.version}: close them with `stillframe session stop`"
            )
        call = self._calls.get(request.call)
        if call is None:
            raise InputError(f"unknown request {request.call!r}")
        return call

    # -- requests ----------------------------------------------------------------------------------

    async def _open(self, request: CallMessage, _emit: Emit) -> Any:
        fields = _fields(request, OpenFields)
        options: dict[str, Any] = {"url": fields.url}
        if fields.secrets is not None:
            options["secrets"] = Secrets.load(fields.secrets)
        if not fields.headless:
            options |= {"headless": False, "own_browser": True}
        if fields.trace is not None:
            options |= {"trace": fields.trace, "trace_screenshots": fields.trace_screenshots}
        if fields.dialogs is not None:
            options["dialogs"] = fields.dialogs
        session = await self._sessions.open(request.session, **options)
        return session.info()

    async def _list(self, _request: CallMessage, _emit: Emit) -> Any:
        return {"sessions": self._sessions.list(), "pid": os.getpid(), "version": __version__}

    async def _close(self, request: CallMessage, _emit: Emit) -> Any:
        await self._sessions.close_session(request.session)
        return {"closed": request.session}

    async def _act(self, request: CallMessage, _emit: Emit) -> Any:
        session = self._sessions.get(request.session)
        fields = _fields(request, ActFields)
        return await session.execute_sequence(fields.actions, **fields.options)

    async def _text(self, request: CallMessage, _emit: Emit) -> Any:
        session = self._sessions.get(request.session)
        fields = _fields(request, TextFields)
        async with session.lock:
            return await session.page.aria_snapshot(budget=fields.budget)

    async def _watch(self, request: CallMessage, emit: Emit) -> Any:
        async for delta in deltas(self._sessions.get(request.session).page):
            await emit(delta)
        return {}

    async def _stop(self, _request: CallMessage, _emit: Emit) -> Any:
        self._stop_requested = True  # after the answer is sent
        return {"stopped": os.getpid()}


def _fields(request: CallMessage, kind: type[Fields]) -> Fields:
    try:
        return msgspec.convert(request.fields, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"the fields of {request.call!r} are not valid: {error}") from None


def _is_own(writer: asyncio.StreamWriter) -> bool:
    """Return whether the client runs as the user of this process; the directory keeps others out already."""
    return peer_of(writer).uid in (os.getuid(), None)


@contextlib.asynccontextmanager
async def sessions_for(idle_s: float) -> AsyncIterator[SessionServer]:
    """Yield a server with sessions of its own, which close with the block."""
    async with Sessions() as sessions:
        yield SessionServer(sessions, idle_s=idle_s)
