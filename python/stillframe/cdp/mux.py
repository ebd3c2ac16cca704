"""Many sessions on one connection: who waits for which answer, who is alive, and what the loss of one means.

Pure: no asyncio, no sockets, no clocks. The shell hands in messages and times, and performs the effects it gets
back. All changes of a session's state live here, in `_REDUCERS` and the methods below it:

    open ──Inspector.targetCrashed / Target.targetCrashed──▶ crashed ──Inspector.targetReloadedAfterCrash──▶ open
    open, crashed ──Target.detachedFromTarget / Target.targetDestroyed / the parent's end / connection loss──▶ ended

Chrome answers no command that is pending at any of these, so whoever waits is told here. What happens to a session
happens to its children. The browser itself is the session with the empty id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from stillframe import errors
from stillframe.cdp import wire
from stillframe.cdp.wire import Message

MAX_PARKED_EVENTS = 256
"""Events kept for one session that is not known yet (its attach message is still under way)."""
MAX_PARKED_SESSIONS = 64
MAX_REMEMBERED = 4096
"""Ids kept of abandoned commands and ended sessions, to tell what comes late from what nobody asked for."""

NEVER = float("inf")

# What a crashed page still answers, or is brought back or disposed of by. Chrome is silent to all else (measured).
_ALLOWED_AFTER_CRASH = frozenset({"Page.navigate", "Page.reload", "Page.close"})


class Call(Protocol):
    """A command on its way. The mux sets `id`; the shell's future has the same fields."""

    id: int
    method: str
    session_id: str
    deadline: float


C = TypeVar("C", bound=Call)


