from __future__ import annotations

import asyncio

import pytest
from cdp_support import Wired

from stillframe import errors
from stillframe.cdp import Connection
from stillframe.testing import MemoryTransport, Refusal


async def test_commands_without_a_script_get_an_empty_result(wired: Wired) -> None:
    assert await wired.connection.root.call("Any.thing") == {}
    assert wired.peer.methods == ["Any.thing"]


async def test_an_answer_may_be_a_value_a_refusal_or_a_function(wired: Wired) -> None:
    def raising(sent: object) -> None:
        raise Refusal(-32000, "raised")

    root = wired.connection.root
    wired.peer.answer("A.value", {"n": 1})
    wired.peer.answer("A.function", lambda sent: {"session": sent.session_id, **sent.params})
    wired.peer.answer("A.refusal", Refusal(-32602, "no"))
    wired.peer.answer("A.raising", raising)
    assert await root.call("A.value") == {"n": 1}
    assert await root.call("A.function", {"x": 2}) == {"session": "", "x": 2}
    for method, number in (("A.refusal", -32602), ("A.raising", -32000)):
        with pytest.raises(errors.CdpError) as caught:
            await root.call(method)
        assert caught.value.number == number


async def test_held_commands_wait_for_their_release(wired: Wired) -> None:
    wired.peer.hold("A.slow")
    task = asyncio.create_task(wired.connection.root.call("A.slow"))
    await wired.peer.wait_for("A.slow")
    assert await wired.connection.root.call("A.quick") == {}
    assert not task.done()
    assert wired.peer.release("A.slow") == 1
    assert await task == {}
    assert await wired.connection.root.call("A.slow") == {}


async def test_a_function_that_gives_none_answers_nothing(wired: Wired) -> None:
    wired.peer.answer("A.silent", lambda sent: None)
    with pytest.raises(errors.CommandTimeout):
        await wired.connection.root.call("A.silent", timeout=0.01)


async def test_the_nth_command_is_refused(wired: Wired) -> None:
    wired.peer.fail_nth(2, Refusal(-32000, "second"))
    root = wired.connection.root
    await root.call("A.b")
    with pytest.raises(errors.CdpError, match="second"):
        await root.call("A.b")
    await root.call("A.b")


async def test_waiting_for_a_command_sees_the_past_and_the_future(wired: Wired) -> None:
    waiting = asyncio.create_task(wired.peer.wait_for("A.b"))
    await asyncio.sleep(0)
    await wired.connection.root.call("A.b", {"n": 1})
    assert (await waiting).params == (await wired.peer.wait_for("A.b")).params == {"n": 1}


async def test_what_was_sent_before_the_drop_arrives() -> None:
    transport = MemoryTransport()
    heard: list[str] = []
    transport.peer_side.emit("A.early")
    connection = Connection(transport)
    connection.root.on("A.early", lambda event: heard.append("early"))
    connection.root.on("A.last", lambda event: heard.append("last"))
    transport.peer_side.emit("A.last")
    transport.peer_side.disconnect("bye")
    transport.peer_side.emit("A.last")
    await connection.wait_closed()
    assert heard == ["early", "last"]
    assert "bye" in str(connection.error)
