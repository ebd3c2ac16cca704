"""Notice that a person went to another page by the browser's own controls: address, back, forward, reload."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError, SessionLost

if TYPE_CHECKING:
    from stillframe.extend import PageState

TYPED = frozenset({"address_bar", "typed", "generated", "keyword", "keyword_generated", "auto_bookmark"})
"""The transitions of an address that a person gave: Chrome's names, of Page.getNavigationHistory."""

ATTEMPTS, AGAIN_S = 20, 0.02
"""How often, and after how many seconds, to ask again: while a page moves to another process, Chrome answers that it is
not active (1 in 8 navigations across documents on a busy machine, measured)."""

Went = Callable[[str, dict[str, Any]], None]
"""Takes the JSON name of an action and its other fields."""

Entries = cdp_page.GetNavigationHistoryResult


def movement(before: Entries, now: Entries) -> tuple[str, dict[str, Any]] | None:
    """Return the action that leads from one state of the history to the other, None if the page itself went there."""
    old, new = before.entries[before.current_index], now.entries[now.current_index]
    known = [entry.id for entry in before.entries]
    if new.id == old.id:
        return ("reload", {}) if new.transition_type == "reload" else None
    if new.id not in known:
        return ("navigate", {"url": new.url}) if new.transition_type in TYPED else None
    steps = known.index(new.id) - before.current_index
    by_steps = {-1: "go_back", 1: "go_forward"}
    return (by_steps[steps], {}) if steps in by_steps else ("navigate", {"url": new.url})


class HistoryWatch:
    """Compares the history of a page before and after each navigation."""

    def __init__(self, state: PageState, went: Went) -> None:
        self._state = state
        self._went = went
        self._entries: Entries | None = None
        self._removes: list[Callable[[], object]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to watch; raises CommandError."""
        session = self._state.session
        self._entries = await session.send(cdp_page.GetNavigationHistory())
        self._removes = [
            session.on(cdp_page.FrameNavigated, lambda event: self._moved(event.frame.id)),
            session.on(cdp_page.NavigatedWithinDocument, lambda event: self._moved(event.frame_id)),
        ]

    def stop(self) -> None:
        """Stop watching."""
        for remove in self._removes:
            remove()
        for task in self._tasks:
            task.cancel()

    def _moved(self, frame_id: str) -> None:
        if frame_id != self._state.frames.main.id:
            return
        task = asyncio.create_task(self._compare(), name="stillframe-history")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _compare(self) -> None:
        for _ in range(ATTEMPTS):
            try:
                now = await self._state.session.send(cdp_page.GetNavigationHistory())
            except SessionLost:
                return
            except CommandError:
                await asyncio.sleep(AGAIN_S)
                continue
            before, self._entries = self._entries, now
            found = None if before is None else movement(before, now)
            if found is not None:
                self._went(*found)
            return
