"""The clock of a loop: it stands while the loop is stalled, and limits go by it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from cdp_support import Wired

from stillframe.cdp.loop_clock import HEARTBEAT_S, MOST_STALLED_S, LoopClock, loop_clock, time_limit
from stillframe.errors import CommandTimeout
from stillframe.tab.deadline import Deadline

STALL_S = 0.6


def stall() -> None:
    """What a caller does who blocks the loop."""
    time.sleep(STALL_S)


@pytest.mark.serial
async def test_it_goes_as_the_loop_does_and_never_back() -> None:
    clock, loop = loop_clock(), asyncio.get_running_loop()
    clock.start_heartbeat()
    try:
        began, wall, last = clock.now(), loop.time(), 0.0
        while loop.time() - wall < 0.2:
            assert clock.now() >= last
            last = clock.now()
            await asyncio.sleep(0)
        assert clock.now() - began == pytest.approx(loop.time() - wall, abs=0.05)
    finally:
        clock.stop_heartbeat()


async def test_it_stands_while_the_loop_is_stalled() -> None:
    clock = loop_clock()
    clock.start_heartbeat()
    try:
        began = clock.now()
        stall()
        assert clock.now() - began < 2 * HEARTBEAT_S
        await asyncio.sleep(0)
        assert clock.now() - began < 2 * HEARTBEAT_S + 0.05
    finally:
        clock.stop_heartbeat()


async def test_a_stall_does_not_end_a_limit() -> None:
    async with time_limit(STALL_S / 2):
        stall()
        await asyncio.sleep(STALL_S / 4)


async def test_what_came_during_a_stall_is_there_before_the_limit_ends() -> None:
    loop = asyncio.get_running_loop()
    came: asyncio.Future[int] = loop.create_future()
    loop.call_later(0.1, came.set_result, 1)
    loop.call_later(0.01, time.sleep, STALL_S)
    async with time_limit(0.15):
        assert await came == 1


@pytest.mark.serial
async def test_a_limit_ends_the_block_and_nothing_stays_behind() -> None:
    clock, loop = loop_clock(), asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(TimeoutError):
        async with time_limit(0.1):
            await asyncio.sleep(10)
    assert 0.09 < loop.time() - began < 0.5
    assert clock._heartbeat is None


async def test_a_limit_within_a_limit_is_told_apart_from_it() -> None:
    async with time_limit(5):
        with pytest.raises(TimeoutError):
            async with time_limit(0.05):
                await asyncio.sleep(1)
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("seconds", [None, float("inf")])
async def test_no_limit_is_none(seconds: float | None) -> None:
    async with time_limit(seconds):
        await asyncio.sleep(0.01)
    assert loop_clock()._heartbeat is None


async def test_an_order_that_was_taken_back_is_not_carried_out() -> None:
    clock, called = loop_clock(), []
    alarm = clock.call_at(clock.now() + 0.05, lambda: called.append(1))
    kept = clock.call_at(clock.now() + 0.06, lambda: called.append(2))
    alarm.cancel()
    alarm.cancel()
    await asyncio.sleep(0.2)
    kept.cancel()
    assert called == [2]


# -- many stalls, and own work -----------------------------------------------------------------------

BLOCK_S, LIMIT_S = 0.12, 0.3
MOST_BLOCKS = 30
"""Twice as many as the limit and `MOST_STALLED_S` take together."""


class Time:
    """An event loop of which only the time is used."""

    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now

    def call_later(self, *_: object) -> Any:
        return None


def fake_clock() -> tuple[LoopClock, Time]:
    """A clock whose heartbeat never comes unless a test calls it, and its loop."""
    time_ = Time()
    clock = LoopClock(cast("asyncio.AbstractEventLoop", time_))
    clock._heartbeat = cast("asyncio.TimerHandle", object())
    clock._on_heartbeat()
    clock._heartbeat = cast("asyncio.TimerHandle", object())
    return clock, time_


def stalls(clock: LoopClock, time_: Time, *seconds: float) -> None:
    for each in seconds:
        time_.now += each
        clock.measure()


@pytest.mark.parametrize(
    ("seconds", "uncounted"),
    [
        ([1.0], 0.0),
        ([20.0], 0.0),
        ([1.0] * 6, 6.0 - MOST_STALLED_S),
        ([0.5, 20.0, 0.5], 1.0),
    ],
)
def test_one_stall_is_left_out_whole_and_many_only_to_a_sum(seconds: list[float], uncounted: float) -> None:
    clock, time_ = fake_clock()
    stalls(clock, time_, 0.7)
    since, began = clock.stalled, clock.now()
    stalls(clock, time_, *seconds)
    assert clock.now() == began
    assert clock.uncounted(since) == pytest.approx(uncounted)
    assert clock.uncounted(clock.stalled) == 0.0


def test_own_work_is_not_a_stall() -> None:
    clock, time_ = fake_clock()
    began = clock.now()
    with clock.working():
        time_.now += 1.0
        assert clock.now() == began + 1.0
        time_.now += 1.0
    assert clock.now() == began + 2.0
    stalls(clock, time_, 3.0)
    assert clock.now() == began + 2.0


def block() -> None:
    """What a caller does who blocks the loop for a moment."""
    time.sleep(BLOCK_S)


async def by_timer(_: Wired) -> None:
    with pytest.raises(TimeoutError):
        async with time_limit(LIMIT_S):
            await asyncio.Event().wait()


async def by_command(wired: Wired) -> None:
    wired.peer.hold("Never.answered")
    with pytest.raises(CommandTimeout):
        async with time_limit(60):  # the heartbeat runs
            await wired.connection.root.call("Never.answered", timeout=LIMIT_S)


async def by_deadline(_: Wired) -> None:
    deadline = Deadline(LIMIT_S)
    with loop_clock().detecting_stalls():
        while deadline.left_s:  # noqa: ASYNC110  a deadline has no event
            await asyncio.sleep(0)


@pytest.mark.serial
@pytest.mark.every_row
@pytest.mark.parametrize("wait", [by_timer, by_command, by_deadline])
async def test_a_limit_ends_beside_a_task_that_blocks_again_and_again(
    wired: Wired, wait: Callable[[Wired], Awaitable[None]]
) -> None:
    waiting = asyncio.ensure_future(wait(wired))
    blocks = 0
    while not waiting.done() and blocks < MOST_BLOCKS:
        block()
        blocks += 1
        await asyncio.sleep(0)
    waiting.cancel() if blocks == MOST_BLOCKS else await waiting
    assert LIMIT_S / BLOCK_S < blocks < MOST_BLOCKS
