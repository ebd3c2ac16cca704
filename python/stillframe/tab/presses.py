"""The documents' reports on presses that were aimed at their elements."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame, WorldScripts

BINDING = "__sfPress"
"""The function of the isolated world that reports the outcome of a press."""


class PressReport(msgspec.Struct, frozen=True):
    """The outcome of a press.

    It arrived (`press`), was about to hit another element (`wrong`), was released on the same element (`release`) or on
    another one (`strayed`), or no document on its way has seen it (`lost`).
    """

    id: int
    kind: Literal["press", "wrong", "release", "strayed", "lost"]
    hit: str = ""
    heard: bool = False
    """Whether the page has received an earlier event of the same input."""


class Presses:
    """Collects the reports of a page's documents on presses."""

    def __init__(self, scripts: WorldScripts) -> None:
        self._last = 0
        self._reports: dict[int, list[PressReport]] = {}
        self._added = asyncio.Event()
        scripts.bindings[BINDING] = self._add

    def begin(self) -> int:
        """Return the number of the next press and drop the reports on the previous one."""
        self._last += 1
        self._reports = {self._last: []}
        return self._last

    def reports(self, press: int) -> list[PressReport]:
        """Return the reports on a press so far."""
        return self._reports.get(press, [])

    async def until(self, press: int, is_complete: Callable[[Sequence[PressReport]], bool]) -> None:
        """Wait until the reports on a press are complete."""
        while not is_complete(self.reports(press)):
            self._added.clear()
            await self._added.wait()

    def _add(self, _: Frame, payload: str) -> None:
        report = msgspec.json.decode(payload, type=PressReport)
        if report.id in self._reports:
            self._reports[report.id].append(report)
            self._added.set()
