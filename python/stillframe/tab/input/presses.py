"""The documents' reports on presses that were aimed at their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from stillframe.tab.input.reports import Reports

if TYPE_CHECKING:
    from stillframe.tab.frames import WorldScripts

BINDING = "__sfPress"
"""The function of the isolated world that reports the outcome of a press."""


class PressReport(msgspec.Struct, frozen=True):
    """The outcome of a press.

    It arrived (`press`), was about to hit another element (`wrong`), was released on the same element (`release`) or on
    another one (`strayed`), or no document on its way has seen it (`lost`).
    """

    id: int
    kind: Literal["press", "wrong", "release", "strayed", "lost"]
    hit: str = ""
    heard: bool = False
    """Whether the page has received an earlier event of the same input."""


class Presses(Reports[PressReport]):
    """Collects the reports of a page's documents on presses."""

    def __init__(self, scripts: WorldScripts) -> None:
        super().__init__(scripts, BINDING, PressReport)
