"""What to send to Android's `input` program for a text or a gesture, and what `dumpsys` says of the screen. No I/O."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Literal, get_args

from stillframe.adb.native.keycodes import KEYCODES
from stillframe.adb.native.rect import Rect
from stillframe.errors import OptionInvalid

Direction = Literal["up", "down", "left", "right"]

FINGER: dict[str, tuple[int, int]] = {"down": (0, -1), "up": (0, 1), "right": (-1, 0), "left": (1, 0)}
"""Where the finger goes to show what lies in a direction: `down` shows what lies below, so the finger goes up."""

TEXT_CHARACTERS = 200
"""Characters of one `input text`: it types some tens per second, so a command ends within its time limit."""

MARGIN = 0.1
"""The part of the screen at each edge where a swipe over the whole screen does not begin or end: gestures of the system
start there (AOSP: 48 dp at the bottom, 30 dp at the sides)."""

_KEYS = {"\n": "ENTER", "\r": "ENTER", "\t": "TAB"}
_FORBIDDEN = re.compile(r"[^\x20-\x7e\n\r\t]")


# -- text ----------------------------------------------------------------------------------------


def text_commands(text: str) -> list[str]:
    """Return the shell commands that type a text of ASCII characters; a line feed is the key ENTER, a tab is TAB.

    Raises OptionInvalid for any other character: `input text` cannot send it.
    """
    if (wrong := _FORBIDDEN.search(text)) is not None:
        raise OptionInvalid(
            f"option 'text': `input text` cannot type {wrong[0]!a} at position {wrong.start()}, only printable "
            "ASCII characters, tabs and line feeds; type other texts into a page with page.fill",
            option="text",
        )
    return [_command(part) for part in _parts(text.replace("\r\n", "\n"))]


def _command(part: str) -> str:
    if part in _KEYS:
        return f"input keyevent {KEYCODES[_KEYS[part]]}"
    return f"input text {shlex.quote(part.replace(' ', '%s'))}"


def _parts(text: str) -> Iterator[str]:
    """Yield the keys and the pieces of text to send one by one."""
    for piece in re.split(r"([\n\r\t])", text):
        if piece in _KEYS:
            yield piece
        else:
            yield from _pieces(piece)


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces, none of which has `%s`: `input text` would type a space for it, and knows no escape."""
    for index, half in enumerate(text.split("%s")):
        whole = f"s{half}" if index else half
        end = "%" if index < text.count("%s") else ""
        piece = whole + end
        yield from (piece[at : at + TEXT_CHARACTERS] for at in range(0, len(piece), TEXT_CHARACTERS))


# -- gestures ------------------------------------------------------------------------------------


def tap_command(point: tuple[int, int]) -> str:
    """Return the command that taps a point."""
    return f"input tap {point[0]} {point[1]}"


def drag_command(start: tuple[int, int], end: tuple[int, int], duration_ms: int) -> str:
    """Return the command that moves a finger; with the same start and end it holds the finger still.

    Raises OptionInvalid for a duration outside 1 to 60,000 milliseconds.
    """
    if not 1 <= duration_ms <= 60_000:
        raise OptionInvalid(
            f"option 'duration_ms': {duration_ms} is not between 1 and 60000 milliseconds", option="duration_ms"
        )
    return f"input swipe {start[0]} {start[1]} {end[0]} {end[1]} {duration_ms}"


def swipe_points(direction: str, area: Rect, percent: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where the finger starts and ends to show what lies in a direction.

    `percent` is the share of the area's width or height that the finger travels, up to 1. Raises OptionInvalid.
    """
    if direction not in FINGER:
        known = ", ".join(get_args(Direction))
        raise OptionInvalid(f"option 'direction': {direction!r} is not one of {known}", option="direction")
    if not 0 < percent <= 1:
        raise OptionInvalid(f"option 'percent': {percent} is not above 0 and up to 1", option="percent")
    dx, dy = FINGER[direction]
    (x, y), reach_x, reach_y = area.center, dx * area.width * percent / 2, dy * area.height * percent / 2
    return _inside(area, x - reach_x, y - reach_y), _inside(area, x + reach_x, y + reach_y)


def _inside(area: Rect, x: float, y: float) -> tuple[int, int]:
    return _clamped(x, area.left, area.right), _clamped(y, area.top, area.bottom)


def _clamped(value: float, low: int, high: int) -> int:
    return max(low, min(round(value), high - 1))


def inner(screen: Rect) -> Rect:
    """Return the screen without the edges where gestures of the system start."""
    x, y = round(screen.width * MARGIN), round(screen.height * MARGIN)
    return Rect(screen.left + x, screen.top + y, screen.width - 2 * x, screen.height - 2 * y)


# -- what dumpsys says ---------------------------------------------------------------------------

_CURRENT = re.compile(r"\bcur=(\d{1,6})x(\d{1,6})\b")
_SIZE = re.compile(r"^(Override|Physical) size: *(\d{1,6})x(\d{1,6})", re.MULTILINE)


def current_screen(displays: str) -> Rect | None:
    """Return the screen as it is rotated now, from `dumpsys window displays`; None if that does not say."""
    match = _CURRENT.search(displays)
    return Rect(0, 0, int(match[1]), int(match[2])) if match else None


def natural_screen(size: str) -> Rect | None:
    """Return the screen in its natural rotation, from `wm size`; None if that does not say."""
    found = {match[1]: Rect(0, 0, int(match[2]), int(match[3])) for match in _SIZE.finditer(size)}
    return found.get("Override") or found.get("Physical")


def keyboard_shown(input_method: str) -> bool | None:
    """Say whether the keyboard is on the screen, from `dumpsys input_method`; None if that does not say."""
    match = re.search(r"\bmInputShown=(true|false)\b", input_method)
    return match[1] == "true" if match else None
