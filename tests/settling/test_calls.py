"""Scheduled calls as rows: what blocks until when, what is only reported, and what continues to the horizon."""

from __future__ import annotations

import pytest
from simulation import Simulation

from stillframe.settling import signals as s
from stillframe.settling.calls import OVERDUE_MS, TASK_MS, TURNS
from stillframe.settling.pending import PendingSet
from stillframe.settling.signals import Call, Limits, Report

HORIZON = 2000.0


def timer(due_ms: float | None, *, age_ms: float = 0.0, kind: str = "setTimeout", key: str = "t") -> Call:
    return Call(kind, key, f"{kind} it", age_ms, due_ms, "http://site/app.js:3:7")


def told(*calls: Call, now: float = 100.0, pending: PendingSet | None = None) -> PendingSet:
    if pending is None:
        pending = PendingSet()
        pending.arm(0)
    pending.renew_calls("main", calls, now, HORIZON)
    return pending


def test_a_timer_blocks_until_it_is_due() -> None:
    pending = told(timer(300, age_ms=20))
    (row,) = pending.blocking(100, HORIZON)
    assert (row.kind, row.until, row.opened, row.beyond_horizon) == ("timer", 400, 80, False)
    assert row.pending(180).site == "http://site/app.js:3:7"
    assert pending.blocking(400, HORIZON) == []


def test_a_timer_that_is_not_told_again_was_cleared_or_ran() -> None:
    pending = told(timer(300))
    assert told(pending=pending, now=150).blocking(150, HORIZON) == []


def test_each_realm_tells_of_its_own() -> None:
    pending = told(timer(300))
    pending.renew_calls("worker", (timer(100),), 100, HORIZON)
    assert len(pending.blocking(100, HORIZON)) == 2
    told(pending=pending)
    assert [row.realm for row in pending.blocking(100, HORIZON)] == ["worker"]
    pending.feed(110, s.RealmDetached("worker"))
    assert pending.blocking(110, HORIZON) == []


def test_two_alike_are_two() -> None:
    assert len(told(timer(100), timer(200)).blocking(100, HORIZON)) == 2


def test_a_timer_beyond_the_horizon_is_reported_only() -> None:
    pending = told(timer(5000))
    assert pending.blocking(100, HORIZON) == []
    assert [row.kind for row in pending.unfinished(100)] == ["timer"]


def test_an_overdue_timer_is_looked_at_again() -> None:
    (row,) = told(timer(-20)).blocking(100, HORIZON)
    assert row.until == 100 + OVERDUE_MS


def test_a_chain_is_awaited_to_the_horizon() -> None:
    pending = told(timer(300), now=1000)
    told(timer(300, age_ms=5), now=1310, pending=pending)
    told(timer(2000, age_ms=5), now=1620, pending=pending)
    (row,) = pending.blocking(1620, HORIZON)
    assert not row.beyond_horizon


def test_a_repeating_timer_blocks_until_it_is_cleared() -> None:
    pending = told(timer(100, kind="setInterval"))
    for now in range(200, 2000, 100):
        told(timer(100, age_ms=now - 100.0, kind="setInterval"), now=now, pending=pending)
        assert len(pending.blocking(now, HORIZON)) == 1
    assert told(now=1950, pending=pending).blocking(1950, HORIZON) == []


def test_a_repeating_timer_that_first_runs_beyond_the_horizon_is_reported_only() -> None:
    assert told(timer(5000, kind="setInterval")).blocking(100, HORIZON) == []


def test_the_heartbeat_of_a_document_that_the_actions_loaded_is_ignored() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(10, s.Committed("main", "L2", "http://site/", True))
    pending.feed(20, s.Loaded("main", "L2", True))
    told(timer(100, kind="setInterval"), now=50, pending=pending)
    assert len(pending.blocking(50, HORIZON)) == 1
    now = 50 + 100.0 * TURNS
    told(timer(100, age_ms=now - 50, kind="setInterval"), now=now, pending=pending)
    assert pending.blocking(now, HORIZON) == []
    assert [(row.kind, row.rate) for row in pending.ignored.values()] == [("timer", 10.0)]


def test_work_that_nobody_knows_the_end_of_has_a_window_of_its_own() -> None:
    pending = told(timer(None, age_ms=20, kind="indexedDB"))
    (row,) = pending.blocking(100, HORIZON)
    assert (row.kind, row.until, row.external) == ("task", 80 + TASK_MS, True)


def test_a_frame_is_not_a_matter_of_the_clock() -> None:
    (row,) = told(timer(16, kind="requestAnimationFrame")).blocking(100, HORIZON)
    assert row.external
    (row,) = told(timer(16)).blocking(100, HORIZON)
    assert not row.external


def test_what_a_document_had_scheduled_dies_with_it() -> None:
    pending = told(timer(300))
    pending.feed(120, s.Committed("main", "L2", "http://site/", True))
    assert [row.kind for row in pending.blocking(120, HORIZON)] == ["document"]


# -- in a wait -----------------------------------------------------------------------------------


def waiting(*calls: Call, limits: Limits | None = None) -> Simulation:
    sim = Simulation()
    sim.reports["main"] = Report(calls=calls)
    sim.feed(s.Armed(limits or Limits(quiet_window_ms=20)))
    sim.feed(s.ActionsDone())
    return sim


def test_a_timer_ends_the_wait_a_fence_after_it() -> None:
    sim = waiting(timer(300))
    sim.run(100)
    assert sim.verdict is None
    sim.reports["main"] = Report()
    sim.run(1000)
    assert sim.verdict is not None
    assert (sim.verdict.stable, sim.verdict.reason) == (True, "no_effect")
    assert 333 <= sim.verdict.waited_ms <= 400


def test_a_timer_that_fires_after_the_page_has_answered_is_not_overlooked() -> None:
    sim = waiting(timer(1))
    sim.run(33)
    sim.reports["main"] = Report()
    sim.at((34, s.RequestStarted(id="r", url="http://site/a")), (400, s.RequestEnded("r")))
    sim.run(1000)
    assert sim.verdict is not None
    assert sim.verdict.waited_ms >= 400


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        (timer(-5), "horizon: timer setTimeout it"),
        (timer(100, kind="setInterval"), "horizon: timer setInterval it"),
    ],
)
def test_what_is_reported_for_ever_is_to_blame_at_the_horizon(call: Call, outcome: str) -> None:
    sim = waiting(call)
    sim.run(3000)
    assert sim.verdict is not None
    assert (sim.verdict.stable, sim.verdict.outcome) == (False, outcome)
    assert sim.verdict.pending[0].site == "http://site/app.js:3:7"
    assert 2000 <= sim.verdict.waited_ms <= 2100


def test_a_timer_beyond_the_horizon_does_not_hold_the_verdict() -> None:
    sim = waiting(timer(5000))
    sim.run(200)
    assert sim.verdict is not None
    assert sim.verdict.stable
    assert [(row.kind, row.what) for row in sim.verdict.pending] == [("timer", "setTimeout it")]
