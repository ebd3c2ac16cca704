"""When each picture of a film shows."""

from __future__ import annotations

import pytest

from stillframe.video.timeline import LAST_SLOTS, STILL_SLOTS, Timeline, slots_of


def slots(*pictures: tuple[float | None, float]) -> list[int]:
    timeline = Timeline()
    return [timeline.slot(stamp, arrived) for stamp, arrived in pictures]


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        ([(100.0, 5.0), (100.5, 5.6), (102.0, 7.9)], [0, 12, 50]),  # by the timestamps, however late they arrive
        ([(None, 5.0), (None, 6.0)], [0, 25]),
        ([(100.0, 5.0), (None, 6.0), (100.1, 6.1)], [0, 25, 27]),
        ([(100.0, 5.0), (90.0, 6.0), (90.4, 6.4)], [0, 0, 10]),  # the browser's clock was set back
        ([(100.0, 5.0), (9000.0, 6.0)], [0, 50]),  # and forward: what passed here, and the drift allowed
        ([(100.0, 5.0), (100.01, 5.01), (100.02, 5.02)], [0, 0, 0]),
    ],
)
def test_pictures_have_their_slots(pictures: list[tuple[float | None, float]], expected: list[int]) -> None:
    assert slots(*pictures) == expected


def test_a_film_ends_when_its_page_does_and_shows_the_last_picture_for_a_second() -> None:
    timeline = Timeline()
    assert timeline.end(3.0) == 0
    timeline.slot(100.0, 5.0)
    assert (timeline.end(5.1), timeline.end(9.0)) == (LAST_SLOTS, 100)


def test_a_picture_is_repeated_in_each_of_its_slots() -> None:
    assert [*slots_of(7, 10)] == [7, 8, 9]
    assert [*slots_of(7, 7)] == []


def test_a_picture_that_stays_for_minutes_is_repeated_once_a_second() -> None:
    found = [*slots_of(0, 60 * 60 * 25)]
    assert found[: STILL_SLOTS + 1] == [*range(STILL_SLOTS + 1)]
    assert {after - before for before, after in zip(found[STILL_SLOTS:], found[STILL_SLOTS + 1 :], strict=False)} == {
        25
    }


def test_an_encoder_that_is_behind_gets_each_picture_once_a_second() -> None:
    assert [*slots_of(100, 130, behind=True)] == [100, 125]
