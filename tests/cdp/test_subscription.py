from __future__ import annotations

import asyncio

import pytest
from cdp_support import Wired

from stillframe import errors
from stillframe.cdp import Event
from stillframe.cdp_types import page, runtime

LOAD = "Page.loadEventFired"


def load(wired: Wired, *times: float, session_id: str = "") -> None:
    for time in times:
        wired.peer.emit(LOAD, {"timestamp": time}, session_id=session_id)


# -- handlers


async def test_handlers_hear_in_order_of_arrival_typed_or_raw(wired: Wired) -> None:
    heard: list[object] = []
    root = wired.connection.root
    root.on(page.LoadEventFired, lambda event: heard.append(event.timestamp))
    root.on(LOAD, lambda event: heard.append((event.method, event.decode(), event.session_id)))
    root.on("New.thing", lambda event: heard.append(bytes(event.params)))
    load(wired, 1.0)
    wired.peer.emit("New.thing", {"x": None})
    load(wired, 2.0)
    await root.drain_events()
    raw = [(LOAD, {"timestamp": n}, "") for n in (1.0, 2.0)]
    assert heard == [1.0, raw[0], b'{"x":null}', 2.0, raw[1]]


async def test_an_event_can_be_decoded_later(wired: Wired) -> None:
    heard: list[Event] = []
    wired.connection.root.on(LOAD, heard.append)
    load(wired, 4.0)
    await wired.connection.root.drain_events()
    assert heard[0].decode(page.LoadEventFired) == page.LoadEventFired(timestamp=4.0)


async def test_sessions_hear_only_their_own(wired: Wired) -> None:
    heard: list[str] = []
    first, second = await wired.session("A"), await wired.session("B")
    first.on(LOAD, lambda event: heard.append("A"))
    second.on(LOAD, lambda event: heard.append("B"))
    load(wired, 1.0, session_id="B")
    await wired.connection.root.drain_events()
    assert heard == ["B"]


async def test_a_removed_handler_hears_nothing_more_not_even_this_event(wired: Wired) -> None:
    heard: list[int] = []
    root = wired.connection.root
    root.on(LOAD, lambda event: (heard.append(1), remove()))
    remove = root.on(LOAD, lambda event: heard.append(2))
    load(wired, 1.0, 2.0)
    await root.drain_events()
    assert heard == [1, 1]
    remove()


async def test_a_handler_that_raises_stops_nobody(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[float] = []
    root = wired.connection.root
    root.on(LOAD, lambda event: 1 / 0)
    root.on(page.LoadEventFired, lambda event: heard.append(event.timestamp))
    load(wired, 1.0)
    await root.drain_events()
    assert heard == [1.0]
    assert wired.connection.handler_errors == 1
    assert "a handler of Page.loadEventFired raised" in caplog.text


async def test_an_event_that_does_not_fit_its_type_is_still_heard_raw(
    wired: Wired, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Event] = []
    root = wired.connection.root
    root.on(page.LoadEventFired, heard.append)  # type: ignore[arg-type]  # never called
    root.on(LOAD, heard.append)
    wired.peer.emit(LOAD, {"timestamp": "soon"})
    await root.drain_events()
    assert [event.decode() for event in heard] == [{"timestamp": "soon"}]
    assert "does not match the definition" in caplog.text


async def test_unknown_fields_and_enum_values_lose_nothing(wired: Wired) -> None:
    with wired.connection.root.subscribe(runtime.ConsoleAPICalled) as calls:
        params = {"type": "brandNew", "args": [], "executionContextId": 1, "timestamp": 1.5, "novel": {"a": 1}}
        wired.peer.emit("Runtime.consoleAPICalled", params)
        assert (await calls.get()).type == "brandNew"


async def test_a_handler_may_post_and_subscribe(wired: Wired) -> None:
    root = wired.connection.root
    root.on(LOAD, lambda event: root.post(page.BringToFront()))
    load(wired, 1.0)
    assert (await wired.peer.wait_for("Page.bringToFront")).params == {}


# -- subscriptions


async def test_a_subscription_holds_what_came_before_anybody_asked(wired: Wired) -> None:
    root = wired.connection.root
    async with root.subscribe(page.LoadEventFired, "New.thing") as events:
        load(wired, 1.0)
        wired.peer.emit("New.thing")
        await root.drain_events()
        assert (await events.get()).timestamp == 1.0
        assert (await events.get()).method == "New.thing"


async def test_where_picks_events(wired: Wired) -> None:
    root = wired.connection.root
    with root.subscribe(page.LoadEventFired, where=lambda event: event.timestamp > 1) as events:
        load(wired, 1.0, 2.0)
        assert (await events.get()).timestamp == 2.0


async def test_a_closed_subscription_hears_nothing_and_its_iteration_ends(wired: Wired) -> None:
    root = wired.connection.root
    events = root.subscribe(page.LoadEventFired)
    load(wired, 1.0)
    await root.drain_events()
    events.close()
    load(wired, 2.0)
    await root.drain_events()
    assert [event.timestamp async for event in events] == [1.0]
    with pytest.raises(RuntimeError, match="closed"):
        await events.get()
    assert root._listeners._by_method == {}
    assert root._subscriptions == set()


@pytest.mark.parametrize(("policy", "kept"), [("drop_oldest", [3.0, 4.0, 5.0]), ("latest", [5.0])])
async def test_a_full_buffer_follows_its_policy(wired: Wired, policy: str, kept: list[float]) -> None:
    root = wired.connection.root
    events = root.subscribe(page.LoadEventFired, maxsize=3, policy=policy)  # type: ignore[arg-type]
    load(wired, 1.0, 2.0, 3.0, 4.0, 5.0)
    await root.drain_events()
    events.close()
    assert [event.timestamp async for event in events] == kept
    assert events.dropped == 5 - len(kept)


async def test_a_buffer_that_must_not_lose_says_so_once(wired: Wired) -> None:
    root = wired.connection.root
    with root.subscribe(page.LoadEventFired, maxsize=2, policy="error") as events:
        load(wired, 1.0, 2.0, 3.0)
        await root.drain_events()
        with pytest.raises(errors.SubscriptionLagged) as caught:
            await events.get()
        assert caught.value.dropped == 1
        assert (await events.get()).timestamp == 2.0


async def test_a_size_that_cannot_be_meant_is_refused(wired: Wired) -> None:
    with pytest.raises(errors.OptionInvalid, match="at least 1"):
        wired.connection.root.subscribe(page.LoadEventFired, maxsize=0)


async def test_waiting_ends_at_its_deadline(wired: Wired) -> None:
    with wired.connection.root.subscribe(page.LoadEventFired) as events:
        with pytest.raises(TimeoutError):
            await events.get(timeout=0.01)
        load(wired, 1.0)
        assert (await events.get()).timestamp == 1.0


async def test_the_end_of_the_session_ends_waiting_after_what_was_buffered(wired: Wired) -> None:
    session = await wired.session("S")
    events, waiting = session.subscribe(page.LoadEventFired), session.subscribe(page.FrameNavigated)
    task = asyncio.create_task(waiting.get())
    load(wired, 1.0, session_id="S")
    wired.peer.emit("Target.detachedFromTarget", {"sessionId": "S"})
    with pytest.raises(errors.TargetClosed):
        await task
    assert [event.timestamp async for event in events] == [1.0]
    with pytest.raises(errors.TargetClosed):
        await events.get()
    with session.subscribe(page.LoadEventFired) as late, pytest.raises(errors.TargetClosed):
        await late.get()


async def test_two_tasks_may_not_share_one_subscription(wired: Wired) -> None:
    with wired.connection.root.subscribe(page.LoadEventFired) as events:
        first = asyncio.create_task(events.get())
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="create one subscription per task"):
            await events.get()
        load(wired, 1.0)
        assert (await first).timestamp == 1.0


