"""Everything that the commands use of a page beyond its public calls, in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from stillframe.api.page import parts_of
from stillframe.engine.settle import expected
from stillframe.model.bounds import bounded
from stillframe.settling.progress import Line, Progress

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.core import SnapshotPart
    from stillframe.model.options import SequenceOptions
    from stillframe.model.verdict import Verdict
    from stillframe.settling.signals import Effect, Signal


async def settle_from_commit(page: Page, url: str, options: SequenceOptions) -> Verdict:
    """Load a URL and wait from its commit on; this also gives a verdict on a page that never finishes loading."""
    settler = parts_of(page).settler
    async with settler.lock, settler.armed(options) as settling:
        await page.goto(url, until="commit")
        return bounded(await settling.verdict(expected=expected(settler.tab, options)))


@asynccontextmanager
async def watching(page: Page, on_line: Callable[[Line], None]) -> AsyncIterator[Progress]:
    """Call `on_line` for everything that the page starts or stops waiting for during the block."""
    settler = parts_of(page).settler
    progress = Progress(settler.page.machine, now(page))

    def listen(at: float, signal: Signal, effects: tuple[Effect, ...]) -> None:
        for line in progress.take(at, signal, effects):
            on_line(line)

    settler.watchers.append(listen)
    try:
        yield progress
    finally:
        settler.watchers.remove(listen)


def now(page: Page) -> float:
    """Return the time on the clock of the settler."""
    return parts_of(page).settler.time.now()


async def snapshot_parts(page: Page) -> list[SnapshotPart]:
    """Capture the bytes of a snapshot, which a file can keep."""
    return await parts_of(page).tab.captures.parts()


def redact_of(page: Page) -> Callable[[Any], Any]:
    """Return the function that removes the secrets of the page's context from JSON-like data."""
    return parts_of(page).tab.context.redaction.redact
