"""Servers that reply more than once to a message: announced replies are awaited, usual ones from the next time on."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Sequence

import pytest
from aiohttp import WSMsgType, web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page

SECOND_S = 0.7

PAGE = """
<button id=go>Go</button><p id=out></p>
<script>
const ws = new WebSocket(`ws://${location.host}/answers`);
ws.binaryType = 'arraybuffer';
let n = 0;
ws.onmessage = (event) => {
  const text = typeof event.data == 'string' ? event.data : new TextDecoder().decode(event.data);
  document.getElementById('out').textContent = text;
};
document.getElementById('go').onclick = () => ws.send(JSON.stringify({type: 'ask', now: Date.now()}));
</script>
"""


def answering(answers: Sequence[tuple[float, str | bytes]]) -> object:
    """Return the handler of a WebSocket that sends these replies to each message, each after a delay in seconds."""

    async def handler(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            for seconds, answer in answers:
                await asyncio.sleep(seconds)
                await (socket.send_str(answer) if isinstance(answer, str) else socket.send_bytes(answer))
        return socket

    return handler


async def opened(page: Page, site: Site, answers: Sequence[tuple[float, str | bytes]]) -> None:
    site.route("/answers", answering(answers))  # type: ignore[arg-type]
    await page.goto(site.html("/it.html", PAGE), settle=True)
    await page.evaluate("new Promise((done) => ws.readyState == 1 ? done() : ws.onopen = done)")


async def out(page: Page) -> str:
    return str(await page.evaluate("document.getElementById('out').textContent"))


CLICK = {"action": "click_element", "selector": "#go"}


def kernel(state: str) -> bytes:
    """Return a status message as a Jupyter kernel sends it: offsets, a channel and JSON texts in sequence."""
    parts = [
        b"iopub",
        b'{"msg_type":"status","session":"' + b"5" * 36 + b'"}',
        b'{"msg_type":"execute_request"}',
        b"{}",
    ]
    parts.append(json.dumps({"execution_state": state}).encode())
    ends, offsets = 8 * (len(parts) + 2), []
    for part in parts:
        offsets.append(ends)
        ends += len(part)
    return struct.pack(f"<{len(offsets) + 2}Q", len(offsets) + 1, *offsets, ends) + b"".join(parts)


ANNOUNCED: list[list[tuple[float, str | bytes]]] = [
    [(0.02, '{"status":"busy"}'), (SECOND_S, '{"status":"idle","text":"over"}')],
    [(0.02, '{"msg":"process_starts"}'), (SECOND_S, '{"msg":"process_completed","output":"over"}')],
    [(0.02, '{"final":false}'), (0.3, '{"final":false}'), (0.5, '{"final":true,"text":"over"}')],
    [(0.02, kernel("busy")), (SECOND_S, kernel("idle") + b" over")],
]


# The words are those of tests/settling/test_sockets.py; a kernel's are the hardest to read.
@pytest.mark.parametrize("answers", sampled(ANNOUNCED, ANNOUNCED[-1:]))
async def test_what_the_first_answer_announces_is_awaited(
    page: Page, site: Site, answers: list[tuple[float, str | bytes]]
) -> None:
    await opened(page, site, answers)
    result = await page.execute_sequence([CLICK])
    assert "over" in await out(page), result
    assert result.stable


async def test_a_second_answer_is_late_the_first_time_and_awaited_then(page: Page, site: Site) -> None:
    await opened(page, site, [(0.02, "one"), (SECOND_S, "two")])
    first = await page.execute_sequence([CLICK])
    assert await out(page) == "one"
    assert [(row.kind, "more may come" in row.what) for row in first.pending] == [("websocket", True)]
    await page.evaluate(
        "new Promise((done) => { const look = () => document.getElementById('out').textContent == 'two'"
        " ? done() : requestAnimationFrame(look); look(); })"
    )
    for number in range(2):
        result = await page.execute_sequence([CLICK])
        assert await out(page) == "two", result
        assert (result.stable, result.pending) == (True, ())
        kinds = [row.kind for row in result.late]
        assert kinds == ([] if number else ["websocket", "changes"])


async def test_an_answer_that_is_announced_and_does_not_come_is_named(page: Page, site: Site) -> None:
    await opened(page, site, [(0.02, '{"state":"running"}')])
    result = await page.execute_sequence([CLICK], horizon_ms=600)
    assert not result.stable
    assert result.outcome.startswith(f"horizon: websocket ws://127.0.0.1:{site.port}/answers")


STREAM = """
<button id=go>Go</button><p id=out></p>
<script>
new EventSource('/feed').onmessage = (event) => { document.getElementById('out').textContent = event.data };
document.getElementById('go').onclick = () => fetch('/ask', {method: 'POST'});
</script>
"""


async def test_a_stream_that_announces_more_is_awaited(page: Page, site: Site) -> None:
    asked, streaming = asyncio.Event(), asyncio.Event()

    async def ask(_: web.Request) -> web.Response:
        asked.set()
        return web.Response(text="taken")

    async def feed(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": hello\n\n")
        streaming.set()
        await asked.wait()
        await response.write(b'data: {"msg": "process_starts"}\n\n')
        await asyncio.sleep(SECOND_S)
        await response.write(b'data: {"msg": "process_completed"}\n\n')
        return response

    site.route("/ask", ask)
    site.route("/feed", feed)
    await page.goto(site.html("/it.html", STREAM), settle=True)
    await streaming.wait()
    result = await page.execute_sequence([CLICK])
    assert "completed" in await out(page), result
    assert result.stable
