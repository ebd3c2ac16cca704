"""The console of a page, as a tool reads it: filtered, numbered, bounded, and from the start of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp.page_record import MESSAGE_CHARS
from stillframe.security.secret_store import Secrets


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "console") as caller:
        yield caller


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


async def test_messages_and_errors_come_newest_first_and_by_level(call, site: Site) -> None:
    script = "console.log('one', {a: 1}); console.warn('two'); console.error('three'); missing()"
    await call("navigate", url=site.html("/levels", f"<script>{script}</script>"))
    answer = await call("console_messages")
    shown = [line.partition(" ")[2].partition(" at ")[0] for line in lines(answer.text)]
    messages = [line for line in shown if not line.startswith("pageerror")][:3]
    assert messages == ['error: "three"', 'warning: "two"', 'log: "one {a: 1}"']
    # What is in an object is asked for, so that an error may come before the messages that were written before it.
    assert 'pageerror: "ReferenceError: missing is not defined"' in shown[:4]
    assert "<<page" in answer.text
    assert answer.structured["text"] == answer.text
    graver = await call("console_messages", level="warning")
    assert {row["type"] for row in graver.structured["messages"]} == {"pageerror", "error", "warning"}
    assert [row["text"] for row in (await call("console_messages", contains="TWO")).structured["messages"]] == ["two"]


async def test_since_leaves_out_what_was_read(call, site: Site) -> None:
    button = "<button onclick=\"console.log('pressed')\">b</button>"
    await call("navigate", url=site.html("/since", f"{button}<script>console.log('loaded')</script>"))
    last = (await call("console_messages")).structured["last"]
    assert lines((await call("console_messages", since=last)).text) == []
    await call.run({"action": "click_element", "selector": "button"})
    assert ['"pressed"' in line for line in lines((await call("console_messages", since=last)).text)] == [True]


async def test_a_page_that_logs_much_is_bounded(call, site: Site) -> None:
    script = "for (let n = 0; n < 200; n++) console.log('row', n); console.log('x'.repeat(99999))"
    await call("navigate", url=site.html("/much", f"<script>{script}</script>"))
    answer = await call("console_messages", budget=2000)
    assert len(answer.text) <= 2000
    assert "more lines: read stillframe://" in answer.text
    whole = (await call.client.read_resource(answer.links[0])).contents[0].text
    assert "xxx…" in whole
    assert len(answer.structured["messages"]) < 100
    assert all(len(line) < MESSAGE_CHARS + 200 for line in whole.splitlines() if line.startswith("#"))


async def test_a_page_is_recorded_from_its_start_wherever_it_opens(call, site: Site) -> None:
    url = site.html("/start", "<script>console.log('at once')</script>")
    await call("sessions", action="open", sessionId="started", url=url)
    assert "at once" in (await call("console_messages", sessionId="started")).text
    opener = site.html("/opener", f"<button onclick=\"window.open('{url}')\">open</button>")
    await call("navigate", url=opener, sessionId="started")
    answer = await call.run({"action": "click_element", "selector": "button"}, sessionId="started")
    target = answer.structured["newTargets"][0]["targetId"]
    await call("sessions", action="switch", sessionId="started", targetId=target)
    assert "at once" in (await call("console_messages", sessionId="started")).text
    await call("sessions", action="close", sessionId="started")


async def test_secrets_are_replaced(browser: Browser, site: Site) -> None:
    secret = "canary-7f3a-secret"
    async with capable(browser, "console", secrets=Secrets({"pass": secret})) as call:
        await call("navigate", url=site.html("/secret", f"<script>console.log('{secret}'); throw '{secret}'</script>"))
        answer = await call("console_messages")
        assert len(lines(answer.text)) >= 2
        assert secret not in str(answer.raw)


async def test_a_level_that_there_is_not_is_refused(call) -> None:
    answer = await call("console_messages", level="fatal")
    assert answer.error["code"] == "option_invalid"
    assert "level" in answer.text
