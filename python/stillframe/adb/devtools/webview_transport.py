"""Presents the WebViews of a process as a browser: flat sessions, each over the WebSocket of its own page.

A WebView has no tabs, windows or contexts, and the browser endpoint of old ones is incomplete. So each page gets its
own WebSocket, and the commands for the browser itself are answered here, from the list of targets that the process
serves. What only a browser can do is refused with Chrome's own words for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.adb.devtools import page_frames
from stillframe.adb.errors import DevtoolsRejected
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp.wire import METHOD_NOT_FOUND, SERVER_ERROR, UNKNOWN_SESSION
from stillframe.errors import ConnectionLost, StillframeError

if TYPE_CHECKING:
    from stillframe.adb.devtools.app_endpoint import AppEndpoint
    from stillframe.adb.devtools.page_frames import Command, Frame
    from stillframe.adb.devtools.targets import DevtoolsTarget, EndpointVersion
    from stillframe.cdp.transport.base import OnClose, OnFrame, Transport

LOOK_AGAIN_S = (0.05, 0.15, 0.4, 1.0, 2.0)
"""Seconds between looks at the list of targets after a page has opened a window: the app makes the new WebView on its
main thread, and nothing announces it."""

ASK_S = 5.0
"""Seconds for a command that is answered by a page on behalf of the browser."""

NO_TARGET = "No target with given id found"
"""Chrome's answer for an unknown target id."""


