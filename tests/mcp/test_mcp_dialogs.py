"""Dialogs that the model answers: `--dialogs ask`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser

SHOP = """<title>Shop</title>
<button id=delete onclick="removeLamp()">Delete</button>
<script>
function removeLamp() { if (confirm('Delete the lamp?')) { lamp.remove(); state.textContent = 'deleted' } }
</script>
<button id=name onclick="state.textContent = prompt('Name?', 'Ann')">Name</button>
<ul><li id=lamp>Lamp</ul><p id=state>none</p>"""


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "emulation,state,evaluate", allow_evaluate=True, context={"dialogs": "ask"}) as caller:
        yield caller


async def press(call, site: Site, selector: str):
    await call("navigate", url=site.html("/shop", SHOP))
    return await call.run({"action": "click_element", "selector": selector})


async def test_the_reply_says_which_dialog_is_open_and_how_to_answer_it(call, site: Site) -> None:
    asked = await press(call, site, "#delete")
    head, fenced = asked.text.split("\n<<page", 1)
    assert head.splitlines()[0].startswith("1 of 1 action done; page is NOT still (dialog, ")
    assert head.splitlines()[1].endswith("comes with your answer: answer_dialog {accept: true or false}")
    assert 'dialog open: confirm "Delete the lamp?"' in fenced.splitlines()
    assert "nothing changed" not in asked.text
    assert "pending" not in asked.text
    assert asked.structured["openDialog"]["message"] == "Delete the lamp?"
    answered = await call("answer_dialog", accept=True)
    assert 'dialog: confirm "Delete the lamp?", accepted' in answered.text
    assert "deleted" in answered.text
    assert "openDialog" not in answered.structured


async def test_a_prompt_takes_a_text(call, site: Site) -> None:
    asked = await press(call, site, "#name")
    assert 'dialog open: prompt "Name?", default text "Ann"' in asked.text
    assert "promptText: its text" in asked.text
    assert '"none" → "Eve"' in (await call("answer_dialog", accept=True, promptText="Eve")).text


async def test_other_tools_say_that_a_dialog_blocks_the_page(call, site: Site) -> None:
    await press(call, site, "#delete")
    for tool, arguments in (
        ("aria_snapshot", {}),
        ("screenshot", {}),
        ("navigate", {"url": site.url("/shop")}),
        ("wait_for", {"text": "Lamp"}),
        ("emulate", {"headers": {"X-Team": "shop"}}),
        ("evaluate", {"script": "1"}),
        ("execute_sequence", {"actions": [{"action": "hover", "selector": "#name"}]}),
    ):
        answer = await call(tool, **arguments)
        assert answer.error["code"] == "dialog_open", tool
        assert answer.text.splitlines()[:2] == [
            "error dialog_open",
            "a dialog blocks the page: answer it with answer_dialog {accept: true or false}, then call again",
        ]
        assert "Delete the lamp?" in answer.text
    assert 'dialog open: confirm "Delete the lamp?"' in (await call("sessions")).text
    assert "saved states: none" in (await call("storage_state")).text
    assert "nothing changed" in (await call("answer_dialog", accept=False)).text


WRONG = (
    ({"accept": True}, "no_dialog", "nothing waits for an answer: go on without it"),
    ({"accept": False, "promptText": "x"}, "action_invalid", "a dialog that is dismissed takes no promptText"),
    ({}, "option_invalid", "accept"),
    ({"accept": "yes"}, "option_invalid", "accept"),
)


async def test_a_wrong_answer_says_what_to_do(call, site: Site) -> None:
    await call("navigate", url=site.html("/shop", SHOP))
    for arguments, code, words in WRONG:
        answer = await call("answer_dialog", **arguments)
        assert code in answer.text, arguments
        assert words in answer.text, arguments


async def test_a_text_for_a_confirm_leaves_it_open(call, site: Site) -> None:
    await press(call, site, "#delete")
    answer = await call("answer_dialog", accept=True, promptText="x")
    assert "failed: action_invalid" in answer.head
    assert 'dialog open: confirm "Delete the lamp?"' in answer.text
    assert "a confirm is open, which takes none" in answer.text
    assert "deleted" in (await call("answer_dialog", accept=True)).text


async def test_a_sequence_can_ask_and_answer(call, site: Site) -> None:
    await call("navigate", url=site.html("/shop", SHOP))
    answer = await call.run(
        {"action": "click_element", "selector": "#delete"}, {"action": "answer_dialog", "accept": True}
    )
    assert answer.head.startswith("2 of 2 actions done; page is still")
    assert "deleted" in answer.text


async def test_a_dialog_on_load_belongs_to_the_new_page(call, site: Site) -> None:
    await call("navigate", url=site.html("/shop", SHOP))
    asked = await call("navigate", url=site.html("/in", "<title>In</title><script>alert('Hi')</script><h1>Inside</h1>"))
    assert 'dialog open: alert "Hi"' in asked.text
    answered = await call("answer_dialog", accept=True)
    assert "a new page was loaded; its text:" in answered.text
    assert 'heading "Inside"' in answered.text


async def test_a_dialog_that_nobody_answered_is_reported(browser: Browser, site: Site) -> None:
    async with capable(browser, "dialogs", context={"dialog_timeout_ms": 100}) as call:
        await press(call, site, "#delete")
        while "dialog open" in (await call("sessions")).text:
            pass
        gone = await call("answer_dialog", accept=True)
        assert "was dismissed after 0.1 s without an answer" in gone.text
        assert 'dialog: confirm "Delete the lamp?", dismissed because no answer came in time' in gone.text


async def test_the_tool_is_shown_where_dialogs_wait(browser: Browser) -> None:
    for caps, context, shown in (
        ("core", {}, False),
        ("core", {"dialogs": "ask"}, True),
        ("dialogs", {}, True),
        ("core", {"dialogs": "accept"}, False),
    ):
        async with capable(browser, caps, context=context) as call:
            tools = {tool.name: tool for tool in (await call.client.list_tools()).tools}
            kinds = tools["execute_sequence"].input_schema["properties"]["actions"]["items"]["properties"]["action"]
            assert ("answer_dialog" in tools, "answer_dialog" in kinds["enum"]) == (shown, shown), (caps, context)
