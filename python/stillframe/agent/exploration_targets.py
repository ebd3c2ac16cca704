"""What exploration must not touch: read from the isolated world of the document, judged by pure functions.

The scripts of a page cannot influence what the isolated world reads: its prototypes are its own, and elements are read
through them, because a form exposes its controls as its own properties in every world.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from stillframe.errors import CommandError
from stillframe.extend import Deadline, ElementHandle, accessible_identity
from stillframe.extend.text import quote
from stillframe.injected import elements

MAX_PARTS = 12
"""Elements to judge: one that holds more controls is not one thing to explore. The page script holds 16 elements."""
PLACES = {"around": "it is part of", "inside": "it holds", "labelled": "it is the label of"}


class Part(msgspec.Struct, frozen=True):
    """An element that an exploration would touch: the target itself, or a control around it or in it."""

    token: int
    place: str
    tag: str
    link: str
    """`document`, `download` or `fragment`; empty if it is not a link."""
    pressed: str
    """`submit`, `image`, `reset` or `file`, for a button or an input of that type."""
    role: str
    text: str
    state: str
    """What a click may toggle: whether it is expanded, pressed, checked and open."""
    name: str = ""

    @property
    def title(self) -> str:
        """The role and the name, for people."""
        return f"{self.role or self.tag} {quote(self.name or self.text.strip())}"


async def parts_of_target(target: ElementHandle, *, clicks: bool, seconds: float) -> tuple[Part, ...]:
    """Return the target, first, and what is touched with it, with roles and names as the accessibility tree has them.

    Secrets of the context are still in them.
    """
    found = msgspec.convert(
        await target.call(elements.parts_touched(clicks, MAX_PARTS), timeout=seconds), tuple[Part, ...]
    )
    if len(found) <= MAX_PARTS:
        found = tuple([await _named(target, part, seconds) for part in found])
    return found


async def _named(target: ElementHandle, part: Part, seconds: float) -> Part:
    identity = await accessible_identity(target.frame, part.token, part.tag, Deadline(seconds))
    if identity is None:
        raise CommandError(f"the page did not tell the role and the name of its {part.tag}", method="prepare")
    return msgspec.structs.replace(part, role=identity.role, name=identity.name)


def refusal(parts: Sequence[Part], forbidden: Iterable[str], *, clicks: bool) -> str | None:
    """Return why an exploration may not touch the target, as the end of a sentence; None if it may."""
    if len(parts) > MAX_PARTS:
        return f"it holds more than {MAX_PARTS} controls; choose one of them"
    words = tuple(forbidden)
    reasons = ((part, reason) for part in parts for reason in _reasons(part, words, clicks=clicks))
    part, reason = next(reasons, (None, ""))
    if part is None:
        return None
    return f"it {reason}" if part.place == "self" else f"{PLACES[part.place]} {part.title}, which {reason}"


def _reasons(part: Part, forbidden: Sequence[str], *, clicks: bool) -> Iterator[str]:
    if part.link in _LINKS:
        yield _LINKS[part.link]
    elif part.role == "link" and not part.link:
        yield "is a link without a URL, so nobody knows where it leads"
    if part.pressed:
        yield _PRESSED[part.pressed]
    if clicks and part.tag in ("iframe", "frame", "object", "embed"):
        yield "is a frame: choose an element in it"
    if word := forbidden_word(f"{part.name}\n{part.text}", forbidden):
        yield f"has {quote(word)} in its name, which is one of limits.forbidden_targets"


_LINKS = {"document": "is a link to another document", "download": "is a link to a download"}
_PRESSED = {
    "submit": "submits a form",
    "image": "submits a form",
    "reset": "empties a form",
    "file": "uploads a file",
}


def forbidden_word(name: str, forbidden: Iterable[str]) -> str | None:
    """Return the first of the forbidden words that a name contains as a whole word, in any case; None if there is none.

    >>> forbidden_word("Log-Out now", ["log out"])
    'log out'
    """
    folded = name.casefold()
    return next((word for word in forbidden if _pattern(word) and re.search(_pattern(word), folded)), None)


def _pattern(word: str) -> str:
    parts = [re.escape(part) for part in word.casefold().split()]
    return r"(?<!\w)" + r"[\W_]+".join(parts) + r"(?!\w)" if parts else ""
