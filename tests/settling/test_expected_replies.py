"""Which channels owe an answer, and how long it is waited for; decided without a page."""

from __future__ import annotations

import pytest

from stillframe.settling.expected_replies import ExpectedReplies
from stillframe.settling.rows import Row, Rows
from stillframe.settling.sockets import SOCKET_REPLY_MS

NOW, HORIZON = 1000.0, 3000.0
URL = "ws://host/chat?token=1"


def expecting(kind: str = "websocket", key: str = "1", url: str = URL) -> tuple[Rows, Row]:
    rows = Rows()
    row = Row(kind, key, url, NOW, url, until=NOW + SOCKET_REPLY_MS)
    rows.open(row)
    return rows, row


def answer(row: Row, at: float) -> None:
    row.later, row.until = True, at + SOCKET_REPLY_MS


def silent(owed: ExpectedReplies, url: str = URL) -> None:
    """A wait that goes by without an answer."""
    rows, _ = expecting(url=url)
    owed.begin()
    owed.look(rows, HORIZON)
    owed.end(HORIZON, rows)


@pytest.mark.parametrize("kind", ["websocket", "stream"])
def test_an_answer_is_owed_up_to_the_horizon(kind: str) -> None:
    rows, row = expecting(kind)
    ExpectedReplies().look(rows, HORIZON)
    assert row.until == HORIZON


def test_before_the_horizon_is_known_it_is_owed_without_end_and_then_up_to_it() -> None:
    rows, row = expecting()
    owed = ExpectedReplies()
    owed.look(rows, float("inf"))
    owed.look(rows, HORIZON)
    assert row.until == HORIZON


def test_a_place_that_kept_silent_gets_the_ordinary_time() -> None:
    owed = ExpectedReplies()
    silent(owed)
    rows, row = expecting(key="2", url="ws://host/chat?token=2")
    owed.look(rows, HORIZON)
    assert row.until == NOW + SOCKET_REPLY_MS
    other, fresh = expecting(url="ws://host/orders")
    owed.look(other, HORIZON)
    assert fresh.until == HORIZON


def test_a_silent_place_that_answers_owes_again() -> None:
    owed = ExpectedReplies()
    silent(owed)
    rows, row = expecting()
    owed.begin()
    answer(row, NOW + 100)
    owed.look(rows, HORIZON)
    owed.end(NOW + 2000, rows)
    again, fresh = expecting()
    owed.begin()
    owed.look(again, HORIZON)
    assert fresh.until == HORIZON


def test_a_wait_that_ended_before_its_horizon_teaches_nothing() -> None:
    owed = ExpectedReplies()
    rows, _ = expecting()
    owed.look(rows, HORIZON)
    owed.end(NOW + 700, rows)
    again, fresh = expecting()
    owed.begin()
    owed.look(again, HORIZON)
    assert fresh.until == HORIZON


def test_after_an_answer_another_is_given_about_as_long() -> None:
    owed = ExpectedReplies()
    rows, row = expecting()
    answer(row, NOW + 150)
    owed.look(rows, HORIZON)
    assert NOW + 300 < owed.more_until() < NOW + 400
    answer(row, NOW + 300)
    owed.look(rows, HORIZON)
    assert NOW + 450 < owed.more_until() < NOW + 550


def test_a_place_that_answers_once_is_not_given_more() -> None:
    owed = ExpectedReplies()
    rows, row = expecting()
    answer(row, NOW + 150)
    owed.look(rows, HORIZON)
    owed.end(owed.more_until(), rows)
    rows, row = expecting()
    owed.begin()
    answer(row, NOW + 150)
    owed.look(rows, HORIZON)
    assert owed.more_until() == 0
