"""One CDP session: the commands, events and child sessions of one attached target, or of the browser itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import msgspec

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.batch import Batch
from stillframe.cdp.call import (
    Decode,
    PendingCall,
    decoder_for,
    ignore_result,
    raw_any,
    raw_json,
    result_decoder,
    to_builtins,
)
from stillframe.cdp.channel import Channel
from stillframe.cdp.listeners import EventListeners
from stillframe.cdp.mux import STATE_EVENTS, Effect, SessionOpened, SessionsLost, SessionState, lost_error
from stillframe.cdp.subscription import DEFAULT_BUFFER, Event, Expectation, Policy, Subscription
from stillframe.cdp_types import _base
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp_types.target import FilterEntry, TargetInfo

R = TypeVar("R")
E = TypeVar("E", bound=_base.Event)

DEFAULT_TIMEOUT = 30.0
"""Seconds before a command without an explicit time limit fails with CommandTimeout; Playwright's default as well."""

_logger = logger("stillframe.cdp")
_encode = msgspec.json.Encoder().encode

# A no-op that passes through the target: frames and workers have V8's inspector; browser and tab targets have no V8.
_NO_OPS = {"browser": "Browser.getVersion", "tab": "Target.getTargetInfo"}
_NO_OP = "Runtime.getIsolateId"


class _AutoAttach(NamedTuple):
    prepare: Callable[[CDPSession], object]
    params: dict[str, Any]


