"""What a crawl asks before it loads a page, and what it makes of the answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from stillframe import Page
from stillframe.errors import UrlRefused
from stillframe.farm.errors import HostBusy
from stillframe.farm.loading.deferring import Deferred, Holds, borrow
from stillframe.farm.loading.judging import RobotsJudge
from stillframe.farm.loading.links import host_of, is_web
from stillframe.farm.loading.navigating import Destination, Loaded, LoadOptions, load
from stillframe.farm.loading.pressure import RESCHEDULED, Pressure
from stillframe.farm.loading.trials import Trials
from stillframe.farm.pool import BrowserPool, PooledPage
from stillframe.farm.retry_after import retry_after_s


class PageLoader:
    """Loads pages with the tabs of a pool, in the order of its methods: `borrow`, `load`, and `check_pressure`.

    `judge` reads robots.txt, None if it does not count; it shares `holds` with this.
    """

    def __init__(self, pool: BrowserPool, options: LoadOptions, holds: Holds, judge: RobotsJudge | None) -> None:
        self.pool = pool
        self.options = options
        self.holds = holds
        self.judge = judge
        self._pressure = Pressure()

    async def borrow(
        self,
        url: str,
        trials: Trials,
        stack: AsyncExitStack,
        *,
        identity: str = "",
        context: Mapping[str, Any] | None = None,
    ) -> PooledPage:
        """Return a tab for a page, until the stack closes; it is used again only after a `load` that succeeds.

        Raises UrlRefused, Deferred while the host has asked for time or no tab is free, HostBusy, ForbiddenByRobots,
        and RobotsUnreachable.
        """
        if not is_web(url):
            raise UrlRefused(f"{url} is not an http or https URL, so a crawl does not load it", url=url)
        if (left := self.holds.left_s(host_of(url))) > 0:
            raise Deferred(f"the host of {url} asked for time", delay_s=left)
        if self._pressure.is_given_up(host_of(url), time.monotonic()):
            raise HostBusy(f"{url} was not loaded: its host asks for time, and nothing else", url=url)
        if self.judge is not None:
            await self.judge.check(url)
        lent = await borrow(self.pool, stack, identity, avoid=trials.avoid, context=context)
        lent.reuse = False
        trials.avoid = lent.browser  # unless the page is to blame
        return lent

    async def load(self, page: Page, asked: Destination, goto: Mapping[str, Any] | None = None) -> Loaded:
        """Navigate a page, with other options of `goto` if they are given; raises as `navigating.load` does."""
        return await load(page, asked, self.options if goto is None else replace(self.options, goto=goto))

    async def check_redirects(self, asked: str, way: Iterable[str]) -> None:
        """Raise as `RobotsJudge.check_redirects` does for the URLs by which a page came."""
        if self.judge is not None:
            await self.judge.check_redirects(asked, way)

    def check_pressure(self, url: str, key: str, loaded: Loaded, trials: Trials) -> bool:
        """Raise Deferred for an answer that asks for time; return whether the page has done so too often."""
        status, host = loaded.response.status, host_of(url)
        if status not in RESCHEDULED:
            if status is not None:
                self._pressure.answered(host, key, time.monotonic())
            return False
        trials.reschedules += 1
        asked = retry_after_s(loaded.headers.get("retry-after"), datetime.now(UTC))
        wait = self._pressure.asked(host, key, time.monotonic(), retry_after_s=asked, times=trials.reschedules)
        if wait.host_s:
            self.holds.hold(host, wait.host_s)
        if wait.gives_up:
            return True
        who = "its host is held" if wait.host_s else "the page waits"
        raise Deferred(
            f"{url} was answered with {status}: {who} for {wait.page_s:.3g} s",
            delay_s=wait.page_s,
            hold_host_s=wait.host_s,
            behind=True,
        )
