"""A cassette is played to a connection: what arrives when, and how a replay that differs ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from cassettes import INFO
from patience import HANG_S
from stillframe.cdp import Connection
from stillframe.cdp.loop_clock import loop_clock, sleep, time_limit, using_clock
from stillframe.errors import CassetteMismatch, CdpError, CommandTimeout, ConnectionLost
from stillframe.testing.cassette_file import FORMAT, Cassette, CassetteEntry, Header
from stillframe.testing.cassette_placeholders import Placeholders
from stillframe.testing.cassette_player import ReplayTransport


def send(at: float, number: int, method: str, **params: Any) -> CassetteEntry:
    return CassetteEntry(at, send=msgspec.Raw(msgspec.json.encode({"id": number, "method": method, "params": params})))


def reply(at: float, number: int, **result: Any) -> CassetteEntry:
    return CassetteEntry(at, recv=msgspec.Raw(msgspec.json.encode({"id": number, "result": result})))


def event(at: float, method: str, *, turns: int | None = None) -> CassetteEntry:
    return CassetteEntry(at, recv=msgspec.Raw(msgspec.json.encode({"method": method, "params": {}})), turns=turns)


@asynccontextmanager
async def played(*entries: CassetteEntry, version: str = "") -> AsyncIterator[tuple[Connection, ReplayTransport]]:
    header = Header(format=FORMAT, version=version, browser=INFO)
    transport = ReplayTransport(Cassette("a.cassette", header, list(entries)), Placeholders({}, no_secrets))
    with using_clock(transport.clock):
        async with Connection(transport) as connection:
            yield connection, transport


def no_secrets() -> Iterator[Any]:
    return iter(())


def sleeping(seconds: float) -> CassetteEntry:
    """The entry of a sleep that began at 1.0."""
    return CassetteEntry(1.0 + seconds + 0.002, timer=1.0 + seconds)


async def test_answers_come_with_the_ids_of_the_replay_at_the_times_of_the_recording() -> None:
    entries = [send(1.0, 41, "A.a"), send(1.0, 42, "A.b"), reply(3.5, 42, x=2), reply(4.5, 41, x=1)]
    async with played(*entries, CassetteEntry(5.0, end=True)) as (connection, _):
        assert loop_clock().now() == 1.0
        first = asyncio.create_task(connection.root.call("A.a"))
        assert await connection.root.call("A.b") == {"x": 2}
        assert await first == {"x": 1}
        assert loop_clock().now() == 4.5


async def test_an_event_waits_for_the_commands_before_it() -> None:
    entries = [send(1, 1, "A.a"), reply(1.1, 1), send(1.2, 2, "A.b"), event(1.3, "A.happened"), reply(1.4, 2)]
    seen: list[str] = []
    async with played(*entries, CassetteEntry(2.0, end=True)) as (connection, _):
        connection.root.on("A.happened", lambda _: seen.append("happened"))
        await connection.root.call("A.a")
        assert seen == []
        await connection.root.call("A.b")
        assert seen == ["happened"]


async def test_a_refusal_is_replayed() -> None:
    refusal = CassetteEntry(1, recv=msgspec.Raw(b'{"id":1,"error":{"code":-32000,"message":"No node"}}'))
    async with played(send(1, 1, "A.a"), refusal, CassetteEntry(2, end=True)) as (connection, _):
        with pytest.raises(CdpError, match="No node"):
            await connection.root.call("A.a")


async def test_a_sleep_of_an_hour_takes_no_time() -> None:
    entries = [send(1.0, 1, "A.a"), reply(1.0, 1), sleeping(3600), send(3602.0, 2, "A.b"), reply(3602.0, 2)]
    async with asyncio.timeout(HANG_S), played(*entries, CassetteEntry(3603, end=True)) as (connection, _):
        await connection.root.call("A.a")
        await sleep(3600)
        await connection.root.call("A.b")


async def test_a_command_that_timed_out_times_out_again() -> None:
    entries = [send(1.0, 1, "A.a"), CassetteEntry(31.05, timer=1.0 + 30.0 + 0.02), CassetteEntry(32, end=True)]
    async with asyncio.timeout(HANG_S), played(*entries) as (connection, _):
        with pytest.raises(CommandTimeout):
            await connection.root.call("A.a", timeout=30.0)


async def test_a_timer_that_the_code_never_sets_is_left_out() -> None:
    entries = [send(1.0, 1, "A.a"), CassetteEntry(1.5, timer=1.5), reply(2.0, 1)]
    async with asyncio.timeout(HANG_S), played(*entries, CassetteEntry(3, end=True)) as (connection, _):
        await connection.root.call("A.a")


async def test_time_jumps_where_it_jumped_in_the_recording() -> None:
    entries = [send(1.0, 1, "A.a"), reply(1.0, 1), CassetteEntry(9.0, jump=2), send(9.0, 2, "A.b"), reply(9.1, 2)]
    async with played(*entries, CassetteEntry(10, end=True)) as (connection, _):
        await connection.root.call("A.a", timeout=None)
        assert loop_clock().now() == 1.0
        assert loop_clock().now() == 9.0


async def test_frames_of_one_read_arrive_in_one_turn_of_the_loop() -> None:
    entries = [event(1, "A.one"), event(1, "A.two", turns=0), event(1, "A.three")]
    seen: list[str] = []
    async with played(*entries, CassetteEntry(2, end=True)) as (connection, _):
        done = asyncio.Event()
        connection.root.on("A.one", lambda _: asyncio.get_running_loop().call_soon(seen.append, "turn"))
        connection.root.on("A.two", lambda _: seen.append("two"))
        connection.root.on("A.three", lambda _: seen.append("three"))
        connection.root.on("A.three", lambda _: done.set())
        await done.wait()
    assert seen == ["two", "turn", "three"]


async def test_a_connection_that_was_lost_is_lost_again() -> None:
    async with played(send(1, 1, "A.a"), CassetteEntry(2, lost="the browser exited")) as (connection, transport):
        with pytest.raises(ConnectionLost, match="the browser exited"):
            await connection.root.call("A.a")
        assert transport.mismatch is None


async def test_a_mismatch_ends_every_call() -> None:
    entries = [send(1, 1, "A.a"), send(1, 2, "A.b", x=1), CassetteEntry(9, end=True)]
    async with played(*entries, version="0.0.1") as (connection, transport):
        pending = asyncio.create_task(connection.root.call("A.a"))
        await asyncio.sleep(0)
        for _ in range(2):
            with pytest.raises(CassetteMismatch, match="x was 1 and is 2"):
                await connection.root.call("A.b", {"x": 2})
        with pytest.raises(CassetteMismatch, match=r"stillframe 0\.0\.1 recorded it, and this is"):
            await pending
        assert transport.mismatch is not None


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a replay look five times as often whether it is stuck."""
    monkeypatch.setattr("stillframe.testing.cassette_player.LOOK_S", 0.05)


