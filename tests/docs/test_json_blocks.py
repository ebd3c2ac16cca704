"""Every block of JSON in the documents is what stillframe accepts and answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from documents import DOCS, Block, all_blocks, blocks
from stillframe.api.browser import Page
from stillframe.demo import Shop
from stillframe.demo.scenes import WATCH_CLOCK
from stillframe.model.action_list import parse_actions
from stillframe.model.result import SequenceResult

BLOCKS = [pytest.param(block, id=block.name) for block in all_blocks("json")]
RESULTS = DOCS / "how-to" / "read-results.md"
ON_OCCASION = {
    *("failed", "steps", "captures", "console", "errors", "clock", "pageHash", "loops", "healed", "refused"),
    *("omitted", "pageText", "observed", "openDialog", "detail", "waitReason"),
}
"""The keys of a result that are there only for some options or some pages."""


def actions_in(value: Any) -> list[Any]:
    """Return the actions that a JSON value is or has; none if it is about something else."""
    if isinstance(value, dict) and "action" in value:
        return [value]
    if isinstance(value, dict):
        return list(value.get("actions", []))
    return value if isinstance(value, list) and value and all("action" in item for item in value) else []


@pytest.mark.parametrize("block", BLOCKS)
def test_actions_are_accepted(block: Block) -> None:
    if actions := actions_in(json.loads(block.text)):
        parse_actions(actions)


def test_actions_are_found_where_they_stand() -> None:
    action = {"action": "reload"}
    assert [actions_in(value) for value in (action, [action], {"actions": [action]}, {"a": 1}, [])] == [
        [action],
        [action],
        [action],
        [],
        [],
    ]


def shown_result() -> dict[str, Any]:
    """Return the result that the page about results shows."""
    values = [json.loads(block.text) for block in blocks(RESULTS) if block.language == "json"]
    return next(value for value in values if "stateChange" in value)  # type: ignore[no-any-return]


def test_the_result_shown_has_the_keys_of_every_result() -> None:
    assert set(shown_result()) == set(SequenceResult.__struct_encode_fields__) - ON_OCCASION


async def test_the_result_shown_is_what_the_shop_answers(page: Page) -> None:
    shown = shown_result()
    actions = next(
        found
        for block in blocks(DOCS / "how-to" / "act.md")
        if block.language == "json" and (found := actions_in(json.loads(block.text)))
    )
    async with Shop() as shop:
        await page.goto(shop.url("/join"))
        await page.evaluate(WATCH_CLOCK)
        # The address was typed before: the page shows what the button led to.
        await page.execute_sequence(actions[:1])
        result = (await page.execute_sequence(actions[1:])).to_dict()
        await page.goto("about:blank")

    def rows(state: dict[str, Any]) -> list[Any]:
        return [{**row, "ref": ""} for row in [*state["appeared"], *state["disappeared"], *state["changed"]]]

    assert rows(result["stateChange"]) == rows(shown["stateChange"])
    assert (result["stable"], result["reason"]) == (shown["stable"], shown["reason"])
