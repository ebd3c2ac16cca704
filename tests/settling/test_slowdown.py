"""Delivery: a response that has arrived is awaited until the page has it, adjusted to the slowdown of the machine."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation import MAIN, Simulation

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.settling import signals as s
from stillframe.settling.machine import QUIET_WINDOW_MS, RENDER_MS
from stillframe.settling.slowdown import MAX_FACTOR, NOMINAL_MS, TOLERANCE, Slowdown

WINDOW = QUIET_WINDOW_MS["dom"]


def slowed(*fences: float) -> Slowdown:
    slowdown = Slowdown()
    for took in fences:
        slowdown.record(took)
    return slowdown


@pytest.mark.parametrize(
    ("fences", "factor"),
    [
        ((), 1.0),
        ((NOMINAL_MS,), 1.0),
        ((16, 17), 1.0),
        ((TOLERANCE * NOMINAL_MS, TOLERANCE * NOMINAL_MS), 1.0),
        ((300,), 1.0),
        ((300, 33), 1.0),
        ((99, 132), 3.0),
        ((9000, 9000), MAX_FACTOR),
    ],
)
def test_windows_stretch_after_two_slow_fences(fences: tuple[float, ...], factor: float) -> None:
    assert slowed(*fences).factor == pytest.approx(factor)


@given(st.lists(st.floats(0, 1e6), max_size=10))
def test_no_fence_makes_it_faster_than_at_rest_or_slow_without_bounds(fences: list[float]) -> None:
    slowdown = slowed(*fences)
    assert 1.0 <= slowdown.factor <= MAX_FACTOR
    assert NOMINAL_MS <= slowdown.fence_ms <= MAX_FACTOR * NOMINAL_MS


def answered(*, finished: float | None = None) -> list[tuple[float, s.Signal]]:
    """A request whose bytes have all arrived after 100 ms, and whose end is announced later, or never."""
    stream: list[tuple[float, s.Signal]] = [
        (5, s.RequestStarted(id="r1", url="http://site/api", type="Fetch")),
        (90, s.ResponseStarted("r1", "text/plain", 7)),
        (100, s.DataReceived("r1", 7)),
    ]
    return [*stream, *([] if finished is None else [(finished, s.RequestEnded("r1"))])]


def slow(sim: Simulation, took: float) -> Simulation:
    """Show the machine how slow it is: two waits without any effect."""
    sim.fence_ms = took
    for _ in range(2):
        sim.settle()
        sim.forget()
    return sim


def test_what_is_read_at_once_costs_no_more_than_its_window() -> None:
    verdict = Simulation(answered(finished=101)).settle()
    assert verdict.stable
    assert verdict.waited_ms <= 101 + RENDER_MS + WINDOW + 5


def test_what_nobody_reads_is_over_after_a_fence() -> None:
    verdict = Simulation(answered()).settle()
    assert (verdict.stable, verdict.pending) == (True, ())
    assert verdict.waited_ms <= 100 + NOMINAL_MS + RENDER_MS + WINDOW + 5


@pytest.mark.parametrize("behind", [60.0, 160.0, 250.0])
def test_what_a_starved_renderer_hands_on_late_is_awaited(behind: float) -> None:
    sim = slow(Simulation(), 8 * NOMINAL_MS)
    start = sim.now + 1000
    late = [(start + at, signal) for at, signal in answered(finished=100 + behind)]
    sim.at(*late, (start + 110 + behind, s.Mutated("#out")))
    verdict = sim.settle(start=start)
    assert verdict.stable
    assert verdict.waited_ms >= 110 + behind


def test_windows_are_those_of_a_machine_at_rest_again_when_it_is() -> None:
    sim = slow(Simulation(), 8 * NOMINAL_MS)
    slow(sim, NOMINAL_MS)
    assert sim.settle().waited_ms <= WINDOW + 5


def test_a_fence_that_waits_as_it_was_asked_to_is_not_slow() -> None:
    sim = Simulation()
    sim.reports["main"] = s.Report(waited_ms=200)
    slow(sim, 220)
    assert sim.machine.pending.slowdown.factor == 1.0


def test_a_worker_that_computes_does_not_make_the_machine_slow() -> None:
    sim = Simulation(realms=(MAIN, s.Realm("w", "worker")), worker_ms=300)
    sim.settle()
    assert sim.machine.pending.slowdown.fence_ms == pytest.approx(NOMINAL_MS, abs=1)


# -- real pages ------------------------------------------------------------------------------------------------------

FEW, MANY = (4, 2), (8, 3)
"""Pages that settle at once, and how often: the few are more than a machine for tests has cores."""


FETCHES = """<button id=go>Go</button><p id=out>-</p><script>
let n = 0;
document.getElementById('go').onclick = async () => {
  const answer = await (await fetch('/slow?ms=60')).text();
  document.getElementById('out').textContent = ++n;
};
for (const end = performance.now() + 20; performance.now() < end;);
</script>"""


async def clicked(page: Page, number: int) -> bool:
    """Click, and return whether the response was shown when a verdict said that the page is still."""
    result = await page.execute_sequence([{"action": "click_element", "selector": "#go"}], timeout_ms=20_000)
    shown = await page.evaluate("document.getElementById('out').textContent")
    return not result.stable or shown == str(number)


@pytest.mark.parametrize(("number_of_pages", "rounds"), sampled((FEW, MANY), (FEW,)))
async def test_pages_that_starve_each_other_are_read_after_their_answers(
    browser: Browser, site: Site, number_of_pages: int, rounds: int
) -> None:
    url = site.html("/it.html", FETCHES)
    contexts = [await browser.new_context() for _ in range(number_of_pages)]
    try:
        pages = await asyncio.gather(*(context.new_page(url) for context in contexts))
        for number in range(1, rounds + 1):
            assert all(await asyncio.gather(*(clicked(page, number) for page in pages)))
    finally:
        await asyncio.gather(*(context.close() for context in contexts))
