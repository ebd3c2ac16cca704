"""What hooks and handlers of a crawl get: crawlee's context with a stillframe page."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crawlee.crawlers import BasicCrawlingContext

from stillframe import Page, Route
from stillframe.errors import StillframeError
from stillframe.farm.loading.navigating import Loaded
from stillframe.farm.loading.near_duplicates import NearDuplicate
from stillframe.farm.loading.scrolling import scroll_to_end
from stillframe.farm.loading.trials import Trials
from stillframe.farm.pool import PooledPage
from stillframe.model.actions import Action
from stillframe.model.change import StateChange
from stillframe.model.result import NavigationResult, SequenceResult
from stillframe.model.verdict import Verdict

SNAPSHOT_MS = 5_000.0
"""How long an error snapshot may take: the page has just failed."""


@dataclass
class Visit:
    """What a crawl does with one page that it was lent."""

    lent: PooledPage
    trials: Trials
    loaded: Loaded | None = None
    delta: StateChange | None = None
    near_duplicate: NearDuplicate | None = None


@dataclass(frozen=True)
class StillframePreNavCrawlingContext(BasicCrawlingContext):
    """What a hook before the navigation gets."""

    page: Page
    """The page, still without the document."""
    visit: Visit = field(repr=False)
    goto_options: dict[str, Any]
    """More options of `Page.goto`, which a hook may change; `timeout_ms` is the crawler's."""

    async def block_requests(
        self, url_patterns: Sequence[str] | None = None, extra_url_patterns: Sequence[str] = ()
    ) -> None:
        """Abort the page's requests whose URL contains one of the patterns, in which `*` is any text.

        The document itself is never aborted.

        Args:
            url_patterns: The patterns; by default the endings of styles, pictures, fonts, PDF and archives.
            extra_url_patterns: More patterns, besides either.

        Raises:
            CommandTimeout: The browser does not answer.
        """
        blocked = blocking((*(url_patterns or BLOCKED), *(extra_url_patterns or ())))

        async def abort(route: Route) -> None:
            if route.request.is_navigation_request and route.request.frame_id == self.page.target_id:
                await route.fallback()
            else:
                await route.abort("blockedbyclient")

        await self.page.route(blocked, abort, use_cache=True)

    async def get_snapshot(self) -> Any:
        """Return HTML and a JPEG of the page, those that can be had, for crawlee's error snapshots."""
        snapshot: Any = await super().get_snapshot()
        for name, take in (("html", self._html), ("screenshot", self._jpeg)):
            try:
                snapshot = replace(snapshot, **{name: await take()})
            except StillframeError as error:
                self.log.warning("no %s of %s for the error snapshot: %s", name, self.request.url, error)
        return snapshot

    async def _html(self) -> str:
        return await self.page.content(timeout_ms=SNAPSHOT_MS)

    async def _jpeg(self) -> bytes:
        return await self.page.screenshot(format="jpeg", timeout_ms=SNAPSHOT_MS)


BLOCKED = tuple(".css .webp .jpg .jpeg .png .svg .gif .woff .pdf .zip".split())  # noqa: SIM905
"""What crawlee's `block_requests` blocks by default."""


def blocking(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return a regular expression that finds what Chrome's `Network.setBlockedURLs` blocks: parts in their order."""
    return re.compile("|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns), re.DOTALL)


@dataclass(frozen=True)
class StillframePostNavCrawlingContext(StillframePreNavCrawlingContext):
    """What a hook after the navigation gets: the page has loaded and was waited for."""

    response: NavigationResult

    @property
    def response_headers(self) -> dict[str, str]:
        """The headers of the response, by their names in lower case."""
        return {} if self.visit.loaded is None else self.visit.loaded.headers

    @property
    def verdict(self) -> Verdict:
        """Whether the page was still when it was handed over, and why."""
        verdict = self.page.verdict
        assert verdict is not None  # the crawler waits for each page
        return verdict


@dataclass(frozen=True)
class StillframeCrawlingContext(StillframePostNavCrawlingContext):
    """What a request handler gets."""

    enqueue_links: Callable[..., Awaitable[None]]
    """Add the links of the page to the queue; takes what crawlee's `enqueue_links` takes."""
    extract_links: Callable[..., Awaitable[list[Any]]]
    """Return the links of the page as requests, without adding them."""

    @property
    def delta(self) -> StateChange | None:
        """What the last `sequence` changed; None before the first."""
        return self.visit.delta

    @property
    def near_duplicate(self) -> NearDuplicate | None:
        """The page of this crawl that this one is nearly equal to, with the evidence; None if it is a new one."""
        return self.visit.near_duplicate

    async def text(self) -> str:
        """Return the page as text for a model: `page.aria_snapshot()`."""
        return (await self.page.aria_snapshot()).text

    async def sequence(self, actions: Sequence[Action], **options: Any) -> SequenceResult:
        """Perform actions on the page, wait until it is still, and return what changed: `page.execute_sequence`.

        The request is not retried afterwards, whatever happens: the actions could have had an effect.

        Args:
            actions: The actions.
            **options: Those of `Page.execute_sequence`.
        """
        self.request.no_retry = True
        result = await self.page.execute_sequence(actions, **options)
        self.visit.delta = result.state_change
        return result

    async def infinite_scroll(self) -> None:
        """Scroll down, and wait until the page is still, until it does not get longer; 50 screens at most."""
        await scroll_to_end(self.page)
