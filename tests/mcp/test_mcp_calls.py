"""Calls that wait, are cancelled, or exceed their time limit; and secrets, which no reply shows."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

import anyio
import pytest

import stillframe
from site_server import Site
from stillframe.errors import ConnectFailed
from stillframe.mcp.calls import RunningCalls
from stillframe.mcp.error_mapping import ToolError, error_to_dict
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy
from stillframe.security.secret_store import Secrets

FOREVER = {"action": "wait_for", "selector": "#never", "timeoutMs": 60_000}
CANARY = "canary-7f3a-secret"


async def test_two_calls_on_one_session_are_served_in_turn(serving, site: Site) -> None:
    code = "this.textContent=+this.textContent+1"
    async with serving() as call:
        await call("navigate", url=site.html("/count", f'<button onclick="{code}">0</button>'))
        click = {"action": "click_element", "selector": "button"}
        first, second = await asyncio.gather(call.run(click), call.run(click))
        assert '"0" → "1"' in first.text
        assert '"1" → "2"' in second.text


async def test_the_deadline_counts_the_time_in_the_queue_too(serving, site: Site) -> None:
    async def ended() -> tuple[float, dict[str, Any]]:
        answer = await call.run(FOREVER)
        return time.monotonic(), answer.error

    limit_ms = 3000
    async with serving(call_timeout_ms=limit_ms) as call:
        await call("navigate", url=site.html("/queue", "<p>here</p>"))
        (first, running), (last, waiting) = sorted(await asyncio.gather(ended(), ended()), key=lambda each: each[0])
        assert running["code"] == waiting["code"] == "deadline"
        assert "usable" in running["advice"]
        # If its turn began a new limit, the second call would end a whole limit after the first.
        assert last - first < limit_ms / 2000
        assert "here" in (await call("aria_snapshot")).text


@pytest.mark.slow  # test_mcp_wire.py cancels calls in both eras
async def test_a_cancelled_call_ends_at_once_and_the_session_is_usable(serving, site: Site) -> None:
    for mode in ("legacy", "2026-07-28"):
        async with serving(mode=mode) as call:
            await call("navigate", url=site.html("/cancel", "<p>here</p>"))
            with anyio.move_on_after(0.3) as scope:
                await call.run(FOREVER)
            assert scope.cancelled_caught
            assert "here" in (await call("aria_snapshot")).text


async def test_calls_end_when_the_server_does() -> None:
    calls = RunningCalls(60_000)
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    waiter = asyncio.create_task(calls.run("x", work()))  # type: ignore[arg-type]
    await begun.wait()
    await calls.stop()
    with pytest.raises(asyncio.CancelledError):
        await waiter


async def test_a_secret_is_typed_and_shown_nowhere(
    serving, site: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stillframe.tab.reading.aria_snapshot.ACTION_TIMEOUT", 0.2)  # of the scope that is not there
    caplog.set_level(logging.DEBUG)
    echo = "onchange=\"document.title=value;out.textContent='<'+value+'>';alert(value);location.hash=value\""
    url = site.html("/secret", f"<input id=a {echo}><button id=b aria-label=x>go</button><p id=out></p>")
    secrets = Secrets({"pass": CANARY})
    async with serving(secrets=secrets) as call:
        answers = [await call("navigate", url=url)]
        typed = {"action": "set_value", "selector": "#a", "value": {"secretName": "pass"}}
        answers.append(await call.run(typed, {"action": "click_element", "selector": "#b"}, verbose=True))
        answers.append(await call("aria_snapshot"))
        answers.append(await call.run({"action": "click_element", "selector": f"text={CANARY}", "timeoutMs": 50}))
        answers.append(await call("aria_snapshot", scope=f"#{CANARY}"))
        answers.append(await call("aria_snapshot", sessionId=CANARY))
        answers.append(await call("sessions"))
        assert answers[1].structured["completed"] == 2
        for answer in answers:
            assert CANARY not in answer.text
            assert CANARY not in json.dumps(answer.structured)
        unknown = await call.run({**typed, "value": {"secretName": "pas"}})
        assert unknown.error["code"] == "secret_unknown"
    assert CANARY not in caplog.text


def test_errors_are_described_with_their_data_and_advice() -> None:
    told = error_to_dict(ToolError("deadline", "too\u202e late", timeout_ms=3))
    assert told["code"] == "deadline"
    assert told["message"] == "too\\u202e late"
    assert told["timeoutMs"] == 3
    assert told["advice"]


async def test_a_running_browser_can_be_used_and_is_left_running(serving, site: Site) -> None:
    url = site.html("/theirs", "<p>here</p>")
    async with stillframe.launch(port=0) as owner:
        policy = UrlPolicy(allowed_hosts=("127.0.0.1",))
        async with serving(own_browser=True, connect=owner.info.endpoint, policy=policy) as call:
            assert "here" in (await call("navigate", url=url)).text
            refused = await call("navigate", url="http://169.254.169.254/")
            assert refused.error["code"] == "url_refused"
        page = await owner.new_page(url)
        assert page.url == url
        assert [each.url for each in owner.pages if each is not page and each.url == url] == []


async def test_an_endpoint_where_nobody_answers_is_an_error_of_the_start() -> None:
    server = make_server(Settings(connect="http://127.0.0.1:1"))
    with pytest.raises(ConnectFailed):
        async with server.lifespan(server):
            pass
