"""What a selector that matches nothing may have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rapidfuzz import fuzz

from stillframe.errors import CdpError
from stillframe.page import selectors

if TYPE_CHECKING:
    from stillframe.page.frames import Frame

MIN_SIMILARITY = 50.0
"""Candidates less similar than this (0-100) are not offered as what was meant."""

MAX_CANDIDATES = 3


class Candidate(msgspec.Struct, frozen=True):
    """An element of the page that a selector may have meant."""

    shown: str
    ids: tuple[str, ...]
    role: str
    name: str
    text: str
    tag: str
    classes: str


async def nearest(frame: Frame, target: selectors.Target) -> list[str]:
    """Describe the elements whose id, name, text or role are most like what a selector asks for, best first."""
    try:
        candidates = msgspec.convert(await frame.call("() => __sf.candidates()"), list[Candidate])
    except CdpError:
        return []
    wanted = _wanted(target)
    scored = [(max((_similar(wanted, key) for key in _keys(c)), default=0.0), c.shown) for c in candidates]
    best = sorted((pair for pair in scored if pair[0] >= MIN_SIMILARITY), key=lambda pair: -pair[0])
    return [shown for _, shown in dict.fromkeys(best)][:MAX_CANDIDATES]


def _wanted(target: selectors.Target) -> str:
    match target:
        case selectors.Css(parts=parts):
            return parts[-1][-1][0].lstrip("#.[")
        case selectors.XPath(xpath=xpath):
            return xpath.rsplit("/", 1)[-1]
        case selectors.Text(text=words):
            return words
        case selectors.Role(role=role, name=name):
            return name or role
        case selectors.AccessibleId(id=words) | selectors.Ref(ref=words):
            return words


def _keys(candidate: Candidate) -> list[str]:
    words = (candidate.name, candidate.text, candidate.role, candidate.tag, *candidate.classes.split())
    return [key for key in (*candidate.ids, *words) if key]


def _similar(wanted: str, key: str) -> float:
    return fuzz.ratio(wanted.casefold(), key.casefold())
