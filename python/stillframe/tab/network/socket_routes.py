"""Let functions of the caller stand in for the servers of WebSockets, or between a page and its server.

The constructor of the page's own world is replaced (`js/src/page/sockets.ts`), in documents, not in workers. The
real sockets are those of the page, so its policy holds for them.
"""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from stillframe.cdp_types import runtime
from stillframe.errors import InputError, OptionInvalid
from stillframe.model.structs import short_url
from stillframe.security.redaction import logger
from stillframe.tab.network.url_patterns import url_matcher

if TYPE_CHECKING:
    import asyncio

    from stillframe.security.redaction import Redaction
    from stillframe.tab.background import Background
    from stillframe.tab.channel import Channel
    from stillframe.tab.document_scripts import DocumentScript
    from stillframe.tab.frames import Frame

SocketPattern = str | re.Pattern[str] | Callable[[str], object]
"""A glob of the whole URL, an expression that is searched in it, or a function of it."""

Message = str | bytes

MessageTaker = Callable[[Message], object]
"""Takes a message of a WebSocket; may be async."""
CloseTaker = Callable[[int | None, str], object]
"""Takes the code and the reason of a close; may be async."""

FAILED = 1011
"""The code of a close for a handler that fails: the server met an unexpected condition (RFC 6455 §7.4.1)."""
TOPIC = "sockets"

log = logger("stillframe.tab")


class SocketRow(NamedTuple):
    """One route: what tells its URLs, and its handler."""

    matches: Callable[[str], object]
    handler: SocketHandler


def socket_row(pattern: SocketPattern, handler: SocketHandler) -> SocketRow:
    """Return a route; raises OptionInvalid for a bad pattern, or a handler that is not callable."""
    if not callable(handler):
        raise OptionInvalid(
            f"option handler: {handler!r} is not a function that takes a WebSocketRoute", option="handler"
        )
    if isinstance(pattern, str | re.Pattern) or not callable(pattern):
        return SocketRow(url_matcher(pattern), handler)
    return SocketRow(pattern, handler)


class Pair:
    """A WebSocket of a page with its two sides; what it does reaches the page in the order of the calls."""

    def __init__(self, frame: Frame, message: dict[str, Any], background: Background) -> None:
        self._frame = frame
        self._context_id = frame.context_id
        self.id = str(message.get("id"))
        self.url = str(message.get("url"))
        self.protocols = tuple(map(str, message.get("protocols") or ()))
        self.background = background
        self.is_decided = False
        self.is_connected = False
        self.page = WebSocketRoute(self, "page")
        self.server = WebSocketRoute(self, "server")

    def do(self, op: str, **given: Any) -> None:
        """Tell the page what to do with the socket; one whose document is gone needs nothing any more."""
        if self._frame.session.error is not None or self._context_id is None:
            return
        text = json.dumps({"id": self.id, "op": op, **given})
        expression = f"globalThis.__sfChannel && __sfChannel({json.dumps(TOPIC)}, {json.dumps(text)})"
        self._frame.session.post(runtime.Evaluate(expression=expression, context_id=self._context_id, silent=True))

    def told(self, op: str, message: dict[str, Any]) -> None:
        """Take what one of the sides has sent."""
        if op in ("message", "server"):
            data, side = message.get("data"), self.page if op == "message" else self.server
            side._received(base64.b64decode(str(data)) if message.get("binary") else str(data))
        elif op == "close":
            self.page._left(message)
        elif op == "serverClose":
            self.server._left(message)

    def call(self, function: Callable[..., object], *values: object) -> None:
        """Call a handler of the caller."""
        self.background.call(function, *values, name="handler of a WebSocket")


