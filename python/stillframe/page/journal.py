"""What happened around a page: dialogs, downloads, new tabs; kept for whoever is recording."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stillframe.model.result import DialogReport, DownloadReport, NewTarget

PageEvent = DialogReport | DownloadReport | NewTarget
Listener = Callable[[PageEvent], None]

KEPT = 1000
"""Events a record keeps; a page that opens dialogs in a loop must not eat memory."""


class Record:
    """The events of one stretch of time, oldest first."""

    def __init__(self) -> None:
        self.dialogs: deque[DialogReport] = deque(maxlen=KEPT)
        self.new_targets: deque[NewTarget] = deque(maxlen=KEPT)
        self._downloads: dict[str, DownloadReport] = {}

    @property
    def downloads(self) -> tuple[DownloadReport, ...]:
        """Each download once, in its latest state."""
        return tuple(self._downloads.values())

    def add(self, event: PageEvent, key: str) -> None:
        """Take in an event; a download replaces its own earlier state, which `key` finds."""
        if isinstance(event, DialogReport):
            self.dialogs.append(event)
        elif isinstance(event, NewTarget):
            self.new_targets.append(event)
        elif key in self._downloads or len(self._downloads) < KEPT:
            self._downloads[key] = event


class Journal:
    """Passes events on to open records and to listeners."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._listeners: list[Listener] = []

    def add(self, event: PageEvent, key: str = "") -> None:
        """Take in an event; called by the parts of the page that watch for them."""
        for record in self._records:
            record.add(event, key)
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
