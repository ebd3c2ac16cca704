"""A scripted browser: the public fake for tests of everything above the transport.

    transport = MemoryTransport()
    peer = transport.peer_side
    peer.answer("Page.navigate", {"frameId": "F"})
    connection = Connection(transport)
    …
    peer.emit("Page.loadEventFired", {"timestamp": 1.0}, session_id="S")

Nothing waits for real time. Frames arrive in order, one turn of the loop after they were sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.cdp.transport.base import OnClose, OnFrame


class Sent(msgspec.Struct, rename="camel"):
    """A command that the scripted browser received."""

    id: int
    method: str
    params: dict[str, Any] = {}
    session_id: str = ""


class Refusal(Exception):
    """Raise or return this in a script to answer a command with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


Answer = dict[str, Any] | Refusal | Callable[[Sent], "dict[str, Any] | Refusal | None"]
"""The answer to a command: a result, a refusal, or a function of the command that returns either, or None for none."""


class Peer:
    """The browser's side of a MemoryTransport; it answers commands without a script with an empty result."""

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport
        self._answers: dict[str, Answer] = {}
        self._held: dict[str, list[Sent]] = {}
        self._waiters: list[tuple[str, asyncio.Future[Sent]]] = []
        self._fail_at: tuple[int, Refusal | str] | None = None
        self.received: list[Sent] = []
        """All commands so far, in order."""

    @property
    def methods(self) -> list[str]:
        """The names of the commands received so far, in order."""
        return [sent.method for sent in self.received]

    # -- the script

    def answer(self, method: str, answer: Answer) -> None:
        """Set the answer to later commands of this method."""
        self._answers[method] = answer

    def hold(self, *methods: str) -> None:
        """Hold back the answers to these methods until `release`."""
        for method in methods:
            self._held.setdefault(method, [])

    def release(self, method: str) -> int:
        """Answer the held commands of this method, hold no more of them, and return how many there were."""
        held = self._held.pop(method, [])
        for sent in held:
            self._reply(sent)
        return len(held)

    def fail_nth(self, number: int, refusal: Refusal) -> None:
        """Refuse the command with this number; the first command received has number 1."""
        self._fail_at = number, refusal

    def drop_nth(self, number: int, reason: str = "the peer went away") -> None:
        """Drop the connection instead of answering the command with this number, counted from 1."""
        self._fail_at = number, reason

    # -- messages that no command asked for

    def emit(self, method: str, params: dict[str, Any] | None = None, *, session_id: str = "") -> None:
        """Send an event."""
        event: dict[str, Any] = {"method": method, "params": params or {}}
        if session_id:
            event["sessionId"] = session_id
        self.send(msgspec.json.encode(event))

    def attach(
        self, session_id: str, *, type: str = "page", target_id: str = "", parent: str = "", waiting: bool = False
    ) -> None:
        """Announce a session like auto-attach does."""
        info = {
            "targetId": target_id or f"T-{session_id}",
            "type": type,
            "title": "",
            "url": "about:blank",
            "attached": True,
            "canAccessOpener": False,
        }
        params = {"sessionId": session_id, "targetInfo": info, "waitingForDebugger": waiting}
        self.emit("Target.attachedToTarget", params, session_id=parent)

    def reply(self, number: int, result: dict[str, Any] | None = None, *, session_id: str = "") -> None:
        """Send the answer to a command id, expected or not."""
        message: dict[str, Any] = {"id": number, "result": result or {}}
        if session_id:
            message["sessionId"] = session_id
        self.send(msgspec.json.encode(message))

    def send(self, frame: bytes) -> None:
        """Send any bytes as one frame."""
        self._transport._to_client(frame)

    def disconnect(self, reason: str = "the peer went away") -> None:
        """Drop the connection after the frames sent before have arrived."""
        self._transport._drop(reason)

    # -- waiting

    async def wait_for(self, method: str) -> Sent:
        """Return the first command of this method, received or still to come."""
        for sent in self.received:
            if sent.method == method:
                return sent
        future: asyncio.Future[Sent] = asyncio.get_running_loop().create_future()
        self._waiters.append((method, future))
        return await future

    # -- inside

    def _receive(self, frame: bytes) -> None:
        sent = msgspec.json.decode(frame, type=Sent)
        self.received.append(sent)
        for waiter in [w for w in self._waiters if w[0] == sent.method]:
            self._waiters.remove(waiter)
            if not waiter[1].done():
                waiter[1].set_result(sent)
        if sent.method in self._held:
            self._held[sent.method].append(sent)
        else:
            self._reply(sent)

    def _reply(self, sent: Sent) -> None:
        answer = self._decide(sent)
        if answer is None:
            return
        message: dict[str, Any] = {"id": sent.id}
        if sent.session_id:
            message["sessionId"] = sent.session_id
        if isinstance(answer, Refusal):
            message["error"] = {"code": answer.code, "message": str(answer), "data": answer.data}
        else:
            message["result"] = answer
        self.send(msgspec.json.encode(message))

    def _decide(self, sent: Sent) -> dict[str, Any] | Refusal | None:
        if self._fail_at is not None and len(self.received) == self._fail_at[0]:
            fault = self._fail_at[1]
            if isinstance(fault, Refusal):
                return fault
            self.disconnect(fault)
            return None
        answer = self._answers.get(sent.method, {})
        if not callable(answer):
            return answer
        try:
            return answer(sent)
        except Refusal as refusal:
            return refusal


class MemoryTransport:
    """A transport to a scripted browser, `peer_side`."""

    peer = "memory"

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_frame: OnFrame | None = None
        self._on_close: OnClose | None = None
        self._early: list[bytes] = []
        self._open = True
        self.peer_side = Peer(self)
        """The scripted browser."""

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        self._on_frame, self._on_close = on_frame, on_close
        early, self._early = self._early, []
        for frame in early:
            self._to_client(frame)

    def send(self, frame: bytes) -> None:
        if self._open:
            self._loop.call_soon(self._to_peer, frame)

    async def aclose(self) -> None:
        self._end("closed by this client")

    def _to_peer(self, frame: bytes) -> None:
        if self._open:
            self.peer_side._receive(frame)

    def _to_client(self, frame: bytes) -> None:
        if self._on_frame is None:
            self._early.append(frame)
        else:
            self._loop.call_soon(self._arrive, frame)

    def _arrive(self, frame: bytes) -> None:
        if self._open and self._on_frame is not None:
            self._on_frame(frame)

    def _drop(self, reason: str) -> None:
        self._loop.call_soon(self._end, reason)

    def _end(self, reason: str) -> None:
        if not self._open:
            return
        self._open = False
        if self._on_close is not None:
            self._on_close(reason)
