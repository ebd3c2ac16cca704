"""Helpers for the tests of hostile pages: a tamper-proof click, a wait with a deadline, and a check afterwards.

The pages are in `tests/pages/hostile`. A verdict may come `GRACE_MS` after its deadline: the time of one turn of a busy
loop and one of a busy renderer when ten busy processes share two cores (measured there: up to 0.8 s). Time in which
this process got no CPU does not count: Chromium runs with a higher priority where it may, and took over two seconds at
once. A verdict never comes as an exception, and the page is usable afterwards.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from site_server import PAGES, Site
from stillframe.api.browser import Page
from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp_types import runtime
from stillframe.model.options import Observe, parse_options
from stillframe.model.verdict import Verdict
from stillframe.settling.machine import REASONS

GRACE_MS = 1500.0
TIMEOUT_MS = 1500
HORIZON_MS = 400
"""A fence sent this long before the timeout and never answered counts as a page that hangs."""
OBSERVED: tuple[Observe, ...] = ("protocol", "dom", "calls")
SIGHTED: tuple[Observe, ...] = ("dom", "calls")
"""The levels of observation that see changes of the document."""

CLICK = "void HTMLElement.prototype.click.call(Document.prototype.getElementById.call(document, {id!r}))"
READ = "Document.prototype.getElementById.call(document, 'out')?.textContent"


async def press(page: Page, id_: str) -> None:
    """Click by script, from a world that the page cannot tamper with, without waiting for the effects."""
    context = await page._tab.frames.main.world().context()
    page.cdp_session.post(
        runtime.Evaluate(expression=CLICK.format(id=id_), context_id=context, user_gesture=True, silent=True)
    )


async def settle(page: Page, id_: str, observe: Observe, **given: Any) -> Verdict:
    """Click and settle within the deadline, and read the noise as a sequence does."""
    options = parse_options({"observe": observe, "timeout_ms": TIMEOUT_MS, "horizon_ms": HORIZON_MS} | given)
    async with page._settler.armed(options) as settling:
        await press(page, id_)
        clock = loop_clock()
        started = clock.now()
        verdict = await settling.verdict()
        assert (clock.now() - started) * 1000 <= TIMEOUT_MS + GRACE_MS, verdict
        if verdict.reason != "hung":
            # On a page that hangs this takes a second, which `test_settler_endings` spends.
            await page._settler.noise()
    assert verdict.reason in REASONS, verdict
    assert verdict.stable or verdict.pending or verdict.reason in ("hung", "crashed", "closed"), verdict
    return verdict


async def assert_usable(page: Page, site: Site, observe: Observe) -> None:
    """Navigate the tab elsewhere and check that it settles there as usual."""
    site.html("/after.html", "<button id=go onclick='out.textContent = 1'>go</button><p id=out>")
    await page.goto(site.url("/after.html"), timeout_ms=10000)
    verdict = await settle(page, "go", observe)
    assert verdict.stable, verdict
    assert await page.evaluate("out.textContent") == "1"


def named(kind: str) -> list[str]:
    return sorted(path.stem.removeprefix(kind) for path in Path(PAGES, "hostile").glob(f"{kind}*.html"))
