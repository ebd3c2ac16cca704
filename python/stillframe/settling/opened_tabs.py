"""Wait for the tabs that a page opens during actions: until they are still, they may change their opener."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from stillframe.settling import signals
from stillframe.settling.machine import Phase
from stillframe.settling.pending import TARGET_MS

if TYPE_CHECKING:
    from stillframe.settling.observed_page import ObservedPage
    from stillframe.tab.tab import Tab

SettleMode = Literal["causal", "virtual"]
Settle = Callable[[SettleMode, int], Awaitable[object]]
"""Waits until a tab is still: how, and for how many milliseconds at most."""


class OpenedTabs:
    """The tabs that one page has opened or requested and that its settler awaits."""

    def __init__(self, page: ObservedPage) -> None:
        self._page = page
        self._tasks: set[asyncio.Task[None]] = set()

    def opened(self, popup: Tab, settle: Settle) -> None:
        """Wait until a page that this one opened is still as well: until then it may send something to its opener."""
        if self._is_waiting:
            self._page.emit(signals.TargetOpened(popup.target_id, popup.url))
            task = asyncio.get_running_loop().create_task(self._settle(popup, settle), name="stillframe-popup")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def requested(self, url: str) -> None:
        """Wait for a page that this one has requested and that does not exist yet."""
        if self._is_waiting:
            self._page.emit(signals.TargetOpened(_request_id(url), url))

    def arrived(self, url: str) -> None:
        """Record that a requested page exists."""
        self._page.emit(signals.TargetSettled(_request_id(url)))

    async def cancel(self) -> None:
        """Stop waiting for all of them."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def _is_waiting(self) -> bool:
        return self._page.machine.phase in (Phase.ARMED, Phase.SETTLING)

    async def _settle(self, popup: Tab, settle: Settle) -> None:
        mode: SettleMode = "causal" if popup.clock.virtual is None else "virtual"
        if mode == "virtual":
            self._page.timed_tabs.add(popup.target_id)
        try:
            await settle(mode, round(TARGET_MS))
        finally:
            self._page.timed_tabs.discard(popup.target_id)
            self._page.emit(signals.TargetSettled(popup.target_id))


def _request_id(url: str) -> str:
    return f"asked for {url}"
