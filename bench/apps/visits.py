"""Going through an application's states with stillframe, one page for all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.apps.catalogue import App, State
from bench.apps.launch import started
from stillframe.api.browser import Browser, Page

LOAD_S = 60.0
READY_MS = 30_000
SETTLE_MS = 4_000
"""What a first visit may take: JupyterLab and Streamlit load megabytes of scripts."""
VIEWPORT = {"width": 1280, "height": 900}


class StateMissed(RuntimeError):
    """A state of an application was not reached."""


@asynccontextmanager
async def opened(browser: Browser, what: App) -> AsyncIterator[tuple[str, Page]]:
    """Start the application and yield its origin and a page in a context of its own."""
    async with (
        started(what.served) as origin,
        await browser.new_context() as context,
        await context.new_page() as page,
    ):
        await page.set_viewport(**VIEWPORT)
        yield origin, page


async def reach(page: Page, origin: str, state: State) -> None:
    """Bring the page into a state, which follows the one before it in the catalogue; raises StateMissed."""
    if state.path is not None:
        await page.goto(origin + state.path, timeout_ms=LOAD_S * 1000)
        await page.settle(timeout_ms=SETTLE_MS)
    actions = [*state.actions]
    if state.ready is not None:
        shown = {"action": "wait_for", "selector": f"{state.ready}", "timeoutMs": READY_MS}
        # What the page shows by itself comes before the actions, what they open after them.
        actions = [*actions, shown] if actions else [shown]
    if actions:
        result = await page.execute_sequence(actions, timeout_ms=SETTLE_MS, action_timeout_ms=10_000)
        if result.failed is not None:
            raise StateMissed(f"{state.name}: {result.failed.action}: {result.failed.error}")
