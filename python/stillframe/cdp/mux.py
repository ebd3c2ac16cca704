"""The state of all sessions on one connection: pending commands, live sessions, and what a lost session ends.

Pure: no asyncio, no sockets, no clocks. The caller passes in messages and times, and performs the effects that come
back. Every change of a session's state happens here, in `_TRANSITIONS` and the methods that it names:

    open ──Inspector.targetCrashed / Target.targetCrashed──▶ crashed ──Inspector.targetReloadedAfterCrash──▶ open
    open, crashed ──Target.detachedFromTarget / Target.targetDestroyed / the parent's end / connection loss──▶ ended

Chrome never answers a command that is pending when one of these happens, so the mux fails it. What happens to a session
also happens to its children. The browser itself is the session with the empty id.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.wire import Message

MAX_EARLY_EVENTS = 256
"""Events buffered for one session whose attach message has not arrived yet."""
MAX_EARLY_SESSIONS = 64
"""Sessions for which early events are buffered."""
MAX_REMEMBERED = 4096
"""Ids of abandoned commands and ended sessions that are kept, to tell late messages from unexpected ones."""

NEVER = float("inf")

# For a crashed page the browser itself answers these; what its renderer would answer gets no answer (Chromium 156).
_ALLOWED_AFTER_CRASH = frozenset(
    {
        "Page.close",
        "Page.getNavigationHistory",
        "Page.navigate",
        "Page.navigateToHistoryEntry",
        "Page.reload",
        "Page.stopLoading",
    }
)


class TrackedCall:
    """What the mux needs of a pending command; it sets `id`."""

    __slots__ = ()

    id: int
    method: str
    session_id: str
    deadline: float
    since: float = 0.0
    """The seconds of stalls of the loop before the call began."""


C = TypeVar("C", bound=TrackedCall)


class SessionState:
    """The state of one session; `handle` is the object that the caller made for it."""

    __slots__ = (
        "children",
        "crashed",
        "detach_reason",
        "detaching",
        "error",
        "handle",
        "id",
        "info",
        "parent",
        "target_id",
        "target_type",
    )

    def __init__(
        self, session_id: str, parent: SessionState | None, target_id: str = "", target_type: str = ""
    ) -> None:
        self.id = session_id
        self.parent = parent
        self.children: dict[str, SessionState] = {}
        self.target_id = target_id
        self.target_type = target_type
        self.info: msgspec.Raw | None = None
        self.crashed = False
        self.detaching = False
        self.detach_reason = ""
        self.error: errors.SessionLost | None = None
        self.handle: Any = None

    def walk(self) -> Iterator[SessionState]:
        """Yield this session and all its descendants, parents first."""
        waiting = [self]
        while waiting:
            state = waiting.pop()
            yield state
            waiting.extend(state.children.values())


@dataclass(slots=True)
class Counters:
    """Counts of unexpected messages; growing counts point at a bug in this client or in the browser."""

    late: int = 0
    """Answers to commands that were cancelled, timed out or lost their session."""
    unsolicited: int = 0
    """Answers with an id that was never used or already answered."""
    unaddressed: int = 0
    """Errors without an id: the browser could not parse a message."""
    orphaned: int = 0
    """Events of sessions that had ended."""
    early_dropped: int = 0
    """Events of unknown sessions that did not fit into the buffer for early events."""
    malformed: int = 0
    """Events about sessions with unreadable parameters, and CBOR events nested too deeply to decode."""


# -- effects: what the caller has to do ------------------------------------------------------------


@dataclass(slots=True)
class SessionOpened:
    """A session began: make its handle, then deliver the events that arrived early."""

    session: SessionState
    waiting: bool
    """Whether the target is paused until Runtime.runIfWaitingForDebugger."""
    early: list[Message]


@dataclass(slots=True)
class SessionsLost(Generic[C]):
    """Sessions ended or crashed (`error` says which): fail their calls and notify their listeners."""

    sessions: list[SessionState]
    calls: list[tuple[C, errors.SessionLost]]


Effect = SessionOpened | SessionsLost[C]


# -- parameters of the events that change a session ------------------------------------------------


class _Params(msgspec.Struct, rename="camel", gc=False):
    session_id: str = ""
    target_id: str = ""
    reason: str = ""
    status: str = ""
    target_info: msgspec.Raw = msgspec.Raw(b"{}")
    waiting_for_debugger: bool = False


class _Info(msgspec.Struct, rename="camel", gc=False):
    target_id: str = ""
    type: str = ""


_params = msgspec.json.Decoder(_Params).decode
_info = msgspec.json.Decoder(_Info).decode


@dataclass
class Mux(Generic[C]):
    """The state of one connection."""

    root: SessionState = field(default_factory=lambda: SessionState("", None, target_type="browser"))
    sessions: dict[str, SessionState] = field(default_factory=dict)
    pending: dict[int, C] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    wake: float = NEVER
    """The earliest deadline at most: call `expire` then, and not before."""
    last_id: int = 0
    _early: dict[str, list[Message]] = field(default_factory=dict)
    _abandoned: dict[int, None] = field(default_factory=dict)
    _ended: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sessions[""] = self.root

    # -- commands

    def open(self, session: SessionState, call: C) -> None:
        """Give `call` its id and register it.

        Raises the SessionLost of the session if it has ended, and does not register the call.
        """
        if session.error is not None and not (session.crashed and _passes_after_crash(call.method)):
            raise error_of_call(session.error, call.method, session.id)
        number = self.last_id + 1
        while number in self.pending or number > wire.MAX_ID:
            number = number + 1 if number < wire.MAX_ID else 1
        self.last_id = call.id = number
        self.pending[number] = call
        if call.deadline < self.wake:
            self.wake = call.deadline

    def take(self, number: int) -> C | None:
        """Remove and return the call with this id; None if no such call is pending."""
        call = self.pending.pop(number, None)
        if call is None:
            if number in self._abandoned:
                del self._abandoned[number]
                self.counters.late += 1
            else:
                self.counters.unsolicited += 1
        return call

    def forget(self, call: C) -> None:
        """Remove a call; its answer will be dropped."""
        if self.pending.get(call.id) is call:
            del self.pending[call.id]
            _remember(self._abandoned, call.id)

    def expire(self, now: float, uncounted: Callable[[float], float] = lambda _since: 0.0) -> list[C]:
        """Remove and return the calls whose deadline has passed, and set `wake` to the next deadline.

        It scans all pending calls, but only when a deadline is due: cheaper than a heap on every command. `uncounted`
        returns how much earlier a call ends that began when `since` seconds of stalls had passed.
        """
        due = [call for call in self.pending.values() if call.deadline - uncounted(call.since) <= now]
        for call in due:
            self.forget(call)
        self.wake = min((call.deadline - uncounted(call.since) for call in self.pending.values()), default=NEVER)
        return due

    # -- events

    def session_of(self, message: Message) -> SessionState | None:
        """Return the session of an event; if it is unknown, buffer or count the event and return None."""
        session = self.sessions.get(message.session_id)
        if session is None:
            self._buffer(message)
        return session

    def apply(self, session: SessionState, message: Message) -> list[Effect[C]]:
        """Update the sessions after an event of `session`; only the events in STATE_EVENTS need this call."""
        try:
            params = _params(message.params)
            return _TRANSITIONS[message.method](self, session, params)
        except msgspec.MsgspecError:
            self.counters.malformed += 1
            return []

    def adopt(self, session_id: str, parent: SessionState, target_id: str) -> list[Effect[C]]:
        """Register a session from the answer to Target.attachToTarget, unless its event came first."""
        if session_id in self.sessions or session_id in self._ended:
            return []
        return [self._open_session(SessionState(session_id, parent, target_id), waiting=False)]

    def disconnect(self, reason: str | errors.ConnectionLost) -> SessionsLost[C]:
        """End all sessions, because the connection is lost; `reason` is a text, or the error that every call gets."""
        self._early.clear()
        if isinstance(reason, str):
            return self._end(self.root, errors.ConnectionLost, reason)
        return self._end_with(self.root, lambda session: error_of_call(reason, "", session.id))

    # -- transitions

    def _attached(self, parent: SessionState, params: _Params) -> list[Effect[C]]:
        brief = _info(params.target_info)
        known = self.sessions.get(params.session_id)
        session = known or SessionState(params.session_id, parent)
        session.target_id, session.target_type, session.info = brief.target_id, brief.type, params.target_info
        return [] if known else [self._open_session(session, params.waiting_for_debugger)]

    def _detached(self, _parent: SessionState, params: _Params) -> list[Effect[C]]:
        session = self.sessions.get(params.session_id)
        if session is None or session is self.root:
            self._early.pop(params.session_id, None)
            return []
        by_choice = session.detaching or session.detach_reason in ("canceled_by_user", "replaced_with_devtools")
        kind = errors.SessionDetached if by_choice else errors.TargetClosed
        return [self._end(session, kind, session.detach_reason)]

    def _destroyed(self, _session: SessionState, params: _Params) -> list[Effect[C]]:
        return [self._end(session, errors.TargetClosed, "") for session in self._of_target(params.target_id)]

    def _target_crashed(self, _session: SessionState, params: _Params) -> list[Effect[C]]:
        sessions = [session for session in self._of_target(params.target_id) if not session.crashed]
        return [self._crash(session, params.status) for session in sessions]

    def _inspector_crashed(self, session: SessionState, _params: _Params) -> list[Effect[C]]:
        return [] if session.crashed or session is self.root else [self._crash(session, "")]

    def _reloaded(self, session: SessionState, _params: _Params) -> list[Effect[C]]:
        if session.crashed:
            session.crashed, session.error = False, None
        return []

    def _inspector_detached(self, session: SessionState, params: _Params) -> list[Effect[C]]:
        session.detach_reason = params.reason
        return []

    def _info_changed(self, _session: SessionState, params: _Params) -> list[Effect[C]]:
        brief = _info(params.target_info)
        for session in self._of_target(brief.target_id):
            session.target_type, session.info = brief.type, params.target_info
        return []

    # -- parts of the transitions

    def _of_target(self, target_id: str) -> list[SessionState]:
        return [session for session in self.sessions.values() if target_id and session.target_id == target_id]

    def _open_session(self, session: SessionState, waiting: bool) -> SessionOpened:
        self.sessions[session.id] = session
        if session.parent is not None:
            session.parent.children[session.id] = session
        return SessionOpened(session, waiting, self._early.pop(session.id, []))

    def _end(self, top: SessionState, kind: type[errors.SessionLost], reason: str) -> SessionsLost[C]:
        return self._end_with(top, lambda session: lost_error(kind, "", session.id, reason, session.target_id))

    def _end_with(self, top: SessionState, error_of: Callable[[SessionState], errors.SessionLost]) -> SessionsLost[C]:
        sessions = [session for session in top.walk() if session.error is None or session.crashed]
        for session in sessions:
            session.crashed = False
            session.error = error_of(session)
            self.sessions.pop(session.id, None)
            _remember(self._ended, session.id)
        if top.parent is not None:
            top.parent.children.pop(top.id, None)
        return SessionsLost(sessions, self._fail_calls(sessions))

    def _crash(self, top: SessionState, status: str) -> SessionsLost[C]:
        sessions = [session for session in top.walk() if session.error is None]
        for session in sessions:
            session.crashed = True
            session.error = lost_error(errors.TargetCrashed, "", session.id, status, session.target_id)
        return SessionsLost(sessions, self._fail_calls(sessions))

    def _fail_calls(self, sessions: list[SessionState]) -> list[tuple[C, errors.SessionLost]]:
        gone = {session.id: session for session in sessions}
        calls = [call for call in self.pending.values() if call.session_id in gone]
        failed = []
        for call in calls:
            self.forget(call)
            error = gone[call.session_id].error
            assert error is not None
            failed.append((call, error_of_call(error, call.method, call.session_id)))
        return failed

    def _buffer(self, message: Message) -> None:
        if message.session_id in self._ended:
            self.counters.orphaned += 1
            return
        events = self._early.get(message.session_id)
        if events is None:
            if len(self._early) >= MAX_EARLY_SESSIONS:
                self.counters.early_dropped += 1
                return
            events = self._early[message.session_id] = []
        if len(events) < MAX_EARLY_EVENTS:
            events.append(message)
        else:
            self.counters.early_dropped += 1


_TRANSITIONS: dict[str, Callable[[Mux[Any], SessionState, _Params], list[Effect[Any]]]] = {
    "Target.attachedToTarget": Mux._attached,
    "Target.detachedFromTarget": Mux._detached,
    "Target.targetDestroyed": Mux._destroyed,
    "Target.targetCrashed": Mux._target_crashed,
    "Target.targetInfoChanged": Mux._info_changed,
    "Inspector.targetCrashed": Mux._inspector_crashed,
    "Inspector.targetReloadedAfterCrash": Mux._reloaded,
    "Inspector.detached": Mux._inspector_detached,
}

STATE_EVENTS = frozenset(_TRANSITIONS)
"""The events that `apply` must see."""

_REASONS: dict[type[errors.SessionLost], str] = {
    errors.SessionDetached: "the session was detached; attach to the target again",
    errors.TargetClosed: "the target was closed",
    errors.TargetCrashed: "the renderer of the target crashed; reload, navigate or close the page",
    errors.ConnectionLost: "the connection to the browser is lost",
}


def lost_error(
    kind: type[errors.SessionLost], method: str, session_id: str, reason: str = "", target_id: str = ""
) -> errors.SessionLost:
    """Return the error of a session that ended because of `reason`."""
    text = _REASONS[kind] + (f" ({target_id})" if target_id else "") + (f": {reason}" if reason else "")
    return kind(f"{method}: {text}" if method else text, method=method, session_id=session_id)


def error_of_call(error: errors.SessionLost, method: str, session_id: str) -> errors.SessionLost:
    """Return the error of a session, with all its data, as that of one call or of another session."""
    own = copy.copy(error)
    own.args = (f"{method}: {error}" if method else str(error),)
    own.method, own.session_id = method, session_id
    return own


def _passes_after_crash(method: str) -> bool:
    return method in _ALLOWED_AFTER_CRASH or method.startswith("Target.")


def _remember(memory: dict[Any, None], key: Any) -> None:
    if len(memory) >= MAX_REMEMBERED:
        del memory[next(iter(memory))]
    memory[key] = None
