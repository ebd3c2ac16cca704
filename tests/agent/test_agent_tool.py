"""The toolbox: how tools are described, and what a wrong call gets. No tool here needs a page."""

from __future__ import annotations

import logging
from typing import Annotated, Any, Literal

import msgspec
import pytest

from stillframe.agent.decision import ToolCall
from stillframe.agent.tools import STANDARD_TOOLS
from stillframe.agent.tools.tool import Arguments, NoArguments, Tool, ToolAnswer, Toolbox
from stillframe.errors import ElementNotFound, OptionInvalid, ToolFailed

CONTEXT: Any = None
"""The tools of this module do not look at it."""


class Paint(Arguments, frozen=True):
    colour_name: Literal["red", "blue"]
    wait: Annotated[float, msgspec.Meta(ge=0, description="milliseconds")] = 100
    layers: list[int] = msgspec.field(default_factory=list)
    note: str | None = None


async def paint(_: Any, arguments: Paint) -> ToolAnswer:
    return ToolAnswer(f"{arguments.colour_name} {arguments.wait:g}")


async def missing(_: Any, __: NoArguments) -> ToolAnswer:
    raise ElementNotFound("Element not found: #a", selector="#a")


async def broken(_: Any, __: NoArguments) -> ToolAnswer:
    raise KeyError("a")


TOOLBOX = Toolbox(
    [
        Tool("paint", "paint the page", Paint, paint),
        Tool("missing", "find nothing", NoArguments, missing),
        Tool("broken", "raise", NoArguments, broken),
    ]
)


async def run(tool: str, **arguments: Any) -> ToolAnswer:
    return await TOOLBOX.call(CONTEXT, ToolCall(tool=tool, arguments=arguments))


def test_a_tool_is_described_with_its_arguments_types_units_and_defaults() -> None:
    assert TOOLBOX.describe().splitlines() == [
        'paint(colourName: "blue" | "red", wait: number (milliseconds) = 100, layers: [integer, …] = [], '
        "note: string | null = null): paint the page",
        "missing(): find nothing",
        "broken(): raise",
    ]


def test_an_added_tool_is_described() -> None:
    toolbox = Toolbox([*STANDARD_TOOLS, Tool("paint", "paint the page", Paint, paint)])
    assert toolbox.names[-1] == "paint"
    assert "paint(colourName" in toolbox.describe()


def test_the_standard_tools_have_the_names_and_arguments_that_models_know() -> None:
    assert [tool.usage for tool in Toolbox(STANDARD_TOOLS)] == [
        "take_screenshot(isFullPage: boolean = true)",
        "view_previous_screenshot()",
        "refresh_som_markers()",
        'recall_history(maxSteps: integer (turns) = 10, query: string = "")',
        "extract_data(selector: string, dataName: string, attribute: string | null = null)",
        "inspect_page()",
        "check_page_ready(timeout: number (milliseconds) = 5000)",
        "navigate_back()",
        "refresh_page()",
        "navigate_to_url(url: string)",
        'explore_element(action: "click_info" | "click_menu" | "focus" | "hover", selector: string, '
        'purpose: string = "")',
    ]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(OptionInvalid, match="'paint'"):
        Toolbox([*TOOLBOX, Tool("paint", "again", NoArguments, missing)])


async def test_arguments_have_their_json_names() -> None:
    assert await run("paint", colourName="red") == ToolAnswer("red 100")


async def test_an_unknown_tool_gets_the_nearest_name() -> None:
    with pytest.raises(ToolFailed, match="did you mean 'paint'") as failed:
        await run("pain")
    assert failed.value.tool == "pain"


async def test_a_name_without_end_is_cut() -> None:
    with pytest.raises(ToolFailed) as failed:
        await run("x" * 1_000_000)
    assert len(str(failed.value)) < 1_000


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "argument colourName is missing"),
        ({"colourName": "green"}, "unknown value 'green'"),
        ({"colourName": "red", "wait": "long"}, "argument wait"),
        ({"colourName": "red", "wait": -1}, "argument wait"),
        ({"colourName": "red", "weit": 1}, "did you mean 'wait'"),
        ({"colour_name": "red"}, "did you mean 'colourName'"),
        ({"colourName": "red", "x" * 1_000_000: 1}, "unknown argument"),
    ],
)
async def test_a_wrong_argument_is_named_with_the_usage(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ToolFailed, match=reason) as failed:
        await run("paint", **arguments)
    assert "it is called as paint(colourName" in str(failed.value)
    assert len(str(failed.value)) < 2_000


async def test_an_error_of_a_tool_is_reported() -> None:
    with pytest.raises(ToolFailed, match="missing: Element not found: #a") as failed:
        await run("missing")
    assert isinstance(failed.value.__cause__, ElementNotFound)


async def test_a_mistake_in_a_tool_is_reported_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "stillframe.agent"), pytest.raises(ToolFailed, match="broken failed: KeyError"):
        await run("broken")
    assert "the tool broken failed" in caplog.text
