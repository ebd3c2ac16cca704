"""Tasks: a call that takes long goes on after its request, and its client asks for the result or cancels it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from mcp_client import HttpClient, Refused, over_http
from mcp_listening import TOKEN, listening, until

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp.handlers import Handlers
from stillframe.mcp.server import server_of
from stillframe.mcp.settings import Settings
from stillframe.mcp.tasks import EXTENSION, MAX_TASKS, TTL_MS, Tasks
from stillframe.security.policy import UrlPolicy

PAGE = '<h1>Page</h1><button onclick="late.hidden = false">Go</button><p id=late hidden>late</p>'
WAIT = {"actions": [{"action": "wait_for", "selector": "#late", "timeoutMs": 60_000}]}
AT_ONCE = frozenset({"execute_sequence"})
CAPABLE = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}}}


@asynccontextmanager
async def connected(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> AsyncIterator[tuple[HttpClient, HttpClient]]:
    """Give two clients of one server, whose calls become tasks at once; the first one has a page open."""
    handlers = Handlers(Settings(policy=UrlPolicy(allow_private=True)), browser)
    handlers.tasks = Tasks(at_once=AT_ONCE)
    async with (
        listening(browser, capsys, server_of(lambda: handlers)) as url,
        over_http(f"{url}?client=one", era="stateless", token=TOKEN) as one,
        over_http(f"{url}?client=other", era="stateless", token=TOKEN) as other,
    ):
        await one.call("navigate", {"url": site.html("/tasks", PAGE)})
        yield one, other


async def begin(client: HttpClient, arguments: dict[str, Any]) -> dict[str, Any]:
    return await client.request("tools/call", {"name": "execute_sequence", "arguments": arguments, **CAPABLE})


async def ask(client: HttpClient, method: str, task: str, **more: Any) -> dict[str, Any]:
    return await client.request(f"tasks/{method}", {"taskId": task, **more, **CAPABLE})


async def ended(client: HttpClient, task: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while (state := await ask(client, "get", task))["status"] == "working":  # noqa: ASYNC110  clients poll
            await asyncio.sleep(0.02)
    return state


async def test_a_long_call_is_a_task_that_its_client_alone_asks_for(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    async with connected(browser, site, capsys) as (one, other):
        begun = await begin(one, WAIT)
        assert begun["resultType"] == "task"
        assert (begun["status"], begun["ttlMs"]) == ("working", TTL_MS)
        assert not {"result", "error", "inputRequests"} & begun.keys()
        assert (await ask(one, "get", begun["taskId"]))["status"] == "working"
        assert (await ask(one, "update", begun["taskId"], inputResponses={}))["resultType"] == "complete"
        for method in ("get", "cancel"):
            with pytest.raises(Refused, match="there is no task") as raised:
                await ask(other, method, begun["taskId"])
            assert raised.value.code == types.INVALID_PARAMS
        (page,) = (each for each in browser.pages if each.url.endswith("/tasks"))
        await page.evaluate("late.hidden = false")
        state = await ended(one, begun["taskId"])
        assert state["status"] == "completed"
        assert state["resultType"] == "complete"
        assert state["result"]["structuredContent"]["completed"] == 1
        # An error of the tool is a result, not a failure of the task.
        failing = await begin(one, {"actions": [{"action": "navigate", "url": "file:///etc/passwd"}]})
        state = await ended(one, failing["taskId"])
        assert (state["status"], state["result"]["isError"]) == ("completed", True)


async def test_a_cancelled_task_says_so_and_leaves_the_session_usable(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    async with connected(browser, site, capsys) as (one, _):
        begun = await begin(one, WAIT)
        await until(lambda: any(task.get_name() == "call execute_sequence" for task in asyncio.all_tasks()))
        for _ in range(2):  # the second does nothing
            assert set(await ask(one, "cancel", begun["taskId"])) <= {"resultType", "_meta"}
        state = await ask(one, "get", begun["taskId"])
        assert state["status"] == "cancelled"
        assert "call aria_snapshot" in state["statusMessage"]
        assert "Page" in (await one.call("aria_snapshot")).text


async def test_only_a_client_that_takes_tasks_gets_one(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    async with connected(browser, site, capsys) as (one, _):
        click = {"actions": [{"action": "click_element", "selector": "button"}]}
        plain = await one.request("tools/call", {"name": "execute_sequence", "arguments": click})
        assert plain["resultType"] == "complete"
        for method in ("get", "update", "cancel"):
            with pytest.raises(Refused) as raised:
                await one.request(f"tasks/{method}", {"taskId": "x", "inputResponses": {}})
            assert raised.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
            assert raised.value.data == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        assert EXTENSION in one.server["capabilities"]["extensions"]
        begun = await begin(one, WAIT)
        one.headers["Mcp-Name"] = "another"
        with pytest.raises(Refused) as raised:
            await ask(one, "get", begun["taskId"])
        assert raised.value.code == types.HEADER_MISMATCH


async def test_a_call_that_ends_in_time_is_not_a_task_and_one_whose_client_left_is_cancelled() -> None:
    many = Tasks(after_s=60)
    forever = asyncio.Event()

    async def quick(_: Any) -> str:
        return "done"

    async def slow(_: Any) -> None:
        await forever.wait()

    assert await many.run("quick", None, quick) == "done"
    leaving = asyncio.create_task(many.run("slow", None, slow))
    await until(lambda: any(task.get_name() == "task slow" for task in asyncio.all_tasks()))
    leaving.cancel()
    await asyncio.wait([leaving])
    await until(lambda: not any(task.get_name() == "task slow" for task in asyncio.all_tasks()))


async def test_tasks_are_bounded_in_number_and_time() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    many = Tasks(lambda: now, after_s=0)
    ending = asyncio.Event()

    async def work(_: Any) -> None:
        await ending.wait()
        raise MCPError(code=types.INTERNAL_ERROR, message="no")

    begun = [await many.run("work", None, work) for _ in range(MAX_TASKS + 5)]
    kept = many._tasks
    assert len(kept) == MAX_TASKS + 5  # those that run are kept
    ending.set()
    await asyncio.wait([task.work for task in kept.values()])
    assert kept[begun[0]["taskId"]].state()["error"] == {"code": types.INTERNAL_ERROR, "message": "no"}
    ending.clear()
    await many.run("work", None, work)
    assert len(kept) == MAX_TASKS
    now += timedelta(milliseconds=TTL_MS + 1)
    await many.run("work", None, work)
    assert len(kept) == 2  # those that run, too
    await many.stop()
    assert all(task.state()["status"] == "cancelled" for task in kept.values())
