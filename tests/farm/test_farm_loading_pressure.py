"""Which answers hold a page, and which its host."""

from __future__ import annotations

import pytest

from stillframe.farm.loading import pressure
from stillframe.farm.loading.pressure import (
    FIRST_HOLD_S,
    LONGEST_HOLD_S,
    MAX_ALONE,
    MAX_RESCHEDULES,
    PATIENCE_S,
    SILENCE_S,
    WINDOW_S,
    Pressure,
    Wait,
    doubled_s,
)

HOST = "example.org"


def asked(known: Pressure, page: str, now: float, times: int = 1, retry_after_s: float | None = None) -> Wait:
    return known.asked(HOST, page, now, retry_after_s=retry_after_s, times=times)


def test_one_page_that_always_asks_for_time_holds_nothing_but_itself() -> None:
    known, now, waits = Pressure(), 0.0, []
    for times in range(1, MAX_ALONE + 2):
        wait = asked(known, "/busy", now, times)
        waits.append(wait.page_s)
        assert wait.host_s == 0
        assert wait.gives_up == (times > MAX_ALONE)
        now += wait.page_s
    assert waits == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0]


def test_several_different_pages_hold_the_host() -> None:
    known = Pressure()
    assert [asked(known, f"/{n}", float(n)).host_s for n in range(3)] == [0.0, 0.0, FIRST_HOLD_S]


def test_the_same_pages_of_a_host_that_answers_all_others_do_not() -> None:
    known = Pressure()
    for n in range(60):
        known.answered(HOST, f"/good/{n}", n / 10)
    assert [asked(known, f"/broken/{n}", 6.0).host_s for n in range(10)] == [0.0] * 10


def test_a_host_that_begins_to_ask_for_time_is_held_once_a_fifth_of_its_pages_do() -> None:
    known = Pressure()
    for n in range(20):
        known.answered(HOST, f"/{n}", 1.0)
    held = [asked(known, f"/{n}", 2.0).host_s > 0 for n in range(20, 30)]
    assert held.index(True) == 4  # the fifth of 25
    assert all(held[4:])


def test_pages_that_were_on_their_way_add_nothing_to_a_hold() -> None:
    known = Pressure()
    waits = [asked(known, f"/{n}", 1.0 + n / 10) for n in range(8)]
    ends = {round(1.0 + n / 10 + wait.host_s, 6) for n, wait in enumerate(waits) if wait.host_s}
    assert ends == {1.2 + FIRST_HOLD_S}


def test_a_hold_doubles_while_the_host_goes_on_asking_and_recovers_with_its_answers() -> None:
    known, now, holds = Pressure(), 0.0, []
    for n in range(4):
        for page in range(3):
            wait = asked(known, f"/{n}/{page}", now)
        holds.append(wait.host_s)
        now += wait.host_s
    assert holds == [5.0, 10.0, 20.0, 40.0]
    for n in range(4):
        known.answered(HOST, f"/good/{n}", now + 0.1)
    for page in range(3):
        wait = asked(known, f"/again/{page}", now + WINDOW_S)
    assert wait.host_s == FIRST_HOLD_S


def test_evidence_gets_old() -> None:
    known = Pressure()
    assert [asked(known, f"/{n}", n * WINDOW_S / 2).host_s for n in range(6)] == [0.0] * 6


def test_retry_after_holds_the_host_for_as_long_as_it_says() -> None:
    known = Pressure()
    assert asked(known, "/a", 0.0, retry_after_s=3.0) == Wait(3.0, 3.0)
    assert asked(known, "/a", 0.0, retry_after_s=1e9).host_s == LONGEST_HOLD_S
    assert asked(known, "/a", 0.0, retry_after_s=0.0) == Wait(0.0, 0.0)
    assert not asked(known, "/a", 0.0, times=MAX_RESCHEDULES, retry_after_s=1.0).gives_up
    assert asked(known, "/a", 0.0, times=MAX_RESCHEDULES + 1, retry_after_s=1.0).gives_up


def test_a_page_of_a_held_host_is_given_up_later_than_one_alone() -> None:
    known = Pressure()
    for n in range(3):
        asked(known, f"/{n}", 0.0)
    assert not asked(known, "/0", 0.0, times=MAX_RESCHEDULES).gives_up
    assert asked(known, "/0", 0.0, times=MAX_RESCHEDULES + 1).gives_up


@pytest.mark.parametrize("retry_after_s", [None, 0.0, 60.0, LONGEST_HOLD_S])
def test_a_host_that_asks_for_ever_is_given_up(retry_after_s: float | None) -> None:
    """A queue of ten thousand pages, four at once, each of which is put behind the others."""
    known, now, loads = Pressure(), 0.0, 0
    while not known.is_given_up(HOST, now):
        waits = [asked(known, f"/{loads + n}", now + n / 10, retry_after_s=retry_after_s) for n in range(4)]
        loads += 4
        now += max(1.0, *(wait.host_s for wait in waits))
    assert PATIENCE_S <= now <= 4 * PATIENCE_S
    assert loads <= 4 * PATIENCE_S + 4
    assert asked(known, "/last", now) == Wait(0.0, gives_up=True)
    assert not known.is_given_up("other.example", now)
    assert not known.is_given_up(HOST, now + SILENCE_S + 1)  # its next page is loaded, to see
    assert not asked(known, "/later", now + SILENCE_S + 1).gives_up
    known.answered(HOST, "/good", now)
    assert not known.is_given_up(HOST, now)


def test_hosts_do_not_count_for_one_another() -> None:
    known = Pressure()
    waits = [known.asked(f"{n}.example.org", "/", 0.0, retry_after_s=None, times=1) for n in range(5)]
    assert {wait.host_s for wait in waits} == {0.0}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pressure, "HOSTS", 3)
    known = Pressure()
    for n in range(10):
        known.answered(f"{n}.example.org", "/", 0.0)
    assert list(known._hosts) == ["7.example.org", "8.example.org", "9.example.org"]


def test_a_page_that_does_not_say_for_how_long_waits_longer_each_time() -> None:
    assert [doubled_s(times) for times in (1, 2, 3)] == [FIRST_HOLD_S, 2 * FIRST_HOLD_S, 4 * FIRST_HOLD_S]
    assert doubled_s(99) == doubled_s(10_000) == LONGEST_HOLD_S