class WebSocketRoute:
    """One side of a WebSocket that a route takes: the page's, or, of `connect_to_server`, the server's.

    What the page sends goes to `on_message` of the page's side. Without that, and without a server, it is lost; with a
    server it goes there. What the server sends goes to `on_message` of its side, otherwise to the page.
    """

    def __init__(self, pair: Pair, side: Literal["page", "server"]) -> None:
        self._pair = pair
        self._side = side
        self._on_message: MessageTaker | None = None
        self._on_close: CloseTaker | None = None

    def __repr__(self) -> str:
        return f"WebSocketRoute({self._side}, {short_url(self.url)})"

    @property
    def url(self) -> str:
        """The URL that the page connects to."""
        return self._pair.url

    @property
    def protocols(self) -> list[str]:
        """The subprotocols that the page offers; a route without a server takes the first."""
        return list(self._pair.protocols)

    def on_message(self, handler: MessageTaker) -> None:
        """Call `handler` with each message of this side, str or bytes, in place of passing it on."""
        self._on_message = handler

    def on_close(self, handler: CloseTaker) -> None:
        """Call `handler` with code and reason when this side closes, in place of closing the other one."""
        self._on_close = handler

    def send(self, message: Message) -> None:
        """Send a message to this side: to the page, or to the server."""
        if not isinstance(message, str | bytes | bytearray):
            raise OptionInvalid(f"option message: {message!r} is neither text nor bytes", option="message")
        is_binary = not isinstance(message, str)
        data = base64.b64encode(message).decode() if isinstance(message, bytes | bytearray) else message
        self._decided()
        self._pair.do("message" if self._side == "page" else "toServer", data=data, binary=is_binary)

    async def close(self, *, code: int | None = None, reason: str = "") -> None:
        """Close this side; the page gets a `close` event.

        Args:
            code: The code of the event.
            reason: Its reason.
        """
        if self._side == "page":
            self._decided()
        self._pair.do("close" if self._side == "page" else "closeServer", code=code, reason=reason)

    def connect_to_server(self) -> WebSocketRoute:
        """Connect to the real server and return its side; messages pass in both directions unless handlers take them.

        Raises:
            InputError: This is the side of the server, or the socket is answered already.
        """
        pair = self._pair
        if self._side == "server" or pair.is_connected or pair.is_decided:
            raise InputError(f"the WebSocket {self.url} is connected or answered already")
        pair.is_connected = pair.is_decided = True
        pair.do("connect")
        return pair.server

    def _received(self, message: Message) -> None:
        """Take a message of this side."""
        if self._on_message is not None:
            self._pair.call(self._on_message, message)
        elif self._side == "server":
            self._pair.page.send(message)
        elif self._pair.is_connected:
            self._pair.server.send(message)

    def _left(self, message: dict[str, Any]) -> None:
        """Take the end of this side."""
        code, reason = message.get("code"), str(message.get("reason") or "")
        if self._on_close is not None:
            self._pair.call(self._on_close, code, reason)
        elif self._side == "server":
            self._pair.do("ended", code=code, reason=reason, clean=bool(message.get("clean")))
        elif self._pair.is_connected:
            self._pair.do("closeServer", code=code, reason=reason)
        else:
            self._pair.do("close", code=code, reason=reason)

    def _decided(self) -> None:
        """Open the page's side, if nothing has done that."""
        if not self._pair.is_decided:
            self._pair.is_decided = True
            self._pair.do("accept")


SocketHandler = Callable[[WebSocketRoute], object]
"""Takes a WebSocketRoute; may be async."""


class SocketRoutes:
    """The WebSocket routes of one tab; the page notices nothing before there is one."""

    def __init__(self, channel: Channel, background: Background, redaction: Redaction) -> None:
        self._channel = channel
        self._background = background
        self._redaction = redaction
        self.rows: list[SocketRow] = []
        self._wide: Sequence[SocketRow] = ()
        self._script: DocumentScript | None = None
        self._pairs: dict[str, Pair] = {}

    def start(self, wide: Sequence[SocketRow] | None = None) -> list[asyncio.Future[Any]]:
        """Ask the routes from now on, `wide` are those of the context; returns the answers of the browser."""
        if wide is not None:
            self._wide = wide
        if self._script is None:
            self._channel.open("socket", self._heard)
            self._script = self._channel.run("sockets")
        return list(self._script.replies.values())

    def _heard(self, frame: Frame, message: dict[str, Any]) -> None:
        op, key = message.get("op"), str(message.get("id"))
        if op == "open":
            pair = Pair(frame, message, self._background)
            row = self._row(pair.url)
            if row is None:
                pair.do("pass")
                return
            self._pairs[key] = pair
            self._background.start(self._decide(pair, row), "WebSocket route")
        elif (known := self._pairs.get(key)) is not None:
            known.told(str(op), message)
            if op in ("close", "serverClose"):
                self._pairs.pop(key, None) if not known.is_connected or op == "serverClose" else None

    def _row(self, url: str) -> SocketRow | None:
        for row in (*reversed(self.rows), *reversed(self._wide)):
            try:
                if row.matches(url):
                    return row
            except Exception:
                log.exception("the pattern function of a WebSocket route raised an exception; the route is skipped")
        return None

    async def _decide(self, pair: Pair, row: SocketRow) -> None:
        try:
            result = row.handler(pair.page)
            if inspect.isawaitable(result):
                await result
        except Exception:
            log.exception("the WebSocket route for %s failed", self._redaction.redact(pair.url))
            pair.do("close", code=FAILED, reason="")
            return
        if not pair.is_decided:
            pair.is_decided = True
            pair.do("accept")
