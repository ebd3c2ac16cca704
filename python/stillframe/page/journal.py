"""What happened around a page: dialogs, downloads, new tabs, refused URLs; kept for whoever is recording."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from stillframe.model.result import DialogReport, DownloadReport, NewTarget, RefusedUrl

PageEvent = DialogReport | DownloadReport | NewTarget | RefusedUrl
Listener = Callable[[PageEvent], None]

E = TypeVar("E", bound=msgspec.Struct)

KEPT = 1000
"""Events a record keeps; a page that opens dialogs in a loop must not eat memory."""


class Record:
    """The events of one stretch of time, oldest first."""

    def __init__(self) -> None:
        self.dialogs: deque[DialogReport] = deque(maxlen=KEPT)
        self._new_targets: dict[str, NewTarget] = {}
        self._downloads: dict[str, DownloadReport] = {}
        self._refused: dict[str, RefusedUrl] = {}
        self.refused_omitted = 0
        """Refusals that came when there were `KEPT` already."""

    @property
    def downloads(self) -> tuple[DownloadReport, ...]:
        """Each download once, in its latest state."""
        return tuple(self._downloads.values())

    @property
    def new_targets(self) -> tuple[NewTarget, ...]:
        """Each tab once, with the URL it has come to."""
        return tuple(self._new_targets.values())

    @property
    def refused(self) -> tuple[RefusedUrl, ...]:
        """Each URL once for each way in which it was tried."""
        return tuple(self._refused.values())

    def add(self, event: PageEvent, key: str, *, update: bool = False) -> None:
        """Take in an event; one with the same `key` replaces its earlier state, and an `update` does nothing else."""
        if isinstance(event, DialogReport):
            self.dialogs.append(event)
        elif isinstance(event, NewTarget):
            _put(self._new_targets, event, key, update)
        elif isinstance(event, RefusedUrl):
            kept = _put(self._refused, event, f"{event.kind} {event.url}", update)
            self.refused_omitted += not kept
        else:
            _put(self._downloads, event, key, update)


def _put(table: dict[str, E], event: E, key: str, update: bool) -> bool:
    fits = key in table or (not update and len(table) < KEPT)
    if fits:
        table[key] = event
    return fits


class Journal:
    """Passes events on to open records and to listeners."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._listeners: list[Listener] = []

    def add(self, event: PageEvent, key: str = "", *, update: bool = False) -> None:
        """Take in an event; called by the parts of the page that watch for them.

        `key` tells the states of one thing apart from another. An `update` is of no interest to a record that was
        opened after the thing began.
        """
        for record in self._records:
            record.add(event, key, update=update)
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every event from now on; returns what takes it back."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @contextmanager
    def record(self) -> Iterator[Record]:
        """Collect the events of a `with` block."""
        record = Record()
        self._records.append(record)
        try:
            yield record
        finally:
            # By identity: two records with the same events are equal to nobody but themselves.
            self._records[:] = [kept for kept in self._records if kept is not record]
