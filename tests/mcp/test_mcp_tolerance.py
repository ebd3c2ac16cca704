"""What models and clients write otherwise than the schemas say, and what is refused with the right form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from site_server import Site
from stillframe.errors import OptionInvalid
from stillframe.mcp.handlers import tolerated

CLICK = {"action": "click_element", "selector": "ref=e12"}


@pytest.mark.parametrize("ref", ["ref=e12", "e12", "[ref=e12]", "@e12", " e12 ", {"ref": "e12"}, {"ref": "[ref=e12]"}])
def test_a_ref_may_be_written_as_page_text_prints_it(ref: Any) -> None:
    assert tolerated({"actions": [{"action": "click_element", "selector": ref}]}) == {"actions": [CLICK]}
    assert tolerated({"scope": ref}) == {"scope": "ref=e12"}


@pytest.mark.parametrize(
    "selector", ["#e12", "e12 > b", "text=e12", "[data-ref=e12]", "em", {"ref": 12}, {"css": "p"}, 7]
)
def test_everything_else_stays_as_it_is(selector: Any) -> None:
    assert tolerated({"selector": selector}) == {"selector": selector if selector != {"ref": 12} else 12}


def test_an_option_that_is_null_is_one_that_is_not_set() -> None:
    sent = {"timeoutMs": None, "sessionId": None, "actions": [{**CLICK, "button": None, "timeoutMs": None}]}
    assert tolerated(sent) == {"actions": [CLICK]}


@pytest.mark.parametrize("actions", [json.dumps([CLICK]), json.dumps(CLICK), CLICK, [CLICK]])
def test_actions_may_be_json_text_or_a_single_one(actions: Any) -> None:
    assert tolerated({"actions": actions}) == {"actions": [CLICK]}


def test_text_that_is_not_json_is_refused_with_the_right_form() -> None:
    with pytest.raises(
        OptionInvalid, match=r'argument actions: text that is not JSON .*"action": "click_element"'
    ) as raised:
        tolerated({"actions": "click the button"})
    assert raised.value.option == "actions"


async def test_calls_take_all_of_that(call, site: Site) -> None:
    await call("navigate", url=site.html("/tolerance", "<button onclick='this.textContent=\"Done\"'>Go</button>"))
    ref = (await call("aria_snapshot", scope=None, sessionId=None)).ref('- button "Go"')
    answer = await call("execute_sequence", actions=json.dumps({"action": "click_element", "selector": f"[ref={ref}]"}))
    assert '"Go" → "Done"' in answer.text
    assert "Done" in (await call("aria_snapshot", scope=ref)).text


@pytest.mark.parametrize("method", ["list_tools", "list_resources"])
async def test_a_cursor_is_refused_because_there_is_one_page(call, method: str) -> None:
    with pytest.raises(MCPError, match="unknown cursor 'x': the first page has everything") as raised:
        await getattr(call.client, method)(cursor="x")
    assert raised.value.error.code == types.INVALID_PARAMS


async def test_both_halves_of_a_reply_that_acts_have_the_same_text(call, site: Site) -> None:
    answer = await call("navigate", url=site.html("/halves", "<h1>Fenced</h1>"))
    assert answer.structured["text"] == answer.text
    assert "<<page" in answer.structured["text"]