@pytest.mark.usefixtures("hasty")
async def test_a_call_that_waits_for_what_cannot_come_is_a_mismatch() -> None:
    async with asyncio.timeout(HANG_S), played(send(1, 1, "A.a"), CassetteEntry(2, truncated=100)) as (connection, _):
        with pytest.raises(CassetteMismatch, match=r"the cassette ends here, but the code waits.*was cut off"):
            await connection.root.call("A.a", timeout=None)


@pytest.mark.usefixtures("hasty")
async def test_a_limit_that_runs_while_the_recording_waits_for_a_command_is_a_mismatch() -> None:
    async with asyncio.timeout(20), played(send(1, 1, "A.a"), CassetteEntry(2, end=True)) as (connection, transport):
        async with time_limit(3600):
            await connection.wait_closed()
        assert "command 1 is A.a, but the code waits" in str(transport.mismatch)


async def test_a_task_from_outside_of_the_block_is_refused() -> None:
    ready, connections = asyncio.Event(), list[Connection]()

    async def outside() -> None:
        await ready.wait()
        await connections[0].root.call("A.a")

    task = asyncio.create_task(outside())
    await asyncio.sleep(0)
    async with played(send(1, 1, "A.a"), reply(2, 1), CassetteEntry(3, end=True)) as (connection, _):
        connections.append(connection)
        ready.set()
        with pytest.raises(CassetteMismatch, match="a task or callback that began outside of the block"):
            await task


@pytest.mark.parametrize(("turns", "expected"), [(1, ["one", "two", "task"]), (9, ["one", "task", "two"])])
async def test_a_task_gets_as_far_before_the_next_message_as_it_got_in_the_recording(
    turns: int, expected: list[str]
) -> None:
    entries = [event(1, "A.one"), event(1, "A.two", turns=turns), CassetteEntry(2, end=True)]
    seen: list[str] = []
    async with asyncio.timeout(HANG_S), played(*entries) as (connection, _):
        first, done = asyncio.Event(), asyncio.Event()
        connection.root.on("A.one", lambda _: seen.append("one"))
        connection.root.on("A.one", lambda _: first.set())
        connection.root.on("A.two", lambda _: seen.append("two"))
        connection.root.on("A.two", lambda _: done.set())
        await first.wait()
        for _ in range(3):
            await asyncio.sleep(0)
        seen.append("task")
        await done.wait()
    assert seen == expected
