"""One episode as a policy sees it: the goal in words, the page as text, and calls that act."""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from PIL import Image

from bench.miniwob.nodes import Node, parse
from stillframe import Action, Page, SequenceResult
from stillframe.tab.reading.reading import Box

HUD = re.compile(r'^- text "(?:Last reward|Last 10 average|Time left|Episodes done):')
"""The lines that the harness of MiniWoB++ shows beside a task: rewards and a countdown."""
TEXT = re.compile(r'^- text "')
BUDGET = 40_000
"""Characters of page text: more than any task has, so nothing is cut."""


class Hidden(LookupError):
    """An element has no box, since the page does not show it."""


class Episode:
    """What a policy may use. `page` is for typed actions and locators; scripts in the page are forbidden."""

    def __init__(
        self, page: Page, goal: str, *, size: tuple[int, int], fields: dict[str, str] | None = None, batch: bool = True
    ) -> None:
        self.page = page
        self.goal = goal
        self.fields = fields or {}
        self.size = size
        """The width and height of the task, in CSS pixels from the top left of the page."""
        self.calls = 0
        """The calls so far: sequences, page texts, boxes and pictures."""
        self.actions = 0
        """The actions so far; without batching each is a call of its own."""
        self.reads = 0
        """The calls so far that only read."""
        self._batch = batch

    async def text(self, **options: Any) -> str:
        """Return the page as text with refs, without the goal and without the rewards beside the task."""
        self._read()
        text = (await self.page.aria_snapshot(budget=BUDGET, **options)).text
        return task_text(text, self.goal)

    async def nodes(self, **options: Any) -> list[Node]:
        """Return the lines of `text` as nodes in reading order."""
        return parse(await self.text(**options))

    async def act(self, *actions: Action, **options: Any) -> SequenceResult:
        """Run actions as one sequence and return its result; without batching, each as a sequence of its own.

        `options` are those of `page.execute_sequence`. Raises ActionFailed if an action fails.
        """
        self.actions += len(actions)
        parts = [actions] if self._batch else [(action,) for action in actions]
        for part in parts:
            self.calls += 1
            result = await self.page.execute_sequence(list(part), **options)
            result.raise_for_failure()
        return result

    async def box(self, selector: str) -> Box:
        """Return the box of an element, in CSS pixels of the viewport. Raises Hidden.

        The element is given by its selector, or by its ref without `ref=`.
        """
        self._read()
        box = await self.page.locator(as_selector(selector)).box()
        if box is None:
            raise Hidden(f"{selector} has no box: the page does not show it; scroll to it or open what holds it")
        return box

    async def picture(self) -> Image.Image:
        """Return a picture of the task in RGB, one pixel per CSS pixel."""
        self._read()
        width, height = self.size
        return Image.open(io.BytesIO(await self.page.screenshot(clip=(0, 0, width, height)))).convert("RGB")

    def _read(self) -> None:
        self.calls += 1
        self.reads += 1


Policy = Callable[[Episode], Awaitable[None]]


class Judged(Protocol):
    """What the harness needs of a page, whichever driver it has."""

    async def goto(self, url: str) -> Any: ...
    async def evaluate(self, expression: str) -> Any: ...
    async def set_viewport(self, width: int, height: int) -> None: ...


def as_selector(selector: str) -> str:
    """Return a selector; a bare ref such as `e12` becomes `ref=e12`."""
    return f"ref={selector}" if re.fullmatch(r"e\d+", selector) else selector


def task_text(text: str, goal: str) -> str:
    """Return a page text without the lines of the harness: the goal at the top and the rewards beside the task."""
    lines = [line for line in text.splitlines() if not HUD.match(line)]
    return "\n".join(lines[_goal_lines(lines, goal) :])


def _goal_lines(lines: list[str], goal: str) -> int:
    """Count the first lines whose texts together are the beginning of the goal."""
    wanted, said = "".join(goal.split()), ""
    for index, line in enumerate(lines):
        node = parse(line)[:1]
        said += "".join(node[0].name.split()) if node else ""
        if not said or not wanted.startswith(said):
            return index
        if said == wanted:
            return index + 1
    return len(lines)
