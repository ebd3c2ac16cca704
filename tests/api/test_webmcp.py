"""The tools that pages offer: listed from every frame, called, and every way in which a call ends badly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.errors import (
    OptionInvalid,
    WebMCPError,
    WebMCPInputInvalid,
    WebMCPOutputTooLarge,
    WebMCPTimeout,
    WebMCPToolFailed,
    WebMCPToolNotFound,
    WebMCPUnavailable,
)
from stillframe.loopguard import LoopGuard
from stillframe.model.webmcp import WebMCPAnnotations, WebMCPTool, text_of

TOOLS = """
<p id=out>-</p>
<script>
window.ready = (async () => {
  const tool = (name, execute, more) => document.modelContext.registerTool({
    name, description: 'what ' + name + ' does',
    inputSchema: {type: 'object', properties: {n: {type: 'number'}}, required: ['n']}, execute, ...more,
  })
  const free = {inputSchema: {type: 'object'}}
  await tool('add', ({n}) => {
    out.textContent = 'added ' + n
    return {content: [{type: 'text', text: 'sum ' + n}, {type: 'text', text: 'done'}]}
  }, {annotations: {readOnlyHint: true, untrustedContentHint: true}})
  await tool('says', ({text}) => ({content: [{type: 'text', text}], isError: true}), free)
  await tool('throws', () => { out.textContent = 'half done'; throw new Error('boom 42') }, free)
  await tool('rejects', () => Promise.reject('plain words'), free)
  await tool('circle', () => { const a = {}; a.a = a; return a }, free)
  await tool('never', () => { window.began = true; return new Promise(() => {}) }, free)
  await tool('big', () => 'x'.repeat(10 * 1024 * 1024), free)
  await tool('deep', () => { let a = 1; for (let i = 0; i < 5000; i++) a = [a]; return a }, free)
  await tool('asks', () => ({answer: confirm('Really?')}), free)
  await tool('leaves', () => { location.href = '/next'; return new Promise(() => {}) }, free)
  await tool('slow', () => new Promise((r) => setTimeout(() => { out.textContent = 'late'; r('ok') }, 200)), free)
  const gone = new AbortController()
  window.register = (name) => tool(name, () => 1, free)
  await document.modelContext.registerTool({name: 'once', description: 'x', execute: () => 1}, {signal: gone.signal})
  window.unregister = () => gone.abort()
})()
</script>
"""

FORMS = """
<p id=out>-</p>
<form id=a toolname=subscribe tooldescription="Subscribe" toolautosubmit><input name=mail required></form>
<form id=b toolname=order tooldescription="Order"><input name=item><button>Order</button></form>
<script>
for (const form of document.forms) form.onsubmit = (event) => {
  event.preventDefault()
  out.textContent = 'sent ' + new FormData(form).values().next().value
  event.respondWith?.(Promise.resolve('thanks'))
}
</script>
"""

Open = Callable[[str], Awaitable[Page]]


@pytest.fixture
async def opened(webmcp_browser: Browser, site: Site) -> AsyncIterator[Open]:
    """Return a function that opens a page with a body, and waits until its tools are registered."""
    pages: list[Page] = []

    async def open_page(body: str) -> Page:
        pages.append(page := await webmcp_browser.new_page(site.html("/tools", body)))
        await page.evaluate("window.ready")
        return page

    yield open_page
    for page in pages:
        await page.close()


def named(tools: list[WebMCPTool], name: str) -> WebMCPTool:
    return next(tool for tool in tools if tool.name == name)


async def test_tools_are_listed_with_their_schemas_and_hints(opened: Open) -> None:
    page = await opened(TOOLS)
    tools = await page.webmcp.tools()
    add = named(tools, "add")
    assert add.description == "what add does"
    assert add.input_schema == {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    assert add.annotations == WebMCPAnnotations(read_only=True, untrusted_content=True)
    assert (add.is_form, add.frame_url) == (False, page.url)
    assert add.frame_id == page.target_id
    assert add.to_dict()["inputSchema"]["required"] == ["n"]


async def test_a_call_returns_the_output_and_what_changed(opened: Open) -> None:
    page = await opened(TOOLS)
    result = await page.webmcp.call_tool("add", {"n": 3})
    assert result.text == "sum 3\ndone"
    assert not result.is_error
    assert result.output["content"][0] == {"type": "text", "text": "sum 3"}
    change = result.sequence.state_change
    assert change is not None
    assert [row.to for row in change.changed] == ["added 3"]
    assert result.sequence.stable
    assert result.sequence.completed == 1


async def test_the_wait_covers_what_the_tool_did_before_it_answered(opened: Open) -> None:
    page = await opened(TOOLS)
    result = await page.webmcp.call_tool("slow", verbose=True)
    assert result.output == "ok"
    assert result.sequence.state_change is not None
    assert [row.to for row in result.sequence.state_change.changed] == ["late"]
    assert result.sequence.steps is not None
    assert [step.action for step in result.sequence.steps] == ["call_tool"]


async def test_an_error_that_the_tool_returns_is_a_result(opened: Open) -> None:
    page = await opened(TOOLS)
    result = await page.webmcp.call_tool("says", {"text": "sold out"})
    assert (result.is_error, result.text) == (True, "sold out")


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("tool", "reason"),
    [("throws", "boom 42"), ("rejects", "plain words"), ("circle", "circular structure")],
)
async def test_a_tool_that_throws_raises_with_its_words_and_what_it_changed(
    opened: Open, tool: str, reason: str
) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPToolFailed, match=reason) as error:
        await page.webmcp.call_tool(tool)
    assert error.value.tool == tool
    change = error.value.result.state_change
    assert [row.to for row in change.changed] == ["half done"] if tool == "throws" else change is None


async def test_a_tool_that_never_answers_is_cancelled(opened: Open) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPTimeout, match=r"'never' did not answer within 0.2 s.*action_timeout_ms") as error:
        await page.webmcp.call_tool("never", action_timeout_ms=200)
    assert isinstance(error.value, TimeoutError)
    assert (await page.webmcp.call_tool("add", {"n": 1})).text.startswith("sum 1")


async def test_a_caller_that_leaves_cancels_the_call(opened: Open) -> None:
    page = await opened(TOOLS)
    await page.evaluate("document.modelContext.ontoolcancel = (event) => { window.cancelled = event.toolName }")
    running = asyncio.ensure_future(page.webmcp.call_tool("never"))
    while not await page.evaluate("window.began"):
        assert not running.done()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await page.webmcp.call_tool("add", {"n": 2})).text.startswith("sum 2")
    assert await page.evaluate("window.cancelled") == "never"


async def test_an_output_of_ten_megabytes_is_not_passed_on(opened: Open) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPOutputTooLarge, match=r"10,485,762 bytes.*max_output_bytes") as error:
        await page.webmcp.call_tool("big")
    assert (error.value.size, error.value.limit) == (10_485_762, 1_000_000)
    with pytest.raises(WebMCPOutputTooLarge, match="limit of 20:"):
        await page.webmcp.call_tool("add", {"n": 1}, max_output_bytes=20)


async def test_an_output_that_is_nested_too_deeply_is_not_a_crash(opened: Open) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPError):
        await page.webmcp.call_tool("deep", action_timeout_ms=500)


async def test_a_tool_that_is_not_there_names_those_that_are(opened: Open) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPToolNotFound, match=r"no tool 'ad' \(did you mean 'add'\?\); it offers add, ") as error:
        await page.webmcp.call_tool("ad")
    assert {"add", "once"} <= set(error.value.names)
    assert "once" in {tool.name for tool in await page.webmcp.tools()}
    await page.evaluate("unregister()")
    with pytest.raises(WebMCPToolNotFound, match="no tool 'once'"):
        await page.webmcp.call_tool("once")


async def test_an_input_that_breaks_the_schema_calls_nothing(opened: Open) -> None:
    page = await opened(TOOLS)
    with pytest.raises(WebMCPInputInvalid, match="at n: 'x' is not of type 'number'; the tool was not called") as error:
        await page.webmcp.call_tool("add", {"n": "x"})
    assert error.value.path == "n"
    assert isinstance(error.value, ValueError)
    assert await page.evaluate("out.textContent") == "-"
    assert (await page.webmcp.call_tool("add", {"n": "x"}, validate=False)).text == "sum x\ndone"
    with pytest.raises(OptionInvalid, match="max_output_bytes"):
        await page.webmcp.call_tool("add", {"n": 1}, max_output_bytes=0)


async def test_a_dialog_of_a_tool_is_answered_by_the_rule(opened: Open) -> None:
    page = await opened(TOOLS)
    result = await page.webmcp.call_tool("asks")
    assert result.output == {"answer": False}
    assert [dialog.message for dialog in result.sequence.dialogs] == ["Really?"]


async def test_a_tool_that_leaves_the_page_settles_on_the_next_one(opened: Open, site: Site) -> None:
    site.html("/next", "<h1>next</h1>")
    page = await opened(TOOLS)
    result = await page.webmcp.call_tool("leaves")
    assert page.url == site.url("/next")
    assert result.sequence.stable
    with pytest.raises(WebMCPToolNotFound, match="it offers none now"):
        await page.webmcp.call_tool("leaves")
    assert await page.webmcp.tools() == []


async def test_tools_of_frames_are_listed_and_called_in_their_frame(opened: Open, site: Site) -> None:
    inner = site.html("/inner", TOOLS)
    other = inner.replace("127.0.0.1", "localhost")
    page = await opened(
        f"<iframe name=same src={inner}></iframe><iframe name=other allow='tools *' src={other}></iframe>"
    )
    for name in ("same", "other"):
        frame = page.frame(name=name)
        assert frame is not None
        await frame.evaluate("window.ready")
        add = named(await frame.webmcp.tools(), "add")
        assert add.annotations.read_only
        assert add.frame_url == frame.url
        assert (await frame.webmcp.call_tool("add", {"n": 4})).text.startswith("sum 4")
        assert (await page.webmcp.call_tool(add, {"n": 5})).text.startswith("sum 5")
        assert await frame.evaluate("out.textContent") == "added 5"
    assert [tool.frame_url for tool in await page.webmcp.tools() if tool.name == "add"] == [inner, other]
    with pytest.raises(WebMCPToolNotFound, match=r"the frame '.*/inner' has it; pass the tool of that frame") as error:
        await page.webmcp.call_tool("add", {"n": 1})
    assert error.value.frames == (inner, other)


async def test_names_in_a_frame_hide_none_of_its_tools(opened: Open, site: Site) -> None:
    names = "<form name=forms></form><form name=modelContext></form>"
    order = "<form toolname=order tooldescription=Order toolautosubmit><input name=item></form>"
    page = await opened(f"<iframe src={site.html('/inner', names + order)}></iframe>")
    (tool,) = await page.webmcp.tools()
    assert (tool.name, tool.is_form, tool.annotations.autosubmit) == ("order", True, True)


async def test_a_frame_that_leaves_while_its_tool_runs_ends_the_call(opened: Open, site: Site) -> None:
    inner = site.html("/inner", TOOLS).replace("127.0.0.1", "localhost")
    page = await opened(f"<iframe name=other allow='tools *' src={inner}></iframe>")
    frame = page.frame(name="other")
    assert frame is not None
    await frame.evaluate("window.ready")
    script = "parent.postMessage('remove', '*'), new Promise(() => {})"
    await page.evaluate("onmessage = () => document.querySelector('iframe').remove()")
    await frame.evaluate(
        f"document.modelContext.registerTool({{name: 'vanish', description: 'x', execute: () => ({script})}})"
        ".then(() => null)"
    )
    tool = named(await page.webmcp.tools(), "vanish")
    with pytest.raises(WebMCPToolFailed, match="its frame left the page while it ran"):
        await page.webmcp.call_tool(tool)


async def test_a_form_is_filled_in_and_submitted_only_if_the_page_says_so(opened: Open) -> None:
    page = await opened(FORMS)
    tools = await page.webmcp.tools()
    assert {tool.name: (tool.is_form, tool.annotations.autosubmit) for tool in tools} == {
        "subscribe": (True, True),
        "order": (True, False),
    }
    sent = await page.webmcp.call_tool("subscribe", {"mail": "a@example.org"})
    assert (sent.output, sent.awaits_submit) == ("thanks", False)
    assert await page.evaluate("out.textContent") == "sent a@example.org"
    filled = await page.webmcp.call_tool("order", {"item": "tea"})
    assert (filled.output, filled.awaits_submit, filled.text) == (None, True, "")
    assert filled.sequence.state_change is not None
    assert [row.to for row in filled.sequence.state_change.changed] == ["tea"]
    assert await page.evaluate("out.textContent") == "sent a@example.org"
    await page.click("text=Order")
    assert await page.evaluate("out.textContent") == "sent tea"
    with pytest.raises(WebMCPToolFailed, match="no such parameter"):
        await page.webmcp.call_tool("order", {"what": "tea"})


async def test_a_page_that_is_not_secure_says_what_to_load(webmcp_browser: Browser) -> None:
    page = await webmcp_browser.new_page("data:text/html,<h1>x</h1>")
    with pytest.raises(WebMCPUnavailable, match="not a secure context; load the page from an https: URL") as error:
        await page.webmcp.tools()
    assert error.value.reason == "insecure"
    await page.close()


async def test_a_browser_without_it_says_how_to_launch_one(page: Page, site: Site) -> None:
    await page.goto(site.html("/plain", "<h1>x</h1>"))
    for call in (page.webmcp.tools(), page.webmcp.call_tool("add"), page.main_frame.webmcp.tools()):
        with pytest.raises(WebMCPUnavailable, match=r"launch it with webmcp=True .*--enable-features=WebMCP") as error:
            await call
        assert error.value.reason == "disabled"


async def test_the_same_call_again_and_again_is_a_loop(opened: Open) -> None:
    page = await opened(TOOLS)
    page.loop_guard = LoopGuard(mode="refuse")
    events = []
    for _ in range(4):
        events += (await page.webmcp.call_tool("says", {"text": "no"})).sequence.loops
    assert events


async def test_a_trace_has_the_call(opened: Open, tmp_path: object) -> None:
    page = await opened(TOOLS)
    file = f"{tmp_path}/page.trace.jsonl"
    async with page.trace(file):
        await page.webmcp.call_tool("add", {"n": 9})
    with open(file) as lines:  # noqa: ASYNC230, PTH123  a small file
        assert any('"call_tool"' in line and '"add"' in line for line in lines)


def test_the_output_as_text() -> None:
    assert text_of(None) == ""
    assert text_of("plain") == "plain"
    assert text_of({"content": [{"type": "text", "text": "a"}]}) == "a"
    assert text_of({"content": [{"type": "image", "data": "…"}]}) == '{"content":[{"type":"image","data":"…"}]}'
    assert text_of([1]) == "[1]"
    assert text_of({"content": []}) == '{"content":[]}'
