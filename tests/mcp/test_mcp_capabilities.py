"""`--caps` decides which tools clients see, and a tool that it hides says how to switch it on."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from stillframe.errors import OptionInvalid
from stillframe.mcp.capabilities import CAPABILITIES, CORE, EVERY, Capability, parse_capabilities
from stillframe.mcp.tools import every_tool, tool_table

SIX = {"execute_sequence", "navigate", "wait_for", "aria_snapshot", "screenshot", "sessions"}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("", CORE),
        ("core", CORE),
        ("tabs, find", {"core", "tabs", "find"}),
        (["network", "console"], {"core", "network", "console"}),
        ("all", EVERY),
    ],
)
def test_capabilities_are_named_in_a_list(names: Any, found: set[str]) -> None:
    assert parse_capabilities(names) == found


def test_a_capability_that_there_is_not_is_named_with_the_nearest() -> None:
    with pytest.raises(OptionInvalid, match="unknown capability 'netwrok'; did you mean 'network'") as error:
        parse_capabilities("tabs,netwrok")
    assert error.value.option == "caps"


def test_every_capability_is_described_and_every_tool_belongs_to_one() -> None:
    assert tuple(CAPABILITIES) == get_args(Capability)
    assert {row.capability for row in every_tool().values()} <= EVERY


def test_core_has_the_six_tools() -> None:
    assert set(tool_table().shown) == SIX


@pytest.mark.parametrize("name", sorted(CAPABILITIES))
def test_a_capability_adds_its_own_tools_and_no_others(name: Capability) -> None:
    table = tool_table(CORE | {name}, options={"--agent-model", "--allow-evaluate"})
    own = {row.name for row in every_tool().values() if row.capability == name}
    assert set(table.shown) == SIX | own | {"run_goal"}
    assert set(table.shown) | set(table.hidden) == set(every_tool())
    assert set(table.shown) & set(table.hidden) == set()


async def test_a_hidden_tool_names_the_option_that_shows_it(serving) -> None:
    async with serving() as call:
        listed = {tool.name for tool in (await call.client.list_tools()).tools}
        for name, option in (("reload", "--caps actions"), ("run_goal", "--agent-model")):
            answer = await call(name)
            assert name not in listed
            assert answer.is_error
            assert answer.error["code"] == "tool_hidden"
            assert answer.error["option"] == option
            assert option in answer.text
            assert answer.raw.structured_content is None


async def test_the_tools_of_a_capability_are_listed_and_callable(serving) -> None:
    async with serving(caps=parse_capabilities("actions")) as call:
        assert {tool.name for tool in (await call.client.list_tools()).tools} > SIX
        assert (await call("reload")).head.startswith("1 of 1 action done")
