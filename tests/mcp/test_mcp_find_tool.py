"""Search in the text of a page: lines with refs, what is around them, and what contains them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.mcp import find_tool

ITEMS = "".join(f"<li>Item {number} <button>Buy {number}</button></li>" for number in range(300))
BODY = f"<main aria-label=Shop><h1>All items</h1><ul>{ITEMS}</ul><p>Total: 42.50 CHF</p></main>"


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "find") as caller:
        yield caller


@pytest.fixture
async def shop(call, site: Site) -> None:
    await call("navigate", url=site.html("/items", BODY))


async def test_a_match_comes_with_its_ref_and_what_contains_it(call, shop) -> None:
    answer = await call("find", text="buy 250", context=0)
    assert answer.head.startswith("1 of ")
    assert answer.structured["matches"] == 1
    ref = answer.ref('- button "Buy 250"')
    assert '- main "Shop"' in answer.text
    assert "Buy 249" not in answer.text
    assert answer.structured["text"] == answer.text
    clicked = await call.run({"action": "click_element", "selector": f"ref={ref}"})
    assert clicked.structured["completed"] == 1


async def test_lines_around_a_match_are_shown_and_gaps_marked(call, shop) -> None:
    answer = await call("find", regex=r"Buy (7|99)\b", context=2)
    assert answer.structured["matches"] == 2
    assert "Buy 8" in answer.text
    assert "Buy 6" in answer.text
    assert "Buy 50" not in answer.text
    assert "\n…\n" in answer.text


async def test_a_regular_expression_and_a_scope(call, shop) -> None:
    assert "42.50 CHF" in (await call("find", regex=r"total: \d+\.\d\d")).text
    assert (await call("find", text="All items", scope="ul")).structured["matches"] == 0
    nothing = await call("find", text="not on this page")
    assert nothing.head.startswith("0 of ")
    assert "<<page" not in nothing.text


async def test_words_are_found_in_the_text_of_the_page_and_not_in_its_roles(call, site: Site) -> None:
    await call("navigate", url=site.html("/roles", '<button>Bob</button><select><option>a "big" one</select>'))
    assert (await call("find", text="bo")).structured["matches"] == 1  # and not the combobox
    assert (await call("find", text='a "big"')).structured["matches"] == 1
    assert (await call("find", regex="^- (button|combobox)")).structured["matches"] == 2


async def test_many_matches_keep_within_the_budget(call, shop) -> None:
    answer = await call("find", text="Buy", budget=1000)
    assert len(answer.text) <= 1000
    assert answer.structured["matches"] == 300
    assert "Buy 299" in (await call.client.read_resource(answer.links[0])).contents[0].text


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"regex": "(["}, "not a regular expression"),
        ({}, "exactly one"),
        ({"text": "a", "regex": "b"}, "exactly one"),
        ({"text": ""}, "text"),
        ({"text": "a", "context": 99}, "context"),
    ],
)
async def test_bad_arguments_are_refused(call, arguments: dict[str, object], words: str) -> None:
    answer = await call("find", **arguments)
    assert answer.error["code"] == "option_invalid"
    assert words in answer.text


async def test_a_regular_expression_that_takes_forever_ends(call, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_tool, "SEARCH_S", 0.05)
    await call("navigate", url=site.html("/evil", f"<p>{'a' * 200}!</p>"))
    answer = await call("find", regex=r"(a|aa)+\d$")
    assert answer.error["code"] == "option_invalid"
    assert "takes too long" in answer.text
