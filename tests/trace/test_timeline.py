"""Records in, spans out."""

from __future__ import annotations

from pathlib import Path

from traces import SEQUENCE, rec, trace_of

from stillframe.trace.spans import LANES
from stillframe.trace.timeline import label_of, pending_at, screenshot_of, timeline


def test_a_sequence_over_time(tmp_path: Path) -> None:
    shown = timeline(trace_of(tmp_path, *SEQUENCE))
    assert {(span.lane, span.begin, span.end, span.label, span.state) for span in shown.spans} == {
        ("calls", 0, 72, "execute_sequence", ""),
        ("actions", 3, 5, "click_element #buy", ""),
        ("requests", 4, 21, "POST http://a/buy", ""),
        ("verdicts", 6, 61, "quiet", ""),
        ("changes", 22, 22, "#cart", ""),
        ("changes", 23, 23, "#cart", ""),
        ("fences", 30, 60, "fence 1", ""),
        ("timers", 60, 80, "setTimeout 100 ms", ""),
        ("console", 73, 73, "oops", "error"),
    }
    (work,) = shown.pending
    assert (work.kind, work.begin, work.end, work.since) == ("request", 7, 21, 4)
    assert [each.what for each in pending_at(shown, 10)] == ["POST http://a/buy"]
    assert not list(pending_at(shown, 21))
    (sequence,) = shown.sequences
    assert (sequence.begin, sequence.end, sequence.waits_from) == (1, 70, 6)
    assert sequence.actions[0].result == "ok"
    assert sequence.text.startswith("- main")


def test_what_has_not_ended_is_open_until_the_end_of_the_trace(tmp_path: Path) -> None:
    shown = timeline(trace_of(tmp_path, *SEQUENCE[:10], rec(50, "signal", signal="Mutated", where="p")))
    open_spans = {(span.lane, span.end) for span in shown.spans if span.state == "open"}
    assert open_spans == {("calls", 50), ("requests", 50), ("verdicts", 50)}
    assert (shown.pending[0].end, shown.sequences[0].end, shown.sequences[0].result) == (50, 50, None)


def test_a_failed_action_and_a_failed_request_are_errors(tmp_path: Path) -> None:
    step = {"action": "click_element", "result": "error", "error": "no such element"}
    shown = timeline(
        trace_of(
            tmp_path,
            *SEQUENCE[:6],
            rec(5, "step", sequence=1, index=0, action={"action": "click_element"}, step=step),
            rec(6, "request", id="a", url="http://a/", method="GET"),
            rec(7, "requestfailed", id="a", error="net::ERR_FAILED"),
            rec(8, "request", id="b", url="http://a/", method="GET"),
            rec(9, "response", id="b", status=404),
            rec(10, "requestfinished", id="b"),
        )
    )
    assert [span.lane for span in shown.spans if span.state == "error"] == ["actions", "requests", "requests"]
    assert shown.sequences[0].actions[0].error == "no such element"


def test_a_redirect_is_two_requests(tmp_path: Path) -> None:
    shown = timeline(
        trace_of(
            tmp_path,
            rec(1, "request", id="a", url="http://a/", method="GET"),
            rec(5, "request", id="a", url="http://a/b", method="GET"),
            rec(9, "requestfinished", id="a"),
        )
    )
    assert [(span.label, span.begin, span.end) for span in shown.spans] == [
        ("GET http://a/", 1, 5),
        ("GET http://a/b", 5, 9),
    ]


def test_documents_animations_sockets_and_events(tmp_path: Path) -> None:
    animation = {"key": "#x", "kind": "animation", "what": "#x", "ageMs": 4}
    shown = timeline(
        trace_of(
            tmp_path,
            rec(1, "signal", signal="NavigationStarted", loader="L", url="http://a/", main=True),
            rec(2, "signal", signal="NavigationStarted", loader="F", url="http://f/", main=False),
            rec(3, "signal", signal="Committed", loader="L", url="http://a/", main=True),
            rec(9, "signal", signal="Loaded", loader="L", main=True),
            rec(10, "signal", signal="SocketOpening", id="s", url="ws://a/"),
            rec(11, "signal", signal="SocketReceived", id="s", shape="news"),
            rec(12, "signal", signal="SocketClosed", id="s"),
            rec(14, "pending", opened=[animation], closed=[]),
            rec(20, "pending", opened=[], closed=[["animation", "#x"]]),
            rec(21, "dialog", dialog={"type": "alert", "message": "Really?"}),
            rec(22, "crash"),
        )
    )
    assert [(span.lane, span.begin, span.end, span.label) for span in shown.spans] == [
        ("documents", 1, 9, "http://a/"),
        ("sockets", 10, 12, "ws://a/"),
        ("animations", 10, 20, "#x"),
        ("sockets", 11, 11, "received: news"),
        ("console", 21, 21, "dialog alert Really?"),
        ("console", 22, 22, "crash"),
    ]
    assert {span.lane for span in shown.spans} <= LANES.keys()


def test_a_timer_that_several_fences_report_is_one(tmp_path: Path) -> None:
    def done(at: float, age: float) -> dict[str, object]:
        call = {"key": "k", "what": "setTimeout 500 ms", "age_ms": age, "due_ms": 500 - age}
        return rec(at, "fenceDone", id=1, realm="main", lost=False, report={"calls": [call]})

    shown = timeline(trace_of(tmp_path, done(100, 50), done(200, 150), rec(900, "end")))
    assert [(span.lane, span.begin, span.end) for span in shown.spans] == [("timers", 50, 550)]


def test_an_animation_is_known_from_fences_and_from_what_a_wait_waited_for(tmp_path: Path) -> None:
    def done(at: float, remaining: float) -> dict[str, object]:
        report = {"animated": {"what": "#x", "remaining_ms": remaining}}
        return rec(at, "fenceDone", id=1, realm="main", lost=False, report=report)

    waited = {"key": "k", "kind": "animation", "what": "#x", "ageMs": 40}
    shown = timeline(
        trace_of(
            tmp_path,
            *(done(100, 500), done(300, 300), rec(310, "pending", opened=[waited], closed=[])),
            *(rec(601, "pending", opened=[], closed=[["animation", "k"]]), done(800, 900), rec(950, "end")),
        )
    )
    assert [(span.lane, span.begin, span.end) for span in shown.spans] == [
        ("animations", 100, 601),
        ("animations", 800, 950),
    ]


def test_a_screenshot_that_shows_the_same_as_an_earlier_one(tmp_path: Path) -> None:
    shown = timeline(
        trace_of(
            tmp_path,
            rec(0, "sequence", id=1, actions=[]),
            rec(1, "screenshot", sequence=1, when="before", width=1, height=1, data="A"),
            rec(2, "screenshot", sequence=1, when="after", width=1, height=1, data="B"),
            rec(3, "sequence", id=2, actions=[]),
            rec(4, "screenshot", sequence=2, when="before", sameAs=1),
            rec(5, "sequence", id=3, actions=[]),
            rec(6, "screenshot", sequence=3, when="before", sameAs=9),
        )
    )
    found = [screenshot_of(shown, sequence, "before") for sequence in shown.sequences]
    assert [each and (each["data"], each["at"]) for each in found] == [("A", 1), ("B", 4), None]
    assert screenshot_of(shown, shown.sequences[1], "after") is None


def test_labels() -> None:
    assert label_of({"action": "press_key", "key": "Enter"}) == "press_key Enter"
    assert label_of({"action": "go_back"}) == "go_back"
    assert label_of({}) == "action"
