"""One CDP session: the commands, events and children of one attached target, or of the browser itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import msgspec

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.batch import Batch
from stillframe.cdp.call import Decode, PendingCall, as_sent, builtins, decoder_of, nothing, result_decode, untouched
from stillframe.cdp.mux import Node
from stillframe.cdp.subscription import DEFAULT_BUFFER, Event, Expectation, Policy, Subscription
from stillframe.cdp_types import _base
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp.connection import Connection
    from stillframe.cdp_types.target import FilterEntry, TargetInfo

R = TypeVar("R")
E = TypeVar("E", bound=_base.Event)

DEFAULT_TIMEOUT = 30.0
"""Seconds before a command that was not given a deadline fails with CommandTimeout."""

_logger = logger("stillframe.cdp")
_encode = msgspec.json.Encoder().encode
_NO_PARAMS = b"{}"


class _Handler:
    """One listener: what to call, and how to read the event first."""

    __slots__ = ("call", "decoder", "live")

    def __init__(self, call: Callable[[Any], object], decoder: msgspec.json.Decoder[Any] | None) -> None:
        self.call = call
        self.decoder = decoder
        self.live = True


class _AutoAttach(NamedTuple):
    prepare: Callable[[Session], object]
    params: dict[str, Any]


class Session:
    """Sends commands to one target and hears its events. Made by `Connection` and `attach`, never directly.

    Every command may raise, besides what it says: CdpError and its ContextLost (the browser refused), a SessionLost
    (nobody will answer: SessionDetached, TargetClosed, TargetCrashed, ConnectionLost), CommandTimeout,
    MessageTooLarge, InputError (parameters that are not JSON).
    """

    def __init__(self, connection: Connection, node: Node) -> None:
        self.connection = connection
        """The connection the session lives on."""
        self._node = node
        self._start = connection._start
        self._prefixes: dict[str, bytes] = {}
        self._handlers: dict[str, tuple[_Handler, ...]] = {}
        self._closed_handlers: list[Callable[[errors.SessionLost], object]] = []
        self._subscriptions: set[Subscription[Any]] = set()
        self._auto: _AutoAttach | None = None
        self._info: tuple[msgspec.Raw, TargetInfo] | None = None

    def __repr__(self) -> str:
        node = self._node
        state = f" {type(node.error).__name__}" if node.error else ""
        return f"<Session {node.id[:8] or 'root'} {node.target_type} {node.target_id[:8]}{state}>"

    # -- what it is

    @property
    def session_id(self) -> str:
        """The protocol's id; empty for the browser itself."""
        return self._node.id

    @property
    def target_id(self) -> str:
        """The id of the attached target; for a frame's target it is the frame id. Empty for the browser."""
        return self._node.target_id

    @property
    def target_type(self) -> str:
        """`page`, `iframe`, `worker`, `service_worker`, …; `browser` for the root."""
        return self._node.target_type

    @property
    def target_info(self) -> TargetInfo | None:
        """What the browser last said about the target; None for the browser, and before its event came."""
        raw = self._node.info
        if raw is None:
            return None
        if self._info is None or self._info[0] is not raw:
            from stillframe.cdp_types.target import TargetInfo  # only here: importing a domain costs milliseconds

            self._info = raw, wire.decode_value(decoder_of(TargetInfo), raw, "target info")
        return self._info[1]

    @property
    def parent(self) -> Session | None:
        """The session this one was attached through; None for the root."""
        above = self._node.parent
        return None if above is None else above.handle

    @property
    def children(self) -> list[Session]:
        """The living sessions attached through this one."""
        return [node.handle for node in self._node.children.values()]

    @property
    def error(self) -> errors.SessionLost | None:
        """Why nobody answers; None while the session lives. TargetCrashed goes away when the page is reloaded."""
        return self._node.error

    # -- commands

    async def send(self, command: _base.Command[R], *, timeout: float | None = DEFAULT_TIMEOUT) -> R:
        """Send a command and return its typed result (None where the protocol has none)."""
        return await self.post(command, timeout=timeout)

    def post(self, command: _base.Command[R], *, timeout: float | None = DEFAULT_TIMEOUT) -> asyncio.Future[R]:
        """Queue a command now; the future holds its result.

        Only InputError is raised here: a session that is lost shows in the future. The future need not be awaited,
        and an error that nobody reads is not logged.
        """
        return self._post(command.method, command, result_decode(type(command)), timeout)

    async def send_raw(
        self,
        command: _base.Command[Any] | str,
        params: dict[str, Any] | None = None,
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        any_encoding: bool = False,
    ) -> msgspec.Raw:
        """Send a command and return the bytes of its result, undecoded and uncopied (bytes-like).

        They are JSON; with `any_encoding` a large result from a CBOR pipe stays Chrome's CBOR (`wire.is_cbor`), which
        saves the conversion and which `Snapshot` reads too. The text of pages may hold surrogates without a partner,
        which strict JSON readers refuse; see `wire.mend`.
        """
        decode = as_sent if any_encoding else untouched
        if isinstance(command, str):
            result = self._post(command, params or {}, decode, timeout)
        else:
            result = self._post(command.method, command, decode, timeout)
        return await result  # type: ignore[no-any-return]

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, timeout: float | None = DEFAULT_TIMEOUT
    ) -> Any:
        """Send any command by its name, known or not; parameters and result are plain dicts and lists."""
        return await self._post(method, params or {}, builtins, timeout)

    def batch(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> Batch:
        """Send several commands in one write: `async with s.batch() as b: future = b.send(command)`."""
        return Batch(self, timeout)

    async def fence(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Return when every event the target had sent before has been delivered.

        One round trip that changes nothing: through the renderer or worker that is attached, else the browser.
        """
        await self._post(_FENCES.get(self.target_type, "Runtime.getIsolateId"), {}, untouched, timeout)

    def _post(self, method: str, params: Any, decode: Decode, timeout: float | None) -> PendingCall:
        prefix = self._prefixes.get(method)
        if prefix is None:
            prefix = self._prefixes[method] = wire.prefix(method, self._node.id)
        try:
            body = _encode(params)
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise errors.InputError(f"{method}: the parameters cannot be sent as JSON: {error}") from error
        return self._start(self._node, method, prefix, body, decode, timeout)

    # -- events

    @overload
    def on(self, event: type[E], handler: Callable[[E], object]) -> Callable[[], None]: ...
    @overload
    def on(self, event: str, handler: Callable[[Event], object]) -> Callable[[], None]: ...
    def on(self, event: type[Any] | str, handler: Callable[[Any], object]) -> Callable[[], None]:
        """Call `handler` with every such event, inline and in order of arrival; returns what removes it.

        A class gives it the typed event, a name an undecoded `Event`. The handler must not block. What it raises is
        logged and counted, and stops nobody.
        """
        method, decoder = (event, None) if isinstance(event, str) else (event.method, decoder_of(event))
        entry = _Handler(handler, decoder)
        self._handlers[method] = (*self._handlers.get(method, ()), entry)

        def remove() -> None:
            entry.live = False
            left = tuple(h for h in self._handlers.get(method, ()) if h is not entry)
            if left:
                self._handlers[method] = left
            else:
                self._handlers.pop(method, None)

        return remove

    def subscribe(
        self,
        *events: type[Any] | str,
        where: Callable[[Any], object] | None = None,
        maxsize: int = DEFAULT_BUFFER,
        policy: Policy = "drop_oldest",
    ) -> Subscription[Any]:
        """Buffer these events from now on, for iterating; registered before this returns.

        `where` picks events and runs inline. `policy` says what a full buffer does; see `Policy`. A crash of the
        target ends it, so that nobody waits for what cannot come; one made after the crash lives on.
        """
        if maxsize < 1:
            raise errors.OptionInvalid(f"maxsize is {maxsize}; it must be at least 1", option="maxsize")
        subscription: Subscription[Any] = Subscription(self, where, maxsize, policy)
        subscription._removers = [self.on(event, subscription._put) for event in events]
        subscription._removers.append(lambda: self._subscriptions.discard(subscription))
        self._subscriptions.add(subscription)
        if self.error is not None and not self._node.crashed:
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
        """Wait for what the block causes: `async with s.expect(page.LoadEventFired) as ev: …` gives `ev.value`.

        Listening begins here, before the block. The end of the block raises CommandTimeout when nothing came.
        """
        name = event if isinstance(event, str) else event.method
        return Expectation(self.subscribe(event, where=where), name, timeout)

    def on_closed(self, handler: Callable[[errors.SessionLost], object]) -> Callable[[], None]:
        """Call `handler` once when the session has ended (a crash is not the end); at once if it has already."""
        if self.error is not None and not self._node.crashed:
            handler(self.error)
            return lambda: None
        self._closed_handlers.append(handler)

        def remove() -> None:
            with contextlib.suppress(ValueError):
                self._closed_handlers.remove(handler)

        return remove

    # -- targets

    async def attach(self, target_id: str, *, timeout: float | None = DEFAULT_TIMEOUT) -> Session:
        """Attach to a target (of the browser, or related to this one) and return its session."""
        return await self.connection._attach(self, target_id, timeout)

    async def detach(self, *, timeout: float | None = DEFAULT_TIMEOUT) -> None:
        """Leave the target; it lives on. Commands still pending end with SessionDetached."""
        if self.parent is None:
            raise errors.InputError("the browser's own session cannot be detached; close the connection")
        if self.error is None or self._node.crashed:
            await self._post_detach(timeout)

    def _post_detach(self, timeout: float | None = DEFAULT_TIMEOUT) -> asyncio.Future[Any]:
        parent = self.parent
        assert parent is not None
        self._node.detaching = True
        return parent._post("Target.detachFromTarget", {"sessionId": self.session_id}, nothing, timeout)

    def auto_attach(
        self,
        prepare: Callable[[Session], object],
        filter: Sequence[FilterEntry | dict[str, Any]] | None = None,
        wait_for_debugger: bool = True,
    ) -> asyncio.Future[None]:
        """Attach to every related target now and later: pages, out-of-process frames, workers, and theirs.

        `prepare` gets each new session inside the reader, before any of its events, and may `on`, `subscribe` and
        `post`. Then the child is told to auto-attach in turn (unless `prepare` has done so in its own way) and, if it
        waits for us, to run; all without waiting for an answer. Whatever `prepare` raises, the target runs. Awaiting
        the future is optional.
        """
        params: dict[str, Any] = {
            "autoAttach": True,
            "waitForDebuggerOnStart": wait_for_debugger,
            "flatten": True,
        }
        if filter is not None:
            params["filter"] = list(filter)
        return self._auto_attach(_AutoAttach(prepare, params))

    def _auto_attach(self, auto: _AutoAttach) -> asyncio.Future[None]:
        self._auto = auto
        return self._post("Target.setAutoAttach", auto.params, nothing, DEFAULT_TIMEOUT)

    def _inherit(self, auto: _AutoAttach, waiting: bool) -> None:
        """Prepare a child that `auto` brought in. The order is the protocol's: what must hold first comes first."""
        try:
            auto.prepare(self)
        except Exception:
            self.connection._handler_failed("the prepare function of auto_attach")
        if self._auto is None:  # else `prepare` has chosen for this child and its own
            self._auto_attach(auto)
        if waiting:
            self._post("Runtime.runIfWaitingForDebugger", {}, untouched, DEFAULT_TIMEOUT)

    # -- the reader's side

    def _deliver(self, message: wire.Message) -> None:
        """Give one event to its handlers; each type is decoded once, however many want it."""
        decoder: msgspec.json.Decoder[Any] | None = None
        event: Any = None
        for handler in self._handlers.get(message.method, ()):
            if not handler.live:
                continue
            try:
                if event is None or handler.decoder is not decoder:
                    decoder = handler.decoder
                    event = self._read(message, decoder)
                handler.call(event)
            except Exception:
                self.connection._handler_failed(f"a handler of {message.method}")

    def _read(self, message: wire.Message, decoder: msgspec.json.Decoder[Any] | None) -> Any:
        if decoder is None:
            return Event(message.method, message.params, message.session_id)
        return wire.decode_value(decoder, message.params, message.method)

    def _lost(self, error: errors.SessionLost) -> None:
        """The session ended or crashed; `error` is its state."""
        for subscription in list(self._subscriptions):
            subscription._end(error)
        if self._node.crashed:
            return
        handlers, self._closed_handlers = self._closed_handlers, []
        for handler in handlers:
            try:
                handler(error)
            except Exception:
                self.connection._handler_failed("a handler of on_closed")
        self._handlers.clear()
        self._subscriptions.clear()


# The renderer's own no-op is in V8's inspector, so frames and workers have it; browser and tab targets have no V8.
_FENCES = {"browser": "Browser.getVersion", "tab": "Target.getTargetInfo"}
