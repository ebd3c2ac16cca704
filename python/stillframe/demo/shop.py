"""A lamp shop on loopback: a login, a form that validates, a cart, spinners, and a clock that never stops.

Everything that takes time in it takes a known time, so that what it shows can be checked and timed:

    GET  /login   a form; right answers are USER and PASSWORD
    GET  /join    a form whose e-mail address the server checks, and a clock
    GET  /shop    lamps, one of them sold out, a cart, and a clock
    POST /api/…   what those pages ask the server, in JSON
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib import resources
from types import TracebackType
from typing import Any, NamedTuple, Self

from stillframe.demo.http import LoopbackServer, Request, Response, plain

USER = "ann"
PASSWORD = "lantern"  # noqa: S105  the key of a toy door


class Lamp(NamedTuple):
    """One thing on sale; the price is in whole euros."""

    id: str
    name: str
    note: str
    price: int
    stock: int


LAMPS = (
    Lamp("ember", "Ember", "Smoked glass, warm and low", 48, 9),
    Lamp("tide", "Tide", "Blue enamel for a reading corner", 62, 4),
    Lamp("moth", "Moth", "Folded paper, light as a whisper", 27, 12),
    Lamp("beacon", "Beacon", "Brass, dims to a single spark", 119, 0),
)

TITLES = {"login": "Log in", "join": "Join", "shop": "Lamps"}
CLOCK = '  <time id="clock" aria-label="Clock"></time>\n'
CONTENT_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@dataclass
class Shop:
    """The shop as an async context manager; it is served while inside.

    The delays are in milliseconds and may be changed at any time: the server waits `login_delay_ms`, `join_delay_ms` or
    `cart_delay_ms` before it answers, and a page loaded from then on waits `render_delay_ms` more before it shows a
    successful login. `requests` lists the method and path of everything that was asked for, in order.
    """

    login_delay_ms: float = 150
    render_delay_ms: float = 50
    join_delay_ms: float = 80
    cart_delay_ms: float = 120
    port: int = 0
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server = LoopbackServer(self._handle, port=self.port)

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        self.port = self._server.port
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.__aexit__(kind, error, trace)

    def url(self, path: str = "/login") -> str:
        """Return the absolute URL of one of the shop's pages."""
        return self._server.url(path)

    async def _handle(self, request: Request) -> Response:
        self.requests.append(f"{request.method} {request.path}")
        match request.method, request.path:
            case "GET", "/":
                return Response(HTTPStatus.FOUND, "text/plain", b"", {"Location": "/login"})
            case "GET", "/login" | "/join" | "/shop":
                return self._page(request.path.strip("/"))
            case "GET", "/shop.css" | "/shop.js" | "/lamp.svg":
                name = request.path.strip("/")
                return Response(HTTPStatus.OK, CONTENT_TYPES[name.rpartition(".")[2]], asset(name).encode())
            case "POST", path if path.startswith("/api/"):
                return await self._api(path.removeprefix("/api/"), request.body)
        return plain(HTTPStatus.NOT_FOUND)

    def _page(self, name: str) -> Response:
        text = asset("frame.html").replace("{{page}}", asset(f"{name}.html"))
        for key, value in {
            "title": TITLES[name],
            "clock": "" if name == "login" else CLOCK,
            "delay": f"{self.render_delay_ms:g}",
            "lamps": "".join(lamp_item(lamp) for lamp in LAMPS),
        }.items():
            text = text.replace("{{" + key + "}}", value)
        return Response(HTTPStatus.OK, "text/html; charset=utf-8", text.encode())

    async def _api(self, name: str, body: bytes) -> Response:
        asked = decode(body)
        match name:
            case "login":
                return await self._login(asked)
            case "join":
                return await self._join(asked)
            case "cart":
                return await self._cart(asked)
        return plain(HTTPStatus.NOT_FOUND)

    async def _login(self, asked: dict[str, Any]) -> Response:
        await asyncio.sleep(self.login_delay_ms / 1000)
        if (asked.get("user"), asked.get("pass")) != (USER, PASSWORD):
            return answer(HTTPStatus.UNAUTHORIZED, message="That name and password do not go together.")
        return answer(HTTPStatus.OK, lamps="".join(lamp_item(lamp) for lamp in LAMPS))

    async def _join(self, asked: dict[str, Any]) -> Response:
        await asyncio.sleep(self.join_delay_ms / 1000)
        email = str(asked.get("email", ""))
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", email):
            return answer(HTTPStatus.UNPROCESSABLE_ENTITY, message="That is not an e-mail address.")
        return answer(HTTPStatus.OK, message=f"Welcome! A letter is on its way to {email}.")

    async def _cart(self, asked: dict[str, Any]) -> Response:
        await asyncio.sleep(self.cart_delay_ms / 1000)
        lamp = next((lamp for lamp in LAMPS if lamp.id == asked.get("id")), None)
        if lamp is None or not lamp.stock:
            return answer(HTTPStatus.CONFLICT, message="That lamp is not to be had.")
        return answer(HTTPStatus.OK, message=f"{lamp.name} is in your cart.", price=lamp.price)


def decode(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body or b"{}")
    except ValueError:
        return {}
    return asked if isinstance(asked, dict) else {}


def answer(status: HTTPStatus, **fields: Any) -> Response:
    return Response(status, "application/json", json.dumps(fields).encode())


def lamp_item(lamp: Lamp) -> str:
    """Return the list item of one lamp; its button is `#add-<id>`, and disabled when the lamp is sold out."""
    name, note = html.escape(lamp.name), html.escape(lamp.note)
    button = (
        f'<button id="add-{lamp.id}" class="add" data-id="{lamp.id}">Add to cart</button>'
        if lamp.stock
        else f'<button id="add-{lamp.id}" class="add" data-id="{lamp.id}" disabled>Sold out</button>'
    )
    return (
        f'<li class="lamp" id="lamp-{lamp.id}"><span class="shade {lamp.id}"></span>'
        f'<h2>{name}</h2><p class="note">{note}</p><p class="price">€ {lamp.price}</p>{button}</li>'
    )


@cache
def asset(name: str) -> str:
    """Return the text of a bundled file."""
    return resources.files("stillframe.demo").joinpath("pages", name).read_text("utf-8")
