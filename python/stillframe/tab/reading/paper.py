"""The paper of a PDF: its formats and lengths, in the inches that CDP takes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown

MM = 1 / 25.4
FORMATS: dict[str, tuple[float, float]] = {
    "Letter": (8.5, 11),
    "Legal": (8.5, 14),
    "Tabloid": (11, 17),
    "Ledger": (17, 11),
    "A0": (841 * MM, 1189 * MM),
    "A1": (594 * MM, 841 * MM),
    "A2": (420 * MM, 594 * MM),
    "A3": (297 * MM, 420 * MM),
    "A4": (210 * MM, 297 * MM),
    "A5": (148 * MM, 210 * MM),
    "A6": (105 * MM, 148 * MM),
}
"""Width and height of each format in inches (ISO 216; ANSI/ASME Y14.1 and its larger relatives)."""

UNITS = {"px": 1 / 96, "in": 1.0, "cm": 10 * MM, "mm": MM}
"""Inches per unit; a CSS pixel is 1/96 inch (CSS Values 4, "Absolute lengths")."""

LENGTH = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", re.IGNORECASE)

SIDES = ("top", "right", "bottom", "left")

RENAMED = {"tagged": "generate_tagged_pdf", "outline": "generate_document_outline"}
"""Playwright's names of options of `Page.printToPDF`."""

NAMES = ("format", "width", "height", "margin", *RENAMED)
"""The options that are not fields of `Page.printToPDF`."""


def inches(value: Any, option: str) -> float:
    """Return a length in inches: a number is in CSS pixels, a text has a unit; raises OptionInvalid.

    >>> inches("2.54cm", "width"), inches(96, "width")
    (1.0, 1.0)
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
        return value * UNITS["px"]
    found = LENGTH.fullmatch(value) if isinstance(value, str) else None
    unit = (found[2].lower() or "px") if found else ""
    if found is None or unit not in UNITS:
        raise OptionInvalid(
            f"option {option}: {value!r} is not a length; write a number of CSS pixels, or a text with a unit such as "
            f"'1cm' (known: {', '.join(UNITS)})",
            option=option,
        )
    return round(float(found[1]) * UNITS[unit], 6)


def in_inches(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a PDF as the fields of `Page.printToPDF`; raises OptionInvalid."""
    found = {RENAMED.get(name, name): value for name, value in options.items() if value is not None}
    for width_or_height in ("width", "height"):
        if width_or_height in found:
            _set(found, f"paper_{width_or_height}", inches(found.pop(width_or_height), width_or_height))
    if (name := found.pop("format", None)) is not None:
        for field, value in zip(("paper_width", "paper_height"), _format(name), strict=True):
            _set(found, field, value)
    if (margin := found.pop("margin", None)) is not None:
        for side, value in _margins(margin).items():
            _set(found, f"margin_{side}", inches(value, f"margin.{side}"))
    return found


def _set(found: dict[str, Any], field: str, value: float) -> None:
    if field in found:
        raise OptionInvalid(f"option {field} is given twice: give either a format or lengths", option=field)
    found[field] = value


def _format(name: Any) -> tuple[float, float]:
    by_folded = {known.casefold(): size for known, size in FORMATS.items()}
    size = by_folded.get(name.casefold()) if isinstance(name, str) else None
    if size is None:
        raise OptionInvalid(f"option format: {unknown('format', str(name), FORMATS)}", option="format")
    return size


def _margins(margin: Any) -> Mapping[str, Any]:
    if not isinstance(margin, Mapping):
        return dict.fromkeys(SIDES, margin)
    for side in margin:
        if side not in SIDES:
            raise OptionInvalid(f"option margin: {unknown('side', str(side), SIDES)}", option="margin")
    return margin
