r"""Selectors for native elements: parse one, find what it matches, and suggest what it may have meant. No I/O.

    ~Add to cart            the accessibility id: the whole content-desc
    id=login                the resource id, whole (`com.example.shop:id/login`) or without its package
    text=log in             the text contains this, ignoring case; text="Log in" is the whole text
    class=Button            the class, whole (`android.widget.Button`) or its last part
    role=button             the role, also with the name: role=button[name="Save"] is the whole name

    id=list >> text=Open    a chain: each part is searched inside the matches of the part before it
    class=Button >> nth=2   the third match; nth=-1 is the last

`resource-id=` is the same as `id=`. A value in double quotes is taken as it is, with `\"` for a quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from stillframe.adb.native.ui_tree import NativeElement
from stillframe.errors import AmbiguousSelector, ElementNotFound, SelectorInvalid
from stillframe.model.suggest import did_you_mean

MIN_SIMILARITY = 50.0
"""Candidates less similar than this (0-100) are not suggested; selectors of pages have the same limit."""
MAX_CANDIDATES = 3
MAX_LISTED = 5
"""Matches that an error lists."""
MAX_CHARS = 2000
"""Characters of a selector; no content-desc that a person reads out is longer."""


class SelectorStep(NamedTuple):
    """One part of a selector; `exact` means that the value is the whole text."""

    kind: str
    value: str
    exact: bool = False
    name: str | None = None


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())


def _has_text(step: SelectorStep, element: NativeElement) -> bool:
    if step.exact:
        return _same(step.value, element.text)
    return " ".join(step.value.split()).casefold() in " ".join(element.text.split()).casefold()


def _has_id(step: SelectorStep, element: NativeElement) -> bool:
    return step.value in (element.resource_id, element.short_id)


def _has_class(step: SelectorStep, element: NativeElement) -> bool:
    return step.value in (element.class_name, element.class_name.rpartition(".")[2])


def _has_role(step: SelectorStep, element: NativeElement) -> bool:
    return element.role == step.value and (step.name is None or _same(step.name, element.name))


Test = Callable[[SelectorStep, NativeElement], bool]
Keys = Callable[[NativeElement], Sequence[str]]


def _words(element: NativeElement) -> Sequence[str]:
    return element.content_desc, element.text, element.short_id, element.resource_id, element.role


_KINDS: dict[str, tuple[Test, Keys]] = {
    "~": (lambda step, element: _same(step.value, element.content_desc), _words),
    "id": (_has_id, _words),
    "text": (_has_text, _words),
    "class": (_has_class, lambda element: (element.class_name, element.class_name.rpartition(".")[2])),
    "role": (_has_role, _words),
}
"""For each kind of step: whether an element matches, and the texts of an element to compare a mistyped value with."""

_SAME_AS = {"resource-id": "id"}
_ELSEWHERE = {
    "xpath": "XPath searches web pages only",
    "label": "labels belong to web pages",
    "testid": "test ids belong to web pages",
    "css": "CSS searches web pages only",
    "content-desc": "write ~name for a content-desc",
    "desc": "write ~name for a content-desc",
    "accessibility id": "write ~name for an accessibility id",
}
"""Forms that other contexts and tools have, and what to do instead."""

_FORM = re.compile(r"([A-Za-z][A-Za-z -]*?)=(.*)", re.DOTALL)
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|>>', re.DOTALL)
_ROLE = re.compile(r'([a-z]+)\s*(?:\[\s*name\s*=\s*("(?:\\.|[^"\\])*"|[^\]"]+?)\s*\])?', re.DOTALL)
_NTH = re.compile(r"-?\d{1,6}")


# -- parsing -------------------------------------------------------------------------------------


def parse_selector(selector: str) -> list[SelectorStep]:
    """Parse a selector of native elements. Raises SelectorInvalid that says what is wrong."""
    if len(selector) > MAX_CHARS:
        raise _invalid(selector, f"it has {len(selector)} characters, and the limit is {MAX_CHARS}")
    steps = [_step(selector, part) for part in _parts(selector)]
    if steps[0].kind == "nth":
        raise _invalid(selector, "`nth=` must follow the selector whose matches it counts: `class=Button >> nth=0`")
    return steps


def _parts(selector: str) -> list[str]:
    parts, start = [], 0
    for token in _TOKEN.finditer(selector):
        if token[0] == ">>":
            parts.append(selector[start : token.start()].strip())
            start = token.end()
    return [*parts, selector[start:].strip()]


def _step(selector: str, part: str) -> SelectorStep:
    if part.startswith("~"):
        return _valued(selector, "~", part[1:])
    match = _FORM.fullmatch(part)
    if match is None:
        raise _invalid(selector, _no_form(part))
    kind = _SAME_AS.get(match[1], match[1])
    if kind == "nth":
        return _nth(selector, match[2])
    if kind == "role":
        return _role(selector, match[2])
    if kind not in _KINDS:
        reason = _ELSEWHERE.get(kind) or f"{kind}= is unknown{did_you_mean(kind, [*_KINDS, 'nth'])}"
        raise _invalid(selector, reason)
    return _valued(selector, kind, match[2])


def _no_form(part: str) -> str:
    if not part:
        return "a part of it is empty"
    if part.startswith(("/", "(", ".", "#")):
        return "XPath and CSS search web pages only"
    return "it has no prefix"


def _valued(selector: str, kind: str, value: str) -> SelectorStep:
    value = value.strip()
    quoted = _QUOTED.fullmatch(value)
    step = SelectorStep(kind, _unescaped(quoted[1]) if quoted else value, exact=quoted is not None)
    if not step.value.strip():
        raise _invalid(selector, "a value is empty")
    return step


def _nth(selector: str, value: str) -> SelectorStep:
    if _NTH.fullmatch(value) is None:
        raise _invalid(selector, f"nth={value} is not a whole number")
    return SelectorStep("nth", value)


def _role(selector: str, value: str) -> SelectorStep:
    match = _ROLE.fullmatch(value.strip())
    if match is None:
        raise _invalid(selector, 'a role is one word, with the name in brackets: role=button[name="Save"]')
    name = match[2]
    quoted = _QUOTED.fullmatch(name) if name else None
    return SelectorStep("role", match[1], name=_unescaped(quoted[1]) if quoted else name)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _invalid(selector: str, reason: str) -> SelectorInvalid:
    return SelectorInvalid(
        f"selector {_shown(selector)!r} does not parse as one of native elements: {reason}; use ~name, id=, text=, "
        "class= or role=",
        selector=selector,
    )


def _shown(selector: str) -> str:
    return selector if len(selector) <= 200 else f"{selector[:200]}…"


# -- finding -------------------------------------------------------------------------------------


def matching(elements: Sequence[NativeElement], selector: str) -> list[NativeElement]:
    """Return the elements that a selector matches, in document order. Raises SelectorInvalid."""
    return _matched(elements, parse_selector(selector))[0]


def the_one(elements: Sequence[NativeElement], selector: str, *, seconds: float = 0) -> NativeElement:
    """Return the only element that a selector matches.

    Raises ElementNotFound with the nearest candidates, AmbiguousSelector with the matches, and SelectorInvalid.
    `seconds` is how long the caller has looked, for the message.
    """
    steps = parse_selector(selector)
    found, failed = _matched(elements, steps)
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous(found, selector)
    raise _not_found(elements, steps[failed], selector, seconds)


def _matched(elements: Sequence[NativeElement], steps: Sequence[SelectorStep]) -> tuple[list[NativeElement], int]:
    """Return the matches, and the index of the step after which there were none."""
    found: list[int] | None = None
    for index, step in enumerate(steps):
        found = _pick(found or [], step) if step.kind == "nth" else _within(elements, found, step)
        if not found:
            return [], index
    return [elements[at] for at in found or []], len(steps)


def _pick(found: list[int], step: SelectorStep) -> list[int]:
    at = int(step.value)
    return [found[at]] if -len(found) <= at < len(found) else []


def _within(elements: Sequence[NativeElement], scopes: list[int] | None, step: SelectorStep) -> list[int]:
    test = _KINDS[step.kind][0]
    inside = range(len(elements)) if scopes is None else _descendants(elements, scopes)
    return [at for at in inside if test(step, elements[at])]


def _descendants(elements: Sequence[NativeElement], scopes: Sequence[int]) -> list[int]:
    """Return the indices of all elements below the scopes, each once."""
    found: list[int] = []
    end = 0
    for scope in scopes:
        at = max(end, scope + 1)
        while at < len(elements) and elements[at].depth > elements[scope].depth:
            found.append(at)
            at += 1
        end = max(end, at)
    return found


# -- errors --------------------------------------------------------------------------------------


def _ambiguous(found: Sequence[NativeElement], selector: str) -> AmbiguousSelector:
    matches = [element.describe() for element in found[:MAX_LISTED]]
    more = f" and {len(found) - len(matches)} more" if len(found) > len(matches) else ""
    return AmbiguousSelector(
        f"{_shown(selector)} matches {len(found)} native elements: {', '.join(matches)}{more}; narrow it down to one, "
        "for example with ` >> nth=0`",
        selector=selector,
        matches=matches,
        count=len(found),
    )


def _not_found(elements: Sequence[NativeElement], step: SelectorStep, selector: str, seconds: float) -> ElementNotFound:
    near = nearest(elements, step)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    packages = ", ".join(dict.fromkeys(element.package for element in elements if element.package)) or "no app"
    within = f" within {seconds:g} s" if seconds else ""
    return ElementNotFound(
        f"Element not found: {_shown(selector)} among the {len(elements)} native elements of {packages}{within}{hint}; "
        "what a web page shows is found on the page of its WebView",
        selector=selector,
        candidates=near,
    )


def nearest(elements: Sequence[NativeElement], step: SelectorStep) -> list[str]:
    """Describe the elements that a step may have meant, best first."""
    if step.kind not in _KINDS:
        return []
    wanted, keys = (step.name or step.value).casefold(), _KINDS[step.kind][1]
    scored = [(_similarity(wanted, keys(element)), element.describe()) for element in elements]
    best = sorted((pair for pair in scored if pair[0] >= MIN_SIMILARITY), key=lambda pair: pair[0], reverse=True)
    return [shown for shown in dict.fromkeys(shown for _, shown in best) if shown][:MAX_CANDIDATES]


def _similarity(wanted: str, keys: Sequence[str]) -> float:
    return max((fuzz.ratio(wanted, key.casefold()) for key in keys if key), default=0.0)
