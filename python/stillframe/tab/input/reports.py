"""The documents' reports on input, as they come: each input has a number, and reports on earlier ones are dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from stillframe.tab.frames import WorldScripts


class Numbered(Protocol):
    """A report that names its input."""

    @property
    def id(self) -> int:
        """The number of the input."""


Report = TypeVar("Report", bound=Numbered)


class Reports(Generic[Report]):
    """Collects what a page's documents report through a binding of their isolated worlds."""

    def __init__(self, scripts: WorldScripts, binding: str, kind: type[Report]) -> None:
        self._last = 0
        self._reports: dict[int, list[Report]] = {}
        self._added = asyncio.Event()
        scripts.bindings[binding] = lambda _, payload: self.add(msgspec.json.decode(payload, type=kind))

    @property
    def begun(self) -> int:
        """Return how many inputs have begun."""
        return self._last

    def begin(self) -> int:
        """Return the number of the next input and drop the reports on the previous one."""
        self._last += 1
        self._reports = {self._last: []}
        return self._last

    def reports(self, number: int) -> list[Report]:
        """Return the reports on an input so far."""
        return self._reports.get(number, [])

    async def until(self, number: int, is_complete: Callable[[Sequence[Report]], bool]) -> None:
        """Wait until the reports on an input are complete."""
        while not is_complete(self.reports(number)):
            self._added.clear()
            await self._added.wait()

    def add(self, report: Report) -> None:
        """Take a report that came on another way than the binding."""
        if report.id in self._reports:
            self._reports[report.id].append(report)
            self._added.set()
