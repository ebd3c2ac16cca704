"""The pending set alone: what opens a row, what closes it, and how long it blocks."""

from __future__ import annotations

import pytest

from stillframe.settling import signals as s
from stillframe.settling.pending import PendingRow, PendingSet, request_key

HORIZON = 2000.0


def armed(*stream: tuple[float, s.Signal]) -> PendingSet:
    pending = PendingSet()
    pending.arm(0)
    for now, signal in stream:
        pending.feed(now, signal)
    return pending


def kinds(pending: PendingSet, now: float) -> list[str]:
    return [row.kind for row in pending.blocking(now, HORIZON)]


def request(id_: str = "r", url: str = "http://site/a?x=1", **fields: object) -> s.RequestStarted:
    return s.RequestStarted(id=id_, url=url, **fields)  # type: ignore[arg-type]


def test_what_was_open_before_arming_is_foreign() -> None:
    pending = PendingSet()
    pending.feed(0, request())
    pending.arm(1)
    assert pending.blocking(1, HORIZON) == []
    assert not pending.feed(2, s.RequestEnded("r"))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (request(), s.RequestEnded("r")),
        (request(), s.RequestEnded("r", failed=True)),
        (request(), s.ResponseStarted("r", "multipart/x-mixed-replace")),
        (s.SocketOpening("w", "ws://site/"), s.SocketClosed("w")),
        (s.FrameStartedLoading("f", False), s.FrameStoppedLoading("f", False)),
        (s.FrameStartedLoading("f", False), s.FrameDetached("f")),
        (s.NavigationStarted("m", "L2", "http://site/f", True), s.Download("http://site/f")),
        (s.NavigationRequested("m", "http://site/#x", True), s.NavigatedWithinDocument("m", "http://site/#x", True)),
        (s.Committed("m", "L2", "http://site/", True), s.Loaded("m", "L2", True)),
        (s.Committed("m", "L2", "http://site/", True), s.FrameStoppedLoading("m", True)),
        (s.DialogOpened("alert"), s.DialogClosed()),
    ],
)
def test_rows_open_and_close(opening: s.Signal, closing: s.Signal) -> None:
    pending = armed((1, opening))
    assert len(pending.blocking(2, HORIZON)) == 1
    assert pending.feed(3, closing)
    assert pending.blocking(4, HORIZON) == []


@pytest.mark.parametrize(
    "signal",
    [
        request(url="data:text/plain,hi"),
        request(type="Document"),
        s.NavigationStarted("sub", "L2", "http://site/", False),
        s.NavigationRequested("sub", "http://site/", False),
        s.FrameStartedLoading("m", True),
        s.Loaded("m", "L1", True),
        s.Mutated("#x"),
    ],
)
def test_what_gets_no_row(signal: s.Signal) -> None:
    assert armed((1, signal)).blocking(2, HORIZON) == []


def test_a_redirect_keeps_its_row_and_changes_its_name() -> None:
    pending = armed((1, request()), (5, request(url="http://site/b")))
    (row,) = pending.blocking(10, HORIZON)
    assert (row.url, row.opened) == ("http://site/b", 1)


def test_impatient_rows_stop_at_the_horizon_and_patient_ones_do_not() -> None:
    pending = armed((1, request()), (1, s.NavigationStarted("m", "L2", "http://site/", True)))
    assert kinds(pending, HORIZON - 1) == ["request", "navigation"]
    assert kinds(pending, HORIZON) == ["navigation"]
    assert {row.kind for row in pending.unfinished(HORIZON)} == {"request", "navigation"}


def test_the_next_end_is_the_earliest_of_the_blocking_rows() -> None:
    pending = armed()
    assert pending.next_end(0, HORIZON) is None
    pending.open(PendingRow("animation", "a", "a", 0, until=300))
    pending.open(PendingRow("animation", "b", "b", 0, until=100))
    pending.open(PendingRow("animation", "c", "c", 0, until=50, beyond_horizon=True))
    assert pending.next_end(0, HORIZON) == 100
    assert pending.next_end(200, HORIZON) == 300


def test_a_patient_row_without_end_asks_for_no_tick() -> None:
    assert armed((1, s.NavigationStarted("m", "L2", "u", True))).next_end(2, HORIZON) is None


def test_the_key_leaves_out_the_query_and_keeps_the_origin_of_the_call() -> None:
    assert request_key(request(initiator="http://site/app.js:3:7")) == "GET http://site/a @http://site/app.js:3:7"
    assert request_key(request(url="http://[bad")) == "GET http://[bad"
