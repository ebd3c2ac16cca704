from __future__ import annotations

import asyncio
import gc
import logging

import pytest
from cdp_support import Wired

from stillframe import errors
from stillframe.cdp import Connection, wire
from stillframe.cdp_types import io, page, runtime
from stillframe.testing import MemoryTransport, Refusal, Sent

EVALUATED = {"result": {"type": "number", "value": 2}}


# -- one command


async def test_a_typed_command_has_a_typed_result(wired: Wired) -> None:
    wired.peer.answer("Runtime.evaluate", EVALUATED)
    session = await wired.session("S")
    result = await session.send(runtime.Evaluate(expression="1+1", return_by_value=True))
    assert result.result.value == 2
    sent = wired.peer.received[-1]
    assert (sent.method, sent.session_id) == ("Runtime.evaluate", "S")
    assert sent.params == {"expression": "1+1", "returnByValue": True}


async def test_a_command_without_a_result_gives_none(wired: Wired) -> None:
    wired.peer.answer("Page.bringToFront", {"unknown": 1})
    assert await wired.connection.root.send(page.BringToFront()) is None


async def test_a_raw_result_is_the_bytes_themselves(wired: Wired) -> None:
    wired.peer.answer("DOMSnapshot.captureSnapshot", {"documents": [], "strings": ["a"]})
    root = wired.connection.root
    for raw in (
        await root.send_raw("DOMSnapshot.captureSnapshot", {"computedStyles": []}),
        await root.send_raw(page.Navigate(url="x")),
    ):
        assert memoryview(raw)[0] == b"{"[0]
    assert wired.peer.received[-1].params == {"url": "x"}


@pytest.mark.parametrize("session_id", ["", "S"])
async def test_large_results_are_the_same_as_small_ones(wired: Wired, session_id: str) -> None:
    """Their envelope is not read when only their bytes are wanted (see wire.skim_result)."""
    session = await wired.session("S") if session_id else wired.connection.root
    large = {"data": "x" * wire.LARGE, "eof": True}
    wired.peer.answer("IO.read", large)
    assert await session.call("IO.read") == large
    assert (await session.send(io.Read(handle="h"))).data == large["data"]
    assert bytes(await session.send_raw("IO.read")).startswith(b'{"data":"xxx')


async def test_any_command_can_be_called_by_name(wired: Wired) -> None:
    wired.peer.answer("New.thing", lambda sent: {"echo": sent.params})
    assert await wired.connection.root.call("New.thing", {"a": [1, None]}) == {"echo": {"a": [1, None]}}


async def test_an_error_answer_has_its_type_and_data(wired: Wired) -> None:
    wired.peer.answer("Page.navigate", Refusal(-32602, "Invalid parameters", "url: string value expected"))
    with pytest.raises(errors.CdpError) as caught:
        await wired.connection.root.send(page.Navigate(url=""))
    assert (caught.value.number, caught.value.data) == (-32602, "url: string value expected")
    assert caught.value.method == "Page.navigate"


async def test_a_result_that_does_not_fit_is_a_protocol_error_of_that_call_only(wired: Wired) -> None:
    wired.peer.answer("Runtime.evaluate", {"result": 5})
    root = wired.connection.root
    with pytest.raises(errors.ProtocolError, match=r"Runtime\.evaluate.*call accept any answer"):
        await root.send(runtime.Evaluate(expression="1"))
    assert await root.call("Runtime.evaluate") == {"result": 5}


async def test_parameters_that_are_not_json_are_refused_before_sending(wired: Wired) -> None:
    root = wired.connection.root
    for value in (object(), "lone \ud800 surrogate"):
        with pytest.raises(errors.InputError, match="cannot be sent as JSON"):
            await root.call("A.b", {"value": value})
    assert wired.peer.received == []


async def test_nul_in_text_does_not_break_the_framing(wired: Wired) -> None:
    await wired.connection.root.call("A.b", {"text": "a\0b"})
    assert wired.peer.received[0].params == {"text": "a\0b"}


