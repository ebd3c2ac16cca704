"""The lines of a watch, for hand-written streams of signals; no clock, no browser."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from simulation import MAIN, Simulation

from stillframe.model.verdict import Ignored
from stillframe.settling import signals as s
from stillframe.settling.progress import EVENTS, REPEAT_MS, Line, Progress
from stillframe.settling.signals import Animated, Effect, Limits, Report, Signal


class Watched(Simulation):
    """A simulation with a watcher, as the settler calls it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.lines: list[Line] = []
        super().__init__(*args, **more)
        self.watch = Progress(self.machine, 0.0)
        feed = self.machine.feed

        def watched(now: float, signal: Signal) -> tuple[Effect, ...]:
            effects = feed(now, signal)
            self.lines += self.watch.take(now, signal, effects)
            return effects

        self.machine.feed = watched  # type: ignore[method-assign]

    def told(self, *events: str) -> list[tuple[str, str | None]]:
        """Return the event and the subject of each line with one of these events."""
        return [(line.event, line.what) for line in self.lines if line.event in events]


def request(id_: str = "r1", url: str = "http://site/api") -> s.RequestStarted:
    return s.RequestStarted(id=id_, url=url)


def test_a_request_begins_and_ends() -> None:
    sim = Watched([(5, request()), (305, s.RequestEnded("r1"))])
    sim.settle()
    lines = [line for line in sim.lines if line.kind == "request"]
    assert [(line.at_ms, line.event, line.age_ms) for line in lines] == [(5, "waits", 0), (305, "ended", 300)]
    assert lines[0].url == "http://site/api"


def test_a_redirect_is_reported_under_its_new_name() -> None:
    sim = Watched([(5, request()), (20, request(url="http://site/other")), (50, s.RequestEnded("r1"))])
    sim.settle()
    assert sim.told("waits", "ended") == [
        ("waits", "GET http://site/api"),
        ("waits", "GET http://site/other"),
        ("ended", "GET http://site/other"),
    ]


def test_a_request_beyond_the_horizon_goes_on() -> None:
    sim = Watched([(5, request())])
    verdict = sim.settle(Limits(horizon_ms=300))
    assert verdict.outcome == "horizon: request GET http://site/api"
    (left,) = [line for line in sim.lines if line.event == "left"]
    assert (left.kind, left.at_ms, left.age_ms) == ("request", 300, 295)


def test_work_that_is_known_to_last_too_long_is_reported_once() -> None:
    sim = Watched([(5, s.Mutated("#a"))])
    sim.reports["main"] = Report(animated=Animated("#slow", 60_000))
    sim.settle()
    assert sim.told("left") == [("left", "#slow")]


def test_an_indicator_that_is_doubted_is_not_told_anew() -> None:
    stream = [(when, s.Mutated("#out")) for when in range(100, 1500, 200)]
    sim = Watched(stream)
    sim.reports["main"] = Report(indicators=("#spinner",))
    verdict = sim.settle(Limits(timeout_ms=2500))
    assert verdict.outcome == "timeout: indicator #spinner"
    assert [line for line in sim.lines if line.kind == "indicator" and line.event != "waits"] == []
    assert len(sim.told("waits")) == 1


def test_a_fence_says_how_long_its_answer_took() -> None:
    sim = Watched()
    sim.settle()
    (fence,) = [line for line in sim.lines if line.event == "fence"]
    assert 30 <= (fence.age_ms or 0) <= 40


def test_a_fence_that_is_not_answered_is_awaited() -> None:
    sim = Watched(fence_ms=None)
    verdict = sim.settle(Limits(timeout_ms=1500))
    assert verdict.reason == "hung"
    sim = Watched(fence_ms=None)
    sim.feed(s.Armed())
    sim.feed(s.ActionsDone())
    sim.run(500)
    assert [(row.kind, row.opened) for row in sim.watch.awaited] == [("fence", 30)]


def test_changes_in_quick_succession_are_counted() -> None:
    sim = Watched([(when, s.Mutated("#out")) for when in range(10, 1810, 10)])
    sim.settle(Limits(timeout_ms=1500))
    changes = [line for line in sim.lines if line.event == "changed"]
    assert sum(line.count for line in changes) == 150
    *thinned, _rest = changes
    assert all(later.at_ms - earlier.at_ms >= REPEAT_MS for earlier, later in pairwise(thinned))


def test_noise_is_reported_once_with_its_rate() -> None:
    sim = Watched([(when, s.Mutated("#out")) for when in (100, 200, 300)])
    sim.reports["main"] = Report(ignored=(Ignored("changes", "#clock", 10.0),))
    sim.settle()
    assert [(line.what, line.rate) for line in sim.lines if line.event == "noise"] == [("#clock", 10.0)]


def test_a_poll_is_noise() -> None:
    def poll(when: int) -> list[tuple[float, Signal]]:
        return [(when, request(f"p{when}", "http://site/poll")), (when + 5, s.RequestEnded(f"p{when}"))]

    sim = Watched([beat for when in range(0, 3000, 200) for beat in poll(when)])
    sim.at((2010, request()), (2600, s.RequestEnded("r1")))
    sim.settle(start=2005)
    assert [(line.kind, line.rate) for line in sim.lines if line.event == "noise"] == [("request", 5.0)]
    assert [line for line in sim.lines if line.event == "waits" and line.what != "GET http://site/api"] == []


def test_another_document_is_named() -> None:
    sim = Watched(
        [
            (5, s.NavigationStarted("main", "L2", "http://site/two", True)),
            (50, s.Committed("main", "L2", "http://site/two", True)),
            (90, s.Loaded("main", "L2", True)),
        ]
    )
    sim.settle()
    assert [(line.event, line.kind or line.url) for line in sim.lines if line.event != "window"][:5] == [
        ("waits", "navigation"),
        ("navigated", "http://site/two"),
        ("ended", "navigation"),
        ("waits", "document"),
        ("ended", "document"),
    ]


def test_a_dialog_a_download_and_a_new_page_are_named() -> None:
    sim = Watched(
        [
            (5, s.DialogOpened("alert", "boo")),
            (6, s.DialogClosed()),
            (7, s.Download("http://site/file")),
            (8, s.NewTarget("http://site/popup")),
        ]
    )
    sim.settle()
    assert {"dialog", "download", "new_target"} <= {line.event for line in sim.lines}


def test_looking_on_changes_nothing() -> None:
    def stream() -> list[tuple[float, Signal]]:
        return [(5, request()), (40, s.Mutated("#out")), (305, s.RequestEnded("r1")), (320, s.Mutated("#out"))]

    assert Watched(stream()).settle() == Simulation(stream()).settle()


def test_every_event_has_a_meaning() -> None:
    sim = Watched([(5, request()), (40, s.Mutated("#out")), (305, s.RequestEnded("r1"))])
    sim.settle()
    assert {line.event for line in sim.lines} <= set(EVENTS)
    assert MAIN.kind == "main"
