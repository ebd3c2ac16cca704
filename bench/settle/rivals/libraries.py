"""Playwright and Puppeteer as their users use them: act, then wait for the network to be idle.

Each runs in a small worker of ours (`playwright_worker.py`, `puppeteer_worker.mjs`) that takes both moments itself. A
library hands its user no account of what happened, so `seen` is the page's text, read right after the return.
"""

from __future__ import annotations

import msgspec

from bench.settle.lanes import Act, LaneKind
from bench.settle.rivals.find import HERE, npm_program, python_program
from bench.settle.rivals.lane import ACT_TIMEOUT_S, Outcome, Rival

LIMIT_MS = 10_000
"""Both libraries give up after 30 s by default; pages that are never idle would take most of a bench's time."""


class Library(Rival):
    """A lane whose program is a worker of ours round a library."""

    kind: LaneKind = "library"

    async def connect(self) -> None:
        """Have the library connect to its browser and take its one page."""
        await self.program.request("connect", {"endpoint": self.stage.endpoint})

    async def open(self, url: str) -> None:
        """Open a URL in a new page, wait for its load event, and close the page of before."""
        await self.program.request("open", {"url": url})

    async def prepare(self, action: Act) -> None:
        """Focus what a key is meant for, and move the mouse over what is to be scrolled."""
        await self.program.request("prepare", msgspec.to_builtins(action))

    async def act(self, action: Act) -> Outcome:
        """Act, then wait until the library calls the network idle, but no longer than LIMIT_MS."""
        params = {**msgspec.to_builtins(action), "limit": LIMIT_MS}
        told = await self.program.request("act", params, timeout=ACT_TIMEOUT_S)
        return Outcome(told["actedAt"], told["returnedAt"], reason=told["reason"], capped=told["capped"])

    async def look(self) -> str:
        """Read the text of all frames: rendered text, values and labels, open shadow roots included."""
        text: str = await self.program.request("look", timeout=10)
        return text


class Playwright(Library):
    """`wait_for_load_state("networkidle")` after an action, `goto(wait_until="networkidle")` for a navigation."""

    name = "Playwright, networkidle"

    def __init__(self) -> None:
        super().__init__(python_program("playwright", HERE / "playwright_worker.py"))


class Puppeteer(Library):
    """`waitForNetworkIdle()` after an action, `goto(waitUntil: networkidle0)` for a navigation."""

    name = "Puppeteer, networkidle"

    def __init__(self) -> None:
        super().__init__(npm_program("puppeteer-core", HERE / "puppeteer_worker.mjs"))
