"""A stand-in for the DevTools socket of an Android WebView, or of Chrome for Android, in front of a real Chromium.

    async with stillframe.launch(port=0) as browser:
        async with WebViewFacade(browser.info.endpoint, milestone=74) as facade:
            await facade.open_page("https://example.com")
            ...  # connect to facade.url as to a forwarded `localabstract:webview_devtools_remote_1234`

The facade answers HTTP and WebSockets on a port of 127.0.0.1. It is one app: it has a browser context of its own in the
Chromium, so that several facades can share one, and it shows the pages of this context. It limits the protocol to what
such a browser has, and with `milestone` to what one of that age had. It needs no device and no adb.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from stillframe.chrome.protocol_history import history
from stillframe.extend.network import StreamServer
from stillframe_phone import webview_http
from stillframe_phone.webview_backend import Backend
from stillframe_phone.webview_http import Answer, Request
from stillframe_phone.webview_messages import Disguise, Kind, Traffic, View
from stillframe_phone.webview_relay import Relay, reset

MAX_HEAD = 64 * 1024
"""Bytes that the head of a request may have."""

FACTORY_VERSIONS = {
    74: "74.0.3729.185",
    83: "83.0.4103.106",
    91: "91.0.4472.114",
    113: "113.0.5672.136",
    124: "124.0.6367.219",
}
"""The WebViews in Android's emulator images (API 29, 30, 31, 34, 35), from their public user agents."""
PACKAGES: dict[Kind, str] = {"webview": "com.example.app", "chrome": "com.android.chrome"}
ENGINE = "AppleWebKit/537.36 (KHTML, like Gecko)"
USER_AGENTS: dict[Kind, str] = {
    "webview": f"Mozilla/5.0 (Linux; Android 10; Pixel 3; wv) {ENGINE} Version/4.0 Chrome/{{}} Mobile Safari/537.36",
    "chrome": f"Mozilla/5.0 (Linux; Android 10; Pixel 3) {ENGINE} Chrome/{{}} Mobile Safari/537.36",
}


