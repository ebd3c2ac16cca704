"""The waiting rules of other projects, re-implemented over our own session, and fixed sleeps.

Labelled as rules: what is measured is the idea, on the same engine and the same actions, not the program it comes from.
Their constants are those of the projects named. What a rule hands out is our own delta, taken right at its return, so
that a rule misses a change only by coming back too early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import msgspec

from bench.settle.lanes import Run
from bench.settle.ours import Driven, Shared, Stillframe, now
from stillframe.api.browser import Page
from stillframe.cdp import CDPSession
from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.engine.actions import perform
from stillframe.engine.delta import state_change
from stillframe.errors import StillframeError
from stillframe.model.actions import Action
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.attempt import Attempt

ACTION_TIMEOUT = 5.0
STREAMS = frozenset({"WebSocket", "EventSource"})
LIMIT = 100

QUIET_DOM = """(quiet, cap) => new Promise((resolve) => {
  let timer;
  const done = (settled) => { observer.disconnect(); clearTimeout(timer); clearTimeout(last); resolve(settled); };
  const again = () => { clearTimeout(timer); timer = setTimeout(done, quiet, true); };
  const observer = new MutationObserver(again);
  const last = setTimeout(done, cap, false);
  observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  again();
})"""
"""Resolves when the DOM has not changed for `quiet` ms: true, or false after `cap` ms."""
IDLE_FRAMES = """() => new Promise((resolve) =>
  requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))),
  { timeout: 300 }))"""
FONTS = "() => document.fonts.ready.then(() => true)"
OUTER = "document.documentElement ? document.documentElement.outerHTML : ''"


class Traffic:
    """The requests of a page since the rule began, and its navigations, as the events tell them."""

    def __init__(self, main_frame: str) -> None:
        self._main = main_frame
        self.open: dict[str, float] = {}
        """When each request that is in flight began."""
        self.begun: set[str] = set()
        self.changed_at = now()
        self.navigating = False
        self.loaded = asyncio.Event()

    @contextmanager
    def heard(self, session: CDPSession) -> Iterator[Traffic]:
        """Listen for the block."""
        removers = [
            session.on(network.RequestWillBeSent, self._sent),
            session.on(network.LoadingFinished, lambda event: self._ended(event.request_id)),
            session.on(network.LoadingFailed, lambda event: self._ended(event.request_id)),
            session.on(cdp_page.FrameStartedNavigating, self._navigating),
            session.on(cdp_page.LoadEventFired, lambda _: self.loaded.set()),
            # What turned out to be a download stops without a load event.
            session.on(cdp_page.FrameStoppedLoading, self._stopped),
        ]
        try:
            yield self
        finally:
            for remove in removers:
                remove()

    def _sent(self, event: network.RequestWillBeSent) -> None:
        if event.type in STREAMS or event.request.url.endswith("/favicon.ico"):
            return
        self.open[event.request_id] = self.changed_at = now()
        self.begun.add(event.request_id)

    def _ended(self, request_id: str) -> None:
        if self.open.pop(request_id, None) is not None:
            self.changed_at = now()

    def _navigating(self, event: cdp_page.FrameStartedNavigating) -> None:
        if event.frame_id == self._main and event.navigation_type != "sameDocument":
            self.navigating = True
            self.loaded.clear()

    def _stopped(self, event: cdp_page.FrameStoppedLoading) -> None:
        if event.frame_id == self._main:
            self.loaded.set()


Rule = Callable[[Page, Traffic], Awaitable[bool]]
"""Waits; returns False if it ran into its own cap."""


class Ruled(Driven):
    """A lane that acts as stillframe does and then waits by a rule."""

    def __init__(self, name: str, shared: Shared, rule: Rule, *, sleep: bool = False) -> None:
        super().__init__(name, "sleep" if sleep else "rule", shared)
        self._rule = rule
        # The engine's own observers stay out of the page as far as they can.
        self.context_options = {"observe": "protocol"}

    async def _act(self, page: Page, action: Action) -> Run:
        before = await page.snapshot()
        traffic = Traffic(page._tab.frames.main.id)
        with traffic.heard(page.cdp_session):
            await perform(Attempt(page._tab), action, Deadline(ACTION_TIMEOUT))
            settled = await self._rule(page, traffic)
        returned = now()
        change = state_change(before, await page.snapshot(), page._tab.refs, LIMIT, ())
        return Run(acted_at=0, returned_at=returned, seen=msgspec.json.encode(change).decode(), capped=not settled)


async def until(condition: Callable[[], bool], cap: float, *, every: float = 0.01) -> bool:
    """Wait until a condition holds; False after `cap` seconds. Its grain is finer than any of the rules' windows."""
    deadline = now() + cap * 1000
    while not condition():
        if now() >= deadline:
            return False
        await asyncio.sleep(every)
    return True


