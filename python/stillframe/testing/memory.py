"""A DevTools connection in memory, with a scripted peer in place of the browser.

    transport = MemoryTransport()
    peer = transport.peer_side
    peer.answer("Page.navigate", {"frameId": "F"})
    async with Connection(transport) as connection:
        peer.attach("S")
        ...
        peer.emit("Page.loadEventFired", {"timestamp": 1.0}, session_id="S")

Nothing waits for real time: frames travel in order, and each arrives one turn of the event loop after it was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.cdp.transport.base import OnClose, OnFrame


class Sent(msgspec.Struct, rename="camel"):
    """A command that the client sent, as the peer decoded it."""

    id: int
    method: str
    params: dict[str, Any] = {}
    session_id: str = ""


class Refusal(Exception):
    """A protocol error for the peer to answer with: a script may return it or raise it.

    >>> Refusal(-32602, "Invalid parameters").code
    -32602
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


Answer = dict[str, Any] | Refusal | Callable[[Sent], "dict[str, Any] | Refusal | None"]
"""How the peer answers a command: a result, a refusal, or a function of the command that returns either.

A function that returns None leaves the command unanswered.
"""


class Peer:
    """The browser's end of a `MemoryTransport`: it records commands, answers them, and emits events.

    A command without a script gets an empty result.
    """

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport
        self._answers: dict[str, Answer] = {}
        self._held: dict[str, list[Sent]] = {}
        self._waiters: list[tuple[str, asyncio.Future[Sent]]] = []
        self._fault: tuple[int, Refusal | str] | None = None
        self.received: list[Sent] = []
        """Every command so far, in order of arrival."""

    @property
    def methods(self) -> list[str]:
        """The names of the commands received so far, in order of arrival."""
        return [sent.method for sent in self.received]

    # -- answers

    def answer(self, method: str, answer: Answer) -> None:
        """Set the answer to every later command with this name.

        Args:
            method: The name of the command.
            answer: The result, a Refusal, or a function of the command that returns one.

        Example:
            peer.answer("Browser.getVersion", lambda sent: {"product": "Chrome/156"})
        """
        self._answers[method] = answer

    def hold(self, *methods: str) -> None:
        """Leave commands with these names unanswered until `release`."""
        for method in methods:
            self._held.setdefault(method, [])

    def release(self, method: str) -> int:
        """Answer the held commands with this name, stop holding it, and return how many were held."""
        held = self._held.pop(method, [])
        for sent in held:
            self._reply(sent)
        return len(held)

    def fail_nth(self, number: int, refusal: Refusal) -> None:
        """Refuse a command.

        Args:
            number: The number of the command; the first command received is number 1.
            refusal: What it is answered with.
        """
        self._fault = number, refusal

    def drop_nth(self, number: int, reason: str = "the peer went away") -> None:
        """Drop the connection in place of an answer to a command.

        Args:
            number: The number of the command; the first command received is number 1.
            reason: Why, for the client's error.
        """
        self._fault = number, reason

    # -- what a browser sends on its own

    def emit(self, method: str, params: dict[str, Any] | None = None, *, session_id: str = "") -> None:
        """Send an event.

        Args:
            method: The name of the event.
            params: Its parameters.
            session_id: Its session; by default the browser's.
        """
        event: dict[str, Any] = {"method": method, "params": params or {}}
        if session_id:
            event["sessionId"] = session_id
        self.send(msgspec.json.encode(event))

    def attach(
        self, session_id: str, *, type: str = "page", target_id: str = "", parent: str = "", waiting: bool = False
    ) -> None:
        """Announce a new session, as a browser does under `Target.setAutoAttach`.

        Args:
            session_id: The id of the session.
            type: The type of its target.
            target_id: The id of its target.
            parent: The session that it belongs to; by default the browser's.
            waiting: Whether the target waits for the debugger.
        """
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
        """Send a result for a command id, whether or not the client sent a command with that id.

        Args:
            number: The id of the command.
            result: The result; by default an empty one.
            session_id: Its session; by default the browser's.
        """
        message: dict[str, Any] = {"id": number, "result": result or {}}
        if session_id:
            message["sessionId"] = session_id
        self.send(msgspec.json.encode(message))

    def send(self, frame: bytes) -> None:
        """Send raw bytes as one frame."""
        self._transport.deliver(frame)

    def disconnect(self, reason: str = "the peer went away") -> None:
        """Close the connection after the frames already sent have arrived."""
        self._transport.drop(reason)

    # -- what the client sent

    async def wait_for(self, method: str) -> Sent:
        """Return the first command with this name, received already or still to come."""
        for sent in self.received:
            if sent.method == method:
                return sent
        future: asyncio.Future[Sent] = asyncio.get_running_loop().create_future()
        self._waiters.append((method, future))
        return await future

    def receive(self, frame: bytes) -> None:
        """Take one frame of the client; the transport calls this."""
        sent = msgspec.json.decode(frame, type=Sent)
        self.received.append(sent)
        self._wake(sent)
        if sent.method in self._held:
            self._held[sent.method].append(sent)
        else:
            self._reply(sent)

    def _wake(self, sent: Sent) -> None:
        for waiter in [each for each in self._waiters if each[0] == sent.method]:
            self._waiters.remove(waiter)
            if not waiter[1].done():
                waiter[1].set_result(sent)

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
        if self._fault is not None and len(self.received) == self._fault[0]:
            fault = self._fault[1]
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
    """A transport for `stillframe.cdp.Connection` whose other end is `peer_side`; make it in a running event loop."""

    peer = "memory"

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_frame: OnFrame | None = None
        self._on_close: OnClose | None = None
        self._early: list[bytes] = []
        self._open = True
        self.peer_side = Peer(self)
        """The browser's end."""

    @property
    def closed(self) -> bool:
        """Whether either end has closed it."""
        return not self._open

    # -- the client's end

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver frames, those that came early first.

        Args:
            on_frame: A function of each frame.
            on_close: A function that is called at the end.
        """
        self._on_frame, self._on_close = on_frame, on_close
        early, self._early = self._early, []
        for frame in early:
            self.deliver(frame)

    def send(self, frame: bytes) -> None:
        """Pass one frame to the other end in the next turn of the loop."""
        if self._open:
            self._loop.call_soon(self._to_peer, frame)

    async def aclose(self) -> None:
        """Close both ends. Idempotent."""
        self._end("closed by this client")

    def _to_peer(self, frame: bytes) -> None:
        if self._open:
            self.peer_side.receive(frame)

    # -- the browser's end

    def deliver(self, frame: bytes) -> None:
        """Pass a frame to the client, or keep it until the client starts."""
        if self._on_frame is None:
            self._early.append(frame)
        else:
            self._loop.call_soon(self._arrive, frame)

    def drop(self, reason: str) -> None:
        """Close the connection after the frames already delivered."""
        self._loop.call_soon(self._end, reason)

    def _arrive(self, frame: bytes) -> None:
        if self._open and self._on_frame is not None:
            self._on_frame(frame)

    def _end(self, reason: str) -> None:
        if not self._open:
            return
        self._open = False
        if self._on_close is not None:
            self._on_close(reason)
