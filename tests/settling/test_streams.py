"""Event streams: which messages are expected, how long, and which come by themselves."""

from __future__ import annotations

from stillframe.settling import signals as s
from stillframe.settling.channels import STREAM_GRACE_MS
from stillframe.settling.pending import PendingSet

HORIZON = 2000.0


def expected(pending: PendingSet, now: float) -> bool:
    return any(row.kind in ("websocket", "stream") for row in pending.blocking(now, 5000 + HORIZON))


def stream(*before: tuple[float, s.Signal]) -> PendingSet:
    """Return the pending set of a page with an open event stream, armed at 5000."""
    pending = PendingSet()
    pending.feed(0, s.RequestStarted(id="e", url="http://site/feed", type="EventSource"))
    pending.feed(5, s.ResponseStarted("e", "text/event-stream"))
    for now, signal in before:
        pending.feed(now, signal)
    pending.arm(5000)
    return pending


def post(pending: PendingSet, method: str = "POST") -> None:
    pending.feed(5010, s.RequestStarted(id="p", url="http://site/post", method=method))
    pending.feed(5050, s.RequestEnded("p"))


def test_a_stream_may_bring_the_answer_to_a_post() -> None:
    pending = stream()
    post(pending)
    assert expected(pending, 5050 + STREAM_GRACE_MS - 1)
    pending.feed(5200, s.StreamMessage("e"))
    assert not expected(pending, 5200)


def test_a_get_has_its_answer_already() -> None:
    pending = stream()
    post(pending, "GET")
    assert not expected(pending, 5050)


def test_what_a_stream_says_by_itself_is_not_an_answer() -> None:
    pending = stream(*((1000 + 200.0 * n, s.StreamMessage("e", "tick")) for n in range(20)))
    post(pending)
    pending.feed(5060, s.StreamMessage("e", "tick"))
    assert expected(pending, 5060)
    pending.feed(5070, s.StreamMessage("e", "posted"))
    assert not expected(pending, 5070)


def test_a_stream_that_ends_is_not_waited_for() -> None:
    pending = stream()
    post(pending)
    pending.feed(5060, s.RequestEnded("e"))
    assert not expected(pending, 5060)


def test_a_stream_says_that_more_comes() -> None:
    pending = stream()
    post(pending)
    pending.feed(5100, s.StreamMessage("e", "process_starts", "more"))
    assert expected(pending, 6500)
    pending.feed(6600, s.StreamMessage("e", "process_completed", "last"))
    assert not expected(pending, 6600)


def test_a_stream_that_brought_two_messages_is_waited_on_for_the_second() -> None:
    pending = stream()
    post(pending)
    pending.feed(5100, s.StreamMessage("e", "one"))
    pending.disarm()
    pending.feed(5800, s.StreamMessage("e", "two"))
    pending.arm(8000)
    pending.feed(8010, s.RequestStarted(id="p", url="http://site/post", method="POST"))
    pending.feed(8050, s.RequestEnded("p"))
    pending.feed(8100, s.StreamMessage("e", "one"))
    assert any(row.kind == "stream" for row in pending.blocking(8700, 10_000))
    pending.feed(8800, s.StreamMessage("e", "two"))
    assert not any(row.kind == "stream" for row in pending.blocking(8800, 10_000))
