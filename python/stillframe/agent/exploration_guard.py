"""What a page may do while it is explored: read from servers, and nothing else."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Self

from stillframe import Page, Route
from stillframe.cdp_types import network, target
from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.model.bounds import short
from stillframe.model.events import NewTarget, Request

READING = ("GET", "HEAD")
"""The methods that change nothing, by RFC 9110; CORS preflights never get here, see `tab.network.routing`."""
MAX_BLOCKED = 20
"""Requests to report; a page may try without end."""
BACK_MS = 300.0
"""Milliseconds for the browser to stop pausing requests; what it still pauses goes on without an answer."""


class ExplorationGuard:
    """Stops requests other than GET and HEAD, navigations of the top document, and the requests of new tabs.

    An async context manager. Dialogs are dismissed inside of it. Routes of the caller decide what it lets through.
    Service workers are bypassed, because nothing sees what they request. What is sent through WebSockets is not seen.
    """

    def __init__(self, page: Page) -> None:
        self.blocked: list[str] = []
        """The requests that were stopped: method, URL, and what they were."""
        self.lets_navigate = False
        """Whether the top document may navigate, to undo a navigation."""
        self._page = page
        self._state = page_state(page)
        self._listening = AsyncExitStack()
        self._tabs: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        try:
            await self._watch()
        except BaseException:
            await self._listening.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._listening.aclose()

    async def close_tabs(self, opened: tuple[NewTarget, ...]) -> None:
        """Close tabs that the page has opened."""
        for tab in opened:
            with suppress(StillframeError):
                await self._page.cdp_session.root.send(target.CloseTarget(target_id=tab.target_id))

    async def _watch(self) -> None:
        dialogs = self._state.dialogs
        self._listening.callback(setattr, dialogs, "policy", dialogs.policy)
        dialogs.policy = "dismiss"
        self._listening.callback(self._bypass_workers, False)
        self._bypass_workers(True)
        self._listening.push_async_callback(self._unroute, self._page, self._decide)
        await self._page.route(_every, self._decide, use_cache=True)
        if isinstance(self._page, Page):
            context = self._page.context
            self._tabs = frozenset(page.target_id for page in context.pages)
            self._listening.push_async_callback(self._unroute, context, self._decide_elsewhere)
            await context.route(_every, self._decide_elsewhere, use_cache=True)

    def _bypass_workers(self, bypass: bool) -> None:
        for session in self._state.document_sessions():
            session.post(network.SetBypassServiceWorker(bypass=bypass))

    async def _unroute(self, owner: object, handler: object) -> None:
        with suppress(StillframeError):
            await owner.unroute(_every, handler, timeout_ms=BACK_MS)  # type: ignore[attr-defined]

    async def _decide(self, route: Route) -> None:
        """Decide about a request of the page itself."""
        request = route.request
        is_top = request.is_navigation_request and request.frame_id == self._state.frames.main.id
        if request.method not in READING:
            await self._stop(route, "")
        elif is_top and not self.lets_navigate:
            await self._stop(route, ", the page would have gone there")
        else:
            await route.fallback()

    async def _decide_elsewhere(self, route: Route) -> None:
        """Decide about a request of the page's context: that of a new tab stops, any other continues."""
        if self._is_known(route.request):
            await route.fallback()
        else:
            await self._stop(route, ", in a new tab")

    def _is_known(self, request: Request) -> bool:
        assert isinstance(self._page, Page)
        for page in self._page.context.pages:
            if any(frame.id == request.frame_id for frame in page_state(page).frames):
                return page.target_id in self._tabs
        return not request.is_navigation_request and request.method in READING

    async def _stop(self, route: Route, why: str) -> None:
        if len(self.blocked) < MAX_BLOCKED:
            self.blocked.append(f"{route.request.method} {short(route.request.url, 300)}{why}")
        await route.abort("aborted")


def _every(_: str) -> bool:
    return True
