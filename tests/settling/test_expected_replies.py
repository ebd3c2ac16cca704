"""Which channels owe a reply, and how long to wait for it; decided without a page."""

from __future__ import annotations

import pytest

from stillframe.settling.expected_replies import ExpectedReplies
from stillframe.settling.rows import PendingRow, Rows
from stillframe.settling.sockets import SOCKET_REPLY_MS

NOW, HORIZON = 1000.0, 3000.0
URL = "ws://host/chat?token=1"


def expecting(kind: str = "websocket", key: str = "1", url: str = URL) -> tuple[Rows, PendingRow]:
    rows = Rows()
    row = PendingRow(kind, key, url, NOW, url, until=NOW + SOCKET_REPLY_MS)
    rows.open(row)
    return rows, row


def answer(row: PendingRow, at: float) -> None:
    row.beyond_horizon, row.until = True, at + SOCKET_REPLY_MS


def silent(expected: ExpectedReplies, url: str = URL) -> None:
    """Run a wait that passes without a reply."""
    rows, _ = expecting(url=url)
    expected.begin()
    expected.update(rows, HORIZON)
    expected.end(HORIZON, rows)


@pytest.mark.parametrize("kind", ["websocket", "stream"])
def test_an_answer_is_owed_up_to_the_horizon(kind: str) -> None:
    rows, row = expecting(kind)
    ExpectedReplies().update(rows, HORIZON)
    assert row.until == HORIZON


def test_before_the_horizon_is_known_it_is_owed_without_end_and_then_up_to_it() -> None:
    rows, row = expecting()
    expected = ExpectedReplies()
    expected.update(rows, float("inf"))
    expected.update(rows, HORIZON)
    assert row.until == HORIZON


def test_a_place_that_kept_silent_gets_the_ordinary_time() -> None:
    expected = ExpectedReplies()
    silent(expected)
    rows, row = expecting(key="2", url="ws://host/chat?token=2")
    expected.update(rows, HORIZON)
    assert row.until == NOW + SOCKET_REPLY_MS
    other, fresh = expecting(url="ws://host/orders")
    expected.update(other, HORIZON)
    assert fresh.until == HORIZON


@pytest.mark.parametrize("opening", [True, False])
def test_a_place_that_is_silent_when_it_opens_may_still_reply(*, opening: bool) -> None:
    expected = ExpectedReplies()
    rows, row = expecting()
    row.opening = opening
    expected.begin()
    expected.update(rows, HORIZON)
    expected.end(HORIZON, rows)
    rows, row = expecting()
    row.opening = not opening
    expected.update(rows, HORIZON)
    assert row.until == HORIZON


def test_a_silent_place_that_answers_owes_again() -> None:
    expected = ExpectedReplies()
    silent(expected)
    rows, row = expecting()
    expected.begin()
    answer(row, NOW + 100)
    expected.update(rows, HORIZON)
    expected.end(NOW + 2000, rows)
    again, fresh = expecting()
    expected.begin()
    expected.update(again, HORIZON)
    assert fresh.until == HORIZON


def test_a_wait_that_ended_before_its_horizon_teaches_nothing() -> None:
    expected = ExpectedReplies()
    rows, _ = expecting()
    expected.update(rows, HORIZON)
    expected.end(NOW + 700, rows)
    again, fresh = expecting()
    expected.begin()
    expected.update(again, HORIZON)
    assert fresh.until == HORIZON


def test_after_an_answer_another_is_given_about_as_long() -> None:
    expected = ExpectedReplies()
    rows, row = expecting()
    answer(row, NOW + 150)
    expected.update(rows, HORIZON)
    assert NOW + 300 < expected.more_until() < NOW + 400
    answer(row, NOW + 300)
    expected.update(rows, HORIZON)
    assert NOW + 450 < expected.more_until() < NOW + 550


def test_a_place_that_answers_once_is_not_given_more() -> None:
    expected = ExpectedReplies()
    rows, row = expecting()
    answer(row, NOW + 150)
    expected.update(rows, HORIZON)
    expected.end(expected.more_until(), rows)
    rows, row = expecting()
    expected.begin()
    answer(row, NOW + 150)
    expected.update(rows, HORIZON)
    assert expected.more_until() == 0
