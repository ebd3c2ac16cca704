"""Collect the console messages and uncaught errors of one sequence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from msgspec import structs

from stillframe.model.bounds import ERROR_CHARACTERS, short
from stillframe.model.events import ConsoleMessage, PageError
from stillframe.tab.events import TabEvents

KEPT = 1000
"""How many rows of a kind are kept, the first ones; a page that logs in a loop must not fill memory."""


LISTS = {"console": "console", "pageerror": "errors"}
"""The list of a result for each event."""


def keep_listening(events: TabEvents) -> None:
    """Leave reporting on for the life of the tab.

    Turning it off and on changes what Chrome counts in the page, so every verbose sequence would capture twice.
    """
    for event in LISTS:
        events.listen(event, lambda _: None)


class PageReports:
    """The console messages and uncaught errors of one sequence; None if they were not requested."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Any]] = {}
        self.omitted: dict[str, int] = {}
        """How many rows of each list were dropped."""

    @property
    def console(self) -> tuple[ConsoleMessage, ...] | None:
        """Return the messages, oldest first."""
        return self._rows_of("console")

    @property
    def errors(self) -> tuple[PageError, ...] | None:
        """Return the errors, oldest first."""
        return self._rows_of("errors")

    @contextmanager
    def listening(self, events: TabEvents) -> Iterator[None]:
        """Listen inside the block; sends commands and awaits nothing."""
        with ExitStack() as stack:
            for event, name in LISTS.items():
                self._rows[name] = []
                stack.callback(events.listen(event, partial(self._take, name)))
            yield

    def _take(self, name: str, row: ConsoleMessage | PageError) -> None:
        if len(self._rows[name]) >= KEPT:
            self.omitted[name] = self.omitted.get(name, 0) + 1
            return
        bounded = structs.replace(row, stack=short(row.stack, ERROR_CHARACTERS)) if isinstance(row, PageError) else row
        self._rows[name].append(bounded)

    def _rows_of(self, name: str) -> tuple[Any, ...] | None:
        rows = self._rows.get(name)
        return None if rows is None else tuple(rows)
