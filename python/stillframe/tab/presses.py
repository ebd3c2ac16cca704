"""What the documents of a tab say of the presses that were aimed at their elements."""

from __future__ import annotations

from typing import Literal

import msgspec

from stillframe.tab.frames import Frame, WorldScripts

BINDING = "__sfPress"
"""The function of the isolated world through which the agent tells what came of a press."""


class Note(msgspec.Struct, frozen=True):
    """What came of a press.

    It arrived (`press`), was about to reach something else (`wrong`), was ended where it began (`release`) or elsewhere
    (`strayed`), or no document on the way has seen it (`lost`).
    """

    id: int
    kind: Literal["press", "wrong", "release", "strayed", "lost"]
    hit: str = ""
    heard: bool = False
    """Whether the page has heard of an earlier part of the same input."""


class Presses:
    """What the documents of a page tell of the presses that were aimed at them."""

    def __init__(self, scripts: WorldScripts) -> None:
        self._last = 0
        self._notes: dict[int, list[Note]] = {}
        scripts.bindings[BINDING] = self._told

    def begin(self) -> int:
        """Return the number of the next press; the notes of the one before are dropped."""
        self._last += 1
        self._notes = {self._last: []}
        return self._last

    def notes(self, press: int) -> list[Note]:
        """Return what has been told so far."""
        return self._notes.get(press, [])

    def _told(self, _: Frame, payload: str) -> None:
        note = msgspec.json.decode(payload, type=Note)
        if note.id in self._notes:
            self._notes[note.id].append(note)
