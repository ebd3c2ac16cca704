"""Scripts for tests: made on a page by acting on it, and models that reply with what a test gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from site_server import Site
from stillframe.api.page import PageBase
from stillframe.model.actions import Action
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.script import Script, ScriptAction, ScriptStep

SHOP = """<h1>Shop</h1><form onsubmit="return false"><label for=who>Name</label>
<input id=who onchange="log.textContent += 'name=' + this.value + ' '">
<button id=save onclick="log.textContent += 'save '">Save order</button>
<button id=drop onclick="log.textContent += 'drop '">Drop order</button></form>
<ul><li><span>Green tea from Uji</span> <button onclick="log.textContent += 'green '">Add</button></li>
<li><span>Black tea from Assam</span> <button onclick="log.textContent += 'black '">Add</button></li>
<li><span>Fresh mint leaves</span> <button onclick="log.textContent += 'mint '">Add</button></li></ul><p id=log></p>"""
"""A page that writes down what is done to it; three of its buttons have the same role and name."""

SHORT_MS = 300.0
"""How long actions of these tests wait for what is not there."""


_made: dict[tuple[str, str, str], Script] = {}
"""The scripts that were made: to make one takes longer than most of what tests do with it."""


async def made(page: PageBase, site: Site, steps: Mapping[str, Sequence[Action]], body: str = SHOP) -> Script:
    """Return the script of steps that were carried out as an agent does, on a page with this body at `/shop`.

    That may have been in another test: the body is there from now on, but this page may not have loaded it.
    """
    url = site.html("/shop", body)
    key = url, body, repr(steps)
    if key not in _made:
        _made[key] = await _script_of(page, url, steps)
    return _made[key]


async def _script_of(page: PageBase, url: str, steps: Mapping[str, Sequence[Action]]) -> Script:
    await page.goto(url, settle=True)
    done = []
    for goal, actions in steps.items():
        kept: list[ScriptAction] = []
        for action in actions:
            kept += await durable_actions(page, [action])
            (await page.execute_sequence([action])).raise_for_failure()
        done.append(ScriptStep(goal=goal, actions=tuple(kept)))
    return Script(name="shop", goal="Order tea", url=url, steps=tuple(done))


async def log_of(page: PageBase) -> str:
    """Return what the page wrote down."""
    return (await page.locator("#log").text()).strip()


class Replies:
    """A model that gives these replies one after the other; `prompts` are the texts it was asked with."""

    def __init__(self, *replies: dict[str, Any]) -> None:
        self._replies = list(replies)
        self.prompts: list[str] = []
        self.model = FunctionModel(self._reply)

    def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.prompts.append(str(getattr(messages[-1].parts[-1], "content", "")))
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, self._replies.pop(0))])


def change(kind: str, index: int, **action: Any) -> dict[str, Any]:
    """Return a reply that proposes one change."""
    proposed = {"kind": kind, "index": index, **({"action": action} if action else {})}
    return {"changes": [proposed], "confidence": 5, "advice": "The page has changed."}
