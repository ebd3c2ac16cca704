"""`Page.settle` as its callers see it: which options it takes, what it awaits, and that it never raises."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from shown import BOTH_RULES
from site_server import Site
from stillframe.api.browser import Page
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import OptionInvalid, SelectorInvalid, SessionLost, StillframeError
from stillframe.model.actions import Click, SetValue
from stillframe.model.secret import REDACTED, Secret
from stillframe.model.verdict import Verdict

RENDERS = """
<p id=out>loading</p>
<script>
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
onload = async () => {{ {work}; out.textContent = "rendered"; }};
</script>
"""


BEATEN = """
new Promise((done) => {
  new MutationObserver(() => out.title.length > 12 && done()).observe(out, { attributes: true });
})
"""
"""Waits for a dozen beats of what the page does by itself."""


# -- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"timout_ms": 5}, "timout_ms"),
        ({"timeout_ms": -1}, "timeout_ms"),
        ({"observe": 7}, "observe"),
        ({"settle": "later"}, "settle"),
        ({"expect": {"selector": "#a", "text": "b"}}, "expect"),
        ({"limit": 3}, "limit"),
        ({"guard": True}, "guard"),
        ({"verbose": True}, "verbose"),
        ({"actionTimeoutMs": 100}, "actionTimeoutMs"),
        ({"session_id": "x"}, "session_id"),
    ],
)
async def test_an_option_that_makes_no_sense_is_refused_by_name(
    page: Page, options: dict[str, Any], option: str
) -> None:
    with pytest.raises(OptionInvalid) as refused:
        await page.settle(**options)
    assert refused.value.option == option


async def test_an_expected_selector_is_checked_before_the_wait(page: Page) -> None:
    with pytest.raises(SelectorInvalid):
        await page.settle(expect={"selector": "a[["})


@BOTH_RULES
async def test_options_have_their_python_and_their_json_names(page: Page, settle: Any) -> None:
    python = await page.settle(settle=settle, timeout_ms=4000, stability_ms=50, poll_interval_ms=10)
    json = await page.settle(settle=settle, timeoutMs=4000, stabilityMs=50, pollIntervalMs=10)
    assert python.stable
    assert json.stable


# -- what is awaited -----------------------------------------------------------------------------


@BOTH_RULES
async def test_a_page_that_does_nothing_is_still(page: Page, site: Site, settle: Any) -> None:
    await page.goto(site.html("/", "<p>hello"))
    verdict = await page.settle(settle=settle)
    assert (verdict.stable, verdict.pending, verdict.late) == (True, (), ())


@pytest.mark.parametrize(
    "work",
    [
        pytest.param("await fetch('/slow?ms=400').then((answer) => answer.text())", id="fetch"),
        pytest.param(
            "for (const ms of [150, 150, 150]) await fetch('/slow?ms=' + ms)",
            id="a chain of fetches",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "await new Promise((resolve) => { const i = new Image(); i.onerror = resolve; i.src = '/slow?ms=300' })",
            id="image",
        ),
    ],
)
async def test_what_a_page_began_before_the_call_is_awaited(page: Page, site: Site, work: str) -> None:
    await page.goto(site.html("/", RENDERS.format(work=work)))
    verdict = await page.settle()
    assert await page.evaluate("out.textContent") == "rendered"
    assert verdict.stable, verdict


@pytest.mark.parametrize(
    "work",
    [
        pytest.param("await later(400)", id="a timer", marks=pytest.mark.slow),
        pytest.param("for (let i = 0; i < 3; i++) await later(200)", id="a chain of timers", marks=pytest.mark.slow),
        pytest.param("await later(300); await fetch('/slow?ms=200')", id="a timer, then a fetch"),
    ],
)
async def test_timers_that_run_already_are_awaited_where_calls_are_observed(page: Page, site: Site, work: str) -> None:
    await page.goto(site.html("/", RENDERS.format(work=work)))
    verdict = await page.settle(observe="calls")
    assert await page.evaluate("out.textContent") == "rendered"
    assert verdict.stable, verdict


@pytest.mark.serial
@pytest.mark.parametrize(
    "work",
    [
        pytest.param("setInterval(() => {{ out.title += 1 }}, 60)", id="an interval"),
        pytest.param("const beat = () => {{ out.title += 1; setTimeout(beat, 60) }}; beat()", id="a chain of timers"),
    ],
)
async def test_what_goes_on_by_itself_is_left_out(page: Page, site: Site, work: str) -> None:
    await page.goto(site.html("/", RENDERS.format(work=work.format())))
    await page.evaluate(BEATEN)
    verdict = await page.settle(observe="calls")
    assert verdict.stable, verdict
    assert verdict.waited_ms < 1500


async def test_a_request_that_is_never_answered_is_named(page: Page, site: Site) -> None:
    await page.goto(site.html("/", RENDERS.format(work="await fetch('/hang')")))
    verdict = await page.settle(horizon_ms=300)
    assert (verdict.stable, verdict.outcome) == (False, f"horizon: request GET {site.url('/hang')}")
    assert verdict.pending[0].url == site.url("/hang")


async def test_what_is_expected_ends_the_wait(page: Page, site: Site) -> None:
    work = "fetch('/hang'); await fetch('/slow?ms=200')"
    await page.goto(site.html("/", RENDERS.format(work=work)))
    verdict = await page.settle(expect={"text": "rendered"})
    assert verdict.reason == "expected"


async def test_a_wait_and_a_sequence_take_turns(page: Page, site: Site) -> None:
    await page.goto(
        site.html("/", "<button onclick=\"fetch('/slow?ms=300').then(() => { document.title = 'done' })\">go")
    )
    sequence = asyncio.ensure_future(page.execute_sequence([Click("button")]))
    await asyncio.sleep(0)
    verdict = await page.settle()
    assert sequence.done()
    assert (await sequence).stable
    assert verdict.stable
    assert await page.title() == "done"


async def test_a_secret_in_a_url_is_not_shown(page: Page, site: Site) -> None:
    await page.goto(site.html("/", "<input id=i><script>i.oninput = () => { url = '/hang?' + i.value }</script>"))
    await page.execute_sequence([SetValue("#i", Secret("lantern"))])
    await page.evaluate("void fetch(url)")
    verdict = await page.settle(horizon_ms=200)
    assert "lantern" not in str(verdict)
    assert REDACTED in str(verdict)


# -- pages that go wrong -------------------------------------------------------------------------


async def lost(page: Page, command: Any) -> None:
    with pytest.raises(SessionLost):
        await page.cdp_session.send(command)


@BOTH_RULES
async def test_a_crashed_page(page: Page, site: Site, settle: Any) -> None:
    await page.goto(site.html("/", "<p>hello"))
    await lost(page, cdp_page.Crash())
    verdict = await page.settle(settle=settle)
    assert (verdict.stable, verdict.reason) == (False, "crashed")


@BOTH_RULES
async def test_a_closed_page(page: Page, settle: Any) -> None:
    await page.close()
    verdict = await page.settle(settle=settle)
    assert not verdict.stable
    assert verdict.reason == "closed"


@BOTH_RULES
async def test_a_page_that_is_closed_meanwhile(page: Page, site: Site, settle: Any) -> None:
    await page.goto(
        site.html("/", RENDERS.format(work="setInterval(() => { out.textContent += 1 }, 20); fetch('/hang')"))
    )
    waiting = asyncio.ensure_future(page.settle(settle=settle, timeout_ms=20_000, horizon_ms=20_000))
    while page._settler.page.machine.phase.value != "settling" and settle == "causal":  # noqa: ASYNC110
        await asyncio.sleep(0)
    await page.close()
    verdict = await waiting
    assert (verdict.stable, verdict.reason) == (False, "closed")


@pytest.mark.slow  # tests/engine/test_bounds_results.py has a sequence and a wait on such a page
async def test_a_page_that_hangs(page: Page, site: Site) -> None:
    await page.goto(
        site.html(
            "/", "<script>onmessage = () => { const end = Date.now() + 3000; while (Date.now() < end); }</script>"
        )
    )
    await page.evaluate("postMessage(0)")
    verdict = await page.settle(timeout_ms=1500)
    assert (verdict.stable, verdict.reason) == (False, "hung")


async def test_an_abandoned_wait_leaves_the_page_usable(page: Page, site: Site) -> None:
    await page.goto(site.html("/", RENDERS.format(work="fetch('/hang')")))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await page.settle(timeout_ms=20_000, horizon_ms=20_000)
    verdict: Verdict = await page.settle(horizon_ms=100)
    assert verdict.reason in ("horizon", "quiet", "no_effect")
    assert not isinstance(verdict, StillframeError)
