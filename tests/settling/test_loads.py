"""Loading applications: which signs show that loading continues and which do not; pages are returned when still."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from simulation import MAIN, Simulation

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import NavigationFailed, OptionInvalid
from stillframe.settling import signals as s
from stillframe.settling.loads import MAX_QUERIES, MAX_SHAPES, MIN_GROWTH, STEPS, Growth, Load
from stillframe.settling.signals import Limits, Report


def request(id_: str, url: str = "http://site/api", **fields: Any) -> s.RequestStarted:
    return s.RequestStarted(**{"id": id_, "url": url, "loader": "L2", **fields})


# -- signs -----------------------------------------------------------------------------------------------------------


def test_what_a_document_asks_for_the_first_time_is_a_sign_and_so_is_its_answer() -> None:
    load = Load()
    assert load.record(request("r1"))
    assert load.record(s.ResponseStarted("r1"))
    assert load.record(s.RequestEnded("r1"))


@pytest.mark.parametrize("again", ["http://site/api", "http://site/api?n=3", "http://site/api?n=71"])
def test_what_it_asks_for_again_is_none_whatever_its_figures(again: str) -> None:
    load = Load()
    load.record(request("r1", "http://site/api" if "?" not in again else "http://site/api?n=1"))
    assert not load.record(request("r2", again))
    assert not load.record(s.RequestEnded("r2"))


def test_files_are_told_apart_by_figures() -> None:
    load = Load()
    assert all(load.record(request(f"r{n}", f"http://site/chunk.{n}.js", type="Script")) for n in range(20))


def test_other_questions_to_one_place_are_new_some_times() -> None:
    load = Load()
    heard = [load.record(request(f"r{n}", method="POST", body=f"{n:x}")) for n in range(2 * MAX_QUERIES)]
    assert heard == [True] * MAX_QUERIES + [False] * MAX_QUERIES


def test_parts_that_a_server_announces_are_signs_for_a_time() -> None:
    load = Load()
    load.record(s.SocketReceived("w", "cell"))
    heard = [load.record(s.SocketReceived("w", "cell", "more" if n % 2 else "last")) for n in range(2 * MAX_SHAPES)]
    assert heard == [True] * MAX_SHAPES + [False] * MAX_SHAPES


def test_growth_by_bursts_is_a_sign() -> None:
    growth = Growth()
    assert [growth.record(100.0 * n, count) for n, count in enumerate((40, 45, 300, 302, 320))] == [
        True, False, True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("step", [1, MIN_GROWTH - 1])
def test_a_ticker_that_adds_a_row_at_a_time_is_none(step: int) -> None:
    growth = Growth()
    growth.record(0, 500)
    assert not any(growth.record(300.0 * n, 500 + step * n) for n in range(1, 50))


def test_growth_by_the_same_step_is_none_in_the_end() -> None:
    growth = Growth()
    heard = [growth.record(500.0 * n, 200 + 100 * n) for n in range(30)]
    assert not any(heard[STEPS:])


# -- the wait follows ------------------------------------------------------------------------------------------------


def loading(*stream: tuple[float, s.Signal]) -> list[tuple[float, s.Signal]]:
    return [(5, s.Committed("main", "L2", "http://site/", True)), (100, s.Loaded("main", "L2", True)), *stream]


def ticker(until: float) -> list[tuple[float, s.Signal]]:
    """Return a document that never stands still by itself: its wait ends at the horizon."""
    return [(110 + 20.0 * n, s.Mutated("#ticker")) for n in range(int((until - 110) / 20))]


def test_a_new_request_is_awaited_up_to_the_timeout() -> None:
    stream = loading((110, request("r1")), (3200, s.RequestEnded("r1")), (3210, s.Mutated("#app")))
    verdict = Simulation(stream).settle()
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert verdict.waited_ms >= 3210


def test_a_new_request_that_is_never_answered_ends_with_the_timeout() -> None:
    verdict = Simulation(loading((110, request("r1")))).settle()
    assert (verdict.stable, verdict.outcome, verdict.waited_ms) == (False, "timeout: request GET http://site/api", 5000)


def test_a_request_like_the_ones_before_is_given_up_at_the_horizon() -> None:
    stream = loading((110, request("r1")), (150, s.RequestEnded("r1")), (155, request("r2")))
    verdict = Simulation(stream).settle()
    assert verdict.outcome == "horizon: request GET http://site/api"
    assert 2150 <= verdict.waited_ms <= 2300


def test_the_horizon_counts_from_the_last_sign() -> None:
    files = [
        (120 + 400.0 * n, signal)
        for n in range(5)
        for signal in (request(f"r{n}", f"http://site/{n}.js", type="Script"), s.RequestEnded(f"r{n}"))
    ]
    verdict = Simulation(loading(*files, *ticker(8000))).settle(Limits(timeout_ms=8000))
    assert verdict.outcome == "horizon: changes #ticker"
    assert 1720 + 2000 <= verdict.waited_ms <= 1720 + 2200


def test_a_document_that_grows_moves_the_horizon_on() -> None:
    sim = Simulation(loading(*ticker(8000)))
    verdicts = []
    for grows in (False, True):
        sim = Simulation(loading(*ticker(8000)))
        grown = iter((20, 400, 1000, 1010, 1600, 1610, 3000))
        sim.reports["main"] = Report(quiet_ms=5)
        answer = sim._answer

        def growing(number: int, realm: s.Realm, answer: Any = answer, grown: Any = grown) -> s.Signal:
            return s.FenceDone(number, MAIN.key, Report(quiet_ms=5, elements=next(grown, 3000)))

        if grows:
            sim._answer = growing  # type: ignore[method-assign]
        verdicts.append(sim.settle(Limits(timeout_ms=8000)))
    assert verdicts[1].waited_ms >= verdicts[0].waited_ms


def test_a_click_follows_no_application() -> None:
    sim = Simulation([*loading((150, request("first")), (200, s.RequestEnded("first")))])
    sim.settle(start=0)
    sim.forget()
    start = sim.now + 1000
    sim.at((start + 5, request("r1", "http://site/other")))
    verdict = sim.settle(start=start)
    assert verdict.outcome == "horizon: request GET http://site/other"
    assert verdict.waited_ms <= 2200


# -- real pages ------------------------------------------------------------------------------------------------------

APP = """
<div id=app>starting</div>
<script>
const get = (url) => fetch(url).then((answer) => answer.text());
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  for (const part of ['config', 'user', 'menu', 'rows']) await get('/slow?ms=MS&part=' + part);
  document.getElementById('app').textContent = 'there';
})();
%s
</script>
"""


SLOW, BRISK = APP.replace("MS", "600"), APP.replace("MS", "200")
"""An application that loads for longer than the horizon, and one that does where that is `SHORT_MS`."""
SHORT_MS = 500


async def text(page: Page) -> str:
    return str(await page.evaluate("document.getElementById('app').textContent"))


async def test_goto_hands_an_application_over_when_it_is_there(page: Page, site: Site) -> None:
    response = await page.goto(site.html("/app.html", SLOW % ""), settle=True)
    assert response.status == 200
    assert await text(page) == "there"
    assert page.verdict is not None
    assert (page.verdict.stable, page.verdict.reason) == (True, "navigated")


async def test_a_slow_interval_does_not_cost_a_large_horizon(page: Page, site: Site) -> None:
    url = site.html("/app.html", BRISK % "setInterval(() => get('/slow?beat'), 3000)")
    await page.goto(url, settle=True, horizon_ms=10_000, settle_timeout_ms=20_000)
    assert await text(page) == "there"
    assert page.verdict is not None
    assert page.verdict.stable
    assert page.verdict.waited_ms < 6000


async def test_a_new_page_is_handed_over_when_it_is_still(browser: Browser, site: Site) -> None:
    url = site.html("/app.html", BRISK % "")
    async with await browser.new_page(url, settle=True, observe="dom", horizon_ms=SHORT_MS) as page:
        assert await text(page) == "there"
        assert page.verdict is not None
        assert page.verdict.stable
        await page.reload(settle=True, horizon_ms=SHORT_MS)
        assert await text(page) == "there"
        await page.reload()
        assert page.verdict is None


async def test_settling_after_a_navigation_follows_the_application_too(page: Page, site: Site) -> None:
    await page.goto(site.html("/app.html", BRISK % ""))
    assert (await page.settle(horizon_ms=SHORT_MS)).stable
    assert await text(page) == "there"


async def test_a_page_that_never_answers_is_handed_over_at_its_timeout(page: Page, site: Site) -> None:
    await page.goto(site.html("/app.html", "<script>fetch('/hang')</script>"), settle=True, settle_timeout_ms=700)
    assert page.verdict is not None
    assert (page.verdict.stable, page.verdict.outcome) == (False, f"timeout: request GET {site.url('/hang')}")
    assert page.verdict.waited_ms <= 800


async def test_options_of_a_wait_need_a_wait(page: Page, site: Site, browser: Browser) -> None:
    url = site.html("/app.html", "")
    with pytest.raises(OptionInvalid, match="horizon_ms"):
        await page.goto(url, horizon_ms=100)
    with pytest.raises(OptionInvalid, match="stability"):
        await page.goto(url, settle=True, stability=1)
    with pytest.raises(OptionInvalid, match="limit"):
        await browser.new_page(url, settle=True, limit=3)
    with pytest.raises(OptionInvalid, match="URL"):
        await browser.new_page(settle=True)
    assert site.requests == []


@pytest.mark.parametrize("settle", [False, True])
async def test_what_playwright_calls_otherwise_is_named(page: Page, site: Site, settle: bool) -> None:
    url = site.html("/app.html", "")
    problems = []
    for options in ({"wait_until": "load"}, {"timeout": 500}, {"wait_untill": "load"}, {"until": "networkidle"}):
        with pytest.raises(OptionInvalid) as raised:
            await page.goto(url, settle=settle, **options)  # type: ignore[arg-type]
        problems.append(str(raised.value).partition(" Known:")[0])
    assert problems[:2] == [
        "option wait_until is Playwright's; here it is until",
        "option timeout is Playwright's; here it is timeout_ms (milliseconds)",
    ]
    assert problems[2] == "unknown option 'wait_untill'; did you mean 'until'?"
    assert problems[3] == (
        "until is 'networkidle': it must be one of 'commit', 'domcontentloaded', 'load'; to wait until the page is "
        "still, pass settle=True"
    )
    with pytest.raises(OptionInvalid, match="new_page does not take it"):
        await page.context.new_page(url, settle=settle, until="load")  # type: ignore[call-arg]
    assert site.requests == []


async def test_a_navigation_that_fails_is_raised_as_ever(page: Page, site: Site) -> None:
    with pytest.raises(NavigationFailed):
        await page.goto("http://127.0.0.1:1/", settle=True)
    await page.goto(site.html("/app.html", "<p id=app>calm"), settle="quiet")
    assert page.verdict is not None
    assert page.verdict.stable


async def test_an_application_that_is_built_in_long_tasks_is_awaited(page: Page, site: Site) -> None:
    build = """<div id=app></div><script>
    const busy = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); };
    const part = (n) => {
      busy(300);
      document.getElementById('app').insertAdjacentHTML('beforeend', '<p>x</p>'.repeat(20 * n));
      if (n < 8) setTimeout(part, 0, n + 1); else document.getElementById('app').textContent = 'there';
    };
    setTimeout(part, 0, 1);
    </script>"""
    await page.goto(site.html("/app.html", build), settle=True, settle_timeout_ms=10_000)
    assert await text(page) == "there"
    assert page.verdict is not None
    assert page.verdict.stable


@pytest.mark.serial
async def test_a_socket_that_brings_the_content_is_awaited(page: Page, site: Site) -> None:
    async def pushes(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for part in ("a", "b", "there"):
            await asyncio.sleep(0.25)
            await socket.send_str(part)
        async for _ in socket:
            pass
        return socket

    site.route("/pushes", pushes)
    app = """<div id=app></div><script>
    new WebSocket(`ws://${location.host}/pushes`).onmessage = (event) => {
      document.getElementById('app').textContent = event.data;
    };</script>"""
    await page.goto(site.html("/app.html", app), settle=True)
    assert await text(page) == "there"
