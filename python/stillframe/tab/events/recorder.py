"""Record what happens around a page: dialogs, downloads, new tabs, refused URLs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import msgspec

from stillframe.model.bounds import shortened
from stillframe.model.events import DialogReport, DownloadReport, NewTarget, RefusedUrl
from stillframe.security.redaction import Redaction

PageEvent = DialogReport | DownloadReport | NewTarget | RefusedUrl
Listener = Callable[[PageEvent, str, bool], None]
"""Gets an event, the key of its object, and whether the event is only an update."""

E = TypeVar("E", bound=msgspec.Struct)

KEPT = 1000
"""Events of a kind that a recording keeps, the first ones; a page that opens dialogs in a loop must not fill memory."""
COUNTED = 10_000
"""How many further events are deduplicated by key before they are counted; beyond that every report counts."""


class EventRecording:
    """The events of one period, oldest first."""

    def __init__(self) -> None:
        self._dialogs = _Table[DialogReport]()
        self._new_targets = _Table[NewTarget]()
        self._downloads = _Table[DownloadReport]()
        self._refused = _Table[RefusedUrl]()
        self.last_refused: RefusedUrl | None = None

    @property
    def dialogs(self) -> tuple[DialogReport, ...]:
        """Return each dialog with its answer."""
        return self._dialogs.rows

    @property
    def downloads(self) -> tuple[DownloadReport, ...]:
        """Return each download once, in its latest state."""
        return self._downloads.rows

    @property
    def new_targets(self) -> tuple[NewTarget, ...]:
        """Return each tab once, with its latest URL; those that have gone come last."""
        return tuple(sorted(self._new_targets.rows, key=lambda row: row.closed))

    @property
    def refused(self) -> tuple[RefusedUrl, ...]:
        """Return each URL once for each way in which it was requested."""
        return self._refused.rows

    @property
    def omitted(self) -> dict[str, int]:
        """Return, by list name, how many events were not kept."""
        return {name: getattr(self, f"_{name}").omitted for name in ("dialogs", "new_targets", "downloads", "refused")}

    def add(self, event: PageEvent, key: str, *, update: bool = False) -> None:
        """Add an event; one with the same `key` replaces its earlier state, and an `update` only replaces."""
        if isinstance(event, DialogReport):
            self._dialogs.put(event, None, update)
        elif isinstance(event, NewTarget):
            self._new_targets.put(event, key, update)
        elif isinstance(event, RefusedUrl):
            self._refused.put(event, key, update)
            self.last_refused = self.last_refused if event.kind == "popup" else event
        else:
            self._downloads.put(event, key, update)

    def add_further(self, event: NewTarget, key: str, through: str) -> None:
        """Add a tab that a tab of this recording has opened, by the key of that one."""
        self._new_targets.put(event, key, update=through not in self._new_targets)


class _Table(Generic[E]):
    """The first events of a kind, one per key, and how many more there were."""

    def __init__(self) -> None:
        self.omitted = 0
        self._kept: dict[int, E] = {}
        self._counted: set[int] = set()

    @property
    def rows(self) -> tuple[E, ...]:
        return tuple(self._kept.values())

    def __contains__(self, key: str) -> bool:
        return hash(key) in self._kept

    def put(self, event: E, key: str | None, update: bool) -> None:
        # The key itself may be a URL of a megabyte.
        number = hash(key) if key is not None else len(self._kept) + self.omitted
        if number in self._kept or (not update and len(self._kept) < KEPT):
            self._kept[number] = event
        elif not update and number not in self._counted:
            self.omitted += 1
            if key is not None and len(self._counted) < COUNTED:
                self._counted.add(number)


class EventRecorder:
    """Passes events on to open recordings and to listeners."""

    def __init__(self, redaction: Redaction | None = None) -> None:
        self._redaction = redaction or Redaction()
        self._records: list[EventRecording] = []
        self._listeners: list[Listener] = []

    def add(self, event: PageEvent, key: str = "", *, update: bool = False) -> None:
        """Record an event.

        `key` identifies the object whose state the event reports. A recording that was opened after the first event of
        an object ignores an `update` to it.
        """
        if isinstance(event, RefusedUrl):
            key = f"{event.kind} {event.url}"
        # Redact first: truncation may leave a part of a secret.
        event = shortened(self._redaction.redact(event))
        for record in self._records:
            record.add(event, key, update=update)
        for listener in tuple(self._listeners):
            listener(event, key, update)

    def add_further(self, event: NewTarget, key: str, through: str) -> None:
        """Record a tab that another tab than this page's has opened; only recordings with the tab `through` keep it."""
        event = shortened(self._redaction.redact(event))
        for record in self._records:
            record.add_further(event, key, through)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every event from now on; returns a function that removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @contextmanager
    def record(self) -> Iterator[EventRecording]:
        """Collect the events of a `with` block."""
        record = EventRecording()
        self._records.append(record)
        try:
            yield record
        finally:
            # By identity: two recordings with the same events compare equal.
            self._records[:] = [kept for kept in self._records if kept is not record]
