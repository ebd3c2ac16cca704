"""WebSockets and event streams: to what a reply is expected, for how long, and what is none."""

from __future__ import annotations

from stillframe.settle import signals as s
from stillframe.settle.pending import PendingSet
from stillframe.settle.sockets import SILENT, SOCKET_REPLY_MS, STREAM_GRACE_MS

HORIZON = 2000.0


def socket(*before: tuple[float, s.Signal]) -> PendingSet:
    """A page with an open socket, armed at 5000."""
    pending = PendingSet()
    for now, signal in ((0, s.SocketOpening("w", "ws://site/chat")), (5, s.SocketReceived("w")), *before):
        pending.feed(now, signal)
    pending.arm(5000)
    return pending


def expected(pending: PendingSet, now: float) -> bool:
    return any(row.kind in ("websocket", "stream") for row in pending.blocking(now, 5000 + HORIZON))


def test_nothing_is_expected_of_a_socket_that_was_not_used() -> None:
    assert not expected(socket(), 5001)


def test_a_reply_is_expected_to_what_was_sent_and_only_then() -> None:
    pending = socket()
    pending.feed(5010, s.SocketSent("w"))
    assert expected(pending, 5010 + SOCKET_REPLY_MS - 1)
    assert not expected(pending, 5010 + SOCKET_REPLY_MS)
    assert pending.feed(5200, s.SocketReceived("w"))
    assert not expected(pending, 5200)


def test_as_many_replies_are_expected_as_messages_were_sent() -> None:
    pending = socket()
    pending.feed(5010, s.SocketSent("w"))
    pending.feed(5020, s.SocketSent("w"))
    pending.feed(5100, s.SocketReceived("w"))
    assert expected(pending, 5100)
    pending.feed(5110, s.SocketReceived("w"))
    assert not expected(pending, 5110)


def ticks(period: float, until: float = 5000, shape: str = "") -> list[tuple[float, s.Signal]]:
    return [(1000 + n * period, s.SocketReceived("w", shape)) for n in range(int((until - 1000) / period))]


def test_what_a_chatty_socket_says_by_itself_is_no_reply() -> None:
    pending = socket(*ticks(200))
    pending.feed(5010, s.SocketSent("w"))
    pending.feed(5020, s.SocketReceived("w"))
    assert expected(pending, 5020)
    assert [(row.kind, row.rate) for row in pending.ignored.values()] == [("websocket", 5.0)]


def test_what_exceeds_the_rhythm_of_a_chatty_socket_is_a_reply() -> None:
    pending = socket(*ticks(200))
    pending.feed(5005, s.SocketReceived("w"))
    pending.feed(5010, s.SocketSent("w"))
    pending.feed(5060, s.SocketReceived("w"))
    assert not expected(pending, 5060)


def test_what_looks_unlike_the_chatter_is_a_reply() -> None:
    pending = socket(*ticks(50, shape='{"type":"tick"'))
    pending.feed(5010, s.SocketSent("w"))
    pending.feed(5020, s.SocketReceived("w", '{"type":"tick"'))
    assert expected(pending, 5020)
    pending.feed(5030, s.SocketReceived("w", '{"type":"reply"'))
    assert not expected(pending, 5030)


def test_chatter_without_a_rhythm_is_no_reply_either() -> None:
    pending = socket(*((when, s.SocketReceived("w")) for when in (4100, 4150, 4700, 4720, 4990)))
    pending.feed(5010, s.SocketSent("w"))
    pending.feed(5020, s.SocketReceived("w"))
    assert expected(pending, 5020)


def test_heartbeats_are_not_replied_to() -> None:
    pending = socket(*((1000 + 500.0 * n, s.SocketSent("w")) for n in range(8)))
    pending.feed(5010, s.SocketSent("w"))
    assert not expected(pending, 5010)
    assert [row.kind for row in pending.ignored.values()] == ["websocket"]


def test_a_place_that_never_replies_is_not_waited_for() -> None:
    pending = socket(*((1000.0 + n * n * 300, s.SocketSent("w")) for n in range(1, SILENT + 1)))
    pending.feed(5010, s.SocketSent("w"))
    assert not expected(pending, 5010)


def test_a_socket_that_the_actions_open_is_opened_for_something() -> None:
    pending = socket()
    pending.feed(5010, s.SocketOpening("v", "ws://site/new"))
    pending.feed(5030, s.SocketReceived("v"))
    assert expected(pending, 5030 + STREAM_GRACE_MS - 1)
    pending.feed(5100, s.SocketReceived("v"))
    assert not expected(pending, 5100)


def stream(*before: tuple[float, s.Signal]) -> PendingSet:
    """A page with an open event stream, armed at 5000."""
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


def test_what_a_stream_says_by_itself_is_no_answer() -> None:
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
