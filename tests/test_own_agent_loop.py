"""The loop of docs/how-to/own-agent-loop.md runs with a server that answers as a model does."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any
from urllib.parse import quote

import pytest
from model_server import KEY, ModelServer, said

from documents import DOCS, blocks
from stillframe.api.browser import Page

(LOOP,) = [block for block in blocks(DOCS / "how-to" / "own-agent-loop.md") if "AsyncOpenAI" in block.text]
PAGE = next(block.text for block in blocks(DOCS / "how-to" / "index.md") if block.language == "html")
ACTIONS = [
    {"action": "fill", "selector": "label=Name", "value": "Ann"},
    {"action": "click", "selector": "text=Join"},
]
MISTAKE = [{"action": "clik", "selector": "text=Join"}]
DONE = {"done": True, "answer": "Welcome, Ann"}


async def test_the_loop_corrects_a_mistake_and_reaches_its_goal(
    page: Page, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    await page.goto("data:text/html," + quote(PAGE))
    names: dict[str, Any] = {}
    exec("async def fragment(page):\n" + textwrap.indent(LOOP.text, "    "), names)
    replies = [said(json.dumps(reply)) for reply in ({"actions": MISTAKE}, {"actions": ACTIONS}, DONE)]
    async with ModelServer(*replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        await names["fragment"](page)
        asked = [request["messages"][-1]["content"] for request in server.requests]
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print\(.*\)  # (.*)$", LOOP.text, re.MULTILINE)
    for prompt, said_before in zip(asked, ("You have not acted", "did you mean 'click'", '"completed":2'), strict=True):
        assert said_before in prompt
