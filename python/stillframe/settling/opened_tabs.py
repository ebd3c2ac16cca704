"""The tabs that a page opens while it is acted on: what they do until they are still may still change their opener."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.settling import signals
from stillframe.settling.machine import Phase
from stillframe.settling.pending import TARGET_MS

if TYPE_CHECKING:
    from stillframe.api.page import Page
    from stillframe.settling.settler import Settler


class OpenedTabs:
    """The tabs that one page has opened, or has asked for, and that its driver waits for."""

    def __init__(self, driver: Settler) -> None:
        self._driver = driver
        self._tasks: set[asyncio.Task[None]] = set()
        self.timed: set[str] = set()
        """The ids of those that go by the clock of their opener and say themselves how fast it may go."""

    def opened(self, popup: Page) -> None:
        """Wait for a page that this one has opened to be still as well: until then it may tell its opener something."""
        if self._waits:
            self._driver.note(signals.TargetOpened(popup.target_id, popup.url))
            task = asyncio.get_running_loop().create_task(self._settle(popup), name="stillframe-popup")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def asked(self, url: str) -> None:
        """Wait for a page that this one has asked for, and that is not there yet."""
        if self._waits:
            self._driver.note(signals.TargetOpened(_wish(url), url))

    def came(self, url: str) -> None:
        """Take note that a page that this one has asked for is there."""
        self._driver.note(signals.TargetSettled(_wish(url)))

    async def leave(self) -> None:
        """Wait for none of them any more."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _waits(self) -> bool:
        return self._driver.machine.phase in (Phase.ARMED, Phase.SETTLING)

    async def _settle(self, popup: Page) -> None:
        way = "causal"
        if popup.settling.time.owned is not None:
            way = "virtual"
            self.timed.add(popup.target_id)
        try:
            await popup.settle(settle=way, timeout_ms=round(TARGET_MS))
        finally:
            self.timed.discard(popup.target_id)
            self._driver.note(signals.TargetSettled(popup.target_id))


def _wish(url: str) -> str:
    return f"asked for {url}"
