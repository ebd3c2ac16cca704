"""How far roles and names of the core and of the page script agree with Chrome's own accessibility tree.

Chrome has roles of its own where ARIA has none (`LabelText`, `LineBreak`, `Canvas`): they count as no role. White space
in names counts once, as a reader hears it. Everything else that differs is a difference, and belongs to a class: for
roles the tag and both roles, for names the role and how ours is another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bench.apps.elements import Element, Said, sources

# fmt: off
NO_ROLE = frozenset(
    {
        "", "generic", "none", "presentation",  # ARIA's own words for it
        # Chrome's roles of elements that HTML-AAM maps to nothing or to `generic`.
        "Abbr", "Audio", "Canvas", "ColorWell", "Date", "DateTime", "DescriptionList", "Details", "EmbeddedObject",
        "Figcaption", "Header", "Footer", "InputTime", "LabelText", "Legend", "LineBreak", "ListMarker", "Pre",
        "PluginObject", "Ruby", "RubyAnnotation", "Section", "sectionfooter", "sectionheader", "Video",
    }
)
# fmt: on
SAME_ROLE = {
    "image": "img",
    "Iframe": "iframe",
    "IframePresentational": "iframe",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "SvgRoot": "img",
}  # fmt: skip
"""Chrome's word, or ARIA 1.3's, and ours for the same role."""
EXAMPLES = 20
WAYS = ("core", "twin")


class Difference(NamedTuple):
    """One element that Chrome and ours say differently, with where it was seen."""

    where: str
    html: str
    chrome: Said
    source: str
    """What Chrome made its name of."""
    ours: Said


class Score:
    """What one of ours said about one application's elements, and how much of it Chrome says too."""

    def __init__(self) -> None:
        self.elements = self.roles = self.names = self.both = 0

    def add(self, chrome: Said, ours: Said) -> None:
        """Count one element."""
        role, name = same_role(chrome, ours), same_name(chrome, ours)
        self.elements += 1
        self.roles += role
        self.names += name
        self.both += role and name

    def percent(self, count: int) -> float:
        """Return a count as a share of all elements."""
        return 100 * count / self.elements if self.elements else 0.0


class Agreement:
    """The scores of one of ours by application, and its differences by class."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.scores: dict[str, Score] = {}
        self.counts: Counter[str] = Counter()
        self.differences: dict[str, list[Difference]] = {}

    async def add(self, app: str, state: str, found: Iterable[Element]) -> None:
        """Take in the elements of one state."""
        score = self.scores.setdefault(app, Score())
        for element in found:
            ours: Said = getattr(element, self.way)
            score.add(element.chrome, ours)
            kind = difference(element, ours)
            if kind:
                await self._note(kind, f"{app}, {state}", element, ours)

    async def _note(self, kind: str, where: str, element: Element, ours: Said) -> None:
        self.counts[kind] += 1
        listed = self.differences.setdefault(kind, [])
        if len(listed) < EXAMPLES and all(each.html != element.html for each in listed):
            listed.append(Difference(where, element.html, element.chrome, await sources(element), ours))

    def total(self) -> Score:
        """Return the score over all applications."""
        total = Score()
        for score in self.scores.values():
            for field, count in vars(score).items():
                setattr(total, field, getattr(total, field) + count)
        return total

    def report(self) -> str:
        """Return all classes, the largest first, with examples: what an implementer reads."""
        total = self.total()
        lines = [f"{self.way}: {total.both} of {total.elements} elements agree, {total.percent(total.both):.2f} %"]
        lines += [f"  {app:18} {_figures(score)}" for app, score in self.scores.items()]
        for kind, count in self.counts.most_common():
            lines += ["", f"## {kind}: {count}"]
            lines += [
                f"  {each.where}: Chrome {_said(each.chrome)} from {each.source}, ours {_said(each.ours)}\n"
                f"    {each.html}"
                for each in self.differences[kind]
            ]
        return "\n".join(lines) + "\n"


def _figures(score: Score) -> str:
    shares = (f"{word} {score.percent(getattr(score, word)):6.2f} %" for word in ("both", "roles", "names"))
    return f"{score.elements:6} elements, {', '.join(shares)}"


def _said(said: Said) -> str:
    return f"{said.role or '–'} {said.name!r}"


def plain_role(role: str) -> str:
    """Return a role in one spelling, and "" for one that ARIA does not have."""
    role = SAME_ROLE.get(role, role)
    return "" if role in NO_ROLE else role


def same_role(chrome: Said, ours: Said) -> bool:
    """Whether both say the same role."""
    return plain_role(chrome.role) == plain_role(ours.role)


def same_name(chrome: Said, ours: Said) -> bool:
    """Whether both say the same name, white space counted once."""
    return _words(chrome.name) == _words(ours.name)


def _words(text: str) -> Sequence[str]:
    return text.split()


def difference(element: Element, ours: Said) -> str:
    """Return the class that an element's difference belongs to; "" if there is none."""
    if not same_role(element.chrome, ours):
        return f"role: <{element.tag}> {element.chrome.role or '–'}, ours {ours.role or '–'}"
    if not same_name(element.chrome, ours):
        role = plain_role(element.chrome.role) or "no role"
        return f"name of {role}: ours {_how(element.chrome.name, ours.name)}"
    return ""


def _how(chrome: str, ours: str) -> str:
    if not ours.strip():
        return "is empty"
    if not chrome.strip():
        return "is there, Chrome's is empty"
    if chrome.casefold().split() == ours.casefold().split():
        return "has other letter cases, which CSS makes"
    if "".join(chrome.split()) == "".join(ours.split()):
        return "has other spaces"
    if ours in chrome:
        return "is a part of it"
    return "holds more" if chrome in ours else "is another one"
