"""The settling machine, driven by streams of signals written by hand and by hypothesis; no clock, no sleep."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation import MAIN, Simulation

from stillframe.settling import signals as s
from stillframe.settling.machine import QUIET_WINDOW_MS, REASONS, Phase
from stillframe.settling.pending import CLOSED_ROOTS_MS, PendingRow, PendingSet
from stillframe.settling.signals import Limits, Realm, Report

WINDOW = QUIET_WINDOW_MS["dom"]


def request(id_: str = "r1", url: str = "http://site/api", **fields: object) -> s.RequestStarted:
    return s.RequestStarted(id=id_, url=url, **fields)  # type: ignore[arg-type]


def test_nothing_happens() -> None:
    sim = Simulation()
    verdict = sim.settle()
    assert (verdict.stable, verdict.reason, verdict.fences) == (True, "no_effect", 1)
    assert WINDOW <= verdict.waited_ms <= WINDOW + 5


def test_a_change_starts_the_window_anew() -> None:
    verdict = Simulation([(40, s.Mutated("#out"))]).settle()
    assert (verdict.stable, verdict.reason) == (True, "quiet")
    assert 40 + WINDOW <= verdict.waited_ms <= 40 + 2 * WINDOW


def test_a_change_under_a_fence_is_not_overlooked() -> None:
    verdict = Simulation([(59, s.Mutated("#out"))]).settle()
    assert verdict.waited_ms >= 59 + WINDOW


def test_a_request_is_awaited_and_its_render_too() -> None:
    stream = [(5, request()), (305, s.RequestEnded("r1")), (320, s.Mutated("#list"))]
    sim = Simulation(stream)
    verdict = sim.settle()
    assert (verdict.stable, verdict.reason, verdict.pending) == (True, "quiet", ())
    assert 320 + WINDOW <= verdict.waited_ms <= 320 + 2 * WINDOW
    assert sim.fences <= 2


def test_a_short_timer_after_an_answer_is_awaited() -> None:
    stream = [(5, request()), (155, s.RequestEnded("r1")), (155 + WINDOW + 20, s.Mutated("#welcome"))]
    assert Simulation(stream).settle().waited_ms >= 155 + WINDOW + 20


def test_a_chain_of_requests_is_awaited() -> None:
    stream = [(5, request()), (205, s.RequestEnded("r1")), (210, request("r2")), (610, s.RequestEnded("r2"))]
    assert Simulation(stream).settle().waited_ms >= 610


def test_a_request_from_before_the_actions_is_not_awaited() -> None:
    assert Simulation([(0, request())]).settle(start=10).waited_ms <= WINDOW + 5


def test_a_long_poll_that_is_renewed_is_not_awaited() -> None:
    sim = Simulation([(0, request("p1")), (2010, s.RequestEnded("p1")), (2015, request("p2"))])
    verdict = sim.settle(start=2000)
    assert verdict.stable
    assert verdict.waited_ms <= WINDOW + 5
    assert [row.kind for row in verdict.ignored] == ["request"]


def test_a_hung_request_is_given_up_at_the_horizon_and_named() -> None:
    verdict = Simulation([(5, request())]).settle(Limits(horizon_ms=700))
    assert not verdict.stable
    assert verdict.outcome == "horizon: request GET http://site/api"
    assert [(row.kind, row.url) for row in verdict.pending] == [("request", "http://site/api")]
    assert 700 <= verdict.waited_ms <= 800


def test_a_late_answer_is_attached_to_the_next_verdict() -> None:
    sim = Simulation([(5, request()), (900, s.RequestEnded("r1")), (920, s.Mutated("#list"))])
    first = sim.settle(Limits(horizon_ms=700))
    sim.run(1500)
    sim.forget()
    second = sim.settle()
    assert first.late == ()
    assert [(row.kind, row.what) for row in second.late] == [("request", "GET http://site/api"), ("changes", "#list")]
    assert second.late[0].after_ms == pytest.approx(900 - first.waited_ms, abs=1)


def test_what_the_caller_loads_is_not_late() -> None:
    sim = Simulation([(500, s.Committed("main", "L2", "http://site/other", True)), (510, s.Mutated("#app"))])
    sim.settle()
    sim.run(1000)
    sim.forget()
    assert sim.settle().late == ()


def test_where_the_page_goes_by_itself_is_late() -> None:
    stream = [
        (500, s.NavigationRequested("main", "http://site/other", True)),
        (600, s.Committed("main", "L2", "http://site/other", True)),
    ]
    sim = Simulation(stream)
    sim.settle()
    sim.run(1000)
    sim.forget()
    assert [(row.kind, row.what) for row in sim.settle().late] == [("navigation", "http://site/other")]


def test_a_refresh_is_awaited_and_a_page_that_loads_itself_again_is_not() -> None:
    first = [
        (3, s.Committed("main", "L2", "http://site/moved", True)),
        (4, s.NavigationRequested("main", "http://site/new", True, 1000.0)),
        (9, s.Loaded("main", "L2", True)),
        (10, s.FrameStoppedLoading("main", True)),
    ]
    moved = [
        (1004, s.NavigationRequested("main", "http://site/new", True)),
        (1005, s.NavigationStarted("main", "L3", "http://site/new", True)),
        (1300, s.Committed("main", "L3", "http://site/new", True)),
        (1400, s.Loaded("main", "L3", True)),
    ]
    verdict = Simulation([*first, *moved]).settle()
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert verdict.waited_ms >= 1400
    again = [first[0], (4, s.NavigationRequested("main", "http://site/moved#top", True, 1000.0)), *first[2:]]
    assert Simulation(again).settle().waited_ms < 1000


def test_navigation_waits_for_commit_and_load() -> None:
    stream = [
        (3, s.NavigationStarted("main", "L2", "http://site/next", True)),
        (4, request("L2", "http://site/next", type="Document", loader="L2")),
        (1500, s.Committed("main", "L2", "http://site/next", True)),
        (2400, s.Loaded("main", "L2", True)),
        (2430, request("r2", loader="L2")),
        (2700, s.RequestEnded("r2")),
    ]
    verdict = Simulation(stream).settle()
    assert (verdict.stable, verdict.reason) == (True, "navigated")
    assert 2700 <= verdict.waited_ms <= 2700 + 2 * WINDOW


def test_what_the_old_document_had_pending_dies_with_it() -> None:
    stream = [
        (3, request("old", loader="L1")),
        (5, s.NavigationStarted("main", "L2", "http://site/next", True)),
        (50, s.Committed("main", "L2", "http://site/next", True)),
        (60, s.Loaded("main", "L2", True)),
    ]
    assert Simulation(stream).settle().waited_ms <= 60 + 2 * WINDOW


def test_navigation_without_a_document_is_given_up() -> None:
    stream = [
        (3, s.NavigationStarted("main", "L2", "http://site/204", True)),
        (4, request("L2", "http://site/204", type="Document", loader="L2")),
        (50, s.RequestEnded("L2", failed=True)),
    ]
    verdict = Simulation(stream).settle()
    assert verdict.stable
    assert verdict.waited_ms <= 50 + 100 + 2 * WINDOW


def test_a_slow_navigation_is_awaited_up_to_the_timeout() -> None:
    verdict = Simulation([(3, s.NavigationStarted("main", "L2", "http://site/slow", True))]).settle()
    assert (verdict.stable, verdict.outcome) == (False, "timeout: navigation http://site/slow")
    assert verdict.waited_ms == 5000


def test_a_subframe_is_awaited() -> None:
    stream = [(5, s.FrameStartedLoading("sub", False)), (400, s.FrameStoppedLoading("sub", False))]
    assert 400 <= Simulation(stream).settle().waited_ms <= 400 + 2 * WINDOW


def test_restored_documents_have_no_load_event() -> None:
    stream = [(20, s.Committed("main", "L0", "http://site/back", True, restored=True))]
    verdict = Simulation(stream).settle()
    assert verdict.reason == "navigated"
    assert verdict.waited_ms <= 20 + 2 * WINDOW


def test_an_indicator_holds_the_verdict_beyond_the_horizon() -> None:
    sim = Simulation([(10, s.Mutated("#spinner"))])
    sim.reports["main"] = Report(quiet_ms=200, indicators=("#spinner",))
    verdict = sim.settle(Limits(horizon_ms=500, timeout_ms=3000))
    assert not verdict.stable
    assert verdict.outcome == "timeout: indicator #spinner"
    assert verdict.waited_ms == 3000


def test_an_indicator_that_goes_away_frees_the_verdict() -> None:
    sim = Simulation([(10, s.Mutated("#spinner")), (800, s.Mutated("#out"))])
    sim.reports["main"] = Report(quiet_ms=200, indicators=("#spinner",))
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(799)
    assert sim.verdict is None
    del sim.reports["main"]
    sim.run(1200)
    assert sim.verdict is not None
    assert sim.verdict.stable


def test_a_wait_between_two_actions_leaves_everything_armed() -> None:
    sim = Simulation([(10, request("1")), (100, s.RequestEnded("1")), (300, s.Mutated("#x"))])
    sim.feed(s.Armed())
    sim.feed(s.BetweenActions(timeout_ms=1000))
    sim.run(250)
    assert sim.verdict is not None
    assert sim.verdict.stable
    sim.forget()
    sim.run(350)
    sim.feed(s.ActionsDone())
    sim.run(1000)
    assert sim.verdict is not None
    assert (sim.verdict.reason, sim.verdict.late) == ("quiet", ())


def test_a_wait_between_two_actions_has_a_limit_of_its_own() -> None:
    sim = Simulation([(10, request("1"))])
    sim.feed(s.Armed(Limits(timeout_ms=5000)))
    sim.feed(s.BetweenActions(timeout_ms=400))
    sim.run(400)
    assert sim.verdict is not None
    assert sim.verdict.outcome == "timeout: request GET http://site/api"
    sim.forget()
    sim.at((500, s.RequestEnded("1")))
    sim.feed(s.ActionsDone())
    sim.run(1000)
    assert sim.verdict is not None
    assert sim.verdict.stable


def test_a_finite_animation_is_awaited_by_its_end_time() -> None:
    sim = Simulation()
    sim.reports["main"] = Report(animated=s.Animated("#box", 300))
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(100)
    sim.reports["main"] = Report()
    sim.run(1000)
    assert sim.verdict is not None
    assert sim.verdict.reason == "animation_done"
    assert 300 <= sim.verdict.waited_ms <= 500


def test_an_animation_beyond_the_horizon_is_reported_only() -> None:
    sim = Simulation()
    sim.reports["main"] = Report(animated=s.Animated("#toast", 9000))
    verdict = sim.settle()
    assert verdict.stable
    assert verdict.waited_ms <= WINDOW + 5
    assert [row.kind for row in verdict.pending] == ["animation"]


def test_an_animation_beyond_the_horizon_hides_no_earlier_one() -> None:
    sim = Simulation()
    earlier = (s.Animated("#box", 300), s.Animated("#toast", 200))
    sim.reports["main"] = Report(animated=s.Animated("#toast", 9000), animated_earlier=earlier)
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(100)
    sim.reports["main"] = Report(animated=s.Animated("#toast", 8800))
    sim.run(1000)
    assert sim.verdict is not None
    assert sim.verdict.reason == "animation_done"
    assert 300 <= sim.verdict.waited_ms <= 500
    assert {row.what for row in sim.verdict.pending} == {"#toast"}


def test_a_wait_that_times_out_does_not_blame_what_it_never_awaited() -> None:
    sim = Simulation([(20.0 * n, s.Mutated("#ticker")) for n in range(2, 100)])
    sim.reports["main"] = Report(animated=s.Animated("#toast", 9000))
    verdict = sim.settle(Limits(timeout_ms=1000))
    assert verdict.outcome == "timeout: changes #ticker"
    assert [row.kind for row in verdict.pending] == ["changes", "animation"]


def test_changes_without_end_stop_at_the_horizon() -> None:
    sim = Simulation([(20.0 * n, s.Mutated("#ticker")) for n in range(500)])
    verdict = sim.settle()
    assert not verdict.stable
    assert verdict.outcome == "horizon: changes #ticker"
    assert 2000 <= verdict.waited_ms <= 2200


def test_recurrent_requests_are_ignored_and_named() -> None:
    polls = [(300.0 * n, request(f"p{n}", "http://site/poll?n=" + str(n))) for n in range(20)]
    ends = [(300.0 * n + 90, s.RequestEnded(f"p{n}")) for n in range(20)]
    verdict = Simulation([*polls, *ends]).settle(start=2390)
    assert verdict.waited_ms <= WINDOW + 5
    assert [(row.kind, row.rate) for row in verdict.ignored] == [("request", pytest.approx(3.33, abs=0.01))]


def test_a_request_out_of_its_rhythm_is_awaited() -> None:
    polls = [(1000.0 * n, request(f"p{n}")) for n in range(6)]
    ends = [(1000.0 * n + 90, s.RequestEnded(f"p{n}")) for n in range(6)]
    stream = [*polls, *ends, (5505, request("mine")), (5805, s.RequestEnded("mine"))]
    assert Simulation(stream).settle(start=5500).waited_ms >= 305


def test_a_reply_over_a_socket_is_awaited() -> None:
    stream = [(-5, s.SocketOpening("w", "ws://site/")), (-1, s.SocketReceived("w")), (5, s.SocketSent("w"))]
    sim = Simulation(stream)
    sim.at((205, s.SocketReceived("w")), (206, s.Mutated("#chat")))
    assert 206 + WINDOW <= sim.settle().waited_ms <= 206 + 2 * WINDOW


def test_a_socket_that_does_not_reply_is_given_up() -> None:
    stream = [(-5, s.SocketOpening("w", "ws://site/")), (-1, s.SocketReceived("w")), (5, s.SocketSent("w"))]
    verdict = Simulation(stream).settle()
    assert verdict.stable
    assert 505 <= verdict.waited_ms <= 505 + 2 * WINDOW


def test_an_event_stream_does_not_block_and_may_bring_the_effect() -> None:
    stream = [
        (5, request("es", type="EventSource")),
        (20, s.ResponseStarted("es", "text/event-stream")),
        (30, request("post", method="POST")),
        (100, s.RequestEnded("post")),
        (250, s.StreamMessage("es")),
        (251, s.Mutated("#feed")),
    ]
    assert 251 + WINDOW <= Simulation(stream).settle().waited_ms <= 251 + 2 * WINDOW


def test_a_body_that_stalls_is_a_stream() -> None:
    stream = [(5, request()), (10, s.ResponseStarted("r1", "text/plain")), (50, s.DataReceived("r1"))]
    verdict = Simulation(stream).settle()
    assert verdict.stable
    assert 550 <= verdict.waited_ms <= 700
    assert [row.kind for row in verdict.pending] == ["request"]


@pytest.mark.parametrize(
    "fields", [{"type": "Ping"}, {"type": "Media"}, {"url": "http://site/favicon.ico"}, {"ad": True}]
)
def test_requests_that_nobody_awaits(fields: dict[str, object]) -> None:
    verdict = Simulation([(5, request(**fields))]).settle()  # type: ignore[arg-type]
    assert verdict.waited_ms <= WINDOW + 5
    assert len(verdict.ignored) == ("url" not in fields), "the browser's own requests are nobody's business"


def test_an_answered_dialog_is_the_reason() -> None:
    stream = [(1, s.DialogOpened("confirm", "sure?")), (9, s.DialogClosed()), (12, s.Mutated("#out"))]
    verdict = Simulation(stream).settle(acting=10)
    assert (verdict.stable, verdict.reason) == (True, "dialog")


def test_an_open_dialog_does_not_wait_for_the_timeout() -> None:
    verdict = Simulation([(1, s.DialogOpened("alert", "hi"))], fence_ms=None).settle()
    assert (verdict.stable, verdict.reason) == (True, "dialog")
    assert verdict.pending[0].what == "alert: hi"
    assert verdict.waited_ms <= 1100


def test_a_dialog_that_waits_for_the_caller_ends_the_wait_at_once() -> None:
    opened = (30.0, s.DialogOpened("confirm", "sure?")), (30.0, s.DialogHeld())
    # Nothing answers the fence that is on its way by then, and a request goes on.
    simulation = Simulation([(1, request()), *opened], fence_ms=None)
    verdict = simulation.settle()
    assert (verdict.stable, verdict.reason, verdict.waited_ms) == (False, "dialog", 30.0)
    assert [row.kind for row in verdict.pending] == ["request", "dialog"]
    simulation.forget()
    assert simulation.settle().waited_ms == 0
    simulation.forget()
    simulation.fence_ms = 33.0
    for signal in (s.DialogReleased(), s.DialogClosed(), s.RequestEnded("1")):
        simulation.feed(signal)
    assert simulation.settle().stable


@pytest.mark.parametrize(
    ("signal", "reason"),
    [(s.Download("http://site/f"), "download"), (s.NewTarget("http://site/new"), "new_target")],
)
def test_what_leaves_the_page_is_the_reason(signal: s.Signal, reason: str) -> None:
    stream = [(2, s.NavigationStarted("main", "L2", "http://site/f", True))] if reason == "download" else []
    verdict = Simulation([*stream, (5, signal)]).settle()
    assert (verdict.stable, verdict.reason) == (True, reason)
    assert verdict.waited_ms <= 3 * WINDOW


def test_a_crash_ends_the_wait_at_once() -> None:
    verdict = Simulation([(40, s.Crashed())]).settle()
    assert (verdict.stable, verdict.reason, verdict.waited_ms) == (False, "crashed", 40)


def test_a_page_that_is_gone_before_the_wait() -> None:
    verdict = Simulation([(2, s.Closed("target_closed"))]).settle(acting=10)
    assert (verdict.stable, verdict.outcome, verdict.waited_ms) == (False, "closed: target_closed", 0)


def test_a_reload_brings_a_crashed_page_back() -> None:
    stream = [
        (0, s.Crashed()),
        (20, s.Committed("main", "L2", "http://site/", True)),
        (30, s.Loaded("main", "L2", True)),
    ]
    assert Simulation(stream).settle(start=10, acting=5).stable is False
    assert Simulation(stream).settle(start=10, acting=15).reason == "navigated"


def test_a_page_that_does_not_answer_hangs() -> None:
    verdict = Simulation(fence_ms=None).settle()
    assert (verdict.stable, verdict.reason, verdict.waited_ms) == (False, "hung", 5000)
    assert verdict.pending[0].kind == "fence"


def test_a_page_that_waits_for_its_next_document_does_not_hang() -> None:
    stream = [(40, s.NavigationStarted("main", "L2", "http://site/slow", True))]
    verdict = Simulation(stream, fence_ms=None).settle(s.Limits(timeout_ms=2000))
    assert (verdict.stable, verdict.outcome) == (False, "timeout: navigation http://site/slow")
    assert [row.kind for row in verdict.pending] == ["navigation"]


def test_a_page_that_hung_before_its_next_document_hangs() -> None:
    stream = [(1500, s.NavigationStarted("main", "L2", "http://site/slow", True))]
    verdict = Simulation(stream, fence_ms=None).settle(s.Limits(timeout_ms=2000))
    assert (verdict.reason, [row.kind for row in verdict.pending]) == ("hung", ["fence", "navigation"])


def test_a_busy_worker_is_awaited_up_to_the_horizon() -> None:
    worker = Realm("w", "worker", "http://site/w.js")
    sim = Simulation(realms=(MAIN, worker), worker_ms=None)
    verdict = sim.settle()
    assert verdict.outcome == "horizon: worker http://site/w.js"
    assert 2000 <= verdict.waited_ms <= 2200


def test_a_worker_that_comes_under_a_fence_gets_one_of_its_own() -> None:
    sim = Simulation([(40, s.RealmAttached("w"))])
    verdict = sim.settle()
    assert verdict.waited_ms >= 40 + WINDOW
    assert verdict.fences == 2


def test_what_a_busy_worker_sends_has_a_window_of_its_own() -> None:
    worker = Realm("w", "worker", "http://site/w.js")
    sim = Simulation(realms=(MAIN, worker), worker_ms=300)
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(200)
    sim.worker_ms = 1
    sim.run(1000)
    assert sim.verdict is not None
    assert sim.verdict.stable
    assert 330 + WINDOW <= sim.verdict.waited_ms <= 330 + 2 * WINDOW


def test_a_worker_that_was_busy_before_is_ignored() -> None:
    worker = Realm("w", "worker", "http://site/w.js")
    sim = Simulation(realms=(MAIN, worker), worker_ms=None)
    sim.feed(s.Armed(Limits(), ("w",)))
    sim.feed(s.ActionsDone())
    sim.run(200)
    assert sim.verdict is not None
    assert sim.verdict.stable
    assert sim.verdict.ignored[0].kind == "worker"


def test_a_lost_fence_is_run_again() -> None:
    sim = Simulation(fence_ms=None)
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(50)
    assert sim.fences == 1
    sim.feed(s.FenceDone(1, "main", lost=True))
    sim.fence_ms = 33
    sim.run(200)
    assert sim.verdict is not None
    assert (sim.verdict.stable, sim.verdict.fences) == (True, 2)


def test_a_frame_that_goes_away_under_a_fence_has_answered_it() -> None:
    sim = Simulation(fence_ms=None, realms=(MAIN, Realm("f", "frame")))
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(50)
    sim.feed(s.FenceDone(1, "f", lost=True))
    sim.run(60)
    sim.feed(s.FenceDone(1, "main"))
    assert sim.verdict is not None
    assert (sim.verdict.stable, sim.verdict.fences) == (True, 1)


def test_expect_ends_the_wait_early_after_one_fence() -> None:
    verdict = Simulation([(5, request()), (100, s.ExpectationMet())]).settle()
    assert verdict.reason == "expected"
    assert 100 <= verdict.waited_ms <= 170
    assert [row.kind for row in verdict.pending] == ["request"]


def test_dropped_actions_leave_nothing_armed() -> None:
    sim = Simulation()
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.feed(s.Disarmed())
    assert sim.machine.phase is Phase.IDLE
    assert sim.machine.feed(10, s.Tick()) == ()


# -- what never ends -----------------------------------------------------------------------------


def test_documents_without_end_are_named_at_the_timeout() -> None:
    stream: list[tuple[float, s.Signal]] = []
    for n in range(60):
        at, url = 100.0 * n, f"http://site/{n}"
        stream += [(at, s.NavigationStarted("main", f"N{n}", url, True))]
        stream += [(at + 40, s.Committed("main", f"N{n}", url, True)), (at + 60, s.Loaded("main", f"N{n}", True))]
    verdict = Simulation(stream).settle()
    assert not verdict.stable
    assert verdict.outcome.startswith("timeout: navigation 50 documents one after another, the last http://site/49")
    assert verdict.waited_ms == 5000


def test_dialogs_without_end_are_named_at_the_horizon() -> None:
    stream: list[tuple[float, s.Signal]] = []
    for n in range(600):
        stream += [(10.0 * n + 1, s.DialogOpened("alert", "hi")), (10.0 * n + 5, s.DialogClosed())]
    verdict = Simulation(stream, fence_ms=None).settle()
    assert not verdict.stable
    assert verdict.outcome.startswith("horizon: dialog 2")
    assert verdict.outcome.endswith("dialogs one after another, the last alert: hi")
    assert 2000 <= verdict.waited_ms <= 2020


def test_requests_without_end_are_named_at_the_horizon() -> None:
    stream: list[tuple[float, s.Signal]] = []
    for n in range(400):
        stream += [(10.0 * n, request(f"r{n}")), (10.0 * n + 5, s.RequestEnded(f"r{n}"))]
    verdict = Simulation(stream).settle()
    assert (verdict.stable, verdict.outcome) == (False, "horizon: request GET http://site/api")


def test_answers_that_are_always_lost_are_not_asked_for_without_pause() -> None:
    sim = Simulation(fence_ms=None)
    sim.feed(s.Armed(Limits(quiet_window_ms=20)))
    sim.feed(s.ActionsDone())
    while sim.verdict is None:
        sim.run(sim.now + 1)
        sim.feed(s.FenceDone(sim.fences, "main", lost=True))
    assert (sim.verdict.stable, sim.verdict.waited_ms) == (False, 5000)
    assert sim.verdict.outcome.startswith("timeout: ")
    assert sim.fences <= 5000 / 25


def test_a_worker_that_dies_under_a_fence_has_answered_it() -> None:
    sim = Simulation(
        [(70, s.RealmDetached("w"))], realms=(MAIN, Realm("w", "worker", "http://site/w.js")), worker_ms=None
    )
    verdict = sim.settle()
    assert verdict.stable
    assert verdict.waited_ms <= 70 + 2 * WINDOW


def test_a_wait_may_adopt_what_is_under_way() -> None:
    stream = [(0, request()), (400, s.RequestEnded("r1")), (410, s.Mutated("#out"))]
    sim = Simulation(stream)
    sim.run(50)
    sim.feed(s.Armed(adopt=True))
    sim.feed(s.ActionsDone())
    sim.run(1000)
    assert sim.verdict is not None
    assert (sim.verdict.stable, sim.verdict.reason) == (True, "quiet")
    assert 360 + WINDOW <= sim.verdict.waited_ms <= 360 + 2 * WINDOW


# -- what is late --------------------------------------------------------------------------------


def late(sim: Simulation, at: float, limits: Limits | None = None) -> list[tuple[str, str]]:
    sim.settle(limits)
    sim.run(at)
    sim.forget()
    return [(row.kind, row.what) for row in sim.settle().late]


def test_a_timer_that_runs_after_the_verdict_is_named_with_its_change() -> None:
    sim = Simulation([(3010, s.Mutated("#toast"))])
    sim.reports["main"] = Report(calls=(s.Call("setTimeout", "t", "setTimeout 3000 ms", due_ms=2940),))
    assert late(sim, 4000) == [("timer", "setTimeout 3000 ms"), ("changes", "#toast")]


def test_an_answer_that_comes_while_the_next_actions_run_is_late_too() -> None:
    sim = Simulation([(5, request()), (900, s.RequestEnded("r1"))])
    sim.settle(Limits(horizon_ms=700))
    sim.run(880)
    sim.forget()
    assert [(row.kind, row.what) for row in sim.settle().late] == [("request", "GET http://site/api")]


BODY = [(10, s.ResponseStarted("r1", "text/plain", length=200)), (11, s.DataReceived("r1", 200))]


def test_the_end_of_a_body_that_nobody_reads_is_not_late() -> None:
    """Chrome announces it only some time after the page has the whole body."""
    stream = [(5, request(type="Fetch")), *BODY, (1500, s.RequestEnded("r1"))]
    assert late(Simulation(stream), 2000) == []


def test_what_the_page_does_with_that_body_later_is_late() -> None:
    stream = [(5, request(type="Fetch")), *BODY, (1500, s.RequestEnded("r1")), (1510, s.Mutated("#list"))]
    assert late(Simulation(stream), 2000) == [("changes", "#list")]


def test_a_body_that_comes_after_the_verdict_is_late() -> None:
    stream = [(5, request(type="Fetch")), *[(at + 1_500, signal) for at, signal in BODY], (1_600, s.RequestEnded("r1"))]
    sim = Simulation(stream)
    sim.settle(Limits(horizon_ms=700, timeout_ms=900))
    sim.run(2000)
    sim.forget()
    assert [row.kind for row in sim.settle().late] == ["request"]


def test_polls_are_not_late() -> None:
    polls = [(500 + 300.0 * n, request(f"p{n}")) for n in range(8)]
    ends = [(540 + 300.0 * n, s.RequestEnded(f"p{n}")) for n in range(8)]
    assert late(Simulation([*polls, *ends]), 3000) == []


# -- any order -----------------------------------------------------------------------------------

IDS = st.sampled_from(["a", "b", "L2"])
FLAG = st.booleans()
TEXT = st.sampled_from(["http://site/x", "#out", "text/event-stream", "POST"])
CALLS = st.builds(
    s.Call,
    st.sampled_from(["setTimeout", "setInterval", "requestAnimationFrame", "indexedDB"]),
    IDS,
    TEXT,
    st.floats(0, 5000),
    st.one_of(st.none(), st.floats(-100, 5000)),
)
REPORTS = st.builds(
    Report,
    quiet_ms=st.one_of(st.none(), st.floats(0, 100)),
    indicators=st.lists(TEXT, max_size=1).map(tuple),
    animated=st.one_of(st.none(), st.builds(s.Animated, TEXT, st.floats(0, 3000))),
    animated_earlier=st.lists(st.builds(s.Animated, TEXT, st.floats(0, 3000)), max_size=2).map(tuple),
    calls=st.lists(CALLS, max_size=3).map(tuple),
)
ANY_SIGNAL = st.one_of(
    st.builds(
        s.RequestStarted, id=IDS, url=TEXT, method=TEXT, type=st.sampled_from(["XHR", "Document", "Ping"]), loader=IDS
    ),
    st.builds(s.ResponseStarted, IDS, TEXT),
    st.builds(s.DataReceived, IDS),
    st.builds(s.RequestEnded, IDS, FLAG),
    st.builds(s.StreamMessage, IDS),
    st.builds(s.SocketOpening, IDS, TEXT),
    st.builds(s.SocketSent, IDS),
    st.builds(s.SocketReceived, IDS),
    st.builds(s.SocketClosed, IDS),
    st.builds(s.NavigationRequested, IDS, TEXT, FLAG),
    st.builds(s.NavigationStarted, IDS, IDS, TEXT, FLAG),
    st.builds(s.Committed, IDS, IDS, TEXT, FLAG, FLAG),
    st.builds(s.NavigatedWithinDocument, IDS, TEXT, FLAG),
    st.builds(s.Loaded, IDS, IDS, FLAG),
    st.builds(s.FrameStartedLoading, IDS, FLAG),
    st.builds(s.FrameStoppedLoading, IDS, FLAG),
    st.builds(s.FrameDetached, IDS),
    st.builds(s.Mutated, TEXT),
    st.builds(s.ExpectationMet),
    st.builds(s.DialogOpened, TEXT),
    st.builds(s.DialogClosed),
    st.builds(s.DialogHeld),
    st.builds(s.DialogReleased),
    st.builds(s.Download, TEXT),
    st.builds(s.NewTarget, TEXT),
    st.builds(s.Crashed),
    st.builds(s.Closed),
    st.builds(s.FenceSent, st.integers(0, 3), st.just((MAIN, Realm("a", "worker")))),
    st.builds(s.FenceDone, st.integers(0, 3), st.sampled_from(["main", "a"]), REPORTS, FLAG),
    st.builds(s.CallerScriptRan),
    st.builds(s.RealmAttached, IDS),
    st.builds(s.RealmDetached, IDS),
    st.builds(s.WorkerAnswered, IDS),
    st.builds(s.Tick),
)
STREAMS = st.lists(st.tuples(st.floats(0, 6000), ANY_SIGNAL), max_size=60)


@given(STREAMS, st.floats(0, 500), st.one_of(st.none(), st.floats(0, 200)), REPORTS)
def test_any_order_of_signals_ends_in_a_verdict_by_the_deadline(
    stream: list[tuple[float, s.Signal]], acting: float, fence_ms: float | None, report: Report
) -> None:
    limits = Limits(timeout_ms=3000, horizon_ms=1000)
    sim = Simulation(stream, fence_ms=fence_ms)
    sim.reports["main"] = report
    verdict = sim.settle(limits, acting=acting)
    assert verdict.waited_ms <= limits.timeout_ms + 1
    assert verdict.reason in REASONS
    assert not (verdict.stable and verdict.reason in ("timeout", "hung", "horizon", "crashed", "closed"))
    assert not (verdict.stable and verdict.detail)
    before = msgspec.json.encode(verdict)
    effects = len(sim.effects)
    sim.run(7000)
    assert sim.machine.verdict is verdict
    assert msgspec.json.encode(verdict) == before
    assert len(sim.effects) == effects, "the machine has gone on after its verdict"


@given(STREAMS)
def test_one_machine_serves_many_waits(stream: list[tuple[float, s.Signal]]) -> None:
    alive = [(when, signal) for when, signal in stream if not isinstance(signal, (s.Closed, s.Crashed))]
    sim = Simulation(alive)
    sim.settle(Limits(timeout_ms=1000))
    sim.run(7000)
    sim.forget()
    again = sim.settle(Limits(timeout_ms=1000))
    assert again.waited_ms <= 1000


@given(st.lists(st.tuples(st.floats(0, 400), st.builds(s.Mutated, TEXT)), max_size=20))
def test_a_verdict_never_comes_sooner_than_the_window_after_a_change(stream: list[tuple[float, s.Signal]]) -> None:
    verdict = Simulation(stream).settle()
    # A change more than a window after the previous one may come too late.
    last = 0.0
    for when in sorted(when for when, _ in stream):
        if when > last + WINDOW:
            break
        last = when
    assert verdict.waited_ms >= last + WINDOW - 2


# -- closed shadow roots ---------------------------------------------------------------------------


def test_no_wait_ends_while_closed_roots_are_handed_over() -> None:
    stream = [(5, s.ClosedRootsRequested("main")), (205, s.Mutated("x-box")), (206, s.ClosedRootsHandedOver("main"))]
    verdict = Simulation(stream).settle()
    assert (verdict.stable, verdict.reason, verdict.pending) == (True, "quiet", ())
    assert verdict.waited_ms >= 205 + WINDOW


def test_a_handover_that_began_before_the_actions_counts() -> None:
    stream = [(0, s.ClosedRootsRequested("main")), (300, s.ClosedRootsHandedOver("main"))]
    verdict = Simulation(stream).settle(start=10)
    assert (verdict.reason, verdict.waited_ms >= 290) == ("no_effect", True)


def test_a_handover_that_does_not_end_is_given_up_and_named_at_the_horizon() -> None:
    verdict = Simulation([(5, s.ClosedRootsRequested("main"))]).settle(Limits(horizon_ms=700))
    assert verdict.outcome == "horizon: shadow_root closed shadow roots"
    verdict = Simulation([(5, s.ClosedRootsRequested("main"))]).settle(Limits(horizon_ms=4000))
    assert (verdict.stable, verdict.waited_ms >= CLOSED_ROOTS_MS) == (True, True)


# -- floods ----------------------------------------------------------------------------------------

MANY = 500


@pytest.mark.parametrize("last_first", [False, True], ids=["in their order", "the last one first"])
def test_many_requests_are_awaited_without_a_look_at_all_after_each_signal(
    monkeypatch: pytest.MonkeyPatch, last_first: bool
) -> None:
    looks = 0
    blocking = PendingSet.blocking

    def counted(self: PendingSet, now: float, horizon: float) -> list[PendingRow]:
        nonlocal looks
        looks += 1
        return blocking(self, now, horizon)

    monkeypatch.setattr(PendingSet, "blocking", counted)
    starts = [(5 + number / 100, request(f"r{number}", f"http://site/{number}")) for number in range(MANY)]
    ends = [(200 + number, s.RequestEnded(f"r{number}")) for number in range(MANY)]
    if last_first:
        ends[-1] = (199, s.RequestEnded(f"r{MANY - 1}"))
    verdict = Simulation([*starts, *ends]).settle()
    assert (verdict.stable, verdict.reason) == (True, "quiet")
    assert verdict.waited_ms >= ends[-2][0] + QUIET_WINDOW_MS["dom"]
    assert looks < MANY / 2


def test_many_requests_that_hang_are_named_at_the_horizon() -> None:
    starts = [(5 + number / 100, request(f"r{number}", f"http://site/{number}")) for number in range(MANY)]
    verdict = Simulation(starts).settle(Limits(horizon_ms=700))
    assert (verdict.stable, verdict.outcome) == (False, "horizon: request GET http://site/0")
    assert 700 <= verdict.waited_ms <= 800
