"""Suggest what a selector that matches nothing may have meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import CdpError
from stillframe.injected import elements
from stillframe.tab.locating.steps import FILTERS, Chain, Nth

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame
    from stillframe.tab.locating.query import Query

MIN_SIMILARITY = 50.0
"""Candidates less similar than this (0-100) are not suggested."""

MAX_CANDIDATES = 3

MAX_COMPARED = 200
"""Characters of a selector that are compared."""


class Candidate(msgspec.Struct, frozen=True):
    """An element of the page that a selector may have meant."""

    shown: str
    ids: tuple[str, ...]
    role: str
    name: str
    text: str
    tag: str
    classes: str
    placeholder: str
    title: str
    alt: str

    def words(self) -> list[str]:
        """Return every text that may identify the element."""
        names = (self.name, self.text, self.role, self.tag, *self.classes.split())
        return [key for key in (*self.ids, *names) if key]


Step = dict[str, Any]
Keys = Callable[[Step, Candidate], list[str]]


def missing(chain: Chain, at: int, count: int) -> str:
    """Return which step of a chain matched nothing, and in how many elements; "" for a chain of one step."""
    source = chain.sources[at]
    if not at:
        return f"nothing matches {source}" if len(chain.steps) > 1 else ""
    before = " >> ".join(chain.sources[:at])
    match = f"{count} elements match" if count != 1 else "1 element matches"
    if isinstance(chain.steps[at], Nth):
        return f"{source}: only {match} {before}"
    if isinstance(chain.steps[at], FILTERS):
        return f"{match} {before}, but none of them passes {source}"
    return f"{match} {before}, but nothing in {'them' if count != 1 else 'it'} matches {source}"


async def nearest(frame: Frame, query: Query, at: int) -> list[str]:
    """Describe the elements that a step of a chain may have meant, best first.

    They lie within the scopes that the chain reached. Elements with the requested role come first.
    """
    step = query.steps[at]
    if step["kind"] not in _COMPARED:
        return []
    try:
        candidates = msgspec.convert(await query.call(frame, elements.suggestions(at)), list[Candidate])
    except CdpError:
        return []
    wanted_of, keys = _COMPARED[step["kind"]]
    wanted = wanted_of(step).casefold()[:MAX_COMPARED]
    scored = [(_rank(step, candidate, wanted, keys), _shown(step, candidate)) for candidate in candidates]
    best = sorted((pair for pair in scored if max(pair[0]) >= MIN_SIMILARITY), key=lambda pair: pair[0], reverse=True)
    return [shown for _, shown in dict.fromkeys(best)][:MAX_CANDIDATES]


def _rank(step: Step, candidate: Candidate, wanted: str, keys: Keys) -> tuple[float, float]:
    """Return 100 if the candidate has the role, else 0, and how similar it is."""
    from rapidfuzz import fuzz  # only mistakes need it

    similar = max((fuzz.ratio(wanted, key.casefold()) for key in keys(step, candidate)), default=0.0)
    return 100.0 * (step["kind"] == "role" and candidate.role == step["role"]), similar


def _shown(step: Step, candidate: Candidate) -> str:
    """Return the candidate's description, and say if the shown text is not its accessible name."""
    nameless = step.get("role") == candidate.role and step["name"] and not candidate.name
    return f"{candidate.shown} (without an accessible name)" if nameless else candidate.shown


def _words(_: Step, candidate: Candidate) -> list[str]:
    return candidate.words()


_COMPARED: dict[str, tuple[Callable[[Step], str], Keys]] = {
    "css": (lambda step: step["parts"][-1][-1][1].lstrip("#.["), _words),
    "xpath": (lambda step: step["xpath"].rsplit("/", 1)[-1], _words),
    "text": (lambda step: step["text"], _words),
    "has-text": (lambda step: step["text"], _words),
    "role": (lambda step: step["name"] or step["role"], _words),
    "label": (lambda step: step["text"], lambda _, candidate: [candidate.name]),
    "testid": (lambda step: step["id"], lambda _, candidate: list(candidate.ids)),
    "id": (lambda step: step["id"], _words),
    "attribute": (lambda step: step["text"], lambda step, candidate: [getattr(candidate, step["attribute"])]),
}
"""For each kind of step, its text and the texts of a candidate to compare it with."""
