"""One connection to a browser: reads its messages and routes them to calls and sessions.

The transport calls the reader. The reader never awaits: event handlers are synchronous, everything else reads from
bounded buffers, and no task is started per event.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.call import PendingCall, raw_any, raw_json
from stillframe.cdp.channel import Channel
from stillframe.cdp.mux import NEVER, Counters
from stillframe.cdp.session import CDPSession, dispatch, make_session, perform
from stillframe.cdp.transport.base import Transport
from stillframe.security.redaction import logger

_logger = logger("stillframe.cdp")


class Connection:
    """Speaks the DevTools protocol over an open transport, starting when it is made.

    It needs a running event loop and belongs to it. Close it with `aclose` or `async with`; every command that is
    still pending then fails with ConnectionLost.
    """

    def __init__(self, transport: Transport) -> None:
        self._loop = asyncio.get_running_loop()
        self._channel = Channel(transport)
        self._mux = self._channel.mux
        self._finished: asyncio.Future[None] = self._loop.create_future()
        self._closing: asyncio.Task[None] | None = None
        self.root = make_session(self._channel, self._mux.root)
        """The browser's own session; its id is empty."""
        transport.start(self._on_frame, self._on_close)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self._mux.sessions)} sessions, {len(self._mux.pending)} pending"
        return f"<Connection {self.transport.peer} {state}>"

    # -- state

    @property
    def closed(self) -> bool:
        """Whether the connection is closed or lost."""
        return self._finished.done()

    @property
    def error(self) -> errors.ConnectionLost | None:
        """Why the connection ended; None while it is open."""
        error = self._mux.root.error
        assert error is None or isinstance(error, errors.ConnectionLost)
        return error

    @property
    def sessions(self) -> dict[str, CDPSession]:
        """The live sessions by id, including the root."""
        return {state.id: state.handle for state in self._mux.sessions.values()}

    @property
    def transport(self) -> Transport:
        """The transport that the connection was made with."""
        return self._channel.transport

    @property
    def counters(self) -> Counters:
        """Counts of unexpected messages."""
        return self._mux.counters

    @property
    def handler_errors(self) -> int:
        """How many exceptions event handlers have raised; each is logged."""
        return self._channel.handler_errors

    @property
    def pending(self) -> list[tuple[int, str, str]]:
        """The unanswered commands as (id, method, session id), oldest first; look here when something hangs."""
        return self._channel.pending

    async def wait_closed(self) -> None:
        """Wait until the connection has ended; `error` says why."""
        await asyncio.shield(self._finished)

    async def aclose(self) -> None:
        """Close the transport and fail everything that waits; idempotent. A browser on a pipe exits after this."""
        await self.transport.aclose()
        self._on_close("closed by this client")
        if self._closing is not None:
            await self._closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # -- the reader

    def _on_frame(self, frame: wire.Frame) -> None:
        if len(frame) >= wire.LARGE and self._skim(frame):
            return
        try:
            message = wire.decode(frame)
        except errors.ProtocolError as error:
            self._break(error)
            return
        if message.id is not None:
            call = self._mux.take(message.id)
            if call is not None:
                _answer(call, message)
        elif message.method:
            dispatch(self._channel, message)
        else:
            self._unaddressed(message)

    def _skim(self, frame: wire.Frame) -> bool:
        """Pass a large result unparsed to a call that wants raw bytes; return False if that is impossible."""
        found = wire.skim_id(frame)
        call = None if found is None else self._mux.pending.get(found[0])
        if found is None or call is None:
            return False
        if call.decode is not raw_any and (call.decode is not raw_json or wire.is_cbor(frame)):
            return False
        result = wire.skim_result(frame, found[1], call.session_id)
        if result is None:
            return False
        self._mux.take(call.id)
        call.set_result(result)
        return True

    def _unaddressed(self, message: wire.Message) -> None:
        """Report that the browser could not parse a message; it cannot say which one, and this client is at fault."""
        self._mux.counters.unaddressed += 1
        _logger.error("the browser could not parse a message of this client: %s", message.error)

    def _break(self, error: errors.ProtocolError) -> None:
        """End the connection after an unreadable frame, because nothing after it can be trusted."""
        if self._finished.done():
            return
        self._on_close(f"closed after an unreadable message: {error}", error)
        self._closing = self._loop.create_task(self.transport.aclose())

    def _on_close(self, reason: str | errors.ConnectionLost, cause: Exception | None = None) -> None:
        if self._finished.done():
            return
        self._finished.set_result(None)
        self._channel.wake_at(NEVER)
        effect = self._mux.disconnect(reason)
        if self.error is not None and cause is not None:
            self.error.__cause__ = cause
        perform(self._channel, effect)


def _answer(call: PendingCall, message: wire.Message) -> None:
    """Finish a call with its answer."""
    if call.done():
        return
    if message.error is not None:
        call.fail(wire.failure(message.error, call.method, call.session_id))
        return
    try:
        call.set_result(call.decode(message.result))
    except errors.StillframeError as error:
        call.fail(error)
    except Exception as error:
        call.fail(wire.misfit(call.method, message.result, error))