async def in_page(page: Page, function: str, *arguments: float, cap: float) -> bool:
    """Call a function in the page, again when the document goes away; False after `cap` seconds."""
    deadline = now() + cap * 1000
    while (left := deadline - now()) > 0:
        call = f"({function})({', '.join(map(str, arguments))})"
        try:
            return bool(await page._tab.frames.main.evaluate(call, timeout=left / 1000))
        except StillframeError:
            await asyncio.sleep(0.02)
    return False


# -- the rules -------------------------------------------------------------------------------------


def sleeps(milliseconds: float) -> Rule:
    """A fixed sleep."""

    async def rule(_: Page, __: Traffic) -> bool:
        await asyncio.sleep(milliseconds / 1000)
        return True

    return rule


async def stagehand(_: Page, traffic: Traffic) -> bool:
    """No request in flight for 500 ms, requests older than 2 s dropped, sockets and streams ignored, cap 5 s."""
    entered = now()

    def quiet() -> bool:
        pending = [begun for begun in traffic.open.values() if now() - begun < 2000]
        return not pending and now() - max(entered, traffic.changed_at) >= 500

    return await until(quiet, 5.0)


async def percy(page: Page, traffic: Traffic) -> bool:
    """`balanced`: DOM quiet for 300 ms, network for 200, fonts ready, an idle callback and two frames; cap 10 s."""
    entered = now()

    def quiet() -> bool:
        return not traffic.open and now() - max(entered, traffic.changed_at) >= 200

    checks = await asyncio.gather(
        in_page(page, QUIET_DOM, 300, 10_000, cap=10.0),
        in_page(page, FONTS, cap=5.0),
        in_page(page, IDLE_FRAMES, cap=10.0),
        until(quiet, 10.0),
    )
    return all(checks)


async def rod(page: Page, traffic: Traffic) -> bool:
    """`WaitStable` with d = 1 s: loaded, no request for 1 s, and the DOM the same twice, 1 s apart; cap 10 s."""
    deadline = now() + 10_000
    entered = now()
    if traffic.navigating and not await until(traffic.loaded.is_set, 10.0):
        return False

    def quiet() -> bool:
        return not traffic.open and now() - max(entered, traffic.changed_at) >= 1000

    async def same() -> bool:
        last = await _outer(page)
        while now() < deadline:
            await asyncio.sleep(1.0)
            current = await _outer(page)
            if current == last:
                return True
            last = current
        return False

    return all(await asyncio.gather(until(quiet, 10.0), same()))


async def _outer(page: Page) -> str:
    try:
        return str(await page._tab.frames.main.evaluate(OUTER))
    except StillframeError:
        return ""


async def browser_use(_: Page, __: Traffic) -> bool:
    """Today's default: a pending-request check that sees no request in flight in Chrome, so nothing is awaited."""
    return True


async def devtools_mcp(page: Page, traffic: Traffic) -> bool:
    """A navigation that begins within 100 ms is awaited up to 3 s; then the DOM is quiet for 100 ms, cap 3 s."""
    await asyncio.sleep(0.1)
    if traffic.navigating:
        await until(traffic.loaded.is_set, 3.0)
    return await in_page(page, QUIET_DOM, 100, 3000, cap=3.0)


async def playwright_mcp(_: Page, traffic: Traffic) -> bool:
    """500 ms; a navigation is awaited to its load, up to 10 s; else requests seen so far up to 5 s, then 500 ms."""
    await asyncio.sleep(0.5)
    if traffic.navigating:
        return await until(traffic.loaded.is_set, 10.0)
    if not (seen := set(traffic.begun)):
        return True
    settled = await until(lambda: not (seen & traffic.open.keys()), 5.0)
    await asyncio.sleep(0.5)
    return settled


async def network_idle(_: Page, traffic: Traffic) -> bool:
    """Puppeteer's `waitForNetworkIdle`: no request in flight for 500 ms, cap 10 s here."""
    entered = now()
    return await until(lambda: not traffic.open and now() - max(entered, traffic.changed_at) >= 500, 10.0)


RULES: dict[str, Rule] = {
    "stagehand": stagehand,
    "percy": percy,
    "rod": rod,
    "browser-use": browser_use,
    "chrome-devtools-mcp": devtools_mcp,
    "playwright-mcp": playwright_mcp,
    "puppeteer-networkidle": network_idle,
}
SLEEPS = (0, 100, 500, 2000)


def lanes(shared: Shared) -> list[Driven]:
    """Return the rule of docs/design/proposal.md, the others' and the sleeps."""
    proposal = Stillframe("rule: proposal", shared, kind="rule", settle="quiet")
    rules = [Ruled(f"rule: {name}", shared, rule) for name, rule in RULES.items()]
    return [proposal, *rules, *(Ruled(f"sleep {ms}", shared, sleeps(ms), sleep=True) for ms in SLEEPS)]