class WebViewFacade:
    """The DevTools socket of one app on Android, as an async context manager.

    `endpoint` is a Chromium's `http://127.0.0.1:port`; `kind` is `webview` or `chrome`; `milestone` limits the protocol
    to that of an older Chromium, None to that of the real one. `package` is what /json/version reports as
    Android-Package; very old browsers have none (pass an empty string).
    """

    def __init__(
        self, endpoint: str, *, kind: Kind = "webview", milestone: int | None = None, package: str | None = None
    ) -> None:
        if kind not in PACKAGES:
            raise ValueError(f"kind is 'webview' or 'chrome', not {kind!r}")
        if milestone is not None and not history().floor <= milestone <= history().newest:
            raise ValueError(f"milestone {milestone} is outside of {history().floor} to {history().newest}")
        self.package = PACKAGES[kind] if package is None else package
        self.port = 0
        """The port on 127.0.0.1, once the facade is open."""
        self._backend = Backend(endpoint)
        self._disguise = Disguise(kind, milestone)
        self._awake = asyncio.Event()
        self._awake.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: StreamServer | None = None

    @property
    def url(self) -> str:
        """The address of the endpoint: `http://127.0.0.1:port`."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        """The number of connected clients."""
        return self._server.connections if self._server else 0

    @property
    def commands(self) -> Counter[str]:
        """How often clients have sent each command, also one that was refused."""
        return self._disguise.commands

    @property
    def context_id(self) -> str:
        """The browser context of the app in the real browser."""
        return self._disguise.context or ""

    async def __aenter__(self) -> Self:
        await self._backend.open()
        disguise = self._disguise
        number = version_number(disguise.milestone, self._backend.version["Browser"])
        disguise.product, disguise.user_agent = f"Chrome/{number}", USER_AGENTS[disguise.kind].format(number)
        found = await self._backend.call("Target.createBrowserContext", disposeOnDetach=False)
        disguise.context = found["browserContextId"]
        try:
            await self._listen()
        except BaseException:
            await self._dispose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End all connections and close the app's pages. Idempotent."""
        self.kill()
        if self._server is not None:
            await self._server.aclose()
        await self._dispose()

    # -- the pages

    async def open_page(self, url: str = "about:blank", *, wait: bool = True, **state: Any) -> str:
        """Open a page in the app's context and return its target id.

        Args:
            url: The URL to load.
            wait: Whether it has loaded when the call returns.
            **state: What `View` takes.

        Raises:
            TimeoutError: With `wait`, it has not loaded within 10 s.
        """
        found = await self._backend.call("Target.createTarget", url=url, browserContextId=self.context_id)
        target_id: str = found["targetId"]
        self.show(target_id, **state)
        if wait and url != "about:blank":
            await self._backend.loaded(target_id)
        return target_id

    def show(self, target_id: str, **state: Any) -> None:
        """Show a target, also one of another context, and change the state of its view.

        Args:
            target_id: The target.
            **state: What changes (`visible=True`, `width=…`).
        """
        self._disguise.targets.add(target_id)
        self._disguise.views[target_id] = msgspec.structs.replace(self._disguise.view(target_id), **state)

    def hide(self, target_id: str) -> None:
        """Put a view into the background: it is not visible, and never answers touches or requests for screenshots.

        The page itself does not notice: its `document.visibilityState` stays.
        """
        self.show(target_id, visible=False)

    def view(self, target_id: str) -> View:
        """Return the state of a page's view."""
        return self._disguise.view(target_id)

    async def close_page(self, target_id: str) -> None:
        """Close a page, as its app does when it destroys the view."""
        await self._backend.close(target_id)
        self._disguise.views.pop(target_id, None)

    # -- the process

    def freeze(self) -> None:
        """Stop the process as Android's freezer does: connections are accepted, nothing is answered until `thaw`."""
        self._awake.clear()

    def thaw(self) -> None:
        """Let a frozen process go on, with everything that has arrived meanwhile."""
        self._awake.set()

    def kill(self) -> None:
        """End the process: all connections are reset, new ones are refused until `restart`."""
        if self._server is not None:
            self._server.stop()
        for writer in tuple(self._writers):
            reset(writer)

    async def restart(self) -> dict[str, str]:
        """End the process, and start it again on the same port, with its pages at their last URLs under new ids.

        Returns the new id of each page by its old one. Only pages of the app's own context are opened again.
        """
        self.kill()
        self.thaw()
        renewed = {}
        for row in await self._targets():
            if row["type"] == "page" and row["browserContextId"] == self.context_id:
                renewed[row["targetId"]] = await self._reopened(row)
        await self._listen()
        return renewed

    async def _reopened(self, row: dict[str, Any]) -> str:
        state = msgspec.structs.asdict(self.view(row["targetId"]))
        renewed = await self.open_page(row["url"], wait=False, **state)
        await self.close_page(row["targetId"])
        return renewed

    # -- the real browser

    async def _dispose(self) -> None:
        """Close the app's pages; a browser that has gone has closed them itself."""
        context, self._disguise.context = self._disguise.context, None
        if context is not None:
            with suppress(OSError, InvalidHandshake, ConnectionClosed):
                await self._backend.call("Target.disposeBrowserContext", browserContextId=context)

    async def _targets(self) -> list[dict[str, Any]]:
        """Return the targets that are shown."""
        found = (await self._backend.call("Target.getTargets", filter=[{}]))["targetInfos"]
        return [each for each in found if self._disguise.owns(each)]

    # -- the clients

    async def _listen(self) -> None:
        if self._server is not None:
            await self._server.aclose()
        self._server = StreamServer(self._serve, name=f"webview facade {self.package}")
        await self._server.start(self.port, limit=MAX_HEAD)
        self.port = self._server.port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            await self._requests(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError, ConnectionClosed, InvalidHandshake):
            pass  # the client has gone or does not speak HTTP, or the browser has gone
        finally:
            self._writers.discard(writer)

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await self._awake.wait()
            request = webview_http.parse_request(head)
            if request is None:
                return
            target_id, refusal = None, None
            if request.is_websocket:
                target_id, refusal = await self._wanted(request)
                if refusal is None:
                    await self._relay(target_id, head, reader, writer)
                    return
            writer.write((refusal or await self._answer(request)).encode())
            await writer.drain()

    # -- HTTP

    async def _answer(self, request: Request) -> Answer:
        if refusal := webview_http.refusal(request, self._disguise.milestone):
            return refusal
        path, _, query = request.path.partition("?")
        command, _, argument = path.removeprefix("/json").strip("/").partition("/")
        if not path.startswith("/json"):
            return Answer(404)
        host = request.headers.get("host", f"127.0.0.1:{self.port}")
        if command in ("", "list"):
            return Answer(200, await self._list(host))
        if command == "version":
            return Answer(200, webview_http.version(self._backend.version, self._disguise, self.package, host))
        if command == "new":
            return await self._new(request.method, unquote(query), host)
        if command in ("activate", "close"):
            return await self._manage(command, argument)
        return Answer(404, f"Unknown command: {command}")  # `protocol` too: it is not built into Android's

    async def _list(self, host: str) -> list[dict[str, Any]]:
        """Return the rows of the shown targets, in the browser's order: by last activity."""
        shown = {each["targetId"] for each in await self._targets()}
        rows = await self._backend.get("/json/list")
        return [webview_http.target(row, self._disguise, host) for row in rows if row["id"] in shown]

    async def _new(self, method: str, url: str, host: str) -> Answer:
        milestone = self._disguise.milestone
        if method != "PUT" and (milestone is None or milestone >= webview_http.PUT_SINCE):
            return Answer(405, webview_http.BAD_VERB.format(method))
        if self._disguise.kind == "webview":
            return Answer(500, webview_http.NOT_CREATED)
        target_id = await self.open_page(url or "about:blank", wait=False)
        return Answer(200, next(row for row in await self._list(host) if row["id"] == target_id))

    async def _manage(self, command: str, target_id: str) -> Answer:
        if target_id not in {each["targetId"] for each in await self._targets()}:
            return Answer(404, webview_http.NO_TARGET.format(target_id))
        await self._backend.call(f"Target.{command}Target", targetId=target_id)
        return Answer(200, "Target activated" if command == "activate" else "Target is closing")

    # -- WebSockets

    async def _wanted(self, request: Request) -> tuple[str | None, Answer | None]:
        """Return the target that a WebSocket is for, None for the browser, and an answer if it is refused."""
        target_id = request.path.partition("/devtools/page/")[2] or None
        if refusal := webview_http.refusal(request, self._disguise.milestone):
            return None, refusal
        if target_id is None:
            return None, None if request.path == "/devtools/browser" else Answer(404)
        is_shown = target_id in {each["targetId"] for each in await self._targets()}
        return target_id, None if is_shown else Answer(500, webview_http.NO_TARGET.format(target_id))

    async def _relay(
        self, target_id: str | None, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        async with self._backend.connect(target_id) as browser:
            await Relay(Traffic(self._disguise, target_id), browser, reader, writer, self._awake).run(head)


def version_number(milestone: int | None, product: str) -> str:
    """Return the version that a browser of a milestone reports; without one that of the real browser's product.

    >>> version_number(74, "Chrome/156.0.8078.79"), version_number(90, ""), version_number(None, "Chrome/156.0.8078.79")
    ('74.0.3729.185', '90.0.0.0', '156.0.8078.79')
    """
    if milestone is None:
        return product.partition("/")[2]
    return FACTORY_VERSIONS.get(milestone, f"{milestone}.0.0.0")
