"""What pages and contexts do to requests and to documents: routes, headers, scripts, exposed functions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stillframe.api.har import HarRecorders, NotFound, replaying
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid
from stillframe.tab.context.options import check_headers
from stillframe.tab.deadline import CALL_MS, Deadline, time_limited
from stillframe.tab.javascript.exposed import check_exposed
from stillframe.tab.network.network import Requests
from stillframe.tab.network.routing import RouteHandler, RoutePattern, Rules, row
from stillframe.tab.network.socket_routes import SocketHandler, SocketPattern, SocketRow, socket_row
from stillframe.tab.tab import Tab


class _Routing:
    """The part that pages and contexts have in common."""

    _requests: Requests
    _har_recorders: HarRecorders

    @property
    def _rules(self) -> Rules:
        raise NotImplementedError

    @property
    def _only_tab(self) -> Tab | None:
        """The one tab that the rules are for; None for all tabs of a context."""
        return None

    async def _ruled(self) -> Sequence[Tab]:
        """Return the open tabs that the rules are for, attached."""
        raise NotImplementedError

    @time_limited
    async def route(
        self,
        pattern: RoutePattern,
        handler: RouteHandler,
        *,
        times: int | None = None,
        use_cache: bool = False,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Let `handler` decide the requests that match `pattern`, from now on.

        Of several routes the one added last decides, those of a page before those of its context; `Route.fallback` asks
        the next one. A redirect comes to the routes that have not decided about its request, and to all if a route
        answered with it.

        The context's policy and its `block` patterns go first: no route sees what they refuse. Frames and dedicated
        workers are included, in a context also popups; not service workers. Other requests are not held up.

        Args:
            pattern: A glob of the whole URL (`*` is any text without a slash, `**` any text, `{a,b}` one of several), a
                compiled regular expression that is searched in the URL, or a function of the URL.
            handler: A function of the Route, and of the Request if it takes two values; it may be async.
            times: How many requests the route is for; by default all.
            use_cache: Whether caches of Chrome may answer in its place, and documents come back as they were left;
                while there is a route without it, none does.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The pattern matches nothing, or the handler is not callable.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        new = row(pattern, handler, use_cache=use_cache, times=times)
        change = lambda: self._rules.routes.append(new)  # noqa: E731
        await self._requests.route(await self._ruled(), change, Deadline.of_ms(timeout_ms))

    @time_limited
    async def unroute(
        self, pattern: RoutePattern, handler: RouteHandler | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Remove the routes of a pattern, or that of a handler; requests that wait for a decision still get it.

        After the last one nothing is intercepted, and what still waits goes on.

        Args:
            pattern: The pattern that the route was added with.
            handler: The handler whose route to remove; by default all of the pattern go.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: There is no such route.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        change = lambda: self._rules.remove(pattern, handler)  # noqa: E731
        await self._requests.route(await self._ruled(), change, Deadline.of_ms(timeout_ms))

    @time_limited
    async def route_from_har(
        self,
        path: str | os.PathLike[str],
        *,
        url: RoutePattern | None = None,
        not_found: NotFound = "abort",
        update: bool = False,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Answer requests from a HAR file or a zip with one, such as `BrowserContext.record_har` or Playwright write.

        URL, method and what is posted must be equal; of several such entries the one counts that has the most headers
        in common, and those that are alike come in their order.

        Args:
            path: The file.
            url: Which requests are concerned, as `pattern` of `route`; by default all.
            not_found: What happens to a request that the file does not have: `abort` fails it, `fallback` lets it go
                on.
            update: Whether nothing is answered, and the file is recorded again when the context closes.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            HarInvalid: The file is not a HAR file.
            OptionInvalid: An argument is invalid.
            OSError: The file cannot be opened.
        """
        if update:
            self._har_recorders.begin(path, None, url, tab=self._only_tab)
            return
        handler = await replaying(path, not_found)
        await self.route("**/*" if url is None else url, handler, timeout_ms=timeout_ms)

    @time_limited
    async def unroute_all(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Remove all routes that were added here; requests that wait for a decision still get it."""
        await self._requests.route(await self._ruled(), self._rules.clear, Deadline.of_ms(timeout_ms))

    @time_limited
    async def set_extra_http_headers(self, headers: Mapping[str, str], *, timeout_ms: float | None = CALL_MS) -> None:
        """Send these headers with every request from now on, in place of those of the call before.

        They are added to the option `extra_headers` of the context. A header of the page replaces the same header of
        its context, and both replace that of the option.

        Args:
            headers: Their values by name; `{}` sends none.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: A name or a value cannot stand in a header.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if not isinstance(headers, Mapping):
            raise OptionInvalid(f"option headers: {headers!r} is not a mapping of names to values", option="headers")
        check_headers(headers, "headers")
        self._rules.headers = dict(headers)
        await self._requests.send_headers(await self._ruled(), Deadline.of_ms(timeout_ms))


class PageRouting(_Routing):
    """Routes, headers, scripts and functions of one page."""

    _tab: Tab
    _parts: PageParts

    @property
    def _rules(self) -> Rules:
        return self._requests.rules_of(self._tab)

    @property
    def _only_tab(self) -> Tab:
        return self._tab

    async def _ruled(self) -> Sequence[Tab]:
        await self._parts.attach()
        return [self._tab]

    @time_limited
    async def route_web_socket(
        self, pattern: SocketPattern, handler: SocketHandler, *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Let `handler` answer the WebSockets that match `pattern`, from now on.

        The handler may call `on_message` and `send` in place of a server, or `connect_to_server`. Sockets that are open
        stay as they are, and those of workers are not asked about. Of several routes the one added last decides, those
        of a page before those of its context. Scripts of the page can see that WebSocket is not the browser's own.

        Args:
            pattern: A glob of the whole URL, a compiled regular expression that is searched in it, or a function of the
                URL.
            handler: A function of the WebSocketRoute; it may be async.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The pattern is none, or the handler is not callable.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        row = socket_row(pattern, handler)
        await self._ruled()
        self._tab.socket_routes.rows.append(row)
        await asyncio.gather(*self._tab.socket_routes.start())

    @time_limited
    async def add_init_script(
        self,
        script: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Run a script in the page's own world of every later document, frames too, before the page's own scripts.

        It does not run in the documents that are there. Scripts run in the order in which they were added, in a new
        page those of the context first. Exactly one of `script` and `path` is given.

        Args:
            script: JavaScript text.
            path: A file with JavaScript.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: Not exactly one of them is given.
            OSError: The file cannot be read.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await _added(await self._ruled(), script_source(script, path))

    @time_limited
    async def expose_function(
        self, name: str, callback: Callable[..., object], *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Let scripts of the page call a Python function as `window[name]`, in all frames, now and after navigations.

        A call returns a promise. Arguments and the result are what JSON has. What the function raises, or a result that
        is not JSON, rejects the promise with an Error of the exception's type and text; secrets of the context are
        replaced in it. The page sees the name.

        Args:
            name: The name of the function in the page.
            callback: The function; it may be async.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The name is taken or is none.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._ruled()
        await asyncio.gather(*self._tab.exposed.add(name, callback).replies.values())


class ContextRouting(_Routing):
    """Routes, headers and scripts of all pages of a context, those that open later included."""

    _tabs: list[Tab]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._init_scripts: list[str] = []
        self._socket_rows: list[SocketRow] = []
        self._exposed: dict[str, Callable[..., object]] = {}

    @property
    def _rules(self) -> Rules:
        return self._requests.rules

    async def _ruled(self) -> Sequence[Tab]:
        await self._hold_first_documents()
        return list(self._tabs)

    @time_limited
    async def route_web_socket(
        self, pattern: SocketPattern, handler: SocketHandler, *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Let `handler` answer the WebSockets of all pages that match `pattern`, as `Page.route_web_socket` does.

        Args:
            pattern: A glob of the whole URL, a compiled regular expression that is searched in it, or a function of the
                URL.
            handler: A function of the WebSocketRoute; it may be async.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The pattern is none, or the handler is not callable.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        self._socket_rows.append(socket_row(pattern, handler))
        tabs = await self._ruled()
        await asyncio.gather(*(reply for tab in tabs for reply in tab.socket_routes.start(self._socket_rows)))

    async def _hold_first_documents(self) -> None:
        """Let no document of a new tab load before the rules are in effect there, where the browser supports that."""

    @time_limited
    async def add_init_script(
        self,
        script: str | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Run a script in every later document of all pages, as `Page.add_init_script` does.

        Args:
            script: JavaScript text.
            path: A file with JavaScript.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: Not exactly one of them is given.
            OSError: The file cannot be read.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        source = script_source(script, path)
        self._init_scripts.append(source)
        await _added(await self._ruled(), source)

    @time_limited
    async def expose_function(
        self, name: str, callback: Callable[..., object], *, timeout_ms: float | None = CALL_MS
    ) -> None:
        """Let scripts of all pages call a Python function, those that open later included.

        It works as `Page.expose_function` does.

        Args:
            name: The name of the function in the pages.
            callback: The function; it may be async.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: The context or one of its pages has exposed the name already, or it is none.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        tabs = await self._ruled()
        check_exposed(name, callback, taken=self._exposed)
        for tab in tabs:
            tab.exposed.check(name, callback)
        self._exposed[name] = callback
        await asyncio.gather(*(reply for tab in tabs for reply in tab.exposed.add(name, callback).replies.values()))


async def _added(tabs: Sequence[Tab], source: str) -> None:
    scripts = [tab.document_scripts.add(source) for tab in tabs]
    replies = [reply for script in scripts for reply in script.replies.values()]
    await asyncio.gather(*replies)


def script_source(script: str | None, path: str | os.PathLike[str] | None) -> str:
    """Return the text of a script that is given as such or as a file; raises OptionInvalid, OSError."""
    if (script is None) == (path is None):
        raise OptionInvalid("add_init_script takes a script or a path, one of them", option="script")
    if path is not None:
        return Path(path).expanduser().read_text("utf-8")
    if not isinstance(script, str):
        raise OptionInvalid(f"option script: {script!r} is not JavaScript text", option="script")
    return script
