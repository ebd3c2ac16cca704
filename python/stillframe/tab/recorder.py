"""What happened around a page: dialogs, downloads, new tabs, refused URLs; kept for whoever is recording."""

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
"""Gets an event, the key that tells the states of one thing apart from another, and whether it is an update only."""

E = TypeVar("E", bound=msgspec.Struct)

KEPT = 1000
"""Events of a kind that a record keeps, the first ones; a page that opens dialogs in a loop must not eat memory."""
COUNTED = 10_000
"""Things beyond these that are counted once each; from there on each time that they are told."""


class Recording:
    """The events of one stretch of time, oldest first."""

    def __init__(self) -> None:
        self._dialogs = _Table[DialogReport]()
        self._new_targets = _Table[NewTarget]()
        self._downloads = _Table[DownloadReport]()
        self._refused = _Table[RefusedUrl]()
        self.last_refused: RefusedUrl | None = None

    @property
    def dialogs(self) -> tuple[DialogReport, ...]:
        """Each dialog, as it was answered."""
        return self._dialogs.rows

    @property
    def downloads(self) -> tuple[DownloadReport, ...]:
        """Each download once, in its latest state."""
        return self._downloads.rows

    @property
    def new_targets(self) -> tuple[NewTarget, ...]:
        """Each tab once, with the URL it has come to."""
        return self._new_targets.rows

    @property
    def refused(self) -> tuple[RefusedUrl, ...]:
        """Each URL once for each way in which it was tried."""
        return self._refused.rows

    @property
    def omitted(self) -> dict[str, int]:
        """By list, how many there were beside those that are kept."""
        return {name: getattr(self, f"_{name}").omitted for name in ("dialogs", "new_targets", "downloads", "refused")}

    def add(self, event: PageEvent, key: str, *, update: bool = False) -> None:
        """Take in an event; one with the same `key` replaces its earlier state, and an `update` does nothing else."""
        if isinstance(event, DialogReport):
            self._dialogs.put(event, None, update)
        elif isinstance(event, NewTarget):
            self._new_targets.put(event, key, update)
        elif isinstance(event, RefusedUrl):
            self._refused.put(event, key, update)
            self.last_refused = event
        else:
            self._downloads.put(event, key, update)


class _Table(Generic[E]):
    """The first things of a kind by what tells them apart, and how many more there were."""

    def __init__(self) -> None:
        self.omitted = 0
        self._kept: dict[int, E] = {}
        self._counted: set[int] = set()

    @property
    def rows(self) -> tuple[E, ...]:
        return tuple(self._kept.values())

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
    """Passes events on to open records and to listeners."""

    def __init__(self, redaction: Redaction | None = None) -> None:
        self._redaction = redaction or Redaction()
        self._records: list[Recording] = []
        self._listeners: list[Listener] = []

    def add(self, event: PageEvent, key: str = "", *, update: bool = False) -> None:
        """Take in an event; called by the parts of the page that watch for them.

        `key` tells the states of one thing apart from another. An `update` is of no interest to a record that was
        opened after the thing began.
        """
        if isinstance(event, RefusedUrl):
            key = f"{event.kind} {event.url}"
        # Secrets go first: a cut may leave a part of one.
        event = shortened(self._redaction.redact(event))
        for record in self._records:
            record.add(event, key, update=update)
        for listener in tuple(self._listeners):
            listener(event, key, update)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every event from now on; returns what takes it back."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @contextmanager
    def record(self) -> Iterator[Recording]:
        """Collect the events of a `with` block."""
        record = Recording()
        self._records.append(record)
        try:
            yield record
        finally:
            # By identity: two records with the same events are equal to nobody but themselves.
            self._records[:] = [kept for kept in self._records if kept is not record]