class _Refused(Exception):
    """The answer to a command is an error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class _Link:
    """One attached page: its WebSocket and its session id."""

    def __init__(self, target_id: str, session_id: str, transport: Transport) -> None:
        self.target_id = target_id
        self.session_id = session_id
        self.session_tail = page_frames.session_tail(session_id)
        self.transport = transport
        self.children: set[str] = set()
        self.detached = False
        """Whether this client detached; the end of the WebSocket is expected then."""


class WebViewTransport:
    """A transport to the WebViews of one process; made by `open`."""

    def __init__(self, app: AppEndpoint, version: EndpointVersion, targets: list[DevtoolsTarget]) -> None:
        self.peer = app.name
        self.app = app
        self._version = version
        self._targets = {target.id: target for target in targets}
        self._openers: dict[str, str] = {}
        """The page that opened a target, by target id."""
        self._links: dict[str, _Link] = {}
        """The attached pages by the id of their session."""
        self._routes: dict[str, _Link] = {}
        """The same, by the id of each session inside them."""
        self._attached = 0
        self._discovering = False
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._on_frame: OnFrame | None = None
        self._on_close: OnClose | None = None

    @classmethod
    async def open(cls, app: AppEndpoint) -> WebViewTransport:
        """Ask a process for its version and targets; raises ConnectFailed and AndroidError."""
        version, targets = await app.version(), await app.targets()
        return cls(app, version, targets)

    # -- the interface of a transport --------------------------------------------------------------

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver frames of the app's pages."""
        self._on_frame, self._on_close = on_frame, on_close

    def send(self, frame: bytes) -> None:
        """Pass a frame on to the page of its session, or answer the command here."""
        if self._closed:
            return
        session_id = page_frames.session_of(frame).decode()
        if session_id in self._links:
            self._links[session_id].transport.send(page_frames.without_session(frame))
        elif session_id in self._routes:
            self._routes[session_id].transport.send(frame)
        else:
            self._start(self._answer(session_id, page_frames.parse_command(frame)))

    async def aclose(self) -> None:
        """Close the connections to all pages. Idempotent."""
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        links, self._links = list(self._links.values()), {}
        for link in links:
            link.detached = True
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(link.transport.aclose() for link in links))
        self._end("closed by this client")

    # -- targets -----------------------------------------------------------------------------------

    async def refresh(self, opener: str | None = None) -> list[DevtoolsTarget]:
        """Read the list of targets again, announce what is different, and return it.

        A page that is new was opened by the target `opener`, if one is given. Raises ConnectFailed and AndroidError.
        """
        targets = await self.app.targets()
        listed = {target.id: target for target in targets}
        before, self._targets = self._targets, listed
        for target in targets:
            if target.id not in before and opener is not None:
                self._openers[target.id] = opener
            if target.id not in before:
                self._announce("Target.targetCreated", {"targetInfo": self._info(target)})
            elif (target.url, target.title) != (before[target.id].url, before[target.id].title):
                self._announce("Target.targetInfoChanged", {"targetInfo": self._info(target)})
        for gone in before.keys() - listed.keys():
            self._openers.pop(gone, None)
            self._announce("Target.targetDestroyed", {"targetId": gone})
        return targets

    def _announce(self, method: str, params: dict[str, object]) -> None:
        if self._discovering:
            self._deliver(page_frames.event(method, params))

    def _info(self, target: DevtoolsTarget) -> dict[str, object]:
        """Return the `Target.TargetInfo` of a target."""
        info: dict[str, object] = {
            "targetId": target.id,
            "type": target.type,
            "title": target.title,
            "url": target.url,
            "attached": any(link.target_id == target.id for link in self._links.values()),
            "canAccessOpener": False,
        }
        opener = self._openers.get(target.id)
        return info if opener is None else info | {"openerId": opener}

    async def _look_again(self, opener: str) -> None:
        """Look for the window that a page has opened."""
        known = frozenset(self._targets)
        for seconds in LOOK_AGAIN_S:
            await asyncio.sleep(seconds)
            try:
                await self.refresh(opener)
            except StillframeError:
                return  # the WebSocket of the page reports what is wrong
            if self._targets.keys() - known:
                return

    # -- frames ------------------------------------------------------------------------------------

    def _deliver(self, frame: Frame) -> None:
        if self._on_frame is not None and not self._closed:
            self._on_frame(frame)

    def _from_page(self, link: _Link, frame: Frame) -> None:
        if frame.startswith(page_frames.NOTED):
            self._note(link, frame)
        self._deliver(page_frames.in_session(frame, link.session_tail))

    def _note(self, link: _Link, frame: Frame) -> None:
        """Follow the sessions inside a page, and the windows that it opens."""
        if frame.startswith(page_frames.WINDOW_OPEN):
            self._start(self._look_again(link.target_id))
            return
        child = page_frames.child_session(frame)
        if frame.startswith(page_frames.ATTACHED):
            link.children.add(child)
            self._routes[child] = link
        else:
            link.children.discard(child)
            self._routes.pop(child, None)

    # -- the end of pages, and of everything ---------------------------------------------------------

    def _page_closed(self, link: _Link, reason: str | ConnectionLost) -> None:
        if not (link.detached or self._closed):
            self._start(self._lost(link, str(reason)))

    async def _lost(self, link: _Link, reason: str) -> None:
        error = await self.app.diagnose(link.target_id, reason)
        if isinstance(error, ConnectionLost):
            self._closed = True
            self._end(error)
        else:
            self._drop(link)
            self._targets.pop(link.target_id, None)
            self._announce("Target.targetDestroyed", {"targetId": link.target_id})

    def _drop(self, link: _Link) -> None:
        """Forget an attached page and report that its session is over."""
        self._links.pop(link.session_id, None)
        for child in link.children:
            self._routes.pop(child, None)
        ended = {"sessionId": link.session_id, "targetId": link.target_id}
        self._deliver(page_frames.event("Target.detachedFromTarget", ended))

    def _end(self, reason: str | ConnectionLost) -> None:
        on_close, self._on_close, self._on_frame = self._on_close, None, None
        if on_close is not None:
            on_close(reason)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="stillframe-webview")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- commands for the browser itself -------------------------------------------------------------

    async def _answer(self, session_id: str, command: Command) -> None:
        if session_id:
            text = "Session with given id not found."
            self._deliver(page_frames.refusal(command.id, UNKNOWN_SESSION, text, session_id))
            return
        try:
            params = msgspec.json.decode(command.params)
            self._deliver(page_frames.result(command.id, await self._value(command.method, params)))
        except _Refused as refused:
            self._deliver(page_frames.refusal(command.id, refused.code, refused.text))
        except StillframeError as error:
            self._deliver(page_frames.refusal(command.id, SERVER_ERROR, str(error)))

    async def _value(self, method: str, params: dict[str, Any]) -> object:
        if method in _REFUSED:
            raise _Refused(SERVER_ERROR, _REFUSED[method])
        answer = _ANSWERS.get(method)
        if answer is None:
            raise _Refused(METHOD_NOT_FOUND, f"'{method}' wasn't found")
        return await answer(self, params)

    async def _get_version(self, _params: dict[str, Any]) -> object:
        version = self._version
        return {
            "protocolVersion": version.protocol,
            "product": version.browser,
            "revision": "",
            "userAgent": version.user_agent,
            "jsVersion": version.v8,
        }

    async def _discover(self, params: dict[str, Any]) -> object:
        self._discovering = bool(params.get("discover"))
        for target in self._targets.values():
            self._announce("Target.targetCreated", {"targetInfo": self._info(target)})
        return {}

    async def _nothing(self, _params: dict[str, Any]) -> object:
        return {}

    async def _get_targets(self, _params: dict[str, Any]) -> object:
        return {"targetInfos": [self._info(target) for target in await self.refresh()]}

    async def _no_contexts(self, _params: dict[str, Any]) -> object:
        return {"browserContextIds": []}

    async def _get_target_info(self, params: dict[str, Any]) -> object:
        await self.refresh()
        return {"targetInfo": self._info(self._known(params))}

    async def _attach(self, params: dict[str, Any]) -> object:
        if params.get("targetId") not in self._targets:
            await self.refresh()
        target = self._known(params)
        transport = await self.app.open(target.path)
        if self._closed:
            await transport.aclose()
            raise _Refused(SERVER_ERROR, "the connection is closed")
        self._attached += 1
        link = _Link(target.id, f"{target.id}.{self._attached}", transport)
        self._links[link.session_id] = link
        attached = {"sessionId": link.session_id, "targetInfo": self._info(target), "waitingForDebugger": False}
        self._deliver(page_frames.event("Target.attachedToTarget", attached))
        transport.start(partial(self._from_page, link), partial(self._page_closed, link))
        return {"sessionId": link.session_id}

    async def _detach(self, params: dict[str, Any]) -> object:
        link = self._links.get(params.get("sessionId", ""))
        if link is None:
            raise _Refused(SERVER_ERROR, "No session with given id")
        link.detached = True
        self._drop(link)
        await link.transport.aclose()
        return {}

    async def _activate(self, params: dict[str, Any]) -> object:
        try:
            await self.app.activate(self._known(params).id)
        except DevtoolsRejected as error:
            raise _Refused(SERVER_ERROR, "Not supported") from error
        return {}

    async def _cookies(self, method: str, params: dict[str, Any]) -> object:
        """Answer a command about cookies through a page: a browser of old WebViews has no such commands."""
        page = next((target for target in self._targets.values() if target.type == "page"), None)
        if page is None:
            raise _Refused(SERVER_ERROR, "the app has no page that could be asked for its cookies")
        own = {name: value for name, value in params.items() if name != "browserContextId"}
        return await self._ask(page, method, own)

    async def _ask(self, page: DevtoolsTarget, method: str, params: dict[str, Any]) -> object:
        """Send one command over a WebSocket of its own, which other clients of the page do not notice."""
        transport = await self.app.open(page.path)
        answered: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        try:
            transport.start(partial(_take, answered), partial(_close, answered))
            transport.send(msgspec.json.encode({"id": 1, "method": method, "params": params}))
            async with time_limit(ASK_S):
                reply = msgspec.json.decode(await answered, type=_Reply)
        except TimeoutError:
            raise _Refused(SERVER_ERROR, f"the page did not answer {method} within {ASK_S:g} s") from None
        finally:
            await transport.aclose()
        if reply.error is not None:
            raise _Refused(int(reply.error["code"]), str(reply.error["message"]))
        return reply.result

    def _known(self, params: dict[str, Any]) -> DevtoolsTarget:
        target = self._targets.get(params.get("targetId", ""))
        if target is None:
            raise _Refused(SERVER_ERROR, NO_TARGET)
        return target


