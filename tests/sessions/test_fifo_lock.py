"""The lock of a session, without a browser."""

from __future__ import annotations

import asyncio

import pytest

from stillframe.errors import SessionUnknown
from stillframe.sessions.fifo_lock import FifoLock


class Users:
    """A lock, and what it reports about its users."""

    def __init__(self) -> None:
        self.count = 0
        self.seen: list[str] = []
        self.refuse = False
        self.lock = FifoLock(self._check, self._began, self._ended)

    def _check(self) -> None:
        if self.refuse:
            raise SessionUnknown("refused", session_id="a")

    def _began(self) -> None:
        self.count += 1

    def _ended(self) -> None:
        self.count -= 1

    async def use(self, name: str, until: asyncio.Event | None = None) -> None:
        async with self.lock:
            self.seen.append(name)
            if until is not None:
                await until.wait()

    def start(self, name: str, until: asyncio.Event | None = None) -> asyncio.Task[None]:
        return asyncio.create_task(self.use(name, until))


async def turn() -> None:
    """Let all tasks run that can; a few rounds, because a handover takes two."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_users_come_in_the_order_of_asking() -> None:
    users, go = Users(), asyncio.Event()
    tasks = [users.start("0", go), *(users.start(str(number)) for number in range(1, 9))]
    await turn()
    assert (users.seen, users.lock.locked, users.lock.waiting, users.count) == (["0"], True, 8, 9)
    go.set()
    await asyncio.gather(*tasks)
    assert users.seen == [str(number) for number in range(9)]
    assert (users.lock.locked, users.lock.waiting, users.count) == (False, 0, 0)


async def test_nobody_overtakes_who_was_let_in_and_has_not_run_yet() -> None:
    users, go = Users(), asyncio.Event()
    first, second = users.start("first", go), users.start("second")
    await turn()
    go.set()
    await first
    # The second has the lock by now; a task that comes at this moment waits behind it.
    late = users.start("late")
    await asyncio.gather(second, late)
    assert users.seen == ["first", "second", "late"]


async def test_who_is_cancelled_while_waiting_leaves_the_queue() -> None:
    users, go = Users(), asyncio.Event()
    first, second, third = users.start("first", go), users.start("second"), users.start("third")
    await turn()
    second.cancel()
    await turn()
    assert (users.lock.waiting, users.count) == (1, 2)
    go.set()
    await asyncio.gather(first, third)
    assert users.seen == ["first", "third"]
    assert second.cancelled()


async def test_a_turn_that_comes_with_the_cancellation_goes_to_the_next() -> None:
    users, go = Users(), asyncio.Event()
    await users.lock.acquire()
    second, third = users.start("second"), users.start("third")
    await turn()
    users.lock.release()
    second.cancel()
    await asyncio.wait([second, third])
    assert (users.seen, second.cancelled(), users.lock.locked, users.count) == (["third"], True, False, 0)
    go.set()


async def test_who_is_cancelled_in_its_turn_gives_it_back() -> None:
    users, never = Users(), asyncio.Event()
    first, second = users.start("first", never), users.start("second")
    await turn()
    first.cancel()
    await second
    assert (users.seen, users.count) == (["first", "second"], 0)


async def test_those_who_wait_can_be_turned_away_and_the_running_one_stays() -> None:
    users, go = Users(), asyncio.Event()
    first, second, third = users.start("first", go), users.start("second"), users.start("third")
    await turn()
    users.lock.reject_waiters(lambda: SessionUnknown("gone", session_id="a"))
    for refused in (second, third):
        with pytest.raises(SessionUnknown, match="gone"):
            await refused
    assert (users.lock.locked, users.lock.waiting, users.count) == (True, 0, 1)
    go.set()
    await first
    await users.use("later")
    assert users.seen == ["first", "later"]


async def test_the_same_task_may_enter_again() -> None:
    users = Users()
    async with users.lock, users.lock:
        assert users.count == 1
        queued = users.start("other")
        await turn()
        assert users.lock.waiting == 1
    await queued
    assert (users.lock.locked, users.count) == (False, 0)


async def test_a_check_refuses_before_the_wait_and_after_it() -> None:
    users, go = Users(), asyncio.Event()
    first, second, third = users.start("first", go), users.start("second"), users.start("third")
    await turn()
    users.refuse = True
    with pytest.raises(SessionUnknown):
        await users.use("fourth")
    assert users.lock.waiting == 2
    go.set()
    await first
    for refused in (second, third):
        with pytest.raises(SessionUnknown):
            await refused
    assert (users.seen, users.lock.locked, users.count) == (["first"], False, 0)


async def test_what_is_prepared_has_the_lock_and_what_cannot_be_prepared_hands_it_on() -> None:
    users, seen = Users(), []

    async def prepare() -> None:
        assert users.lock.locked
        seen.append("prepared")
        await asyncio.sleep(0)
        if len(seen) == 1:
            raise LookupError("not now")

    users.lock = FifoLock(users._check, users._began, users._ended, prepare)
    first, second = users.start("first"), users.start("second")
    with pytest.raises(LookupError):
        await first
    await second
    assert (seen, users.seen, users.count, users.lock.locked) == (["prepared"] * 2, ["second"], 0, False)


async def test_entering_again_prepares_nothing_and_a_cancelled_preparation_frees_the_lock() -> None:
    users, seen, never = Users(), [], asyncio.Event()

    async def prepare() -> None:
        seen.append("prepared")
        if len(seen) == 2:
            await never.wait()

    users.lock = FifoLock(users._check, users._began, users._ended, prepare)
    async with users.lock, users.lock:
        assert seen == ["prepared"]
    stuck = users.start("stuck")
    await turn()
    stuck.cancel()
    await asyncio.wait([stuck])
    await users.use("next")
    assert (users.seen, users.count, users.lock.locked) == (["next"], 0, False)
