"""The two clocks: what time it is, who is called when, and what a page sees of it."""

from __future__ import annotations

import asyncio
import time

import pytest

from drawing import draw_frames
from patience import HANG_S
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.tab.clock.virtual_clock import VirtualClock, WallClock
from stillframe.tab.clock.virtual_time import PAUSE, REAL_TIME, VirtualTimePolicy, advance

NOW = "Date.now()"
ROUNDING_MS = 1.0
"""Pages see the time of day in whole milliseconds."""


async def page_time(page: Page) -> float:
    return float(await page.evaluate(NOW))


class Driver:
    """Lets a clock run through some policies, then hold."""

    def __init__(self, *policies: VirtualTimePolicy) -> None:
        self.policies = list(policies)
        self.done = asyncio.Event()

    async def plan(self) -> VirtualTimePolicy:
        if not self.policies:
            self.done.set()
            return PAUSE
        return self.policies.pop(0)


async def drive(clock: VirtualClock, *policies: VirtualTimePolicy) -> None:
    driver = Driver(*policies)
    clock.run(driver, driver.plan)
    await asyncio.wait_for(driver.done.wait(), 30)
    clock.rest(driver)
    await clock.held()


@pytest.fixture
def browser(virtual_time_browser: Browser) -> Browser:
    """The browser of these tests."""
    return virtual_time_browser


@pytest.fixture
async def clock(page: Page, site: Site) -> VirtualClock:
    """The clock of a page with nothing on it."""
    await page.goto(site.html("/clock", "<p id=out>"))
    return await page._tab.clock.take()


async def test_the_wall_clock_goes_with_the_event_loops() -> None:
    clock, rung = WallClock(), asyncio.Event()
    begun, wall = clock.now(), asyncio.get_running_loop().time() * 1000
    clock.call_at(begun + 20, rung.set)
    cancelled = clock.call_at(begun + 10, lambda: pytest.fail("a call that was given back"))
    cancelled.cancel()
    await asyncio.wait_for(rung.wait(), HANG_S)
    passed = clock.now() - begun
    # It leaves out stalls of the loop, of which there may be some on a busy machine.
    assert 19 <= passed <= asyncio.get_running_loop().time() * 1000 - wall + 1


async def test_it_begins_with_the_walls_time_and_stands(page: Page, clock: VirtualClock) -> None:
    assert clock.now() == pytest.approx(asyncio.get_running_loop().time() * 1000, abs=1000)
    before = await page_time(page)
    told = clock.now()
    await draw_frames(page, 12)
    assert await page_time(page) == before
    assert clock.now() == told


async def test_a_jump_is_exact_and_runs_what_is_due(page: Page, clock: VirtualClock) -> None:
    await page.evaluate("window.at = []; for (const ms of [10, 250, 400]) setTimeout(() => at.push(ms), ms); 0")
    before, told = await page_time(page), clock.now()
    await drive(clock, advance(300))
    assert clock.now() - told == 300
    assert await page_time(page) - before == pytest.approx(300, abs=ROUNDING_MS)
    assert await page.evaluate("at") == [10, 250]
    await drive(clock, advance(200))
    assert await page.evaluate("at") == [10, 250, 400]


async def test_in_pace_the_page_goes_as_the_wall_does(page: Page, clock: VirtualClock) -> None:
    loop = asyncio.get_running_loop()
    before, told, began = await page_time(page), clock.now(), loop.time()
    await drive(clock, *[REAL_TIME] * 30)
    passed = (loop.time() - began) * 1000
    assert 30 * 7 < clock.now() - told < passed + 1
    assert await page_time(page) - before == pytest.approx(clock.now() - told, abs=5 * ROUNDING_MS)


async def test_calls_come_with_page_time(page: Page, clock: VirtualClock) -> None:
    begun, order = clock.now(), []
    for ms in (150, 40, 90):
        clock.call_at(begun + ms, lambda ms=ms: order.append(ms))  # type: ignore[misc]
    clock.call_at(begun + 60, lambda: order.append(60)).cancel()
    await draw_frames(page, 12)
    assert order == []
    await drive(clock, advance(100))
    assert sorted(order) == [40, 90]
    await drive(clock, advance(100))
    assert sorted(order) == [40, 90, 150]


async def test_whoever_wants_least_decides(page: Page, clock: VirtualClock) -> None:
    slow, fast = Driver(), Driver(advance(500), advance(500), advance(500))
    clock.run(slow, slow.plan)
    before = clock.now()
    clock.run(fast, fast.plan)
    await asyncio.wait_for(fast.done.wait(), 10)
    for runner in (slow, fast):
        clock.rest(runner)
    await clock.held()
    assert clock.now() == before


async def test_a_plan_that_fails_does_not_stop_the_clock(clock: VirtualClock, caplog: pytest.LogCaptureFixture) -> None:
    async def plan() -> VirtualTimePolicy:
        raise ValueError("no plan")

    began, rung = clock.now(), asyncio.Event()
    clock.call_at(began + 30, rung.set)
    clock.run(plan, plan)
    await asyncio.wait_for(rung.wait(), 10)
    clock.rest(plan)
    await clock.held()
    assert "the clock runs in real time" in caplog.text


@pytest.mark.serial
async def test_it_tells_how_far_page_and_wall_have_parted(page: Page, clock: VirtualClock) -> None:
    reading = clock.reading()
    await drive(clock, advance(1000))
    told = clock.since(reading)
    assert told.page_ms == 1000
    assert 0 < told.wall_ms < 1000
    assert told.behind_ms < 0
    began = time.perf_counter()
    await draw_frames(page, 6)
    passed_ms = (time.perf_counter() - began) * 1000
    assert clock.since(reading).behind_ms >= told.behind_ms + passed_ms - 1


@pytest.mark.slow
async def test_frames_come_while_it_stands_and_however_far_behind_it_is(page: Page, clock: VirtualClock) -> None:
    await draw_frames(page, 20)


async def test_it_goes_on_in_a_new_process(page: Page, site: Site, clock: VirtualClock) -> None:
    await page.goto(site.url("/clock", host="localhost"))
    if clock._task is not None:
        await clock._task  # a process that has just started uses the last grant of its loading when it gets to it
    before = await page_time(page)
    await draw_frames(page, 6)
    assert await page_time(page) == before
    await drive(clock, advance(100), advance(100))
    # A process that is slow to use a grant gets what it is owed with a later one; lost time would not come back.
    for _ in range(20):
        if await page_time(page) - before >= 200 - ROUNDING_MS:
            break
        await drive(clock, advance(1))
    # What the last grant of the old process had left is used up in the new one: a few turns of pace.
    assert 200 - ROUNDING_MS <= await page_time(page) - before <= 220


async def test_tabs_of_one_process_are_granted_their_time_once(page: Page, site: Site, clock: VirtualClock) -> None:
    await page.goto(site.html("/opener", f"<a id=open href='{site.url('/clock')}' target=other>open</a>"))
    await page.execute_sequence([{"action": "click_element", "selector": "#open"}], settle="virtual")
    (other,) = [tab for tab in page.context.pages if tab is not page]
    before = await page_time(page)
    await drive(clock, *[advance(100)] * 5)
    # The tab came in the middle of a grant, whose end is heard a grant later, or after the time was read here. It would
    # be 1,000 ms if each tab got its own.
    assert 400 <= await page_time(page) - before <= 610
    await other.close()
    before = await page_time(page)
    await drive(clock, advance(100))
    assert 0 < await page_time(page) - before <= 110
