"""Rhythms: which intervals are even, which beats are due, and which may be learned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.settling.noise import MAX_KEYS, Noise, Recurrence


def rhythm(*beats: float) -> Recurrence:
    made = Recurrence()
    for beat in beats:
        made.learn(beat)
    return made


def test_three_even_intervals_make_a_rhythm() -> None:
    assert rhythm(0, 100, 200).period is None
    assert rhythm(0, 100, 200, 300).period == 100


def test_uneven_beats_have_none() -> None:
    assert rhythm(0, 10, 500, 510).period is None
    assert rhythm(5, 5, 5, 5).period is None


@pytest.mark.parametrize(("gap", "noise"), [(1000, True), (1300, True), (500, False), (2050, True), (9000, False)])
def test_a_beat_is_noise_when_the_rhythm_has_earned_it(gap: float, noise: bool) -> None:
    assert rhythm(0, 1000, 2000, 3000).spend(3000 + gap) is noise


def test_an_extra_beat_does_not_throw_the_rhythm_out() -> None:
    made = rhythm(0, 1000, 2000, 3000)
    assert [made.spend(when) for when in (3400, 4000, 4400, 5000, 6000)] == [False, True, False, True, True]


def test_a_rhythm_survives_jitter_under_load() -> None:
    made = rhythm(0, 100, 200, 300)
    assert all(made.spend(when) for when in (480, 500, 610, 690, 850, 905, 1000))


def test_silence_ends_a_rhythm() -> None:
    made = rhythm(0, 100, 200, 300)
    made.learn(5000)
    assert not made.spend(9000)


def test_what_the_actions_cause_teaches_nothing() -> None:
    noise = Noise()
    assert not any(noise.record("GET /save", 100.0 * n, learn=False) for n in range(10))
    assert noise.rate("GET /save") == 0


def test_a_known_rhythm_goes_on_being_noise() -> None:
    noise = Noise()
    for n in range(5):
        noise.record("GET /poll", 100.0 * n, learn=True)
    assert all(noise.record("GET /poll", 500.0 + 100 * n, learn=False) for n in range(5))
    assert noise.rate("GET /poll") == pytest.approx(10)


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    noise = Noise()
    for n in range(4):
        noise.record("first", 10.0 * n, learn=True)
    for n in range(MAX_KEYS):
        noise.record(f"key {n}", n, learn=True)
    assert noise.rate("first") == 0


@given(st.lists(st.floats(0, 1e7), max_size=30))
def test_no_beats_break_it(beats: list[float]) -> None:
    noise = Noise()
    for beat in sorted(beats):
        noise.record("key", beat, learn=True)
    assert noise.rate("key") >= 0