class Node:
    """One session. `handle` belongs to the shell."""

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

    def __init__(self, session_id: str, parent: Node | None, target_id: str = "", target_type: str = "") -> None:
        self.id = session_id
        self.parent = parent
        self.children: dict[str, Node] = {}
        self.target_id = target_id
        self.target_type = target_type
        self.info: msgspec.Raw | None = None
        self.crashed = False
        self.detaching = False
        self.detach_reason = ""
        self.error: errors.SessionLost | None = None
        self.handle: Any = None

    def walk(self) -> Iterator[Node]:
        """This session and everything below it, parents first."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(node.children.values())


@dataclass(slots=True)
class Counters:
    """What came that nobody waited for. Growing numbers point at a bug, here or in the browser."""

    late: int = 0
    """Answers to commands that were cancelled, had timed out or whose session had ended."""
    unsolicited: int = 0
    """Answers with an id that was never given or was answered before."""
    unaddressed: int = 0
    """Errors without an id: the browser could not read what we sent."""
    orphaned: int = 0
    """Events of sessions that had ended."""
    unparked: int = 0
    """Events of unknown sessions that exceeded the bounds for parking."""
    malformed: int = 0
    """Events about sessions whose parameters could not be read, and (in CBOR) events nested too deep to be read."""


# -- effects: what the shell has to do ---------------------------------------------------------------


@dataclass(slots=True)
class Opened:
    """A session came to be: make its handle, then deliver the events that had arrived before."""

    node: Node
    waiting: bool
    """Whether the target is paused until Runtime.runIfWaitingForDebugger."""
    parked: list[Message]


@dataclass(slots=True)
class Lost(Generic[C]):
    """Sessions ended or crashed (`node.error` says which): fail their calls, tell their listeners."""

    nodes: list[Node]
    calls: list[tuple[C, errors.SessionLost]]


@dataclass(slots=True)
class Recovered:
    """A crashed page was loaded anew in the same session."""

    node: Node


Effect = Opened | Lost[C] | Recovered


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

    root: Node = field(default_factory=lambda: Node("", None, target_type="browser"))
    sessions: dict[str, Node] = field(default_factory=dict)
    pending: dict[int, C] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)
    wake: float = NEVER
    """No call's deadline is earlier: the shell should call `expire` then, not before."""
    last_id: int = 0
    _parked: dict[str, list[Message]] = field(default_factory=dict)
    _abandoned: dict[int, None] = field(default_factory=dict)
    _ended: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sessions[""] = self.root

    # -- commands

    def open(self, node: Node, call: C) -> None:
        """Give `call` its id and wait for its answer.

        Raises the session's own SessionLost when nobody would answer; the call is then not registered.
        """
        if node.error is not None and not (node.crashed and _passes_after_crash(call.method)):
            raise lost(type(node.error), call.method, node.id, str(node.error))
        number = self.last_id + 1
        while number in self.pending or number > wire.MAX_ID:
            number = number + 1 if number < wire.MAX_ID else 1
        self.last_id = call.id = number
        self.pending[number] = call
        if call.deadline < self.wake:
            self.wake = call.deadline

    def take(self, number: int) -> C | None:
        """The call that an answer belongs to, which is then no longer pending; None when nobody waits for it."""
        call = self.pending.pop(number, None)
        if call is None:
            if number in self._abandoned:
                del self._abandoned[number]
                self.counters.late += 1
            else:
                self.counters.unsolicited += 1
        return call

    def forget(self, call: C) -> None:
        """Nobody waits any more; a late answer is dropped."""
        if self.pending.get(call.id) is call:
            del self.pending[call.id]
            _remember(self._abandoned, call.id)

    def expire(self, now: float) -> list[C]:
        """Take out the calls whose deadline has passed, and set `wake` to the next one.

        One pass over what is pending, and only when a deadline is due: cheaper than a heap on every command.
        """
        due = [call for call in self.pending.values() if call.deadline <= now]
        for call in due:
            self.forget(call)
        self.wake = min((call.deadline for call in self.pending.values()), default=NEVER)
        return due

    # -- events

    def find(self, message: Message) -> Node | None:
        """The session an event is for; None when there is none (yet): the event is then parked or counted."""
        node = self.sessions.get(message.session_id)
        if node is None:
            self._park(message)
        return node

    def reduce(self, node: Node, message: Message) -> list[Effect[C]]:
        """What an event for `node` means for the sessions. Only methods in REDUCED need this call."""
        try:
            params = _params(message.params)
            return _REDUCERS[message.method](self, node, params)
        except msgspec.MsgspecError:
            self.counters.malformed += 1
            return []

    def adopt(self, session_id: str, parent: Node, target_id: str) -> list[Effect[C]]:
        """Register a session from the answer to Target.attachToTarget, should its event not have come first."""
        if session_id in self.sessions or session_id in self._ended:
            return []
        return [self._open_session(Node(session_id, parent, target_id), waiting=False)]

    def lose(self, reason: str) -> Lost[C]:
        """The connection is gone, and everything with it."""
        self._parked.clear()
        return self._end(self.root, errors.ConnectionLost, reason)

    # -- transitions

    def _attached(self, parent: Node, params: _Params) -> list[Effect[C]]:
        brief = _info(params.target_info)
        known = self.sessions.get(params.session_id)
        node = known or Node(params.session_id, parent)
        node.target_id, node.target_type, node.info = brief.target_id, brief.type, params.target_info
        return [] if known else [self._open_session(node, params.waiting_for_debugger)]

    def _detached(self, _parent: Node, params: _Params) -> list[Effect[C]]:
        node = self.sessions.get(params.session_id)
        if node is None or node is self.root:
            self._parked.pop(params.session_id, None)
            return []
        by_choice = node.detaching or node.detach_reason in ("canceled_by_user", "replaced_with_devtools")
        kind = errors.SessionDetached if by_choice else errors.TargetClosed
        return [self._end(node, kind, node.detach_reason)]

    def _destroyed(self, _node: Node, params: _Params) -> list[Effect[C]]:
        return [self._end(node, errors.TargetClosed, "") for node in self._of_target(params.target_id)]

    def _target_crashed(self, _node: Node, params: _Params) -> list[Effect[C]]:
        nodes = [node for node in self._of_target(params.target_id) if not node.crashed]
        return [self._crash(node, params.status) for node in nodes]

    def _inspector_crashed(self, node: Node, _params: _Params) -> list[Effect[C]]:
        return [] if node.crashed or node is self.root else [self._crash(node, "")]

    def _reloaded(self, node: Node, _params: _Params) -> list[Effect[C]]:
        if not node.crashed:
            return []
        node.crashed, node.error = False, None
        return [Recovered(node)]

    def _inspector_detached(self, node: Node, params: _Params) -> list[Effect[C]]:
        node.detach_reason = params.reason
        return []

    def _info_changed(self, _node: Node, params: _Params) -> list[Effect[C]]:
        brief = _info(params.target_info)
        for node in self._of_target(brief.target_id):
            node.target_type, node.info = brief.type, params.target_info
        return []

    # -- the parts they are made of

    def _of_target(self, target_id: str) -> list[Node]:
        return [node for node in self.sessions.values() if target_id and node.target_id == target_id]

    def _open_session(self, node: Node, waiting: bool) -> Opened:
        self.sessions[node.id] = node
        if node.parent is not None:
            node.parent.children[node.id] = node
        return Opened(node, waiting, self._parked.pop(node.id, []))

    def _end(self, top: Node, kind: type[errors.SessionLost], reason: str) -> Lost[C]:
        nodes = [node for node in top.walk() if node.error is None or node.crashed]
        for node in nodes:
            node.crashed = False
            node.error = lost(kind, "", node.id, reason, node.target_id)
            self.sessions.pop(node.id, None)
            _remember(self._ended, node.id)
        if top.parent is not None:
            top.parent.children.pop(top.id, None)
        return Lost(nodes, self._fail_calls(nodes))

    def _crash(self, top: Node, status: str) -> Lost[C]:
        nodes = [node for node in top.walk() if node.error is None]
        for node in nodes:
            node.crashed = True
            node.error = lost(errors.TargetCrashed, "", node.id, status, node.target_id)
        return Lost(nodes, self._fail_calls(nodes))

    def _fail_calls(self, nodes: list[Node]) -> list[tuple[C, errors.SessionLost]]:
        gone = {node.id: node for node in nodes}
        calls = [call for call in self.pending.values() if call.session_id in gone]
        failed = []
        for call in calls:
            self.forget(call)
            error = gone[call.session_id].error
            assert error is not None
            failed.append((call, lost(type(error), call.method, call.session_id, str(error))))
        return failed

    def _park(self, message: Message) -> None:
        if message.session_id in self._ended:
            self.counters.orphaned += 1
            return
        events = self._parked.get(message.session_id)
        if events is None:
            if len(self._parked) >= MAX_PARKED_SESSIONS:
                self.counters.unparked += 1
                return
            events = self._parked[message.session_id] = []
        if len(events) < MAX_PARKED_EVENTS:
            events.append(message)
        else:
            self.counters.unparked += 1


