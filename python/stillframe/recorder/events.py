"""What the script in the page reports of a person, as values."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec


class Element(NamedTuple):
    """An element as the script in its document numbers it."""

    frame: str
    loader: str
    number: int


class Point(msgspec.Struct, frozen=True):
    """CSS pixels from the top left of an element's padding box, or a distance."""

    x: float
    y: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One report. `element` and the other numbers are those of elements of its document.

    `gesture` counts the presses of a button or a key: all reports that one of them leads to have its number. `control`
    is the kind of the element as `elements/control.ts` names it.
    """

    kind: Literal["over", "press", "click", "drag", "input", "key", "wheel"]
    gesture: int = 0
    element: int | None = None
    control: str = "other"

    hovers: tuple[int, ...] = ()
    """press: what the mouse has to be over first, so that the page shows the element."""
    fresh: bool = False
    """press: whether the element was not there when the page was last still."""

    count: int = 1
    """click: 2 for the second click of a double click."""
    button: int = 0
    modifiers: tuple[str, ...] = ()
    touch: bool = False
    position: Point | None = None
    """click: where, if the middle of the element is not what was meant."""

    source: Point | None = None
    target: int | None = None
    drop: Point | None = None
    """drag: where the mouse was released in the target."""
    offset: Point = Point(0, 0)

    hidden: bool = False
    """input: whether the field hides what is typed into it; its content is not part of the report."""
    secret: int = 0
    """input: a number for what a field hides, the same for the same text in this document."""
    value: str = ""
    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    checked: bool = False
    rendered: bool = True
    """input: whether a checkbox is shown itself, and not by something drawn in its place."""

    key: str = ""
    code: str = ""
    types: bool = False
    """key: whether the key types a character."""

    x: float = 0
    y: float = 0
    """wheel: by how many pixels."""


def parse_report(text: str) -> Report | None:
    """Return a report, or None for any other text: a page may find the function that sends reports."""
    try:
        return msgspec.json.decode(text, type=Report)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
