"""Tell elements of one role and name apart, such as the buttons of a list, by the text of the rows that they are in."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from stillframe import Page
from stillframe.core import quoted
from stillframe.errors import ActionFailed, CommandError
from stillframe.extend import page_state
from stillframe.injected import elements
from stillframe.model.bounds import short
from stillframe.scripts.targets import Place, place_of

MAX_TWINS = 40
"""Elements of one role and name that are looked at; each takes three round trips."""
MAX_ROW_CHARS = 300
CLOSE_ROW = 0.6
"""How similar a row must be to be the same one: rows of a table mostly share under half of their words."""
ROW_MARGIN = 0.1
"""By how much it must be more similar than every other row, as the core asks of elements."""


class Twin(NamedTuple):
    """One of several elements of a role and name, a selector that means it now, and its row."""

    place: Place
    selector: str
    row: str


async def row_of(page: Page, selector: str) -> str:
    """Return the text of the row that an element is in; raises ActionFailed and CommandError."""
    handle = await page_state(page).locate(selector)
    try:
        text = page_state(page).redact(str(await handle.call(elements.row_text())))
    finally:
        handle.forget()
    return short(text, MAX_ROW_CHARS)


async def twins(page: Page, selector: str, fingerprint: dict[str, Any]) -> list[Twin]:
    """Return the first MAX_TWINS elements with the role and name of a fingerprint, in the frame of its selector."""
    if not fingerprint["role"] or not fingerprint["name"]:
        return []
    frames = "".join(f"{part} >> " for part in selector.split(" >> ") if part.startswith("frame="))
    named = f"{frames}role={fingerprint['role']}[name={quoted(fingerprint['name'])}]"
    found = []
    try:
        for index in range(min(await page.locator(named).count(), MAX_TWINS)):
            each = f"{named} >> nth={index}"
            found.append(Twin(await place_of(page, each), each, await row_of(page, each)))
    except (ActionFailed, CommandError):
        return []  # the page has changed meanwhile
    return found


def shared_words(one: str, other: str) -> float:
    """Return the share of the words of two texts that both have, 0 to 1; 1 if neither has any.

    >>> shared_words("Green tea", "Black tea")
    0.3333333333333333
    """
    first, second = (set(re.findall(r"[^\W_]+", text.casefold())) for text in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0


def in_row(found: list[Twin], row: str) -> tuple[Twin, float] | None:
    """Return the twin in the row that is most like this one, and its lead; None if that is not certain."""
    ranked = sorted(((shared_words(twin.row, row), index) for index, twin in enumerate(found)), reverse=True)
    if not ranked or ranked[0][0] < CLOSE_ROW:
        return None
    margin = ranked[0][0] - (ranked[1][0] if len(ranked) > 1 else 0.0)
    return (found[ranked[0][1]], margin) if margin >= ROW_MARGIN else None
