"""Pages that work against whoever waits for them: each gets a verdict, in time, that says what it did.

The pages are in `tests/pages/hostile`. A verdict may come `GRACE_MS` after its deadline, which is what one turn of a
busy loop and one of a busy renderer take; it never comes as an exception, and what it leaves behind can be used.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from aiohttp import web

from site_server import PAGES, Site
from stillframe.cdp_types import runtime
from stillframe.model.options import parse_options
from stillframe.model.verdict import Verdict
from stillframe.page.browser import Browser
from stillframe.page.page import Page
from stillframe.settle.verdict import REASONS

GRACE_MS = 700.0
TIMEOUT_MS = 1500
HORIZON_MS = 500
TIERS = (0, 1, 2)
SIGHTED = (1, 2)
"""The tiers that see changes of the document."""

CLICK = "void HTMLElement.prototype.click.call(Document.prototype.getElementById.call(document, {id!r}))"
READ = "Document.prototype.getElementById.call(document, 'out')?.textContent"


async def press(page: Page, id_: str) -> None:
    """Click by script, from a world that the page cannot tamper with; nobody waits for what it does."""
    context = await page.frames.main.world().context()
    page.session.post(
        runtime.Evaluate(expression=CLICK.format(id=id_), context_id=context, user_gesture=True, silent=True)
    )


async def settle(page: Page, id_: str, tier: int, **given: Any) -> Verdict:
    """Click and settle within the deadline, and look at the noise as a sequence does."""
    options = parse_options({"tier": tier, "timeout_ms": TIMEOUT_MS, "horizon_ms": HORIZON_MS} | given)
    async with page.settling.armed(options) as settling:
        await press(page, id_)
        started = time.monotonic()
        verdict = await settling.verdict()
        assert (time.monotonic() - started) * 1000 <= TIMEOUT_MS + GRACE_MS, verdict
        await page.settling.noise()
    assert verdict.reason.partition(":")[0] in REASONS, verdict
    assert verdict.stable or verdict.pending or verdict.reason.startswith(("hung", "crashed", "closed")), verdict
    return verdict


async def assert_usable(page: Page, site: Site, tier: int) -> None:
    """The tab goes elsewhere and settles there as if nothing had been."""
    site.html("/after.html", "<button id=go onclick='out.textContent = 1'>go</button><p id=out>")
    await page.goto(site.url("/after.html"), timeout=10)
    verdict = await settle(page, "go", tier)
    assert verdict.stable, verdict
    assert await page.evaluate("out.textContent") == "1"


@pytest.fixture(autouse=True)
def endless_redirect(site: Site) -> None:
    async def turn(request: web.Request) -> web.Response:
        raise web.HTTPFound(f"/turn?{request.query_string}1")

    site.route("/turn", turn)


def named(kind: str) -> list[str]:
    return sorted(path.stem.removeprefix(kind) for path in Path(PAGES, "hostile").glob(f"{kind}*.html"))


# -- pages that tamper with what we could be thought to use ------------------------------------------


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("what", named("tamper-"))
async def test_a_page_that_tampers_is_waited_for(page: Page, site: Site, what: str, tier: int) -> None:
    await page.goto(site.url(f"/hostile/tamper-{what}.html"))
    verdict = await settle(page, "go", tier)
    assert (verdict.stable, verdict.reason) == (True, "quiet"), verdict
    assert await page.frames.main.evaluate(READ) == "went"
    await assert_usable(page, site, tier)


# -- pages that never stop ----------------------------------------------------------------------------


class Endless(NamedTuple):
    """What the verdict may be when a click starts what never ends, in tiers that see changes and in tier 0."""

    seen: tuple[str, ...]
    blind: tuple[str, ...] = ("quiet", "no_effect")


QUIET = ("quiet", "no_effect")
CHANGES = ("horizon: changes", "horizon: task", "horizon: timer", "timeout: changes")
LEAVING = (
    "timeout: navigation",
    "timeout: document",
    "timeout: request",
    "horizon: navigation",
    "timeout: changes",
)
DIALOGS = ("horizon: dialog", "timeout: dialog", "dialog")
HUNG = ("hung",)
FRAMES = ("horizon: frame", "timeout: frame", *CHANGES, *HUNG)
WORKERS = ("horizon: worker", "horizon: request GET blob:")
ADDRESSES = ("horizon: url", "timeout: url", "horizon: timer", *HUNG)

ENDLESS = {
    "frames": Endless(CHANGES),
    "work": Endless(CHANGES),
    "messages": Endless((*QUIET, *CHANGES)),
    "channel": Endless(CHANGES),
    "timeouts": Endless((*QUIET, *CHANGES)),
    "tasks": Endless((*CHANGES, *HUNG, "timeout: "), (*QUIET, *HUNG, "timeout: ")),
    "microtasks": Endless(HUNG, HUNG),
    "loop": Endless(HUNG, HUNG),
    "waiting": Endless(HUNG, (*HUNG, "horizon: request")),
    "redirect": Endless(("navigated",), ("navigated",)),
    "refresh": Endless(LEAVING, LEAVING),
    "location": Endless(LEAVING, LEAVING),
    "reload": Endless(LEAVING, LEAVING),
    "debugger": Endless((*QUIET, *CHANGES)),
    "alerts": Endless(DIALOGS, DIALOGS),
    "alert-loop": Endless((*DIALOGS, *HUNG), (*DIALOGS, *HUNG)),
    "confirm": Endless((*DIALOGS, *HUNG), (*DIALOGS, *HUNG)),
    "leaving": Endless((*DIALOGS, *LEAVING, *HUNG), (*DIALOGS, *LEAVING, *HUNG)),
    "windows": Endless(("new_target", "horizon: timer"), ("new_target",)),
    "iframes": Endless(FRAMES, FRAMES),
    "history": Endless(ADDRESSES, ADDRESSES),
    "fragments": Endless(ADDRESSES, ADDRESSES),
    "writing": Endless((*CHANGES, "timeout: changes", "timeout: document"), (*QUIET, "timeout: document")),
    "growth": Endless(CHANGES),
    "attributes": Endless(CHANGES),
    "animations": Endless(("horizon: animation", "timeout: animation", "animation_done", *CHANGES)),
    "workers": Endless(WORKERS, WORKERS),
    "worker-news": Endless(CHANGES),
    "requests": Endless(("horizon: request", *CHANGES), ("horizon: request", *CHANGES)),
    "events": Endless(CHANGES, (*QUIET, "horizon: ")),
    "print": Endless((*QUIET, *CHANGES)),
}
DEAD = ("loop", "microtasks", "waiting", "alert-loop", "confirm", "tasks")
"""Pages whose script never returns: there is nothing left to be used."""
STUBBORN = ("alerts", "leaving", "location", "reload", "refresh")
"""Pages that outdo any navigation with one of their own, or with a dialog."""


def test_every_endless_page_is_known() -> None:
    assert named("endless-") == sorted(ENDLESS)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("what", ENDLESS)
async def test_a_page_that_never_stops_is_left_in_time(browser: Browser, site: Site, what: str, tier: int) -> None:
    async with await browser.new_context() as context, await context.new_page() as page:
        await page.goto(site.url(f"/hostile/endless-{what}.html"))
        verdict = await settle(page, "storm", tier)
        expected = ENDLESS[what].blind if tier == 0 else ENDLESS[what].seen
        assert verdict.reason.startswith(expected), verdict
        if what not in DEAD + STUBBORN:
            await assert_usable(page, site, tier)
    # Whatever its page does, a tab closes, and the browser goes on.
    assert page.closed
    async with await browser.new_context() as context, await context.new_page() as other:
        await assert_usable(other, site, tier)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("what", ["frames", "messages", "timeouts", "debugger", "growth", "worker-news", "requests"])
async def test_what_has_gone_on_before_does_not_hide_what_the_click_does(
    page: Page, site: Site, what: str, tier: int
) -> None:
    await page.goto(site.url(f"/hostile/endless-{what}.html?now"))
    await settle(page, "go", tier)
    assert await page.frames.main.evaluate(f"{READ}.startsWith('went')") or what == "worker-news"
    await assert_usable(page, site, tier)


# -- what goes away meanwhile -------------------------------------------------------------------------


async def quiet_page(page: Page, site: Site) -> None:
    await page.goto(site.html("/it.html", "<button id=go>go</button><p id=out></p><div id=more></div>"))


@pytest.mark.parametrize("tier", TIERS)
async def test_a_context_destroyed_in_mid_fence(page: Page, site: Site, tier: int) -> None:
    await quiet_page(page, site)
    site.html("/next.html", "there")
    options = parse_options({"tier": tier, "timeout_ms": TIMEOUT_MS})
    fences = 0
    send = page.settling._fence

    def fence(number: int, min_ms: float) -> None:
        nonlocal fences
        fences += 1
        send(number, min_ms)
        if fences == 1:
            page.session.post(runtime.Evaluate(expression="void (location = '/next.html')"))

    page.settling._fence = fence  # type: ignore[method-assign]
    async with page.settling.armed(options) as settling:
        verdict = await settling.verdict()
    assert (verdict.stable, verdict.reason) == (True, "navigated"), verdict
    assert fences >= 2


async def crash(page: Page) -> None:
    page.session.post(runtime.Evaluate(expression="0"))
    await asyncio.gather(page.session.call("Page.crash"), return_exceptions=True)


async def hang(page: Page) -> None:
    page.session.post(runtime.Evaluate(expression="for (;;);"), timeout=None)


async def close(page: Page) -> None:
    await page.close()


async def detach(page: Page) -> None:
    await page.session.detach()


ENDS = {
    crash: ("crashed",),
    hang: ("hung", "timeout"),
    close: ("closed",),
    detach: ("closed",),
}


async def end_it(page: Page, end: Any) -> asyncio.Task[None]:
    return asyncio.create_task(end(page), name="end of the page")


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
@pytest.mark.parametrize("moment", ["arming", "settling", "noise"])
async def test_a_target_that_goes_away(browser: Browser, site: Site, moment: str, end: Any, tier: int) -> None:
    async with await browser.new_context() as context:
        page = await context.new_page()
        await quiet_page(page, site)
        options = parse_options({"tier": tier, "timeout_ms": TIMEOUT_MS, "horizon_ms": HORIZON_MS})
        ending = None
        started = time.monotonic()
        if moment == "arming":
            ending = await end_it(page, end)
        async with page.settling.armed(options) as settling:
            if moment == "settling":
                ending = await end_it(page, end)
            verdict = await settling.verdict()
            if moment == "noise":
                ending = await end_it(page, end)
            await page.settling.noise()
        assert (time.monotonic() - started) * 1000 <= 2 * TIMEOUT_MS + GRACE_MS, verdict
        assert ending is not None
        await asyncio.gather(ending, return_exceptions=True)
        if moment == "noise":
            assert verdict.stable
        else:
            assert verdict.reason.startswith(ENDS[end]), verdict
            assert not verdict.stable
    # The browser goes on, and so does everything else in it.
    async with await browser.new_context() as context, await context.new_page() as other:
        await assert_usable(other, site, tier)


@pytest.mark.parametrize("tier", TIERS)
async def test_a_crashed_page_can_be_loaded_again(page: Page, site: Site, tier: int) -> None:
    await quiet_page(page, site)
    options = parse_options({"tier": tier, "timeout_ms": TIMEOUT_MS})
    async with page.settling.armed(options) as settling:
        ending = await end_it(page, crash)
        assert (await settling.verdict()).reason == "crashed"
    await ending
    await assert_usable(page, site, tier)


# -- a whole sequence ----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["frames", "channel", "alerts", "iframes", "growth", "location", "history", "workers"])
async def test_a_sequence_on_a_page_that_never_stops(page: Page, site: Site, what: str) -> None:
    await page.goto(site.url(f"/hostile/endless-{what}.html"))
    started = time.monotonic()
    result = await page.execute_sequence(
        [{"action": "click_element", "selector": "#storm"}], timeout_ms=TIMEOUT_MS, horizon_ms=HORIZON_MS
    )
    assert result.failed is None, result.failed
    assert result.reason.startswith(ENDLESS[what].seen), result
    assert time.monotonic() - started < 10
