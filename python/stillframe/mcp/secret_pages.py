"""Pages of the server on loopback, on which a person types a secret that neither the client nor the model may see."""

from __future__ import annotations

import asyncio
import html
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import msgspec
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from stillframe.mcp.asking import new_token

if TYPE_CHECKING:
    from starlette.requests import Request

    from stillframe.mcp.loopback import LoopbackServer

TTL_S = 600.0
"""Seconds in which a page can be used: a person reads the message, and looks for the code on a phone."""

MAX_PAGES = 32
"""Pages that are open; the oldest goes first."""

MAX_FORM_BYTES = 20_000

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors "
    "'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:4rem auto;padding:0 1rem;color:#1b1b1f;"
    "background:#fff}input,button{font:inherit;padding:.5rem .75rem;width:100%;box-sizing:border-box;margin:.5rem 0}"
    "button{background:#1d4ed8;color:#fff;border:0;border-radius:.4rem}.bad{color:#b91c1c}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#18181b}}"
)


class SecretPage(msgspec.Struct):
    """A page for one secret; `host` is the page's on which it will be typed."""

    name: str
    host: str
    token: str
    url: str
    created: float
    value: asyncio.Future[str]


class SecretPages:
    """Serves the pages from the first one on. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: dict[str, SecretPage] = {}
        self._server: LoopbackServer | None = None

    async def open(self, name: str, host: str) -> SecretPage:
        """Return a new page, which can be used once."""
        if self._server is None:
            from stillframe.mcp.loopback import LoopbackServer, listen

            self._server = LoopbackServer(listen("127.0.0.1", 0), self._app)
        token = new_token()
        url = f"http://127.0.0.1:{self._server.port}/secret/{token}"
        page = SecretPage(name, host, token, url, self._clock(), asyncio.get_running_loop().create_future())
        self._pages[token] = page
        while len(self._pages) > MAX_PAGES:
            self._forget(next(iter(self._pages)))
        return page

    def find(self, token: str | None) -> SecretPage | None:
        """Return a page that was opened and is not too old."""
        page = self._pages.get(token or "")
        if page is not None and page.created < self._clock() - TTL_S:
            self._forget(page.token)
            return None
        return page

    def close(self, page: SecretPage) -> None:
        """Forget a page and what was typed there."""
        self._forget(page.token)

    async def stop(self) -> None:
        """Stop serving."""
        for token in list(self._pages):
            self._forget(token)
        if self._server is not None:
            await self._server.stop()

    def _forget(self, token: str) -> None:
        page = self._pages.pop(token, None)
        if page is not None:
            page.value.cancel()

    def _app(self, port: int) -> Starlette:
        self._checks = TransportSecurityMiddleware(
            TransportSecuritySettings(allowed_hosts=[f"127.0.0.1:{port}"], allowed_origins=[f"http://127.0.0.1:{port}"])
        )
        return Starlette(routes=[Route("/secret/{token}", self._serve, methods=["GET", "POST"])])

    async def _serve(self, request: Request) -> Response:
        refusal = await self._checks.validate_request(request)
        if refusal is not None:
            return refusal
        page = self.find(request.path_params["token"])
        if page is None or page.value.done():
            return _html("<h1>This page was used, or is too old</h1><p>You can close it.</p>", 404)
        if request.method == "GET":
            return _html(_form(page))
        text = await _typed(request)
        if len(text) < MIN_CHARS:
            return _html(_form(page, f"A secret has at least {MIN_CHARS} characters."), 400)
        page.value.set_result(text)
        return _html("<h1>Thank you</h1><p>You can close this page and go back.</p>")


async def _typed(request: Request) -> str:
    """Return what was typed, or nothing if it is not a form or too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return ""
    return parse_qs(body.decode("utf-8", "replace")).get("value", [""])[0]


MIN_CHARS = 4
"""Characters of a secret: the replies would lose each place of a shorter one."""


def _form(page: SecretPage, problem: str = "") -> str:
    name, where = html.escape(page.name), html.escape(page.host or "the page that is open")
    wrong = f"<p class=bad>{html.escape(problem)}</p>" if problem else ""
    return (
        f"<h1>{name}</h1><p>An agent wants to type <b>{name}</b> on <b>{where}</b>. What you enter here goes to the "
        "browser that it uses, for this one step; neither the agent nor its client sees it.</p>"
        f"{wrong}<form method=post><label>{name}<input name=value type=password autocomplete=off autofocus required>"
        "</label><button>Send</button></form><p>If you did not expect this, close the page.</p>"
    )


def _html(body: str, status: int = 200) -> HTMLResponse:
    page = (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>stillframe</title><style>{STYLE}</style><main>{body}</main></html>"
    )
    return HTMLResponse(page, status, HEADERS)