class _Reply(msgspec.Struct):
    result: Any = None
    error: dict[str, Any] | None = None


def _take(answered: asyncio.Future[Frame], frame: Frame) -> None:
    """Keep the answer; events may come before it."""
    if frame.startswith(b'{"id":1,') and not answered.done():
        answered.set_result(frame)


def _close(answered: asyncio.Future[Frame], reason: str | ConnectionLost) -> None:
    if not answered.done():
        answered.set_exception(_Refused(SERVER_ERROR, f"the page closed the connection: {reason}"))


def _through_page(method: str) -> Callable[[WebViewTransport, dict[str, Any]], Awaitable[object]]:
    return lambda transport, params: transport._cookies(method, params)


_ANSWERS: dict[str, Callable[[WebViewTransport, dict[str, Any]], Awaitable[object]]] = {
    "Browser.getVersion": WebViewTransport._get_version,
    "Target.setDiscoverTargets": WebViewTransport._discover,
    "Target.setAutoAttach": WebViewTransport._nothing,
    "Target.getTargets": WebViewTransport._get_targets,
    "Target.getTargetInfo": WebViewTransport._get_target_info,
    "Target.getBrowserContexts": WebViewTransport._no_contexts,
    "Target.attachToTarget": WebViewTransport._attach,
    "Target.detachFromTarget": WebViewTransport._detach,
    "Target.activateTarget": WebViewTransport._activate,
    "Storage.getCookies": _through_page("Network.getAllCookies"),
    "Storage.setCookies": _through_page("Network.setCookies"),
    "Storage.clearCookies": _through_page("Network.clearBrowserCookies"),
}

_REFUSED = {
    "Target.createTarget": "Not supported",
    "Target.closeTarget": "Not supported",
    "Target.createBrowserContext": "Failed to create browser context.",
    "Target.disposeBrowserContext": "Browser context management is not supported.",
    "Browser.close": "Not supported",
    "Browser.setDownloadBehavior": "Not supported",
    "Browser.grantPermissions": "Not supported",
    "Browser.resetPermissions": "Not supported",
}
"""What a WebView cannot do, with Chrome's texts."""