async def test_a_message_that_chrome_would_drop_us_for_is_refused(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_SENT", 10_000)
    with pytest.raises(errors.MessageTooLarge) as caught:
        await wired.connection.root.call("Input.insertText", {"text": "x" * 10_000})
    assert caught.value.size > caught.value.limit == 10_000
    assert wired.peer.received == []
    await wired.connection.root.call("Input.insertText", {"text": "x" * 8_000})


# -- posts and batches


async def test_posts_leave_in_order_without_being_awaited(wired: Wired) -> None:
    for n in range(5):
        wired.connection.root.post(page.Navigate(url=str(n)))
    await wired.connection.root.drain_events()
    assert [sent.params.get("url") for sent in wired.peer.received[:5]] == list("01234")


async def test_an_error_that_nobody_reads_is_not_logged(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    wired.peer.answer("Page.enable", Refusal(-32000, "no"))
    wired.connection.root.post(page.Enable())
    await wired.connection.root.drain_events()
    gc.collect()
    assert caplog.records == []


async def test_a_batch_answers_all_and_raises_the_first_error(wired: Wired) -> None:
    wired.peer.answer("Page.navigate", Refusal(-32000, "first"))
    wired.peer.answer("Page.reload", Refusal(-32000, "second"))
    wired.peer.answer("Runtime.evaluate", EVALUATED)
    batch = wired.connection.root.batch()

    async def run() -> None:
        async with batch:
            batch.send(page.Navigate(url=""))
            batch.send(page.Reload())
            batch.send(runtime.Evaluate(expression="1"))

    with pytest.raises(errors.CdpError, match="first"):
        await run()
    assert isinstance(batch.futures[1].exception(), errors.CdpError)
    assert batch.futures[2].result().result.value == 2


async def test_a_batch_may_await_its_own_futures(wired: Wired) -> None:
    wired.peer.answer("Runtime.evaluate", EVALUATED)
    async with wired.connection.root.batch() as batch:
        assert (await batch.send(runtime.Evaluate(expression="1"))).result.value == 2
        batch.send(page.Enable())


async def test_a_batch_that_fails_in_its_body_waits_for_nothing(wired: Wired) -> None:
    wired.peer.hold("Page.enable")

    async def run() -> None:
        async with wired.connection.root.batch() as batch:
            batch.send(page.Enable())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run()
    assert wired.connection.pending == []


# -- deadlines and cancellation


async def test_a_deadline_ends_the_call_and_drops_its_late_answer(wired: Wired) -> None:
    wired.peer.hold("Page.reload")
    with pytest.raises(errors.CommandTimeout, match=r"Page\.reload: no answer within 0\.01 s") as caught:
        await wired.connection.root.send(page.Reload(), timeout=0.01)
    assert caught.value.timeout_ms == 10
    assert wired.connection.pending == []
    wired.peer.release("Page.reload")
    await wired.connection.root.drain_events()
    assert wired.connection.counters.late == 1


async def test_what_is_left_of_a_limit_is_shown_as_the_limit(wired: Wired) -> None:
    wired.peer.hold("Page.reload")
    with pytest.raises(errors.CommandTimeout, match=r"no answer within 0\.02 s") as caught:
        await wired.connection.root.send(page.Reload(), timeout=0.0199)
    assert caught.value.timeout_ms == 20


async def test_deadlines_share_one_timer(wired: Wired) -> None:
    wired.peer.hold("Page.reload")
    futures = [wired.connection.root.post(page.Reload(), timeout=0.03 - n / 1000) for n in range(20)]
    await asyncio.wait(futures)
    assert all(isinstance(future.exception(), errors.CommandTimeout) for future in futures)
    assert wired.connection.root.channel._timer is None


async def test_a_call_without_a_deadline_sets_no_timer(wired: Wired) -> None:
    wired.peer.hold("Page.reload")
    wired.connection.root.post(page.Reload(), timeout=None)
    assert wired.connection.root.channel._timer is None
    assert [entry[1] for entry in wired.connection.pending] == ["Page.reload"]


async def test_cancelling_who_waits_frees_the_call(wired: Wired) -> None:
    wired.peer.hold("Page.reload")
    task = asyncio.create_task(wired.connection.root.send(page.Reload()))
    await wired.peer.wait_for("Page.reload")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert wired.connection.pending == []
    wired.peer.release("Page.reload")
    await wired.connection.root.drain_events()
    assert (wired.connection.counters.late, wired.connection.counters.unsolicited) == (1, 0)


async def scenario(connection: Connection) -> None:
    """Each kind of call once."""
    session = await connection.root.attach("T1")
    await session.send(page.Enable())
    async with session.batch() as batch:
        batch.send(runtime.Evaluate(expression="1"))
        batch.send(runtime.Evaluate(expression="2"))
    await session.drain_events()
    await session.send_raw("DOM.getDocument")
    await session.detach()


def scripted() -> MemoryTransport:
    transport = MemoryTransport()
    peer = transport.peer_side

    def attach(sent: Sent) -> dict[str, str]:
        peer.attach("S1", target_id=sent.params["targetId"])
        return {"sessionId": "S1"}

    def detach(sent: Sent) -> dict[str, str]:
        peer.emit("Target.detachedFromTarget", {"sessionId": sent.params["sessionId"]})
        return {}

    peer.answer("Target.attachToTarget", attach)
    peer.answer("Target.detachFromTarget", detach)
    peer.answer("Runtime.evaluate", EVALUATED)
    return transport


async def settled(connection: Connection) -> None:
    """Let what is under way arrive, then look that nothing is left."""
    for _ in range(3):
        await connection.root.drain_events()
    assert connection.pending == []
    assert list(connection.sessions) == [""]
    assert connection.root.children == []


async def test_every_nth_command_may_fail() -> None:
    """Until a run meets no fault, with faults that pass and faults that last."""
    n = 0
    failed = True
    while failed:
        n += 1
        transport = scripted()
        transport.peer_side.fail_nth(n, Refusal(-32000, "injected"))
        async with Connection(transport) as connection:
            failed = False
            try:
                await scenario(connection)
            except errors.CdpError as error:
                failed = error.text == "injected"
            assert connection.pending == []
    assert n == 8  # seven commands


async def test_the_connection_may_drop_at_every_command() -> None:
    for n in range(1, 8):
        transport = scripted()
        transport.peer_side.drop_nth(n, "pulled")
        connection = Connection(transport)
        with pytest.raises(errors.ConnectionLost, match="pulled"):
            await scenario(connection)
        assert connection.pending == []
        assert connection.sessions == {}
        await connection.aclose()


async def test_cancellation_at_every_await_leaves_nothing() -> None:
    turns = 0
    finished = False
    while not finished:
        turns += 1
        transport = scripted()
        async with Connection(transport) as connection:
            task = asyncio.create_task(scenario(connection))
            for _ in range(turns):
                await asyncio.sleep(0)
            finished = task.done()
            task.cancel()
            await asyncio.wait([task])
            for session in connection.root.children:
                await session.detach()
            await settled(connection)
    assert turns > 10


async def test_cancelling_an_attach_detaches_what_still_comes() -> None:
    transport = scripted()
    transport.peer_side.hold("Target.attachToTarget")
    async with Connection(transport) as connection:
        task = asyncio.create_task(connection.root.attach("T1"))
        await transport.peer_side.wait_for("Target.attachToTarget")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        transport.peer_side.release("Target.attachToTarget")
        await transport.peer_side.wait_for("Target.detachFromTarget")
        await settled(connection)


# -- the end


async def test_losing_the_connection_ends_everything_with_its_reason(wired: Wired) -> None:
    wired.peer.hold("Page.enable", "Page.reload")
    session = await wired.session("S")
    ends: list[errors.SessionLost] = []
    session.on_closed(ends.append)
    futures = [session.post(page.Enable()), wired.connection.root.post(page.Reload())]
    wired.peer.disconnect("cable out")
    await wired.connection.wait_closed()
    await asyncio.wait(futures)
    assert {type(future.exception()) for future in futures} == {errors.ConnectionLost}
    assert wired.connection.closed
    assert "cable out" in str(wired.connection.error)
    assert [type(end) for end in ends] == [errors.ConnectionLost]
    with pytest.raises(errors.ConnectionLost, match=r"Page\.enable: .*cable out"):
        await session.send(page.Enable())


async def test_closing_is_idempotent_and_ends_what_waits() -> None:
    transport = MemoryTransport()
    transport.peer_side.hold("Page.enable")
    connection = Connection(transport)
    future = connection.root.post(page.Enable())
    await connection.aclose()
    await connection.aclose()
    assert isinstance(future.exception(), errors.ConnectionLost)
    assert repr(connection) == "<Connection memory closed>"


@pytest.mark.parametrize("frame", [b"<html>", b"{}", b'{"id":"x"}'])
async def test_a_frame_that_is_not_protocol_closes_the_connection(wired: Wired, frame: bytes) -> None:
    wired.peer.hold("Page.enable")
    future = wired.connection.root.post(page.Enable())
    wired.peer.send(frame)
    wired.peer.send(frame)
    await asyncio.wait([future])
    error = future.exception()
    assert isinstance(error, errors.ConnectionLost)
    assert "not a DevTools message" in str(error)
    assert wired.connection.error is not None
    assert isinstance(wired.connection.error.__cause__, errors.ProtocolError)


async def test_an_error_without_an_id_is_counted_and_said_aloud(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    wired.peer.send(b'{"error":{"code":-32700,"message":"bad"}}')
    await wired.connection.root.drain_events()
    assert wired.connection.counters.unaddressed == 1
    assert caplog.records[0].levelno == logging.ERROR


async def test_answers_that_nobody_asked_for_are_counted_not_fatal(wired: Wired) -> None:
    await wired.connection.root.drain_events()
    for number in (1, 77):
        wired.peer.reply(number)
    await wired.connection.root.drain_events()
    assert wired.connection.counters.unsolicited == 2
