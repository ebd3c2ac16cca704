"""Everything that the commands use of a page beyond its public calls, in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stillframe import Page
from stillframe.model.bounds import bounded
from stillframe.model.options import SequenceOptions
from stillframe.model.verdict import Verdict
from stillframe.settling.signals import Deed, Signal
from stillframe.settling.watch import Line, Watch


async def settle_from_commit(page: Page, url: str, options: SequenceOptions) -> Verdict:
    """Load a URL and wait from its commit on; this also gives a verdict on a page that never finishes loading."""
    async with page.lock, page.settling.armed(options) as settling:
        await page.goto(url, until="commit")
        return bounded(await settling.verdict())


@asynccontextmanager
async def watching(page: Page, on_line: Callable[[Line], None]) -> AsyncIterator[Watch]:
    """Call `on_line` for everything that the page starts or stops waiting for during the block."""
    watch = Watch(page.settling.machine, now(page))

    def listen(at: float, signal: Signal, deeds: tuple[Deed, ...]) -> None:
        for line in watch.take(at, signal, deeds):
            on_line(line)

    page.settling.watchers.append(listen)
    try:
        yield watch
    finally:
        page.settling.watchers.remove(listen)


def now(page: Page) -> float:
    """Return the time on the clock of the page's watch."""
    return page.settling.time.now()
