"""The rows as stillframe does them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from bench.behaviours.calls import CALLS, make, ready
from bench.behaviours.case import Behaviour
from bench.behaviours.judge import Outcome, unlike
from bench.doing import Do
from stillframe.api.browser import Browser, Page
from stillframe.errors import StillframeError
from stillframe.tab.context.options import Viewport

ACTION_MS = 3000
"""How long an action may wait for its target, here and in the rival: the default of stillframe."""
SETTLE_MS = 3000
PATIENCE_S = 1.0
"""How long events may take to arrive, and how long the rival's page may take to come to the row's end."""
PHONE = Viewport(width=390, height=844, mobile=True, touch=True, device_scale_factor=3)


class ActionOutcome(Exception):
    """An action of ours failed; `early` says that it was not the last one."""

    def __init__(self, code: str, error: str, *, early: bool) -> None:
        super().__init__(error)
        self.code = code
        self.early = early


class Ours:
    """Runs rows in one browser, each in a context of its own."""

    name = "stillframe"

    def __init__(self, browser: Browser, files: str) -> None:
        self._browser = browser
        self._files = files

    async def run(self, row: Behaviour, url: str) -> Outcome:
        """Run one row; whatever it comes to is in the outcome."""
        viewport = PHONE if row.phone else None
        async with await self._browser.new_context(viewport=viewport) as context, await context.new_page() as page:
            run = _Run(page, url, self._files)
            try:
                await run.row(row)
            except ActionOutcome as failed:
                run.outcome.error, run.outcome.code, run.outcome.early = str(failed), failed.code, failed.early
            except StillframeError as failed:
                run.outcome.error, run.outcome.code = str(failed), failed.code
            except Exception as failed:  # a fault of stillframe's own, or a call that it does not have: a row is wrong
                run.outcome.error, run.outcome.code = f"{type(failed).__name__}: {failed}", "fault"
            await run.look(row)
            return run.outcome


class _Run:
    def __init__(self, page: Page, url: str, files: str) -> None:
        self.page = page
        self.url = url
        self.files = files
        self.outcome = Outcome()

    async def row(self, row: Behaviour) -> None:
        """Open the page of a row and do what it says."""
        if row.opens:
            await self.page.goto(self.url)
            await self.page.settle(timeout_ms=SETTLE_MS)
        started = time.perf_counter()
        try:
            await self.all(row.do)
        finally:
            self.outcome.ms = (time.perf_counter() - started) * 1000

    async def all(self, do: tuple[Do, ...]) -> None:
        """Do everything: what is an action of sequences in sequences, the rest by its own call."""
        for call, actions in _parts(do):
            if call is not None:
                await self._call(call)
            else:
                last = actions[-1] is do[-1]
                await self._sequence([self._ready(action) for action in actions], last=last)

    def _ready(self, action: Do) -> Do:
        if "paths" in action:
            return {**action, "paths": [path.format(files=self.files) for path in action["paths"]]}
        return {**action, "url": urljoin(self.url, action["url"])} if action["action"] == "navigate" else action

    async def _sequence(self, actions: list[Do], *, last: bool) -> None:
        result = await self.page.execute_sequence(
            actions, action_timeout_ms=ACTION_MS, timeout_ms=SETTLE_MS, verbose=True
        )
        self.outcome.result = result.to_dict()
        if result.failed is not None:
            early = not last or result.failed.index < len(actions) - 1
            raise ActionOutcome(result.failed.code, result.failed.error, early=early)

    async def _call(self, call: Do) -> None:
        if call["action"] == "goto":
            answer: Any = await self.page.goto(
                urljoin(self.url, call["url"]),
                timeout_ms=call.get("timeout_ms", 10_000),
                settle=call.get("settle", False),
            )
            self.outcome.arrived = answer and (answer.url, answer.status)
            if "settle" in call and (verdict := self.page.verdict) is not None:
                self.outcome.result = {"stable": verdict.stable, "reason": verdict.reason}
        elif call["action"] in CALLS:
            await make(self.page, ready(call, self.url), self.outcome.gives)
        elif call["action"] == "new_page":
            self.page = await self.page.context.new_page(urljoin(self.url, call["url"]))
        else:
            await self._in_new_page(call)

    async def _in_new_page(self, call: Do) -> None:
        targets = self.outcome.result["newTargets"]
        if not targets:
            raise ActionOutcome("new_page", "no new target was reported", early=False)
        page = await self.page.browser.page(targets[0]["targetId"])
        result = await page.execute_sequence([call["do"]], action_timeout_ms=ACTION_MS, timeout_ms=SETTLE_MS)
        values = {what: await page.evaluate(what) for what in call["then"]}
        if result.failed is not None or values != call["then"]:
            raise ActionOutcome("new_page", f"in the new page: {result.failed} {values}", early=False)

    async def look(self, row: Behaviour) -> None:
        """Take down what the row asks for."""
        for what in row.then:
            with suppress(StillframeError):
                self.outcome.values[what] = await self.page.evaluate(what, timeout_ms=5000)
        until = time.perf_counter() + PATIENCE_S
        while unlike(row.gives, self.outcome.gives) and time.perf_counter() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        if row.shows or row.hides or row.refs:
            with suppress(StillframeError):
                self.outcome.text = (await self.page.aria_snapshot(scope=row.scope)).text


OWN_CALLS = frozenset({"goto", "new_page", "in_new_page"})


def _parts(do: tuple[Do, ...]) -> Iterator[tuple[Do | None, list[Do]]]:
    """Yield the calls one by one, and what is between them as lists of actions."""
    actions: list[Do] = []
    for each in do:
        if each["action"] in OWN_CALLS | CALLS.keys():
            if actions:
                yield None, actions
            yield each, []
            actions = []
        else:
            actions.append(each)
    if actions:
        yield None, actions
