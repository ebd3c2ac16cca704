"""What pages and frames wait for alike: their URL, their document, a navigation."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from stillframe.api.expecting import Expectation, expecting
from stillframe.api.handlers import Remove
from stillframe.api.parts import PagePart, default_limit, page_call
from stillframe.cdp import CDPSession
from stillframe.tab import frames as tab_frames
from stillframe.tab.deadline import Deadline, DefaultMs
from stillframe.tab.navigation import load_states, navigation
from stillframe.tab.navigation.load_states import LoadState, known_state
from stillframe.tab.network.requests import Request
from stillframe.tab.network.responses import Response
from stillframe.tab.network.url_patterns import url_matcher

NAVIGATION_MS = DefaultMs(navigation.NAVIGATION_TIMEOUT * 1000)

UrlPattern = str | re.Pattern[str] | Callable[[str], object]
"""A glob of the whole URL, an expression that is searched in it, or a function of it."""


class FrameWaits(PagePart):
    """Waits of a page, which are about its top frame, and of a frame."""

    @property
    @abstractmethod
    def _frame_id(self) -> str:
        """The id of the frame."""

    @page_call
    async def wait_for_url(
        self, url: UrlPattern, *, until: LoadState = "load", timeout_ms: float | None = NAVIGATION_MS
    ) -> None:
        """Wait until the URL matches, which it may do already, and until that document has come as far as `until`.

        Args:
            url: A glob of the whole URL (`**/done`, see `Page.route`), a compiled regular expression that is searched
                in it, or a function of it.
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.

        Raises:
            WaitTimeout: No such URL comes within `timeout_ms`; the message names those that came instead.
            SessionLost: The page closes meanwhile.
            OptionInvalid: An argument is invalid.
        """
        state, deadline = known_state(until, "until"), Deadline.of_ms(timeout_ms)
        await load_states.until_url(self._tab, self._frame_id, url_test(url), named(url), deadline)
        await load_states.until_loaded(self._tab, self._frame_id, state, deadline)

    @page_call
    async def wait_for_load_state(self, state: LoadState = "load", *, timeout_ms: float | None = NAVIGATION_MS) -> None:
        """Wait until the document has fired `load` or `domcontentloaded`, which it may have done already.

        If another document replaces it meanwhile, the wait is for that one. There is no `networkidle`: `page.settle()`
        waits until the page is still.

        Args:
            state: The event to wait for.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
            OptionInvalid: There is no such state.
        """
        deadline = Deadline.of_ms(timeout_ms)
        await load_states.until_loaded(self._tab, self._frame_id, known_state(state), deadline)

    @default_limit
    def expect_navigation(
        self,
        url: UrlPattern | None = None,
        *,
        until: LoadState = "load",
        timeout_ms: float | None = NAVIGATION_MS,
    ) -> AbstractAsyncContextManager[Expectation[Response | None]]:
        """Wait for a navigation: `async with page.expect_navigation() as arrived: …`, then `await arrived.value`.

        An action waits for the navigation that it begins by itself, so this is for what begins otherwise.

        Args:
            url: Which navigation counts, see `wait_for_url`; by default any.
            until: What to wait for: `load`, `domcontentloaded` or `commit`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_navigation_timeout` changes it; None
                for no limit.

        Returns:
            A block whose `value` is the Response of the new document; None if no request was made, as for a new URL
            within the document.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SessionLost: The page closes meanwhile.
            OptionInvalid: An argument is invalid.
        """
        state, matches = known_state(until, "until"), url_test(url)
        requests: dict[str, Request] = {}

        def listen(came: Callable[[Any], None]) -> Remove:
            def asked(request: Request) -> None:
                if request.is_navigation_request and request.frame_id == self._frame_id:
                    requests[request.id] = request

            def navigated(frame: tab_frames.Frame) -> None:
                if frame.id == self._frame_id:
                    came(frame)

            removers = [
                self._tab.events.listen("request", asked),
                self._tab.events.listen("framenavigated", navigated),
            ]
            return lambda: [remove() for remove in removers].clear()

        async def arrived(frame: tab_frames.Frame) -> Response | None:
            await load_states.until_loaded(self._tab, frame.id, state, Deadline.of_ms(timeout_ms))
            request = requests.get(frame.loader_id)
            return None if request is None else await request.response(timeout_ms=timeout_ms)

        wanted = "" if url is None else f" to a URL that matches {named(url)}"
        return expecting(
            listen,
            attach=self._attached_session,
            timeout_ms=timeout_ms,
            missing=lambda: f"{self._tab.context.redaction.redact(self._tab.url)} did not navigate{wanted}",
            matches=lambda frame: matches(frame.url),
            finish=arrived,
        )

    async def _attached_session(self) -> CDPSession:
        await self._parts.attach()
        return self._tab.session


def url_test(url: UrlPattern | None) -> Callable[[str], object]:
    """Return a test for URLs; None is any. Raises OptionInvalid."""
    if url is None:
        return lambda _: True
    return url_matcher(url) if isinstance(url, str | re.Pattern) or not callable(url) else url


def named(pattern: object) -> str:
    """Return how an error message names a pattern."""
    if isinstance(pattern, re.Pattern):
        return f"/{pattern.pattern}/"
    return "the function" if callable(pattern) else repr(pattern)
