"""A lamp shop on loopback: a login, a form with validation, a cart, spinners, and a clock that never stops.

Every delay in it is known, so that tests and benchmarks can check and time what it shows:

    GET  /login   a form; it accepts USER and PASSWORD
    GET  /join    a form with an e-mail address that the server validates, and a clock
    GET  /shop    lamps, one of them sold out, a cart, and a clock
    GET  /account, and the download /receipts.csv; without the cookie of a login they redirect to /login
    POST /api/…   the JSON requests of these pages
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import secrets
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib import resources
from types import TracebackType
from typing import Any, NamedTuple, Self

from stillframe.demo.http import LoopbackRequest, LoopbackServer, Response, plain

USER = "ann"
PASSWORD = "lantern"  # noqa: S105  the password of a demo


class Lamp(NamedTuple):
    """A lamp for sale; the price is in euros."""

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

RECEIPTS = "date,lamp,euros\n2026-03-02,Ember,48\n2026-09-14,Moth,27\n"
"""The download of the account."""

TITLES = {"login": "Log in", "join": "Join", "shop": "Lamps", "account": "Account"}
CLOCK = '  <time id="clock" aria-label="Clock"></time>\n'
CONTENT_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@dataclass
class Shop:
    """Serves the shop within `async with`.

    The delays may change at any time: the server waits `login_delay_ms`, `join_delay_ms` or `cart_delay_ms` before it
    responds, and pages that load later wait `render_delay_ms` before they show a successful login. `requests` lists
    method and path of all requests, in order.
    """

    login_delay_ms: float = 150
    render_delay_ms: float = 50
    join_delay_ms: float = 80
    cart_delay_ms: float = 120
    port: int = 0
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server = LoopbackServer(self._handle, port=self.port)
        self._cookie = f"session={secrets.token_hex(8)}"

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

    async def _handle(self, request: LoopbackRequest) -> Response:
        self.requests.append(f"{request.method} {request.path}")
        match request.method, request.path:
            case "GET", "/":
                return Response(HTTPStatus.FOUND, "text/plain", b"", {"Location": "/login"})
            case "GET", "/login" | "/join" | "/shop":
                return self._page(request.path.strip("/"))
            case "GET", "/account" | "/receipts.csv" if not self._is_logged_in(request):
                return Response(HTTPStatus.FOUND, "text/plain", b"", {"Location": "/login"})
            case "GET", "/account":
                return self._page("account")
            case "GET", "/receipts.csv":
                as_file = {"Content-Disposition": "attachment; filename=receipts.csv"}
                return Response(HTTPStatus.OK, "text/csv; charset=utf-8", RECEIPTS.encode(), as_file)
            case "GET", "/shop.css" | "/shop.js" | "/lamp.svg":
                name = request.path.strip("/")
                return Response(HTTPStatus.OK, CONTENT_TYPES[name.rpartition(".")[2]], asset(name).encode())
            case "POST", path if path.startswith("/api/"):
                return await self._api(path.removeprefix("/api/"), request.body)
        return plain(HTTPStatus.NOT_FOUND)

    def _is_logged_in(self, request: LoopbackRequest) -> bool:
        return self._cookie in request.headers.get("cookie", "").split("; ")

    def _page(self, name: str) -> Response:
        text = asset("frame.html").replace("{{page}}", asset(f"{name}.html"))
        for key, value in {
            "title": TITLES[name],
            "clock": CLOCK if name in ("join", "shop") else "",
            "delay": f"{self.render_delay_ms:g}",
            "lamps": "".join(lamp_item(lamp) for lamp in LAMPS),
        }.items():
            text = text.replace("{{" + key + "}}", value)
        return Response(HTTPStatus.OK, "text/html; charset=utf-8", text.encode())

    async def _api(self, name: str, body: bytes) -> Response:
        fields = decode(body)
        match name:
            case "login":
                return await self._login(fields)
            case "join":
                return await self._join(fields)
            case "cart":
                return await self._cart(fields)
        return plain(HTTPStatus.NOT_FOUND)

    async def _login(self, fields: dict[str, Any]) -> Response:
        await asyncio.sleep(self.login_delay_ms / 1000)
        if (fields.get("user"), fields.get("pass")) != (USER, PASSWORD):
            return json_response(HTTPStatus.UNAUTHORIZED, message="That name and password do not go together.")
        answer = json_response(HTTPStatus.OK, lamps="".join(lamp_item(lamp) for lamp in LAMPS))
        return answer._replace(headers={"Set-Cookie": f"{self._cookie}; Path=/; HttpOnly; SameSite=Lax"})

    async def _join(self, fields: dict[str, Any]) -> Response:
        await asyncio.sleep(self.join_delay_ms / 1000)
        email = str(fields.get("email", ""))
        if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", email):
            return json_response(HTTPStatus.UNPROCESSABLE_ENTITY, message="That is not an e-mail address.")
        return json_response(HTTPStatus.OK, message=f"Welcome! A letter is on its way to {email}.")

    async def _cart(self, fields: dict[str, Any]) -> Response:
        await asyncio.sleep(self.cart_delay_ms / 1000)
        lamp = next((lamp for lamp in LAMPS if lamp.id == fields.get("id")), None)
        if lamp is None or not lamp.stock:
            return json_response(HTTPStatus.CONFLICT, message="This lamp is sold out.")
        return json_response(HTTPStatus.OK, message=f"{lamp.name} is in your cart.", price=lamp.price)


def decode(body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON body; none if it is not a JSON object."""
    try:
        fields = json.loads(body or b"{}")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def json_response(status: HTTPStatus, **fields: Any) -> Response:
    """Return a response with the fields as JSON."""
    return Response(status, "application/json", json.dumps(fields).encode())


def lamp_item(lamp: Lamp) -> str:
    """Return the list item of a lamp; its button is `#add-<id>`, disabled if the lamp is sold out."""
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
