"""The sending side of a connection: numbers commands, writes them, and fails those that exceed their time limit.

No task is started per command, and one timer serves all deadlines.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.call import Decode, PendingCall
from stillframe.cdp.loop_clock import RECOVERY_S, STALL_S, loop_clock
from stillframe.cdp.mux import NEVER, Mux, SessionState
from stillframe.cdp.transport.base import Transport
from stillframe.security.redaction import logger

TICK_S = 0.02
"""How late a deadline may fire, in seconds, so that deadlines close together share one wake-up."""

ENVELOPE_BYTES = 1024
"""Room left in a message for its id, method and session id."""

_logger = logger("stillframe.cdp")


class Channel:
    """What every session of a connection shares: the transport, the mux and the deadline timer."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.mux: Mux[PendingCall] = Mux()
        self.attaching: Counter[str] = Counter()
        """Running `CDPSession.attach` calls per target id."""
        self.handler_errors = 0
        """Exceptions raised by event handlers; each is logged."""
        self._loop = asyncio.get_running_loop()
        self._clock = loop_clock()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = NEVER

    @property
    def pending(self) -> list[tuple[int, str, str]]:
        """The unanswered commands as (id, method, session id), oldest first; look here when something hangs."""
        return [(call.id, call.method, call.session_id) for call in self.mux.pending.values()]

    def start(
        self, session: SessionState, method: str, prefix: bytes, body: bytes, decode: Decode, timeout: float | None
    ) -> PendingCall:
        """Register and queue one command; if it cannot be sent, the future holds the error."""
        mux = self.mux
        call = PendingCall(loop=self._loop)
        call.mux, call.method, call.session_id, call.decode, call.timeout = mux, method, session.id, decode, timeout
        call.id = 0
        call.deadline = NEVER if timeout is None else self._clock.now() + timeout
        call.since = self._clock.stalled
        if len(body) > wire.MAX_SENT - ENVELOPE_BYTES:
            call.fail(wire.too_large(len(body), method, session.id))
            return call
        try:
            mux.open(session, call)
        except errors.SessionLost as error:
            call.fail(error)
            return call
        if mux.wake < self._timer_at:
            self.wake_at(mux.wake)
        try:
            self.transport.send(b'{"id":%d%b%b}' % (call.id, prefix, body))
        except ValueError as error:
            mux.forget(call)
            call.fail(errors.InputError(f"{method}: the parameters cannot be sent: {error}"))
        return call

    def wake_at(self, when: float) -> None:
        """Check the deadlines at `when` by the loop's clock, and not before; NEVER stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._timer_at = None, NEVER
        if when < NEVER:
            self._timer_at = when
            self._timer = self._clock.call_roughly_at(when + TICK_S, self._due)

    def attached(self, target_id: str) -> None:
        """Note that one `CDPSession.attach` call has finished."""
        self.attaching[target_id] -= 1
        if not self.attaching[target_id]:
            del self.attaching[target_id]

    def handler_failed(self, what: str) -> None:
        """Count and log the current exception, which `what` raised."""
        self.handler_errors += 1
        _logger.exception("%s raised", what)

    def _due(self) -> None:
        assert self._timer is not None
        if self._loop.time() - self._timer.when() > STALL_S:
            # The loop was blocked: answers may wait in the socket, so read them before any deadline expires.
            self._timer = self._clock.call_roughly_at(self._clock.now() + RECOVERY_S, self._expire)
        else:
            self._expire()

    def _expire(self) -> None:
        for call in self.mux.expire(self._clock.now(), self._clock.uncounted):
            timeout = call.timeout or 0.0
            call.fail(
                errors.CommandTimeout(
                    # What is left of a limit that began a moment ago is shown as that limit.
                    f"{call.method}: no answer within {round(timeout, 2) or timeout:g} s; a dialog or an endless "
                    "script may block the page, or the browser process is stopped",
                    timeout_ms=round(timeout * 1000, 0),
                    method=call.method,
                    session_id=call.session_id,
                )
            )
        self.wake_at(self.mux.wake)
