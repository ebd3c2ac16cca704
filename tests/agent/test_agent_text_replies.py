"""JSON that comes as text is a reply like any other; other text is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from stillframe.agent.interruption import json_object
from stillframe.agent.orchestrator import Orchestrator
from stillframe.api.browser import Page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"status": "complete"}', '{"status": "complete"}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('  ```\n{"a": "```"}\n```\n', '{"a": "```"}'),
        ("[1]", None),
        ('"text"', None),
        ("Sure! Here is my plan.", None),
        ("", None),
        ('{"a": ', None),
        ("\ud800", None),
        ("[" * 100_000, None),
    ],
)
def test_a_text_that_is_a_json_object(text: str, found: str | None) -> None:
    assert json_object(text) == found


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert json_object(text) is None or text.strip()


async def test_a_decision_as_text_needs_no_correction(page: Page) -> None:
    await page.goto("data:text/html,<button onclick=\"document.title='pressed'\">Go</button>")
    replies = [
        '{"status": "continue", "commands": [{"action": "click", "selector": "text=Go"}]}',
        "Done!\n",
        '```json\n{"status": "complete"}\n```',
    ]

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(replies.pop(0))])

    outcome = await Orchestrator(page, FunctionModel(reply)).run("Press the button")
    assert (outcome.status, outcome.usage.calls) == ("complete", 3)
    assert await page.title() == "pressed"
