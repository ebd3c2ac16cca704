"""The tool that records traces and HAR files, which become resources."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp_answers import Answer
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.har.reading import read_har
from stillframe.trace.reading import read_trace


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "tracing") as caller:
        yield caller


async def text_of(call, stopped: Answer) -> str:
    assert stopped.links == [stopped.structured["resource"]]
    return str((await call.client.read_resource(stopped.structured["resource"])).contents[0].text)


async def test_a_har_file_is_a_resource(call, site: Site, tmp_path: Path) -> None:
    started = await call("tracing", action="start", format="har")
    assert started.structured["recording"] == ["har"]
    await call("navigate", url=site.html("/lamps", "<p>Ember</p>"))
    stopped = await call("tracing", action="stop", format="har")
    assert stopped.structured["mimeType"] == "application/json"
    path = tmp_path / "session.har"
    path.write_text(await text_of(call, stopped))
    (entry,) = (each for each in read_har(path).entries if each.request.url.endswith("/lamps"))
    assert "<p>Ember</p>" in entry.response.content.text
    assert stopped.structured["bytes"] == len(path.read_bytes())


async def test_a_trace_is_a_resource(call, site: Site, tmp_path: Path) -> None:
    await call("navigate", url=site.html("/button", "<button onclick='this.textContent = 2'>1</button>"))
    await call("tracing", action="start")
    await call("execute_sequence", actions=[{"action": "click_element", "selector": "button"}])
    stopped = await call("tracing", action="stop")
    path = tmp_path / "page.trace.jsonl"
    path.write_text(await text_of(call, stopped))
    trace = read_trace(path)
    assert (trace.is_complete, len(list(trace.of_type("sequence")))) == (True, 1)


async def test_what_a_session_records_goes_with_it(call, site: Site) -> None:
    await call("sessions", action="open", sessionId="other", url=site.html("/a", "<p>a</p>"))
    await call("tracing", action="start", format="har", sessionId="other")
    assert (await call("tracing", action="start", format="har", sessionId="other")).error["code"] == "recording_running"
    await call("tracing", action="start", sessionId="other")
    await call("sessions", action="close", sessionId="other")
    await call("sessions", action="open", sessionId="other")
    answer = await call("tracing", action="stop", sessionId="other")
    assert (answer.error["code"], "call tracing with action start" in answer.text) == ("recording_unknown", True)
    await call("sessions", action="close", sessionId="other")
