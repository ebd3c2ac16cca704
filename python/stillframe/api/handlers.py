"""The handlers that callers have added by the name of an event, to take them back by the same two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

Handler = Callable[[Any], object]
"""Takes the value of an event; may be async."""

Remove = Callable[[], None]


class Handlers:
    """What takes back the handlers of one object."""

    def __init__(self) -> None:
        self._removers: dict[tuple[str, Handler], list[Remove]] = {}

    def add(self, name: str, handler: Handler, remove: Remove) -> Remove:
        """Keep what takes a handler back; returns a function that does so, and forgets it."""
        kept = self._removers.setdefault((name, handler), [])
        kept.append(remove)

        def removed() -> None:
            remove()
            if remove in kept:
                kept.remove(remove)
            if not kept:
                self._removers.pop((name, handler), None)

        return removed

    def remove(self, name: str, handler: Handler) -> None:
        """Take back the handler that was added last; raises OptionInvalid if there is none."""
        kept = self._removers.get((name, handler))
        if not kept:
            raise OptionInvalid(f"{handler!r} is no handler of {name} events", option="handler")
        kept.pop()()
        if not kept:
            del self._removers[name, handler]


def known_event(event: str, names: tuple[str, ...]) -> str:
    """Return the name of an event; raises OptionInvalid with the nearest name."""
    if event in names:
        return event
    hint = did_you_mean(event, names) if isinstance(event, str) else ""
    raise OptionInvalid(f"no event {event!r}{hint}; known: {', '.join(names)}", option="event")
