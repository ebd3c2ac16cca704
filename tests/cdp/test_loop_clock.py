"""The clock of a loop: it stands while the loop is stalled, and limits go by it."""

from __future__ import annotations

import asyncio
import time

import pytest

from stillframe.cdp.loop_clock import HEARTBEAT_S, loop_clock, time_limit

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


async def test_a_limit_within_a_limit_is_told_from_it() -> None:
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
