"""The clock of a recording stands still between entries, and that of a replay repeats it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from stillframe.cdp.loop_clock import loop_clock, time_limit, using_clock
from stillframe.testing.cassette_clock import STALE_S, RecordingClock, ReplayClock
from stillframe.testing.cassette_file import CassetteEntry


class Hand:
    """A clock of the event loop that a test moves by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, clock: RecordingClock) -> None:
        self.time = 100.0
        monkeypatch.setattr(clock, "measure", lambda: self.time)


@pytest.fixture
async def recording() -> RecordingClock:
    return RecordingClock(asyncio.get_running_loop())


@pytest.fixture
async def hand(monkeypatch: pytest.MonkeyPatch, recording: RecordingClock) -> Hand:
    return Hand(monkeypatch, recording)


def replay(read: Callable[[int], object] = lambda _: None) -> ReplayClock:
    return ReplayClock(asyncio.get_running_loop(), read, lambda: None)


async def test_a_recording_shows_the_real_time_until_it_starts(recording: RecordingClock, hand: Hand) -> None:
    assert recording.now() == 100
    hand.time = 101
    assert recording.now() == 101


async def test_time_stands_still_between_entries(recording: RecordingClock, hand: Hand) -> None:
    entries: list[CassetteEntry] = []
    recording.start(entries.append)
    hand.time += STALE_S / 2
    assert recording.now() == 100
    assert recording.step() == hand.time == recording.now()
    assert not entries


async def test_a_longer_pause_is_noted_with_the_number_of_reads(recording: RecordingClock, hand: Hand) -> None:
    entries: list[CassetteEntry] = []
    recording.start(entries.append)
    recording.now()
    hand.time += 2 * STALE_S
    assert recording.now() == hand.time
    assert [(entry.jump, entry.at) for entry in entries] == [(2, hand.time)]
    recording.stop()
    hand.time += 5
    assert recording.now() == hand.time
    assert len(entries) == 1


async def test_a_timer_that_fires_is_noted_and_a_cancelled_one_is_not(recording: RecordingClock) -> None:
    entries: list[CassetteEntry] = []
    recording.start(entries.append)
    fired = asyncio.Event()
    when = recording.now() + 0.01
    recording.call_at(when + 0.001, lambda: pytest.fail("it was cancelled")).cancel()
    recording.call_at(when, fired.set)
    await fired.wait()
    assert [entry.timer for entry in entries] == [when]
    assert entries[0].at >= when
    recording.stop()


async def test_a_timer_of_a_replay_fires_only_by_hand() -> None:
    clock, fired = replay(), list[str]()
    clock.set(100.0)
    clock.call_at(100.0, lambda: fired.append("due"))
    rough = clock.call_roughly_at(101.0, lambda: fired.append("rough"))
    clock.call_at(102.0, lambda: fired.append("cancelled")).cancel()
    assert [timer.when for timer in clock.timers] == [100.0, 101.0]
    assert clock.timer(102.0) is None
    rough_timer = clock.timer(101.0)
    assert rough_timer is not None
    rough_timer.fire()
    rough.cancel()
    rough_timer.fire()
    assert fired == ["rough"]


async def test_the_time_of_a_replay_never_goes_back_and_counts_its_reads() -> None:
    reads: list[int] = []
    clock = replay(reads.append)
    clock.set(100.0)
    assert (clock.now(), clock.now()) == (100.0, 100.0)
    clock.set(99.0)
    assert clock.now() == 100.0
    assert reads == [1, 2, 1]


async def test_a_released_replay_goes_on_in_real_time() -> None:
    clock = replay()
    clock.set(100.0)
    early, late = asyncio.Event(), asyncio.Event()
    clock.call_at(100.01, early.set)
    clock.release()
    clock.call_at(clock.now() + 0.01, late.set)
    await early.wait()
    await late.wait()
    assert clock.now() >= 100.01


async def test_a_clock_is_used_inside_its_block_and_by_the_tasks_that_begin_there() -> None:
    real, clock = loop_clock(), replay()
    with using_clock(clock):
        assert loop_clock() is clock
        assert await asyncio.create_task(chosen()) is clock
        assert await asyncio.to_thread(asyncio.run, chosen()) is not clock, "another event loop has its own"
    assert loop_clock() is real


async def chosen() -> object:
    return loop_clock()


async def test_a_time_limit_of_a_replay_expires_by_its_clock() -> None:
    clock = replay()

    async def limited() -> None:
        async with time_limit(3600):
            clock.timers[0].fire()
            await asyncio.Event().wait()

    with using_clock(clock), pytest.raises(TimeoutError):
        await limited()
