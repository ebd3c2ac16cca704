"""The frame log counts what goes over a connection, and leaves the connection as it was."""

from __future__ import annotations

import asyncio

import pytest
from cdp_support import Wired

import stillframe
from stillframe import chrome
from stillframe.testing import FrameLog, tap


async def test_frames_are_counted_in_both_directions_and_by_method(wired: Wired) -> None:
    wired.peer.answer("A.long", {"text": "x" * 100})
    with FrameLog(wired.connection) as log:
        await asyncio.gather(wired.connection.root.call("A.long"), wired.connection.root.call("A.short"))
        await wired.connection.root.call("A.short")
        wired.peer.emit("A.event")
        await wired.connection.root.drain_events()
    assert [frame.method for frame in log.frames if frame.sent][:3] == ["A.long", "A.short", "A.short"]
    assert {name: count for name, count, _ in log.by_method()}.items() >= {
        ("A.long", 1),
        ("A.long (answer)", 1),
        ("A.short", 2),
        ("A.short (answer)", 2),
        ("A.event", 1),
    }
    assert log.by_method()[0][0] == "A.long (answer)"
    assert log.size == sum(frame.size for frame in log.frames) > 100
    assert log.messages == len(log.frames)


async def test_commands_sent_together_are_one_round_trip(wired: Wired) -> None:
    call = wired.connection.root.call
    with FrameLog(wired.connection) as log:
        await asyncio.gather(call("A.a"), call("A.b"))
        assert log.round_trips == 1
        await call("A.c")
        assert log.round_trips == 2


async def test_nothing_is_recorded_after_the_block(wired: Wired) -> None:
    sent: list[bytes] = []
    received: list[bytes] = []
    with tap(wired.connection, sent.append, received.append):
        await wired.connection.root.call("A.b")
    await wired.connection.root.call("A.b")
    assert (len(sent), len(received)) == (1, 1)


@pytest.mark.browser
async def test_a_websocket_is_tapped_too_and_may_close_inside_the_block() -> None:
    async with stillframe.launch(port=0) as browser:
        assert browser.info.endpoint is not None
        connection, _ = await chrome.connect(browser.info.endpoint)
        with FrameLog(connection) as log:
            await connection.root.call("Browser.getVersion")
            await connection.aclose()
    assert [frame.sent for frame in log.frames] == [True, False]