async def test_a_cancelled_wait_leaves_the_subscription_usable(wired: Wired) -> None:
    with wired.connection.root.subscribe(page.LoadEventFired) as events:
        task = asyncio.create_task(events.get())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        load(wired, 1.0)
        assert (await events.get()).timestamp == 1.0


# -- expectations


async def test_an_expectation_hears_what_its_block_causes(wired: Wired) -> None:
    root = wired.connection.root
    wired.peer.answer("Page.reload", lambda sent: wired.peer.emit(LOAD, {"timestamp": 9.0}) or {})
    async with root.expect(page.LoadEventFired, timeout=1) as expected:
        await root.send(page.Reload())
    assert expected.value.timestamp == 9.0
    assert root._listeners._by_method == {}


async def test_an_expectation_ends_at_its_deadline_with_a_name(wired: Wired) -> None:
    with pytest.raises(errors.CommandTimeout, match=r"no Page\.loadEventFired within 0\.01 s"):
        async with wired.connection.root.expect(page.LoadEventFired, timeout=0.01):
            pass


async def test_an_expectation_gives_way_to_an_error_in_its_block(wired: Wired) -> None:
    with pytest.raises(ZeroDivisionError):
        async with wired.connection.root.expect(page.LoadEventFired):
            raise ZeroDivisionError
    assert wired.connection.root._listeners._by_method == {}


async def test_an_expectation_ends_with_the_session_or_its_crash(wired: Wired) -> None:
    session = await wired.session("S")
    with pytest.raises(errors.TargetCrashed):
        async with session.expect(page.LoadEventFired):
            wired.peer.emit("Inspector.targetCrashed", session_id="S")
    async with session.expect(page.LoadEventFired) as expected:
        wired.peer.emit("Inspector.targetReloadedAfterCrash", session_id="S")
        load(wired, 1.0, session_id="S")
    assert expected.value.timestamp == 1.0


# -- the end of a session


async def test_on_closed_is_called_once_and_at_once_when_late(wired: Wired) -> None:
    session = await wired.session("S")
    told: list[errors.SessionLost] = []
    session.on_closed(told.append)
    session.on_closed(lambda error: 1 / 0)
    remove = session.on_closed(lambda error: told.append(error))
    remove()
    remove()
    wired.peer.emit("Inspector.targetCrashed", session_id="S")
    await wired.connection.root.drain_events()
    assert told == []
    assert isinstance(session.error, errors.TargetCrashed)
    wired.peer.emit("Target.detachedFromTarget", {"sessionId": "S"})
    await wired.connection.root.drain_events()
    assert [type(error) for error in told] == [errors.TargetClosed]
    session.on_closed(told.append)
    assert len(told) == 2


# -- floods


async def test_a_flood_is_bounded_and_replies_do_not_starve(wired: Wired) -> None:
    """1e5 events, a consumer that never reads, and commands in between."""
    root = wired.connection.root
    events = root.subscribe(page.LoadEventFired, maxsize=100)
    replies = []
    for batch in range(10):
        load(wired, *map(float, range(10_000)))
        replies.append(root.post(page.BringToFront(), timeout=None))
        await asyncio.sleep(0)
        assert batch < 2 or replies[batch - 2].done()
    await root.drain_events()
    assert all(reply.done() for reply in replies)
    assert events.dropped == 100_000 - 100
    assert len(events._buffer) == 100
    assert (await events.get()).timestamp == 9_900.0
    events.close()
