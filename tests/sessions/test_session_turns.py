"""The queue in front of a session, without a browser."""

from __future__ import annotations

import asyncio

import pytest

from stillframe.errors import SessionUnknown
from stillframe.sessions.turns import Turns


class Door:
    """A queue, and what it said about its users."""

    def __init__(self) -> None:
        self.users = 0
        self.seen: list[str] = []
        self.refuse = False
        self.turns = Turns(self._check, self._began, self._ended)

    def _check(self) -> None:
        if self.refuse:
            raise SessionUnknown("refused", session_id="a")

    def _began(self) -> None:
        self.users += 1

    def _ended(self) -> None:
        self.users -= 1

    async def use(self, name: str, until: asyncio.Event | None = None) -> None:
        async with self.turns:
            self.seen.append(name)
            if until is not None:
                await until.wait()

    def start(self, name: str, until: asyncio.Event | None = None) -> asyncio.Task[None]:
        return asyncio.create_task(self.use(name, until))


async def turn() -> None:
    """Let every task that can run do so; a few rounds, since a handover takes two."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_users_come_in_the_order_of_asking() -> None:
    door, go = Door(), asyncio.Event()
    tasks = [door.start("0", go), *(door.start(str(number)) for number in range(1, 9))]
    await turn()
    assert (door.seen, door.turns.running, door.turns.waiting, door.users) == (["0"], True, 8, 9)
    go.set()
    await asyncio.gather(*tasks)
    assert door.seen == [str(number) for number in range(9)]
    assert (door.turns.running, door.turns.waiting, door.users) == (False, 0, 0)


async def test_nobody_overtakes_who_was_let_in_and_has_not_run_yet() -> None:
    door, go = Door(), asyncio.Event()
    first, second = door.start("first", go), door.start("second")
    await turn()
    go.set()
    await first
    # The second has been let in by now; who comes at this moment stands behind it.
    late = door.start("late")
    await asyncio.gather(second, late)
    assert door.seen == ["first", "second", "late"]


async def test_who_is_cancelled_while_waiting_leaves_the_queue() -> None:
    door, go = Door(), asyncio.Event()
    first, second, third = door.start("first", go), door.start("second"), door.start("third")
    await turn()
    second.cancel()
    await turn()
    assert (door.turns.waiting, door.users) == (1, 2)
    go.set()
    await asyncio.gather(first, third)
    assert door.seen == ["first", "third"]
    assert second.cancelled()


async def test_a_turn_that_comes_with_the_cancellation_goes_to_the_next() -> None:
    door, go = Door(), asyncio.Event()
    await door.turns.take()
    second, third = door.start("second"), door.start("third")
    await turn()
    door.turns.give()
    second.cancel()
    await asyncio.wait([second, third])
    assert (door.seen, second.cancelled(), door.turns.running, door.users) == (["third"], True, False, 0)
    go.set()


async def test_who_is_cancelled_in_its_turn_gives_it_back() -> None:
    door, never = Door(), asyncio.Event()
    first, second = door.start("first", never), door.start("second")
    await turn()
    first.cancel()
    await second
    assert (door.seen, door.users) == (["first", "second"], 0)


async def test_those_who_wait_can_be_turned_away_and_the_running_one_stays() -> None:
    door, go = Door(), asyncio.Event()
    first, second, third = door.start("first", go), door.start("second"), door.start("third")
    await turn()
    door.turns.turn_away(lambda: SessionUnknown("gone", session_id="a"))
    for refused in (second, third):
        with pytest.raises(SessionUnknown, match="gone"):
            await refused
    assert (door.turns.running, door.turns.waiting, door.users) == (True, 0, 1)
    go.set()
    await first
    await door.use("later")
    assert door.seen == ["first", "later"]


async def test_the_same_task_may_enter_again() -> None:
    door = Door()
    async with door.turns, door.turns:
        assert door.users == 1
        queued = door.start("other")
        await turn()
        assert door.turns.waiting == 1
    await queued
    assert (door.turns.running, door.users) == (False, 0)


async def test_a_check_refuses_before_the_wait_and_after_it() -> None:
    door, go = Door(), asyncio.Event()
    first, second, third = door.start("first", go), door.start("second"), door.start("third")
    await turn()
    door.refuse = True
    with pytest.raises(SessionUnknown):
        await door.use("fourth")
    assert door.turns.waiting == 2
    go.set()
    await first
    for refused in (second, third):
        with pytest.raises(SessionUnknown):
            await refused
    assert (door.seen, door.turns.running, door.users) == (["first"], False, 0)
