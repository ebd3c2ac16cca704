"""The documents' reports on letters that an action types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from stillframe.tab.input.reports import Reports

if TYPE_CHECKING:
    from stillframe.tab.frames import WorldScripts

BINDING = "__sfTyping"
"""The function of the isolated world that reports where letters go."""


class LetterReport(msgspec.Struct, frozen=True):
    """How many letters have come to their field.

    It takes more (`typed`), it does not any more (`refused`), or the next ones would go elsewhere (`strayed`).
    """

    id: int
    kind: Literal["typed", "strayed", "refused"]
    letters: int
    heard: bool = False
    """Whether the page has received a key, which may have led the focus away before its letter."""
    hit: str = ""
    """The element that has the focus instead, empty if no element has it; or what keeps the field from taking more."""


class Letters(Reports[LetterReport]):
    """Collects the reports of a page's documents on letters."""

    def __init__(self, scripts: WorldScripts) -> None:
        super().__init__(scripts, BINDING, LetterReport)
