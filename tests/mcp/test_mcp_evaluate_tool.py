"""Scripts in the page: only where they are allowed, and their values as JSON, bounded and fenced."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.security.secret_store import Secrets


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "evaluate", allow_evaluate=True) as caller:
        yield caller


def value(text: str) -> Any:
    """Return the value in a reply."""
    inside = text.partition("<<page ")[2].partition("\n")[2].rpartition("\n<</page")[0]
    return json.loads(inside)


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("script", "result"),
    [
        ("1 + 1", 2),
        ("() => document.title", "Here"),
        ("async () => { await null; return [1, {a: 'b'}] }", [1, {"a": "b"}]),
        ("function named() { return 'x' }", "x"),
        ("const a = 2; a * 3", 6),
        ("({a} = {a: 1}) => a", 1),
        ("new Map([[{}, 1]])", [[{}, 1]]),
        ("undefined", None),
        ("[NaN, new Date(0), new Uint8Array(3)]", ["nan", "1970-01-01T00:00:00+00:00", "3 bytes"]),
        ("const o = {}; o.self = o; o", {"self": "[circular]"}),
        ("document.querySelector('p')", "ref: <Node>"),
    ],
)
async def test_the_value_of_a_script_is_json(call, site: Site, script: str, result: object) -> None:
    await call("navigate", url=site.html("/value", "<p>text</p>", title="Here"))
    answer = await call("evaluate", script=script)
    assert value(answer.text) == result
    assert answer.structured["text"] == answer.text


async def test_a_function_gets_the_element_of_a_selector(call, site: Site) -> None:
    opened = await call("navigate", url=site.html("/element", "<button data-id=7>Go</button>"))
    script = "(element) => element.dataset.id"
    assert value((await call("evaluate", script=script, selector="button")).text) == "7"
    assert value((await call("evaluate", script=script, selector=opened.ref("- button"))).text) == "7"
    missing = await call("evaluate", script=script, selector="#nothing")
    assert missing.error["code"] == "element_not_found"


async def test_what_fails_and_what_never_ends_are_typed_errors(call, site: Site) -> None:
    await call("navigate", url=site.html("/fails", "<p>text</p>"))
    thrown = await call("evaluate", script="() => { throw new TypeError('no list') }")
    assert thrown.error["code"] == "evaluation_failed"
    assert "no list" in thrown.text
    assert (await call("evaluate", script="(((")).error["code"] == "evaluation_failed"
    endless = await call("evaluate", script="() => new Promise(() => 0)", timeoutMs=100)
    assert endless.error["code"] == "evaluation_timeout"
    looping = await call("evaluate", script="(element) => { for (;;); }", selector="p", timeoutMs=100)
    assert looping.error["code"] == "evaluation_timeout"
    assert value((await call("evaluate", script="'still here'")).text) == "still here"


async def test_a_long_value_keeps_within_the_budget(call, site: Site) -> None:
    await call("navigate", url=site.html("/long", "<p>text</p>"))
    answer = await call("evaluate", script="'y'.repeat(1_000_000)", budget=1500)
    assert len(answer.text) <= 1500
    assert "yyyy" in answer.text
    assert (await call.client.read_resource(answer.links[0])).contents[0].text.count("y") >= 1_000_000
    shared = "(() => { let o = 1; for (let n = 0; n < 40; n++) o = [o, o]; return o })()"
    assert not (await call("evaluate", script=shared, budget=1500)).is_error


async def test_without_permission_it_says_what_is_missing(browser: Browser, site: Site) -> None:
    async with capable(browser, "all") as call:
        assert "evaluate" not in {tool.name for tool in (await call.client.list_tools()).tools}
        answer = await call("evaluate", script="1")
        assert answer.error["code"] == "tool_hidden"
        assert "--allow-evaluate" in answer.text


async def test_no_secret_is_in_a_value(browser: Browser, site: Site) -> None:
    secret = "canary-7f3a-secret"
    settings = {"allow_evaluate": True, "secrets": Secrets({"pass": secret})}
    async with capable(browser, "evaluate", **settings) as call:
        await call("navigate", url=site.html("/secret", f"<p>{secret}</p>"))
        answer = await call("evaluate", script="() => ({[document.body.innerText]: document.body.innerText})")
        assert secret not in str(answer.raw)
