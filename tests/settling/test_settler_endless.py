"""Pages that never stop: each gets a verdict in time that names the cause."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from aiohttp import web
from hostile import HORIZON_MS, READ, TIMEOUT_MS, assert_usable, named, settle

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.options import Observe


@pytest.fixture(autouse=True)
def endless_redirect(site: Site) -> None:
    async def turn(request: web.Request) -> web.Response:
        raise web.HTTPFound(f"/turn?{request.query_string}1")

    site.route("/turn", turn)


class Endless(NamedTuple):
    """The possible verdicts after a click starts endless work: where changes are observed, and with `protocol`."""

    seen: tuple[str, ...]
    blind: tuple[str, ...] = ("quiet", "no_effect")


def goes_on(*kinds: str) -> tuple[str, ...]:
    """Return the beginnings of the possible outcomes for a page that continues with work of these kinds.

    Past the horizon the next fence ends the wait; if it is lost or not answered (the document is replaced during it, or
    the machine is busy), the timeout does, and either one names the work it knows of.
    """
    return tuple(f"{word}: {kind}" for word in ("horizon", "timeout") for kind in kinds)


QUIET = ("quiet", "no_effect")
CHANGES = goes_on("changes", "task", "timer")
LEAVING = (*goes_on("navigation", "document"), "timeout: request", "timeout: changes")
DIALOGS = (*goes_on("dialog"), "dialog")
HUNG = ("hung",)
FRAMES = (*goes_on("frame"), *CHANGES, *HUNG)
WORKERS = goes_on("worker", "request GET blob:")
# Chrome drops history entries for seconds after 200 of them: then nothing changes any more.
ADDRESSES = (*goes_on("url"), *CHANGES, *QUIET, *HUNG)

ENDLESS = {
    "frames": Endless(CHANGES),
    "work": Endless(CHANGES),
    # On a busy machine, endless tasks delay the answer to a fence.
    "messages": Endless((*QUIET, *CHANGES, *HUNG)),
    "channel": Endless((*CHANGES, *HUNG), QUIET),
    "timeouts": Endless((*QUIET, *CHANGES)),
    "tasks": Endless((*CHANGES, *HUNG, "timeout: "), (*QUIET, *HUNG, "timeout: ")),
    "microtasks": Endless(HUNG, HUNG),
    "loop": Endless(HUNG, HUNG),
    "waiting": Endless(HUNG, HUNG),
    "redirect": Endless(("navigated",), ("navigated",)),
    "refresh": Endless(LEAVING, LEAVING),
    "location": Endless(LEAVING, LEAVING),
    "reload": Endless(LEAVING, LEAVING),
    "debugger": Endless((*QUIET, *CHANGES)),
    "alerts": Endless(DIALOGS, DIALOGS),
    "alert-loop": Endless((*DIALOGS, *HUNG), (*DIALOGS, *HUNG)),
    "confirm": Endless((*DIALOGS, *HUNG), (*DIALOGS, *HUNG)),
    "leaving": Endless((*DIALOGS, *LEAVING, *HUNG, "navigated"), (*DIALOGS, *LEAVING, *HUNG, "navigated")),
    "windows": Endless(("new_target", *goes_on("timer", "target")), ("new_target", *goes_on("target"))),
    "iframes": Endless(FRAMES, FRAMES),
    "history": Endless(ADDRESSES, ADDRESSES),
    "fragments": Endless(ADDRESSES, ADDRESSES),
    # Each new document loses the fence of the previous one, so mostly the timeout ends this.
    "writing": Endless((*CHANGES, *goes_on("document")), (*QUIET, *goes_on("document"))),
    # On a busy machine, style and layout of ever more elements delay the answer to a fence.
    "growth": Endless((*CHANGES, *HUNG)),
    "attributes": Endless(CHANGES),
    "animations": Endless((*goes_on("animation"), *CHANGES, "animation_done")),
    "workers": Endless(WORKERS, WORKERS),
    "worker-news": Endless(CHANGES),
    "requests": Endless((*goes_on("request"), *CHANGES), (*goes_on("request"), *CHANGES)),
    # On a busy machine the server sends irregularly: a window without messages is quiet.
    "events": Endless((*CHANGES, *QUIET), (*QUIET, "horizon: ")),
    "print": Endless((*QUIET, *CHANGES)),
}
DEAD = ("loop", "microtasks", "waiting", "alert-loop", "confirm", "tasks")
"""Pages whose script never returns: they cannot be used afterwards."""
STUBBORN = ("alerts", "leaving", "location", "reload", "refresh")
"""Pages that override any navigation with one of their own, or with a dialog."""


UNHOOKED = ("messages", "timeouts")
"""Pages of which `dom` sees less than `calls` does."""
UNOBSERVED = ("frames", "channel", "growth")
"""Pages of which `protocol` sees less than `dom` does: one of each kind."""


def told_apart() -> Iterator[tuple[str, Observe]]:
    """Every page with its calls observed, and some at the other levels where they look different."""
    for what, endless in ENDLESS.items():
        yield what, "calls"
        if what in UNOBSERVED:
            assert endless.seen != endless.blind
            yield what, "protocol"
        if what in UNHOOKED:
            yield what, "dom"


def test_every_endless_page_is_known() -> None:
    assert named("endless-") == sorted(ENDLESS)


@pytest.mark.parametrize(("what", "observe"), list(told_apart()))
async def test_a_page_that_never_stops_is_left_in_time(
    browser: Browser, site: Site, what: str, observe: Observe
) -> None:
    async with await browser.new_context() as context, await context.new_page() as page:
        await page.goto(site.url(f"/hostile/endless-{what}.html"))
        verdict = await settle(page, "storm", observe)
        expected = ENDLESS[what].blind if observe == "protocol" else ENDLESS[what].seen
        assert verdict.outcome.startswith(expected), verdict
        assert verdict.stable == (verdict.detail is None and verdict.reason != "hung"), verdict
        if what not in DEAD + STUBBORN:
            await assert_usable(page, site, observe)
    # Whatever its page does, a tab closes, and the browser continues to work.
    assert page.closed
    if what not in DEAD + STUBBORN:
        return
    async with await browser.new_context() as context, await context.new_page() as other:
        await assert_usable(other, site, observe)


GOING_ON = ("frames", "messages", "timeouts", "debugger", "growth", "worker-news", "requests")


@pytest.mark.parametrize("what", sampled(GOING_ON, ("requests",)))
async def test_what_has_gone_on_before_does_not_hide_what_the_click_does(page: Page, site: Site, what: str) -> None:
    await page.goto(site.url(f"/hostile/endless-{what}.html?now"))
    await settle(page, "go", "calls")
    assert await page._tab.frames.main.evaluate(f"{READ}.startsWith('went')") or what == "worker-news"


IN_A_SEQUENCE = ("frames", "channel", "alerts", "iframes", "growth", "location", "history", "workers")


@pytest.mark.parametrize("what", sampled(IN_A_SEQUENCE, ("frames",)))
async def test_a_sequence_on_a_page_that_never_stops(page: Page, site: Site, what: str) -> None:
    await page.goto(site.url(f"/hostile/endless-{what}.html"))
    started = time.monotonic()
    result = await page.execute_sequence(
        [{"action": "click_element", "selector": "#storm"}], timeout_ms=TIMEOUT_MS, horizon_ms=HORIZON_MS
    )
    assert result.failed is None, result.failed
    assert result.outcome.startswith(ENDLESS[what].seen), result
    assert time.monotonic() - started < 20
