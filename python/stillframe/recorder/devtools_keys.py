"""The keys of a user flow: steps for each key that goes down or up become chords, and modifiers of clicks."""

from __future__ import annotations

from stillframe.extend.syntax import KEYS, MODIFIERS, parse_chord

NAMES = {"\r": "Enter", "\n": "Enter", " ": "Space"}
"""Keys that Puppeteer has by another name as well."""
UNHEARD = frozenset({"AltGraph", "Dead", "Process", "Unidentified", "Compose"})
"""Keys that only lead to the next character."""


class HeldKeys:
    """The modifiers that are down, in the order they went down."""

    def __init__(self) -> None:
        self._used: dict[str, bool] = {}
        """Whether each modifier that is down has done something."""

    def held(self) -> list[str]:
        """Return the modifiers that are down, which have now done something."""
        self._used = dict.fromkeys(self._used, True)
        return list(self._used)

    def down(self, key: str) -> dict[str, str]:
        """Return the fields of the press_key or type_text that a key means; nothing for a modifier.

        Raises ActionInvalid for a key that no US keyboard has.
        """
        name = NAMES.get(key, key)
        if (modifier := _modifier(name)) is not None:
            self._used.setdefault(modifier, False)
            return {}
        if name in UNHEARD:
            return {}
        if len(name) == 1 and name not in KEYS:
            return {"text": name}
        chord = "+".join([*self.held(), name])
        parse_chord(chord)
        return {"key": chord}

    def up(self, key: str) -> dict[str, str]:
        """Return the fields of a press_key if a modifier was pressed for its own sake, else nothing."""
        modifier = _modifier(NAMES.get(key, key))
        return {} if modifier is None or self._used.pop(modifier, True) else {"key": modifier}


def _modifier(name: str) -> str | None:
    key = KEYS.get(name)
    return key.key if key is not None and key.key in MODIFIERS else None
