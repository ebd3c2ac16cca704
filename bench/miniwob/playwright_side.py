"""The same policies for ten tasks on Playwright: its page behind the calls of ours that a policy uses."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

import stillframe
from bench.miniwob import site
from bench.miniwob.episode import Policy
from bench.miniwob.harness import Outcome, Table
from stillframe.chrome.executable import find_executable
from stillframe.model.actions import Check, Click, Hover, PressKey, SelectOption, SetValue, TypeText
from stillframe.model.bounds import short

TASKS = (
    "buy-ticket",
    "choose-list",
    "click-button",
    "click-button-sequence",
    "click-checkboxes",
    "click-checkboxes-large",
    "click-checkboxes-soft",
    "click-option",
    "click-scroll-list",
    "click-test",
)
"""Tasks whose policies need nothing but page text, refs, roles, clicks and choices, which both have."""
LINE = re.compile(
    r'^(?P<head> *- [\w-]+)(?P<name> "(?:[^"\\]|\\.)*")?(?P<states>(?: \[[^\]]*\])*)(?::(?: (?P<text>.+))?)?$'
)

ACTING: dict[type, Callable[[Any, Any], Awaitable[Any]]] = {
    Click: lambda found, action: found.click(button=action.button, click_count=action.click_count),
    Check: lambda found, _: found.check(),
    Hover: lambda found, _: found.hover(),
    SelectOption: lambda found, action: found.select_option(action.value),
    SetValue: lambda found, action: found.fill(action.value),
    TypeText: lambda found, action: found.press_sequentially(action.text),
    PressKey: lambda found, action: found.press(action.key),
}
"""What Playwright's locator does for each action."""


def as_ours(text: str) -> str:
    """Return Playwright's page text in the form of ours: a text after a colon becomes the name, if there is none."""
    return "\n".join(map(_line, text.splitlines()))


def _line(line: str) -> str:
    match = LINE.match(line)
    if not match:
        return line
    text = match["text"]
    plain = json.loads(text) if text and text.startswith('"') else text
    name = match["name"] or (f" {json.dumps(plain, ensure_ascii=False)}" if plain else "")
    return f"{match['head']}{name}{match['states']}"


class PlaywrightPage:
    """A page of Playwright with the calls of ours that the policies and the harness use."""

    def __init__(self, page: Any) -> None:
        self._page = page

    async def goto(self, url: str) -> None:
        """Load a URL."""
        await self._page.goto(url)

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression."""
        return await self._page.evaluate(expression)

    async def set_viewport(self, width: int, height: int) -> None:
        """Resize the page, in CSS pixels."""
        await self._page.set_viewport_size({"width": width, "height": height})

    async def aria_snapshot(self, **_: Any) -> SimpleNamespace:
        """Return the page text with refs; `text` has it."""
        return SimpleNamespace(text=as_ours(await self._page.aria_snapshot(mode="ai")))

    async def execute_sequence(self, actions: list[Any], **_: Any) -> SimpleNamespace:
        """Run actions one after the other. Raises LookupError if one fails or is of a kind that is not in ACTING."""
        for action in actions:
            found = self._page.locator(re.sub("^ref=", "aria-ref=", action.selector))
            try:
                await ACTING[type(action)](found, action)
            except import_module("playwright.async_api").Error as error:
                raise LookupError(f"Playwright could not do {action}: {error}") from error
        return SimpleNamespace(raise_for_failure=lambda: None)


@asynccontextmanager
async def _stillframe_page() -> AsyncIterator[Any]:
    async with stillframe.launch(window_size=site.SMALL.window) as browser:
        yield await browser.new_page()


@asynccontextmanager
async def _playwright_page() -> AsyncIterator[Any]:
    async with import_module("playwright.async_api").async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=find_executable().path, args=["--no-sandbox"])
        yield PlaywrightPage(await browser.new_page())
        await browser.close()


LANES: dict[str, tuple[Callable[[], Any], bool]] = {
    "stillframe": (_stillframe_page, True),
    "stillframe, each action a call": (_stillframe_page, False),
    "Playwright": (_playwright_page, False),
}
"""By name: what opens the page, and whether a sequence is one call."""


async def compare(known: Mapping[str, Policy], seeds: range) -> dict[str, list[Outcome]]:
    """Run the ten tasks in every lane, seed by seed in turn, and return the outcomes by lane.

    A lane that cannot start is named on standard output with the reason and has no outcomes.
    """
    outcomes: dict[str, list[Outcome]] = {name: [] for name in LANES}
    async with AsyncExitStack() as stack:
        origin = await stack.enter_async_context(site.serving())
        pages = await _open(stack)
        for task in TASKS:
            tables = {name: Table(page, task, origin, LANES[name][1]) for name, page in pages.items()}
            for seed in seeds:
                for name, table in tables.items():
                    outcomes[name].append(await table.run(known[task], seed))
    return outcomes


async def _open(stack: AsyncExitStack) -> dict[str, Any]:
    pages: dict[str, Any] = {}
    for name, (opened, _) in LANES.items():
        try:
            pages[name] = await stack.enter_async_context(opened())
        except ImportError as error:
            print(f'{name} is left out: {error}; `make bench ARGS="miniwob --beside"` installs it')
    return pages


def show(console: Console, outcomes: Mapping[str, list[Outcome]]) -> None:
    """Print a row per lane."""
    grid = Grid("lane", "episodes solved", "median ms per episode", "calls per episode", "first problem")
    for name, own in outcomes.items():
        if own:
            solved = sum(outcome.solved for outcome in own)
            median = statistics.median(outcome.seconds for outcome in own) * 1000
            calls = statistics.mean(outcome.calls for outcome in own)
            why = next(
                (f"{each.task} {each.seed}: {each.problem or each.reward}" for each in own if not each.solved), ""
            )
            grid.add_row(name, f"{solved} of {len(own)}", f"{median:.0f}", f"{calls:.1f}", short(why, 200))
    console.print(grid)