_REDUCERS: dict[str, Callable[[Mux[Any], Node, _Params], list[Effect[Any]]]] = {
    "Target.attachedToTarget": Mux._attached,
    "Target.detachedFromTarget": Mux._detached,
    "Target.targetDestroyed": Mux._destroyed,
    "Target.targetCrashed": Mux._target_crashed,
    "Target.targetInfoChanged": Mux._info_changed,
    "Inspector.targetCrashed": Mux._inspector_crashed,
    "Inspector.targetReloadedAfterCrash": Mux._reloaded,
    "Inspector.detached": Mux._inspector_detached,
}

REDUCED = frozenset(_REDUCERS)
"""The events that `reduce` must see."""

_WHAT: dict[type[errors.SessionLost], str] = {
    errors.SessionDetached: "the session was detached; attach to the target again",
    errors.TargetClosed: "the target was closed",
    errors.TargetCrashed: "the renderer of the target crashed; reload, navigate or close the page",
    errors.ConnectionLost: "the connection to the browser is gone",
}


def lost(
    kind: type[errors.SessionLost], method: str, session_id: str, reason: str = "", target_id: str = ""
) -> errors.SessionLost:
    """The error of one session or one call; `reason` may be the text of the session's own error."""
    what = _WHAT[kind]
    if reason.startswith(what):
        text = reason
    else:
        text = what + (f" ({target_id})" if target_id else "") + (f": {reason}" if reason else "")
    return kind(f"{method}: {text}" if method else text, method=method, session_id=session_id)


def _passes_after_crash(method: str) -> bool:
    return method in _ALLOWED_AFTER_CRASH or method.startswith("Target.")


def _remember(memory: dict[Any, None], key: Any) -> None:
    if len(memory) >= MAX_REMEMBERED:
        del memory[next(iter(memory))]
    memory[key] = None
