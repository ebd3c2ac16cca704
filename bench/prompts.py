"""What a model reads per step on pages of 4k and 20k elements, beside the snapshots of browser-use and Playwright MCP.

All read the same pages, each in a Chromium of its own: the first look at the page, and what the model reads after a
click that changes one text. Ours is the whole prompt of a turn, with the goal, the memory and the page; its
instructions, which providers cache, are in the notes. The rivals' figure is their state of the page alone. That of
browser-use has the elements near the viewport only; it is cut at 40,000 characters, and the note says how long it is
uncut. Tokens are those of `o200k_base`, if tiktoken and its encoding are at hand. browser-use needs an environment of
its own: name its Python in BROWSER_USE_PYTHON.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import stillframe
from bench.captures import CARD
from bench.mcp.servers import Playwright
from bench.measure import Table, table
from bench.settle.rivals.find import quiet_environment
from bench.site import html, serving
from bench.text import CARDS, HEAD
from stillframe.agent import Orchestrator
from stillframe.chrome.executable import find_executable

OURS = "stillframe, the whole prompt"
BROWSER_USE = "browser-use, its state of the page"
PLAYWRIGHT = "@playwright/mcp, its snapshot"
TIMEOUT_S = 120
BUTTON = "next"
"""The name of the button, which every reading of the page has to show."""
CLICK = {"status": "continue", "commands": [{"action": "click_element", "selector": "#next"}]}
DONE = {"status": "complete"}

WORKER = """
import asyncio, json, sys
from browser_use.agent.prompts import AgentMessagePrompt
from browser_use.browser import BrowserProfile, BrowserSession

async def read(session):
    state = await session.get_browser_state_summary(include_screenshot=False)
    prompt = AgentMessagePrompt(browser_state_summary=state, file_system=None)
    uncut = len(state.dom_state.llm_representation())
    note = f"{uncut} characters uncut; the elements near the viewport only"
    return {"text": prompt._get_browser_state_description(), "note": note}

async def main(url, path):
    profile = BrowserProfile(executable_path=path, headless=True, chromium_sandbox=False,
                             enable_default_extensions=False)
    session = BrowserSession(browser_profile=profile)
    await session.start()
    try:
        await session.navigate_to(url)
        first = await read(session)
        page = await session.get_current_page()
        await page.evaluate("() => document.getElementById('next').click()")
        print("READ" + json.dumps([first, await read(session)]))
    finally:
        await session.kill()

asyncio.run(main(*sys.argv[1:]))
"""


class Reading(NamedTuple):
    """What a model reads in one step."""

    text: str
    note: str = ""


Readings = tuple[Reading, Reading]
"""The first look, and the step after a click."""


async def run(*, rounds: int = 1) -> list[Table]:  # noqa: ARG001  every bench has it
    """Read both pages once: sizes do not vary, so `rounds` changes nothing."""
    count, uncounted = _counter()
    pages = {f"/{n}": html(f"<!doctype html>{HEAD}" + "".join(map(CARD.format, range(n)))) for n in CARDS.values()}
    tables: list[Table] = []
    async with serving(pages) as port:
        for size, cards in CARDS.items():
            read, missing = await _read_all(f"http://127.0.0.1:{port}/{cards}")
            for index, step in enumerate(("the first look", "after a click that changes one text")):
                readings = {name: both[index] for name, both in read.items()}
                tables += _tables(f"{step}; {size}", readings, missing, count, uncounted)
    return tables


async def _read_all(url: str) -> tuple[dict[str, Readings], dict[str, str]]:
    read: dict[str, Readings] = {OURS: await _ours(url)}
    missing: dict[str, str] = {}
    for name, reader in ((PLAYWRIGHT, _playwright), (BROWSER_USE, _browser_use)):
        found = await reader(url)
        if isinstance(found, str):
            missing[name] = found
        else:
            read[name] = found
    return read, missing


def _tables(
    question: str,
    readings: dict[str, Reading],
    missing: dict[str, str],
    count: Callable[[str], int] | None,
    uncounted: str,
) -> list[Table]:
    notes = {name: reading.note for name, reading in readings.items()}
    characters = {name: [float(len(reading.text))] for name, reading in readings.items()}
    made = [table(f"what a model reads: {question}", "characters", OURS, characters, notes=notes, missing=missing)]
    if count is None:
        made[0].missing = {**missing, "tokens": uncounted}
        return made
    tokens = {name: [float(count(reading.text))] for name, reading in readings.items()}
    return [*made, table(f"what a model reads: {question}", "tokens", OURS, tokens, missing=missing)]


def _counter() -> tuple[Callable[[str], int] | None, str]:
    """Return what counts tokens, or why nothing does."""
    try:
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")
    except Exception as error:  # its encodings come from the network
        return (
            None,
            f"tiktoken or its encoding is not at hand ({type(error).__name__}); pip install tiktoken, online once",
        )
    return lambda text: len(encoding.encode(text, disallowed_special=())), ""


# -- the contestants -----------------------------------------------------------------------------


async def _ours(url: str) -> Readings:
    prompts: list[str] = []
    instructions: list[str] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompts.append(_prompt(messages))
        instructions.append(info.instructions or "")
        return ModelResponse([ToolCallPart(info.output_tools[0].name, CLICK if len(prompts) == 1 else DONE)])

    async with stillframe.launch() as browser, await browser.new_page(url) as page:
        await page.settle()
        outcome = await Orchestrator(page, FunctionModel(reply)).run("Press next and say what the count is")
    assert outcome.status == "complete", outcome.reason
    note = f"and {len(instructions[0])} characters of instructions, the same in every step"
    return Reading(prompts[0], note), Reading(prompts[1], note)


def _prompt(messages: list[ModelMessage]) -> str:
    (request,) = messages
    assert isinstance(request, ModelRequest)
    return "\n".join(str(part.content) for part in request.parts if isinstance(part, UserPromptPart))


async def _playwright(url: str) -> Readings | str:
    async with AsyncExitStack() as stack:
        server = Playwright(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-prompts-"))))
        if (problem := server.problem()) is not None:
            return problem
        await server.start(stack)
        await server.open(url)
        first = await server.look()
        clicked = await server.settled_reply(await server.click("#next"))
    return Reading(first.text, server.version), Reading(clicked.text, server.version)


async def _browser_use(url: str) -> Readings | str:
    python = os.environ.get("BROWSER_USE_PYTHON")
    if python is None:
        return "name the Python of an environment with the package browser-use in BROWSER_USE_PYTHON"
    with tempfile.TemporaryDirectory(prefix="bench-prompts-") as home:
        quiet = {**os.environ, **quiet_environment(Path(home)), "ANONYMIZED_TELEMETRY": "false"}
        process = await asyncio.create_subprocess_exec(
            *(python, "-c", WORKER, url, find_executable().path), stdout=PIPE, stderr=PIPE, env=quiet
        )
        try:
            async with asyncio.timeout(TIMEOUT_S):
                out, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            return f"it did not read the page within {TIMEOUT_S} s"
    for line in out.decode().splitlines():
        if line.startswith("READ"):
            first, second = (_reading(each) for each in json.loads(line.removeprefix("READ")))
            # A state without the page is not a small prompt: it gives up on large pages and goes on with nothing.
            seen = all(BUTTON in reading.text for reading in (first, second))
            return (first, second) if seen else f"its state has nothing of the page: {first.text[-120:]!r}"
    return f"it failed: {(errors.decode(errors='replace').strip().splitlines() or ['without a word'])[-1][:200]}"


def _reading(told: dict[str, Any]) -> Reading:
    return Reading(told["text"], told["note"])
