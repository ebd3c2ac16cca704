"""One connection to a browser: the shell that performs what the mux decides.

The reader is the transport's callback. It never awaits and never runs user code that can: handlers are synchronous,
everything else reads from bounded buffers. No task is started per command or per event, and one timer serves all
deadlines.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

import msgspec

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.call import Decode, PendingCall, as_sent, untouched
from stillframe.cdp.looptime import RECOVERY_S, STALL_S, loop_time
from stillframe.cdp.mux import NEVER, REDUCED, Counters, Effect, Lost, Mux, Node, Opened, lost
from stillframe.cdp.session import Session
from stillframe.cdp.transport.base import Transport
from stillframe.security.redaction import logger

TICK = 0.02
"""Seconds by which a deadline may be late, so that deadlines close together share one wake-up."""

_logger = logger("stillframe.cdp")


class Connection:
    """Speaks the DevTools protocol over an open transport, from the moment it is made.

    Needs a running event loop and belongs to it. Close it with `aclose` or `async with`; whoever still waits for
    an answer then gets ConnectionLost.
    """

    def __init__(self, transport: Transport) -> None:
        self._loop = asyncio.get_running_loop()
        self._time = loop_time()
        self._transport = transport
        self._mux: Mux[PendingCall] = Mux()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = NEVER
        self._attaching: dict[str, int] = {}
        self._finished: asyncio.Future[None] = self._loop.create_future()
        self._closing: asyncio.Task[None] | None = None
        self.handler_errors = 0
        """Exceptions raised by handlers; each was logged."""
        self.sessions: dict[str, Session] = {}
        """The living sessions by id, the root among them."""
        self.root = self._register(self._mux.root)
        """The browser's own session; its id is empty."""
        transport.start(self._on_frame, self._on_close)

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self.sessions)} sessions, {len(self._mux.pending)} pending"
        return f"<Connection {self._transport.peer} {state}>"

    # -- state

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._finished.done()

    @property
    def error(self) -> errors.ConnectionLost | None:
        """Why the connection is gone; None while it lives."""
        error = self._mux.root.error
        assert error is None or isinstance(error, errors.ConnectionLost)
        return error

    @property
    def transport(self) -> Transport:
        """What the connection was made with."""
        return self._transport

    @property
    def counters(self) -> Counters:
        """What came that nobody waited for."""
        return self._mux.counters

    @property
    def pending(self) -> list[tuple[int, str, str]]:
        """The commands under way as (id, method, session id), oldest first: what to look at when something hangs."""
        return [(call.id, call.method, call.session_id) for call in self._mux.pending.values()]

    async def wait_closed(self) -> None:
        """Return when the connection is gone; see `error` for why."""
        await asyncio.shield(self._finished)

    async def aclose(self) -> None:
        """Close the transport and end everything that waits; a browser on a pipe then exits. May be called again."""
        await self._transport.aclose()
        self._on_close("closed by us")
        if self._closing is not None:
            await self._closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # -- commands

    def _start(
        self, node: Node, method: str, prefix: bytes, body: bytes, decode: Decode, timeout: float | None
    ) -> PendingCall:
        """Register and queue one command; what keeps it from being sent is in the future."""
        mux = self._mux
        call = PendingCall(loop=self._loop)
        call.mux, call.method, call.session_id, call.decode, call.timeout = mux, method, node.id, decode, timeout
        call.id = 0
        call.deadline = NEVER if timeout is None else self._time.now() + timeout
        if len(body) > wire.MAX_SENT - 1024:
            call.fail(wire.too_large(len(body), method, node.id))
            return call
        try:
            mux.open(node, call)
        except errors.SessionLost as error:
            call.fail(error)
            return call
        if mux.wake < self._timer_at:
            self._arm(mux.wake)
        try:
            self._transport.send(b'{"id":%d%b%b}' % (call.id, prefix, body))
        except ValueError as error:
            mux.forget(call)
            call.fail(errors.InputError(f"{method}: the parameters cannot be sent: {error}"))
        return call

    def _arm(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, NEVER
        if when < NEVER:
            self._timer_at = when
            self._timer = self._loop.call_at(self._time.wall(when + TICK), self._due)

    def _due(self) -> None:
        assert self._timer is not None
        if self._loop.time() - self._timer.when() > STALL_S:
            # The loop was stalled: the answers may lie in the socket, so they are read first.
            self._timer = self._loop.call_later(RECOVERY_S, self._expire)
        else:
            self._expire()

    def _expire(self) -> None:
        for call in self._mux.expire(self._time.now()):
            timeout = call.timeout or 0.0
            call.fail(
                errors.CommandTimeout(
                    f"{call.method}: no answer within {timeout:g} s; an open dialog or an endless script may hold up "
                    "the page, or the browser is stopped",
                    timeout=timeout,
                    method=call.method,
                    session_id=call.session_id,
                )
            )
        self._arm(self._mux.wake)

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
                _settle(call, message)
        elif message.method:
            self._on_event(message)
        else:
            self._unaddressed(message)

    def _skim(self, frame: wire.Frame) -> bool:
        """Hand a large result to a call that wants its bytes, without reading it; False when that cannot be."""
        found = wire.skim_id(frame)
        call = None if found is None else self._mux.pending.get(found[0])
        if found is None or call is None:
            return False
        if call.decode is not as_sent and (call.decode is not untouched or wire.is_cbor(frame)):
            return False
        result = wire.skim_result(frame, found[1], call.session_id)
        if result is None:
            return False
        self._mux.take(call.id)
        call.set_result(result)
        return True

    def _on_event(self, message: wire.Message) -> None:
        node = self._mux.find(message)
        if node is None:
            return
        if message.error is not None:
            self._mux.counters.malformed += 1
            _logger.error("%s was dropped: %s", message.method, message.error.message)
            return
        if message.method in REDUCED:
            for effect in self._mux.reduce(node, message):
                self._perform(effect)
        node.handle._deliver(message)

    def _unaddressed(self, message: wire.Message) -> None:
        """The browser could not read something we sent, and cannot say what: that is a bug of ours."""
        self._mux.counters.unaddressed += 1
        _logger.error("the browser could not read a message of ours: %s", message.error)

    def _break(self, error: errors.ProtocolError) -> None:
        """What follows an unreadable frame cannot be trusted either, so the connection ends."""
        if self._finished.done():
            return
        self._on_close(f"it was closed on {error}", error)
        self._closing = self._loop.create_task(self._transport.aclose())

    def _on_close(self, reason: str, cause: Exception | None = None) -> None:
        if self._finished.done():
            return
        self._finished.set_result(None)
        self._arm(NEVER)
        effect = self._mux.lose(reason)
        if self.error is not None:
            self.error.__cause__ = cause
        self._perform(effect)

    # -- effects

    def _perform(self, effect: Effect[PendingCall]) -> None:
        if isinstance(effect, Opened):
            self._open(effect)
        elif isinstance(effect, Lost):
            self._lose(effect)

    def _open(self, effect: Opened) -> None:
        session = self._register(effect.node)
        parent = session.parent
        # A target that waits was brought in by auto-attach, even while someone attaches to it by hand.
        by_hand = effect.node.target_id in self._attaching and not effect.waiting
        if parent is not None and parent._auto is not None and not by_hand:
            session._inherit(parent._auto, effect.waiting)
        for message in effect.parked:
            self._on_event(message)

    def _register(self, node: Node) -> Session:
        session = self.sessions[node.id] = node.handle = Session(self, node)
        return session

    def _lose(self, effect: Lost[PendingCall]) -> None:
        for call, error in effect.calls:
            call.fail(error)
        for node in effect.nodes:
            if not node.crashed:
                self.sessions.pop(node.id, None)
            assert node.error is not None
            node.handle._lost(node.error)

    def _handler_failed(self, what: str) -> None:
        self.handler_errors += 1
        _logger.exception("%s raised", what)

    # -- attaching

    async def _attach(self, parent: Session, target_id: str, timeout: float | None) -> Session:
        """See `Session.attach`. Should the caller be cancelled, the session that still comes is detached again."""

        def adopt(raw: msgspec.Raw) -> Session:
            return self._adopt(parent, target_id, msgspec.json.decode(raw, type=_AttachResult).session_id)

        self._attaching[target_id] = self._attaching.get(target_id, 0) + 1
        params = {"targetId": target_id, "flatten": True}
        call = parent._post("Target.attachToTarget", params, adopt, timeout)
        call.add_done_callback(lambda _call: self._attached(target_id))
        try:
            await asyncio.wait([call])
        except asyncio.CancelledError:
            call.add_done_callback(_leave)
            raise
        return call.result()  # type: ignore[no-any-return]

    def _adopt(self, parent: Session, target_id: str, session_id: str) -> Session:
        for effect in self._mux.adopt(session_id, parent._node, target_id):
            self._perform(effect)
        session = self.sessions.get(session_id)
        if session is None:
            raise lost(errors.TargetClosed, "Target.attachToTarget", session_id, "", target_id)
        return session

    def _attached(self, target_id: str) -> None:
        self._attaching[target_id] -= 1
        if not self._attaching[target_id]:
            del self._attaching[target_id]


def _leave(call: asyncio.Future[Session]) -> None:
    """Detach from what an abandoned attach brought."""
    if not call.cancelled() and call.exception() is None:
        call.result()._post_detach()


class _AttachResult(msgspec.Struct, rename="camel"):
    session_id: str


def _settle(call: PendingCall, message: wire.Message) -> None:
    """Give a call its answer."""
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
