"""Everything that the commands use of a page beyond its public calls, in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.extend import page_state

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.extend.signals import Effect, Line, Progress, Signal
    from stillframe.model.options import SequenceOptions
    from stillframe.model.verdict import Verdict


async def settle_from_commit(page: Page, url: str, options: SequenceOptions) -> Verdict:
    """Load a URL and wait from its commit on; this also gives a verdict on a page that never finishes loading."""
    return await page_state(page).settle_after(lambda: page.goto(url, until="commit"), options)


@asynccontextmanager
async def watching(page: Page, on_line: Callable[[Line], None]) -> AsyncIterator[Progress]:
    """Call `on_line` for everything that the page starts or stops waiting for during the block."""
    state = page_state(page)
    progress = state.progress()

    def listen(at: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        for line in progress.take(at, signal, effects):
            on_line(line)

    remove = state.on_signal(listen)
    try:
        yield progress
    finally:
        remove()
