"""The handlers that callers have added by the name of an event, to take them back by the same two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.tab.background import Background

Handler = Callable[[Any], object]
"""Takes the value of an event; may be async."""

Remove = Callable[[], None]

Listen = Callable[[Handler], Remove]
"""Gives the values of an event to a function from now on; returns what ends that."""


class Handlers:
    """What takes back the handlers of one object."""

    def __init__(self) -> None:
        self._removers: dict[tuple[str, Handler], list[Remove]] = {}

    def on(self, name: str, handler: Handler, listen: Listen, background: Background) -> Remove:
        """Call a handler with every event that `listen` gives; returns a function that takes it back."""
        return self._add(name, handler, listen(lambda value: _call(name, handler, value, background)))

    def once(self, name: str, handler: Handler, listen: Listen, background: Background) -> Remove:
        """Call a handler with the first event that `listen` gives, and take it back."""

        def first(value: Any) -> object:
            remove()
            return _call(name, handler, value, background)

        remove = self._add(name, handler, listen(first))
        return remove

    def _add(self, name: str, handler: Handler, remove: Remove) -> Remove:
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
            raise OptionInvalid(f"{handler!r} is not a handler of {name} events", option="handler")
        kept.pop()()
        if not kept:
            del self._removers[name, handler]


class Listeners:
    """The functions that get the events which an object tells itself."""

    def __init__(self) -> None:
        self._takers: dict[str, tuple[Handler, ...]] = {}

    def listen(self, name: str, take: Handler) -> Remove:
        """Give every event of a name to a function from now on; returns what ends that."""
        self._takers[name] = (*self._takers.get(name, ()), take)
        entry = [take]

        def remove() -> None:
            if entry:
                gone = entry.pop()
                self._takers[name] = tuple(kept for kept in self._takers.get(name, ()) if kept is not gone)

        return remove

    def tell(self, name: str, value: Any) -> None:
        """Give an event to all who listen now."""
        for take in self._takers.get(name, ()):
            take(value)

    def tell_last(self, name: str, value: Any) -> None:
        """Give an event that comes once."""
        for take in self._takers.pop(name, ()):
            take(value)


def _call(name: str, handler: Handler, value: Any, background: Background) -> object:
    return background.call(handler, value, name=f"handler of {name} events")


def known_event(event: str, names: tuple[str, ...]) -> str:
    """Return the name of an event; raises OptionInvalid with the nearest name."""
    if event in names:
        return event
    hint = did_you_mean(event, names) if isinstance(event, str) else ""
    raise OptionInvalid(f"no event {event!r}{hint}; known: {', '.join(names)}", option="event")
