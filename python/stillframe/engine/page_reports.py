"""Collect the console messages and uncaught errors of the verbose sequences on one page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from stillframe.model.bounds import ERROR_CHARACTERS, short
from stillframe.model.events import ConsoleMessage, PageError

if TYPE_CHECKING:
    from stillframe.tab.events.events import TabEvents

KEPT = 1000
"""How many rows of a kind are kept, the first ones; a page that logs in a loop must not fill memory."""

LISTS = {"console": "console", "pageerror": "errors"}
"""The list of a result for each event."""


class PageReport:
    """The console messages and uncaught errors of one sequence, oldest first."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Any]] = {name: [] for name in LISTS.values()}
        self.omitted: dict[str, int] = {}
        """How many rows of each list were dropped."""

    @property
    def console(self) -> tuple[ConsoleMessage, ...]:
        """Return the messages."""
        return tuple(self._rows["console"])

    @property
    def errors(self) -> tuple[PageError, ...]:
        """Return the errors."""
        return tuple(self._rows["errors"])

    def add(self, name: str, row: ConsoleMessage | PageError) -> None:
        """Add a row to a list."""
        if len(self._rows[name]) >= KEPT:
            self.omitted[name] = self.omitted.get(name, 0) + 1
            return
        bounded = structs.replace(row, stack=short(row.stack, ERROR_CHARACTERS)) if isinstance(row, PageError) else row
        self._rows[name].append(bounded)


class PageReports:
    """Listens to one page from its first verbose sequence on.

    Listening never stops: turning it off and on changes what Chrome counts in the page, so the snapshot that one
    sequence leaves would not serve the next one.
    """

    def __init__(self, events: TabEvents) -> None:
        self._events = events
        self._listening = False
        self._open: PageReport | None = None

    @contextmanager
    def recording(self) -> Iterator[PageReport]:
        """Collect the rows that come inside the block; sends commands the first time and awaits nothing."""
        if not self._listening:
            self._listening = True
            for event, name in LISTS.items():
                self._events.listen(event, partial(self._take, name))
        self._open = PageReport()
        try:
            yield self._open
        finally:
            self._open = None

    def _take(self, name: str, row: ConsoleMessage | PageError) -> None:
        if self._open is not None:
            self._open.add(name, row)
