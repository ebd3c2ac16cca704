"""Quiet windows: how late changes extend them, how quiet verdicts shrink them, and which origins are forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from simulation import Simulation

from stillframe.settling import signals as s
from stillframe.settling.quiet_windows import LATE_MS, MAX_EXTRA_MS, MAX_ORIGINS, QuietWindows
from stillframe.settling.signals import Limits

SITE = "http://site"


def test_a_late_change_lengthens_the_window_of_its_origin_half_of_the_way() -> None:
    windows = QuietWindows()
    windows.record_late(SITE, 180)
    assert windows.extra_ms(SITE) == 100
    assert windows.extra_ms("http://other") == 0


def test_what_comes_much_later_is_something_new() -> None:
    windows = QuietWindows()
    windows.record_late(SITE, LATE_MS + 1)
    windows.record_late("", 10)
    assert windows.extra_ms(SITE) == windows.extra_ms("") == 0


def test_calm_verdicts_let_it_go() -> None:
    windows = QuietWindows()
    windows.record_late(SITE, 180)
    grown = [windows.extra_ms(SITE)]
    while grown[-1]:
        windows.record_quiet(SITE)
        grown.append(windows.extra_ms(SITE))
    assert grown == sorted(grown, reverse=True)
    assert len(grown) < 20


def test_the_origins_are_bounded() -> None:
    windows = QuietWindows()
    for n in range(MAX_ORIGINS + 1):
        windows.record_late(f"http://site{n}", 100)
    assert windows.extra_ms("http://site0") == 0


@given(st.lists(st.one_of(st.none(), st.floats(0, 1000))))
def test_a_window_stays_within_its_bounds(course: list[float | None]) -> None:
    windows = QuietWindows()
    for after in course:
        if after is None:
            windows.record_quiet(SITE)
        else:
            windows.record_late(SITE, after)
        assert 0 <= windows.extra_ms(SITE) <= MAX_EXTRA_MS


# -- in waits ------------------------------------------------------------------------------------


def again(sim: Simulation, *, after: float = 600) -> float:
    sim.run(sim.now + after)
    sim.forget()
    sim.feed(s.Armed(Limits(), url=f"{SITE}/page"))
    sim.feed(s.ActionsDone())
    sim.run(sim.now + 1000)
    assert sim.verdict is not None
    return sim.verdict.waited_ms


def first(*stream: tuple[float, s.Signal]) -> Simulation:
    sim = Simulation(stream)
    sim.feed(s.Armed(Limits(), url=f"{SITE}/page"))
    sim.feed(s.ActionsDone())
    sim.run(65)
    assert sim.verdict is not None
    return sim


def test_the_next_wait_is_longer_after_a_late_change_and_shrinks_again() -> None:
    sim = first((160, s.Mutated("#out")))
    waits = [again(sim), again(sim), again(sim)]
    assert 110 <= waits[0] <= 130
    assert waits[0] > waits[1] > waits[2]


def test_what_the_caller_does_between_waits_teaches_nothing() -> None:
    assert again(first((150, s.CallerScriptRan()), (160, s.Mutated("#out")))) <= 70


def test_what_the_caller_loads_teaches_nothing() -> None:
    stream = [(160, s.Committed("main", "L2", f"{SITE}/b", True)), (170, s.Loaded("main", "L2", True))]
    assert again(first(*stream, (180, s.Mutated("#out")))) <= 70


def test_a_verdict_that_named_what_was_left_was_not_too_early() -> None:
    sim = Simulation([(5, s.RequestStarted(id="r", url=f"{SITE}/a")), (800, s.Mutated("#out"))])
    sim.settle(Limits(horizon_ms=600))
    assert again(sim) <= 70


def test_pages_may_share_what_is_known() -> None:
    windows = QuietWindows()
    windows.record_late(SITE, 180)
    sim = Simulation()
    sim.machine.windows = windows
    assert 155 <= again(sim) <= 165
