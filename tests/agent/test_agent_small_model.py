"""A real small model, whose output a grammar binds to the schema, decides on a page with one button."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest
from small_model import PYTHON, small_model, small_model_server

from site_server import Site
from stillframe.agent.asking import Allowance, Asker
from stillframe.agent.decision import Decision, parse_decision
from stillframe.agent.outcome import Usage
from stillframe.api.browser import Page
from stillframe.security.untrusted_text import mark_untrusted

SERVED = "STILLFRAME_SMALL_MODEL"
CLICK = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["click"]},
        "selector": {"type": "string", "pattern": "^ref=e[0-9]+$"},
    },
    "required": ["action", "selector"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["continue", "complete"]},
        "commands": {"type": "array", "minItems": 1, "maxItems": 1, "items": CLICK},
    },
    "required": ["status", "commands"],
    "additionalProperties": False,
}
"""What the grammar allows: a model of this size decides which button, and whether that is all."""
BUTTON = """<p>Our club</p><button onclick="this.textContent = 'Welcome'">Join</button>"""

pytestmark = pytest.mark.skipif(
    SERVED not in os.environ and not PYTHON.exists(),
    reason=f"no small model: run bench/small_model/setup.sh, or set {SERVED} to the base URL of a server",
)


@pytest.fixture
async def base_url(shared_parts: None) -> AsyncIterator[str]:
    if SERVED in os.environ:
        yield os.environ[SERVED]
    else:
        async with small_model_server() as url:
            yield url


async def test_a_small_model_presses_the_only_button(base_url: str, page: Page, site: Site) -> None:
    spent: list[Usage] = []
    asker: Asker[Decision] = Asker(
        small_model(base_url),
        name="decision",
        instructions="You use web pages. Reply with the button to click.",
        schema=SCHEMA,
        parse=parse_decision,
        corrections=1,
        spend=lambda usage, _: spent.append(usage),
    )
    await page.goto(site.html("/", BUTTON))
    text = (await page.aria_snapshot()).text
    decision = await asker.ask(f"Goal: Click the Join button.\n{mark_untrusted([text])}", (), Allowance(120))
    assert (decision.status, len(decision.commands)) == ("complete", 1)
    result = await page.execute_sequence(decision.commands)
    assert (result.completed, result.failed) == (1, None)
    assert 'button "Welcome"' in (await page.aria_snapshot()).text
    assert spent[0].calls == 1
    assert spent[0].input_tokens > 0