class CDPSession:
    """Sends commands to one target and receives its events. Made by `Connection` and `attach`, never directly.

    Every command may raise, besides the errors its method names: CdpError or ContextLost (the browser refused it),
    SessionDetached, TargetClosed, TargetCrashed or ConnectionLost (there is nothing left to answer), CommandTimeout,
    MessageTooLarge and InputError (the parameters are not JSON).
    """

    def __init__(self, channel: Channel, state: SessionState) -> None:
        self.channel = channel
        """What all sessions of the connection share."""
        self._state = state
        self._start = channel.start
        self._prefixes: dict[str, bytes] = {}
        self._listeners = EventListeners(channel)
        self._subscriptions: set[Subscription[Any]] = set()
        self._auto: _AutoAttach | None = None
        self._info: tuple[msgspec.Raw, TargetInfo] | None = None

    def __repr__(self) -> str:
        state = self._state
        error = f" {type(state.error).__name__}" if state.error else ""
        return f"<CDPSession {state.id[:8] or 'root'} {state.target_type} {state.target_id[:8]}{error}>"

    # -- identity

    @property
    def session_id(self) -> str:
        """The protocol's session id; empty for the browser itself."""
        return self._state.id

    @property
    def target_id(self) -> str:
        """The id of the attached target (for an iframe target, the frame id); empty for the browser."""
        return self._state.target_id

    @property
    def target_type(self) -> str:
        """`page`, `iframe`, `worker`, `service_worker`, …; `browser` for the root session."""
        return self._state.target_type

    @property
    def target_info(self) -> TargetInfo | None:
        """The latest information about the target; None for the browser, and until its event arrives."""
        raw = self._state.info
        if raw is None:
            return None
        if self._info is None or self._info[0] is not raw:
            from stillframe.cdp_types.target import TargetInfo  # importing a domain takes milliseconds

            self._info = raw, wire.decode_value(decoder_for(TargetInfo), raw, "target info")
        return self._info[1]

    @property
    def root(self) -> CDPSession:
        """The browser's own session on the same connection."""
        return self.channel.mux.root.handle  # type: ignore[no-any-return]

    @property
    def parent(self) -> CDPSession | None:
        """The session that attached this one; None for the root session."""
        parent = self._state.parent
        return None if parent is None else parent.handle

    @property
    def children(self) -> list[CDPSession]:
        """The live sessions attached through this one."""
        return [state.handle for state in self._state.children.values()]

    @property
    def error(self) -> errors.SessionLost | None:
        """Why commands fail; None while the session lives. A reload of the page clears TargetCrashed."""
        return self._state.error

    # -- commands

    async def send(self, command: _base.Command[R], *, timeout: float | None = DEFAULT_TIMEOUT) -> R:
        """Send a command and return its typed result (None where the protocol defines none).

        Args:
            command: The command, of `stillframe.cdp_types`.
            timeout: The limit of the answer, in seconds; None for no limit.

        Raises:
            CdpError: The browser refuses it.
            SessionLost: There is nothing left to answer.
            CommandTimeout: No answer comes within `timeout`.
        """
        return await self.post(command, timeout=timeout)

    def post(self, command: _base.Command[R], *, timeout: float | None = DEFAULT_TIMEOUT) -> asyncio.Future[R]:
        """Queue a command now and return the future of its result.

        It raises only InputError; every other error is in the future. The future need not be awaited: asyncio does
        not log an error that nobody retrieves.

        Args:
            command: The command, of `stillframe.cdp_types`.
            timeout: The limit of the answer, in seconds; None for no limit.

        Raises:
            InputError: The parameters are not JSON.
        """
        return self._post(command.method, command, result_decoder(type(command)), timeout)

    async def send_raw(
        self,
        command: _base.Command[Any] | str,
        params: dict[str, Any] | None = None,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        any_encoding: bool = False,
    ) -> msgspec.Raw:
        """Send a command and return its result as bytes, neither decoded nor copied.

        Text from pages may contain lone surrogates, which strict JSON parsers reject; see `wire.mend`.

        Args:
            command: The command, or its method name.
            params: The parameters of a method name.
            timeout: The limit of the answer, in seconds; None for no limit.
            any_encoding: Whether a large result from a CBOR pipe stays CBOR (`wire.is_cbor`), which saves the
                conversion to JSON; `Snapshot` reads both.

        Raises:
            CdpError: The browser refuses it.
            SessionLost: There is nothing left to answer.
            CommandTimeout: No answer comes within `timeout`.
        """
        decode = raw_any if any_encoding else raw_json
        if isinstance(command, str):
            result = self._post(command, params or {}, decode, timeout)
        else:
            result = self._post(command.method, command, decode, timeout)
        return await result  # type: ignore[no-any-return]

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, timeout: float | None = DEFAULT_TIMEOUT
    ) -> Any:
        """Send a command by its method name, known or not; parameters and result are plain dicts and lists.

        Args:
            method: The method name, such as `Page.enable`.
            params: The parameters.
            timeout: The limit of the answer, in seconds; None for no limit.

        Raises:
            CdpError: The browser refuses it.
            SessionLost: There is nothing left to answer.
            CommandTimeout: No answer comes within `timeout`.
        """
        return await self._post(method, params or {}, to_builtins, timeout)

    def batch(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> Batch:
        """Send several commands in one write: `async with s.batch() as b: future = b.send(command)`."""
        return Batch(partial(self.post, timeout=timeout))

    async def drain_events(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Wait until every event that the target has sent so far is delivered.

        This takes one round trip without side effects: through the renderer or worker, else through the browser.
        """
        await self._post(_NO_OPS.get(self.target_type, _NO_OP), {}, raw_json, timeout)

    def _post(self, method: str, params: Any, decode: Decode, timeout: float | None) -> PendingCall:
        prefix = self._prefixes.get(method)
        if prefix is None:
            prefix = self._prefixes[method] = wire.prefix(method, self._state.id)
        try:
            body = _encode(params)
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise errors.InputError(f"{method}: the parameters cannot be sent as JSON: {error}") from error
        return self._start(self._state, method, prefix, body, decode, timeout)

    # -- events

    @overload
    def on(self, event: type[E], handler: Callable[[E], object]) -> Callable[[], None]: ...
    @overload
    def on(self, event: str, handler: Callable[[Event], object]) -> Callable[[], None]: ...
    def on(self, event: type[Any] | str, handler: Callable[[Any], object]) -> Callable[[], None]:
        """Call `handler` with every event of this kind, inline and in order; return the function that removes it.

        What the handler raises is logged and counted; the other handlers still run. It must not block.

        Args:
            event: The class of the event, or its method name.
            handler: A function of the event: a typed one for a class, an undecoded `Event` for a method name.

        Returns:
            A function that takes the handler back.
        """
        return self._listeners.add(event, handler)

    def subscribe(
        self,
        *events: type[Any] | str,
        where: Callable[[Any], object] | None = None,
        maxsize: int = DEFAULT_BUFFER,
        policy: Policy = "drop_oldest",
    ) -> Subscription[Any]:
        """Buffer these events from now on, for iteration.

        A crash of the target ends the subscription, because nothing else will arrive; one made after the crash stays
        open.

        Args:
            *events: The classes of the events, or their method names.
            where: A function that filters events; it runs inline.
            maxsize: How many events the buffer holds.
            policy: What a full buffer does; see `Policy`.
        """
        if maxsize < 1:
            raise errors.OptionInvalid(f"maxsize is {maxsize}; it must be at least 1", option="maxsize")
        subscription: Subscription[Any] = Subscription(where, maxsize, policy)
        subscription._removers = [self.on(event, subscription._put) for event in events]
        subscription._removers.append(lambda: self._subscriptions.discard(subscription))
        self._subscriptions.add(subscription)
        if self.error is not None and not self._state.crashed:
            subscription._end(self.error)
        return subscription

    @overload
    def expect(
        self,
        event: type[E],
        *,
        where: Callable[[E], object] | None = ...,
        timeout: float | None = ...,
    ) -> Expectation[E]: ...
    @overload
    def expect(
        self, event: str, *, where: Callable[[Event], object] | None = ..., timeout: float | None = ...
    ) -> Expectation[Event]: ...
    def expect(
        self,
        event: type[Any] | str,
        *,
        where: Callable[[Any], object] | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> Expectation[Any]:
        """Wait for an event that the block causes: `async with s.expect(page.LoadEventFired) as ev: …`.

        Listening starts with this call, before the block runs. After the block, `ev.value` is the event.

        Args:
            event: The class of the event, or its method name.
            where: A function that filters events; it runs inline.
            timeout: The limit of the wait, in seconds; None for no limit.

        Raises:
            CommandTimeout: At the end of the block, none has arrived within `timeout`.
        """
        name = event if isinstance(event, str) else event.method
        return Expectation(self.subscribe(event, where=where), name, timeout, self.session_id)

    def on_closed(self, handler: Callable[[errors.SessionLost], object]) -> Callable[[], None]:
        """Call `handler` once when the session ends (a crash does not end it), or at once if it has ended."""
        if self.error is not None and not self._state.crashed:
            handler(self.error)
            return lambda: None
        return self._listeners.add_closed(handler)

    # -- targets

    async def attach(self, target_id: str, *, timeout: float | None = DEFAULT_TIMEOUT) -> CDPSession:
        """Attach to a target of the browser, or one related to this target, and return its session.

        If the caller is cancelled, the session that still arrives is detached again.

        Args:
            target_id: The id of the target.
            timeout: The limit of the answer, in seconds; None for no limit.

        Raises:
            CdpError: There is no such target.
            CommandTimeout: No answer comes within `timeout`.
        """

        def adopt(raw: msgspec.Raw) -> CDPSession:
            return _adopt(self, target_id, msgspec.json.decode(raw, type=dict[str, str])["sessionId"])

        self.channel.attaching[target_id] += 1
        call = self._post("Target.attachToTarget", {"targetId": target_id, "flatten": True}, adopt, timeout)
        call.add_done_callback(lambda _call: self.channel.attached(target_id))
        try:
            await asyncio.wait([call])
        except asyncio.CancelledError:
            call.add_done_callback(_detach_result)
            raise
        return call.result()  # type: ignore[no-any-return]

    async def detach(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Detach from the target, which lives on; pending commands fail with SessionDetached."""
        if self.parent is None:
            raise errors.InputError("the browser's own session cannot be detached; close the connection instead")
        if self.error is None or self._state.crashed:
            await self._post_detach(timeout)

    def _post_detach(self, timeout: float | None = DEFAULT_TIMEOUT) -> asyncio.Future[Any]:
        parent = self.parent
        assert parent is not None
        self._state.detaching = True
        return parent._post("Target.detachFromTarget", {"sessionId": self.session_id}, ignore_result, timeout)

    def auto_attach(
        self,
        prepare: Callable[[CDPSession], object],
        filter: Sequence[FilterEntry | dict[str, Any]] | None = None,
        wait_for_debugger: bool = True,
    ) -> asyncio.Future[None]:
        """Attach to every related target, now and later: pages, out-of-process iframes, workers, and their children.

        The child session auto-attaches in turn (unless `prepare` has arranged that) and, if the target waits for the
        debugger, lets it run; none of this waits for an answer. If `prepare` raises, the target still runs.

        Args:
            prepare: A function of each new session, called inline before any of its events; it may call `on`,
                `subscribe` and `post`.
            filter: Which targets, as `Target.setAutoAttach` takes it.
            wait_for_debugger: Whether new targets wait until they are prepared.

        Returns:
            A future, which need not be awaited.
        """
        params: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": wait_for_debugger, "flatten": True}
        if filter is not None:
            params["filter"] = list(filter)
        return self._auto_attach(_AutoAttach(prepare, params))

    def _auto_attach(self, auto: _AutoAttach) -> asyncio.Future[None]:
        self._auto = auto
        return self._post("Target.setAutoAttach", auto.params, ignore_result, DEFAULT_TIMEOUT)

    def _set_up(self, auto: _AutoAttach, waiting: bool) -> None:
        """Prepare a session that `auto` attached. Chrome runs commands in order, so the target resumes last."""
        try:
            auto.prepare(self)
        except Exception:
            self.channel.handler_failed("the prepare function of auto_attach")
        if self._auto is None:  # else `prepare` has chosen for this session and its children
            self._auto_attach(auto)
        if waiting:
            self._post("Runtime.runIfWaitingForDebugger", {}, raw_json, DEFAULT_TIMEOUT)

    def _lost(self, error: errors.SessionLost) -> None:
        """Notify subscriptions and handlers that the session ended or crashed."""
        for subscription in list(self._subscriptions):
            subscription._end(error)
        if not self._state.crashed:
            self._listeners.close(error)
            self._subscriptions.clear()


# -- what the reader does with events and their effects --------------------------------------------


def dispatch(channel: Channel, message: wire.Message) -> None:
    """Update the sessions after one event, then deliver it to the handlers of its session."""
    mux = channel.mux
    state = mux.session_of(message)
    if state is None:
        return
    if message.error is not None:
        mux.counters.malformed += 1
        _logger.error("dropped %s: %s", message.method, message.error.message)
        return
    if message.method in STATE_EVENTS:
        for effect in mux.apply(state, message):
            perform(channel, effect)
    state.handle._listeners.deliver(message)


def perform(channel: Channel, effect: Effect[PendingCall]) -> None:
    """Perform one effect of the mux."""
    if isinstance(effect, SessionOpened):
        _opened(channel, effect)
    else:
        _sessions_lost(effect)


def make_session(channel: Channel, state: SessionState) -> CDPSession:
    """Return a new session that is the handle of `state`."""
    session = state.handle = CDPSession(channel, state)
    return session


def _opened(channel: Channel, effect: SessionOpened) -> None:
    session = make_session(channel, effect.session)
    parent = session.parent
    # A waiting target was auto-attached, even if an explicit attach to it is running.
    explicit = effect.session.target_id in channel.attaching and not effect.waiting
    if parent is not None and parent._auto is not None and not explicit:
        session._set_up(parent._auto, effect.waiting)
    for message in effect.early:
        dispatch(channel, message)


def _sessions_lost(effect: SessionsLost[PendingCall]) -> None:
    for call, error in effect.calls:
        call.fail(error)
    for state in effect.sessions:
        assert state.error is not None
        state.handle._lost(state.error)


# -- attaching -------------------------------------------------------------------------------------


def _adopt(parent: CDPSession, target_id: str, session_id: str) -> CDPSession:
    mux = parent.channel.mux
    for effect in mux.adopt(session_id, parent._state, target_id):
        perform(parent.channel, effect)
    state = mux.sessions.get(session_id)
    if state is None:
        raise lost_error(errors.TargetClosed, "Target.attachToTarget", session_id, "", target_id)
    return state.handle  # type: ignore[no-any-return]


def _detach_result(call: asyncio.Future[CDPSession]) -> None:
    """Detach the session of an abandoned attach."""
    if not call.cancelled() and call.exception() is None:
        call.result()._post_detach()
