"""WebSockets: which messages get replies, how long to expect them, and which messages are not replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.settling import signals as s
from stillframe.settling.channels import STREAM_GRACE_MS
from stillframe.settling.message_ids import message_ids
from stillframe.settling.pending import PendingSet
from stillframe.settling.replies import announcement, message_type
from stillframe.settling.sockets import MAX_UNANSWERED, SOCKET_REPLY_MS

HORIZON = 2000.0


def socket(*before: tuple[float, s.Signal]) -> PendingSet:
    """Return the pending set of a page with an open socket, armed at 5000."""
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


def test_what_a_chatty_socket_says_by_itself_is_not_a_reply() -> None:
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


def test_chatter_without_a_rhythm_is_not_a_reply_either() -> None:
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
    pending = socket(*((1000.0 + n * n * 300, s.SocketSent("w")) for n in range(1, MAX_UNANSWERED + 1)))
    pending.feed(5010, s.SocketSent("w"))
    assert not expected(pending, 5010)


def test_a_socket_that_the_actions_open_is_opened_for_something() -> None:
    pending = socket()
    pending.feed(5010, s.SocketOpening("v", "ws://site/new"))
    pending.feed(5030, s.SocketReceived("v"))
    assert expected(pending, 5030 + STREAM_GRACE_MS - 1)
    pending.feed(5100, s.SocketReceived("v"))
    assert not expected(pending, 5100)


@pytest.mark.parametrize(("period", "count", "more"), [(150, 8, True), (150, 12, False), (40, 30, True)])
def test_a_page_that_comes_part_by_part_is_awaited_and_a_ticker_is_not(period: float, count: int, more: bool) -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(10, s.Committed("main", "L2", "http://site/", True))
    pending.feed(20, s.SocketOpening("w", "ws://site/feed"))
    pending.feed(25, s.SocketReceived("w"))
    for number in range(count):
        pending.feed(100 + period * number, s.SocketReceived("w", "part"))
    assert waits(pending, 101 + period * (count - 1)) is more


# -- several replies -----------------------------------------------------------------------------


def ask(pending: PendingSet, at: float, *replies: tuple[float, str, str], id_: str = "w", shape: str = "ask") -> None:
    """Act at a time and send one message that gets replies at some times after it: shape and announcement."""
    pending.disarm()
    pending.arm(at)
    pending.feed(at + 10, s.SocketSent(id_, shape))
    for after, looks, word in replies:
        pending.feed(at + 10 + after, s.SocketReceived(id_, looks, word))


def waits(pending: PendingSet, at: float, horizon: float = HORIZON) -> bool:
    return any(row.kind == "websocket" for row in pending.blocking(at, horizon + 1e6))


def test_a_reply_that_announces_more_is_waited_on_until_the_last() -> None:
    pending = socket()
    ask(pending, 6000, (20, "status busy", "more"))
    assert waits(pending, 8000)
    pending.feed(7000, s.SocketReceived("w", "output"))
    assert waits(pending, 8000)
    assert pending.feed(7500, s.SocketReceived("w", "status idle", "last"))
    assert not waits(pending, 7500)
    assert pending.unfinished(7500) == []


def job(word: str, ids: str) -> s.SocketReceived:
    return s.SocketReceived("w", f"status {word}", word, message_ids(ids))


@pytest.mark.parametrize(
    ("begun", "over"),
    [
        (('{"job_id": 1}', '{"job_id": 2}'), ('{"job_id": 1}', '{"job_id": 2}')),
        (
            ('{"cell_id": 1, "run_id": 7}', '{"cell_id": 2, "run_id": 7}'),
            ('{"cell_id": 1, "run_id": 7}', '{"run_id": 7}'),
        ),
        (
            ('{"seq": 1, "job_id": 1}', '{"seq": 2, "job_id": 2}'),
            ('{"seq": 3, "job_id": 1}', '{"seq": 4, "job_id": 2}'),
        ),
        (('{"job_id": 1}', '{"job_id": 1, "step_id": 4}'), ('{"job_id": 9, "step_id": 5}',)),
        (('{"job_id": 1}', "{}"), ("{}",)),
        (('{"msg_id": "a1"}', '{"msg_id": "a2"}'), ('{"msg_id": "a3"}',)),
    ],
)
def test_each_job_that_is_announced_is_awaited_to_its_own_end(begun: tuple[str, ...], over: tuple[str, ...]) -> None:
    pending = socket()
    ask(pending, 6000)
    for ids in begun:
        pending.feed(6100, job("more", ids))
    for ids in over:
        assert waits(pending, 8000)
        pending.feed(6200, job("last", ids))
    assert not waits(pending, 8000)


def test_what_is_announced_and_does_not_come_is_given_up_at_the_horizon() -> None:
    pending = socket()
    ask(pending, 6000, (20, "status busy", "more"))
    assert [row.kind for row in pending.blocking(7999, 8000)] == ["websocket"]
    assert pending.blocking(8000, 8000) == []
    assert "announces more" in pending.unfinished(8000)[0].what


def test_what_is_sent_meanwhile_does_not_shorten_what_is_announced() -> None:
    pending = socket()
    ask(pending, 6000, (20, "status busy", "more"))
    pending.feed(6100, s.SocketSent("w", "ping"))
    assert waits(pending, 7500)


def test_announcements_that_nobody_asked_for_are_not_waited_on() -> None:
    pending = socket()
    pending.arm(6000)
    pending.feed(6100, s.SocketReceived("w", "status busy", "more"))
    assert not waits(pending, 6100)


def test_of_a_reply_that_nothing_is_known_of_more_may_come() -> None:
    pending = socket()
    ask(pending, 6000, (20, "one", ""))
    assert not waits(pending, 6030)
    assert "more may come" in pending.unfinished(6040)[0].what


def test_a_second_reply_is_waited_for_the_next_time() -> None:
    pending = socket()
    ask(pending, 6000, (20, "one", ""))
    pending.disarm()
    pending.feed(6730, s.SocketReceived("w", "two"))
    ask(pending, 9000, (20, "one", ""))
    assert waits(pending, 9700)
    pending.feed(9730, s.SocketReceived("w", "two"))
    assert not waits(pending, 9730)


def test_a_second_reply_that_comes_no_more_is_forgotten() -> None:
    pending = socket()
    ask(pending, 6000, (20, "one", ""), (720, "two", ""))
    ask(pending, 9000, (20, "one", ""))
    assert waits(pending, 9700)
    assert not waits(pending, 9010 + 1.5 * 720 + 101)
    ask(pending, 16000, (20, "one", ""))
    assert not waits(pending, 16031)


def test_what_one_kind_of_message_brings_says_nothing_of_another() -> None:
    pending = socket()
    ask(pending, 6000, (20, "one", ""), (720, "two", ""))
    ask(pending, 9000, (20, "one", ""), shape="other")
    assert not waits(pending, 9031)


def test_the_last_reply_is_known_by_its_look_when_their_number_changes() -> None:
    pending = socket()
    for number, at in enumerate((10_000, 20_000, 30_000)):
        rows = [(20.0 + 10 * n, "row", "") for n in range(3 + number)]
        ask(pending, at, *rows, (700, "end", ""))
    ask(pending, 40_000, *[(20.0 + 10 * n, "row", "") for n in range(20)])
    assert waits(pending, 40_300)
    pending.feed(40_400, s.SocketReceived("w", "end"))
    assert not waits(pending, 40_400)


def test_what_was_learned_outlives_the_document() -> None:
    pending = socket()
    ask(pending, 6000, (20, "one", ""), (720, "two", ""))
    pending.feed(7000, s.Committed("main", "L2", "http://site/", True))
    pending.feed(7010, s.SocketOpening("v", "ws://site/chat"))
    pending.feed(7015, s.SocketReceived("v"))
    ask(pending, 9000, (20, "one", ""), id_="v")
    assert waits(pending, 9700)


def test_messages_without_end_after_a_request_make_no_rule() -> None:
    pending = socket(*ticks(200, shape="tick"))
    ask(pending, 6000, (20, "reply", ""))
    pending.disarm()
    for n in range(40):
        pending.feed(6200 + 200.0 * n, s.SocketReceived("w", "tick"))
    ask(pending, 16_000, (20, "reply", ""))
    assert not waits(pending, 16_031)


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ('{"msg_type": "status", "content": {"execution_state": "busy"}}', "more"),
        ('{"msg_type": "status", "content": {"execution_state": "idle"}}', "last"),
        ('{"msg": "estimation", "rank": 0}', "more"),
        ('{"msg": "process_starts"}', "more"),
        ('{"msg":"process_completed","output":{"data":["x"]}}', "last"),
        ('{"type": "taskStarted"}', "more"),
        ('{"status": "queued", "position": 3}', "more"),
        ('{"final": false, "text": "a"}', "more"),
        ('{"final": true, "text": "a b"}', "last"),
        ('{"done": false}', "more"),
        ('42["progress",{"percent":10}]', "more"),
        ('42["finished",{}]', "last"),
        ("working", "more"),
        ("done", "last"),
        ("[DONE]", "last"),
        ('{"type": "message", "text": "I am busy, we started"}', ""),
        ('{"orders": [{"status": "pending"}, {"status": "queued"}]}', ""),
        ("a long sentence of a chat that says that somebody is busy with something", ""),
        ('{"title": "done"}', ""),
        ('[{"topic":"notification/runtime-state","data":{"state":"start"}}]', ""),
        ('[{"topic":"notification/runtime-state","data":{"state":"running"}}]', ""),
        ('{"state": "running", "type": "heartbeat"}', ""),
        ('{"state": "start"}', ""),
        ('{"type": "start"}', "more"),
        ('{"state": "started"}', "more"),
        ("", ""),
        ("x" * 100_000, ""),
    ],
)
def test_what_a_message_says_of_those_after_it(message: str, word: str) -> None:
    assert announcement(message) == word


@given(st.text())
def test_any_message_can_be_looked_at(message: str) -> None:
    assert announcement(message) in ("", "more", "last")
    assert len(message_type(message)) <= 60
