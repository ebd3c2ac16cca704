"""Streams over HTTP that break: taken up again with what came meanwhile, or the end of a call that nobody waits for."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import mcp_types as types
import pytest
from mcp_client import Era, HttpClient, over_http
from mcp_listening import TOKEN, listening, until

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp.calls import Caller, RunningCalls
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.event_store import MAX_BYTES, MAX_EVENTS, RETRY_MS, TTL_S, EventLog, Reader, current_reader

PAGE = "<h1>Page</h1><button onclick=\"document.body.append('done')\">Go</button>"
CLICK = {"action": "click_element", "selector": "button"}
WAIT = {"action": "wait_for", "selector": "#late", "timeoutMs": 60_000}


def response(number: int, text: str = "") -> types.JSONRPCMessage:
    return types.JSONRPCResponse(jsonrpc="2.0", id=number, result={"text": text})


def notice(text: str) -> types.JSONRPCMessage:
    return types.JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params={"data": text})


async def replayed(events: Any, number: str) -> tuple[str | None, list[Any]]:
    came: list[Any] = []

    async def take(event: Any) -> None:
        came.append(event)

    return await events.replay_events_after(number, take), came


async def test_a_client_gets_what_came_later_on_its_stream_and_nothing_else() -> None:
    log = EventLog(lambda: 0.0)
    one, other = log.session(), log.session()
    first = await one.store_event("1", None)
    await other.store_event("1", notice("of another client"))
    await one.store_event("2", notice("of another stream"))
    second = await one.store_event("1", notice("mine"))
    stream, came = await replayed(one, first)
    assert (stream, [each.event_id for each in came]) == ("1", [second])
    last = await one.store_event("1", response(1))
    stream, came = await replayed(one, first)
    assert (stream, [each.event_id for each in came]) == (None, [second, last])  # answered: nothing more will come
    for bad in (first, "", "x", "-1", "²", "9" * 400):
        assert await replayed(other, bad) == (None, [])


@pytest.mark.parametrize(
    ("later", "messages"),
    [(TTL_S + 1, [notice("one")]), (0.0, [notice("one")] * MAX_EVENTS), (0.0, [response(2, "x" * MAX_BYTES)])],
    ids=["time", "number", "bytes"],
)
async def test_events_are_bounded(later: float, messages: list[types.JSONRPCMessage]) -> None:
    now = 0.0
    events = EventLog(lambda: now).session()
    first = await events.store_event("1", notice("first"))
    now = later
    for message in messages:
        await events.store_event("2", message)
    assert await replayed(events, first) == (None, [])


async def test_a_call_waits_for_its_client_to_come_back_but_not_for_ever() -> None:
    events = EventLog(lambda: 0.0).session()

    async def begin(stream_id: str) -> Reader:
        reader = Reader()
        current_reader.set(reader)
        await events.store_event(stream_id, None)
        return reader

    async def work() -> Any:
        await asyncio.Event().wait()

    calls = RunningCalls(60_000, return_s=0.2)
    first = await begin("1")
    running = asyncio.create_task(calls.run("waits", work(), caller=Caller("one", "s", first)))
    first.leave()
    await asyncio.sleep(0)
    second = Reader()
    current_reader.set(second)
    assert await replayed(events, "1") == ("1", [])  # the client came back
    await asyncio.wait([running], timeout=0.4)  # longer than it would have waited
    assert not running.done()
    second.leave()
    with pytest.raises(ToolError, match="left before its result") as raised:
        await running
    assert raised.value.code == "client_left"


# -- over HTTP -------------------------------------------------------------------------------------


@asynccontextmanager
async def stream(client: HttpClient, method: str = "POST", **request: Any) -> AsyncIterator[aiohttp.StreamReader]:
    """Send a request and give its response, which ends with the block whether it was read or not."""
    # A connection of its own, which is closed.
    async with aiohttp.ClientSession() as http, http.request(method, client.url, **request) as answer:
        assert answer.status == 200, await answer.text()
        yield answer.content


async def event(content: aiohttp.StreamReader) -> dict[str, str]:
    """Read one event of a stream."""
    fields: dict[str, str] = {}
    while (line := (await content.readline()).decode().strip()) or not fields:
        name, _, value = line.partition(":")
        fields |= {name: value.strip()} if name else {}
    return fields


def call(client: HttpClient, actions: list[dict[str, Any]], id: int, **more: Any) -> dict[str, Any]:
    """Return the arguments of a request that calls `execute_sequence`."""
    params = {"name": "execute_sequence", "arguments": {"actions": actions, **more}}
    body = client.message("tools/call", params, id=id, progress=id)
    return {"json": body, "headers": client._headers(body)}


def calls() -> int:
    return sum(task.get_name() == "call execute_sequence" for task in asyncio.all_tasks())


async def test_a_result_is_read_by_last_event_id_after_the_stream_broke(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    async with listening(browser, capsys) as url, over_http(url, token=TOKEN) as client:
        await client.call("navigate", {"url": site.html("/resumed", PAGE)})
        async with stream(client, **call(client, [CLICK, WAIT], 77)) as sent:
            first = await event(sent)
            assert first["retry"] == str(RETRY_MS)
            assert first["data"] == ""
            progress = await event(sent)
            assert json.loads(progress["data"])["params"]["progress"] == 1
        # The stream broke in the middle of the call, which goes on; what comes next is read by another request.
        headers = {**client._headers({}), "Last-Event-ID": progress["id"]}
        async with stream(client, "GET", headers=headers) as resumed:
            again = await event(resumed)
            assert again["data"] == ""
            script = "document.body.insertAdjacentHTML('beforeend', '<p id=late>late</p>')"
            (page,) = (each for each in browser.pages if each.url.endswith("/resumed"))
            await page.evaluate(script)
            came = [json.loads((await event(resumed))["data"]) for _ in range(2)]
        assert came[0]["params"]["progress"] == 2
        assert came[1]["id"] == 77
        assert came[1]["result"]["structuredContent"]["completed"] == 2
        # All of it can be read once more, by the first event, until it is too old; another client reads nothing.
        async with stream(client, "GET", headers={**headers, "Last-Event-ID": first["id"]}) as resumed:
            whole = (await resumed.read()).decode()
        assert re.findall(r'"progress":(\d)', whole) == ["1", "2"]
        assert '"id":77' in whole
        async with over_http(url, token=TOKEN) as stranger:
            headers = {**stranger._headers({}), "Last-Event-ID": first["id"]}
            async with stream(stranger, "GET", headers=headers) as nothing:
                assert b"data" not in await nothing.read()


@pytest.mark.parametrize(("era", "version"), [("handshake", "2025-06-18"), ("stateless", "2026-07-28")])
async def test_a_call_ends_at_once_when_its_client_leaves_and_cannot_come_back(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str], era: Era, version: str
) -> None:
    async with listening(browser, capsys) as url, over_http(url, era=era, token=TOKEN) as client:
        client.headers |= {"Stillframe-Client": "leaving"}
        await client.call("navigate", {"url": site.html("/left", PAGE)})
        request = call(client, [CLICK, WAIT], 5)
        request["headers"]["MCP-Protocol-Version"] = version
        async with stream(client, **request) as sent:
            await event(sent)
            assert calls() == 1
        await until(lambda: calls() == 0)
        reply = await client.call("execute_sequence", {"actions": [CLICK]})
        assert not reply.is_error


async def test_a_client_that_waits_gets_the_session_of_one_that_left(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one that left might come back, but another one waits already."""
    async with (
        listening(browser, capsys, shared=True) as url,
        over_http(url, token=TOKEN) as one,
        over_http(url, token=TOKEN) as other,
    ):
        await one.call("navigate", {"url": site.html("/wanted", PAGE)})
        async with stream(one, **call(one, [CLICK, WAIT], 5)) as sent:
            await event(sent)
            await event(sent)
            waits = asyncio.create_task(other.call("aria_snapshot"))
            await until(lambda: any(task.get_name() == "call aria_snapshot" for task in asyncio.all_tasks()))
        loop = asyncio.get_running_loop()
        left = loop.time()
        assert "done" in (await waits).text
        assert loop.time() - left < 60  # of the other call
        assert calls() == 0
