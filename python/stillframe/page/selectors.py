"""Selectors as text, turned into plain values that the page agent can run. No I/O.

    .save > button            CSS, through open and closed shadow roots (`css=` may be written in front)
    xpath=//button            XPath of the document, also with a leading `//` or `(//`
    text=log in               the innermost element whose text contains this, in any case
    text="Log in"             … whose whole text is this
    role=button[name="Save"]  role, accessible name (`=` whole, `*=` part) and the states checked, selected, expanded,
                              pressed, disabled and level
    ~loginButton              the accessibility id: accessible name, id, name or test id
    ref=e12                   an element of an earlier result
    frame=<selector> >> …     the rest is searched in that frame; also frame=name=… and frame=url=… (`*` for anything)

`text=`, `role=` and `~` mean what a user perceives: elements that are not rendered match only if no rendered one does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

import msgspec

from stillframe.errors import SelectorInvalid
from stillframe.model.suggest import did_you_mean

Segment = tuple[str, int]
"""Compounds without a descendant combinator between them, and how many parents up its leftmost compound stands."""


class Css(msgspec.Struct, frozen=True, tag_field="kind", tag="css"):
    """CSS; `parts` holds, for every selector of the list, its segments, so that the agent can match across roots."""

    css: str
    parts: tuple[tuple[Segment, ...], ...]


class XPath(msgspec.Struct, frozen=True, tag_field="kind", tag="xpath"):
    """An XPath expression; it sees the document, not what is inside shadow roots."""

    xpath: str


class Text(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """Text on the page; `exact` means the whole text in this case."""

    text: str
    exact: bool


class Role(msgspec.Struct, frozen=True, tag_field="kind", tag="role"):
    """A role with an optional accessible name and states; a level is an int, every other state a bool."""

    role: str
    name: str | None
    exact: bool
    states: dict[str, bool | int]


class AccessibleId(msgspec.Struct, frozen=True, tag_field="kind", tag="id"):
    """An accessibility id, as mobile drivers call it."""

    id: str


class Ref(msgspec.Struct, frozen=True, tag_field="kind", tag="ref"):
    """A reference given out with an earlier result."""

    ref: str


class FrameName(msgspec.Struct, frozen=True, tag_field="kind", tag="name"):
    """A frame by its name."""

    name: str


class FrameUrl(msgspec.Struct, frozen=True, tag_field="kind", tag="url"):
    """A frame whose URL contains this text, where `*` stands for anything."""

    url: str


Target = Css | XPath | Text | Role | AccessibleId | Ref
FrameStep = Target | FrameName | FrameUrl


class Selector(msgspec.Struct, frozen=True):
    """A parsed selector: the frames to go into, outermost first, and what to look for in the last of them."""

    text: str
    frames: tuple[FrameStep, ...]
    target: Target

    @property
    def kind(self) -> str:
        """The kind of the target: css, xpath, text, role, id or ref."""
        return str(self.target.__struct_config__.tag)


def parse(text: str) -> Selector:
    """Parse a selector.

    Raises SelectorInvalid saying where it went wrong; whether CSS and XPath are well-formed beyond their brackets
    and quotes is for the browser to say.
    """
    frames: list[FrameStep] = []
    rest = text.strip()
    while rest.startswith("frame="):
        step, rest = _split_frame(text, rest.removeprefix("frame="))
        frames.append(_frame_step(text, step))
    return Selector(text, tuple(frames), _target(text, rest))


def _split_frame(text: str, rest: str) -> tuple[str, str]:
    at = _mask(text, rest).find(">>")
    if at < 0:
        _invalid(text, "`frame=` is not followed by ` >> ` and what to look for inside the frame")
    return rest[:at].strip(), rest[at + 2 :].strip()


def _frame_step(text: str, step: str) -> FrameStep:
    if step.startswith("name="):
        return FrameName(_unquoted(text, step, "name="))
    if step.startswith("url="):
        return FrameUrl(_unquoted(text, step, "url="))
    return _target(text, step)


def _target(text: str, step: str) -> Target:
    if not step:
        _invalid(text, "there is nothing to look for: give CSS, xpath=, text=, role=, ~id or ref=")
    if step.startswith(("//", "(//", "./")):
        return XPath(step)
    if step.startswith("~"):
        return AccessibleId(_unquoted(text, step, "~"))
    form = _FORM.match(step)
    if form is None:
        return _css(text, step)
    parse_form = _FORMS.get(form[1])
    if parse_form is None:
        hint = did_you_mean(form[1], (*_FORMS, "frame"))
        _invalid(text, f"unknown form `{form[1]}=`{hint}; known: {', '.join(_FORMS)}, frame; CSS needs no prefix")
    return parse_form(text, step[form.end() :].strip())


# -- the forms -----------------------------------------------------------------------------------


def _css(text: str, css: str) -> Css:
    return Css(css, tuple(_segments(text, part) for part in _list(text, css)))


def _list(text: str, css: str) -> list[str]:
    """Cut a selector list at its commas."""
    ends = [*(at for at, char in enumerate(_mask(text, css)) if char == ","), len(css)]
    parts = [css[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    if not all(parts):
        _invalid(text, "a selector of the CSS list is empty")
    return parts


def _segments(text: str, part: str) -> tuple[Segment, ...]:
    """Cut a complex selector at its descendant combinators, the only ones that reach across shadow roots."""
    segments: list[Segment] = []
    start = climbs = 0
    for combinator in _COMBINATOR.finditer(_mask(text, part)):
        if combinator[0].isspace():
            segments.append((part[start : combinator.start()], climbs))
            start, climbs = combinator.end(), 0
        else:
            climbs += combinator[0].count(">")
    return (*segments, (part[start:], climbs))


def _xpath(text: str, xpath: str) -> XPath:
    return XPath(xpath) if xpath else _invalid(text, "`xpath=` is followed by nothing")


def _text(text: str, words: str) -> Text:
    return Text(_collapse(_unquoted(text, words, "")), exact=words[:1] in ('"', "'"))


def _role(text: str, source: str) -> Role:
    head = _ROLE.match(source)
    if head is None:
        _invalid(text, 'a role selector reads role=button or role=button[name="Save"]')
    name, exact, states, at = None, True, {}, head.end()
    while at < len(source):
        part = _ROLE_PART.match(source, at)
        if part is None:
            _invalid(text, f'expected [name="…"] or [state] at {source[at : at + 20]!r}')
        key, operator, quoted, bare = part["key"], part["operator"], part["quoted"], part["bare"]
        at = part.end()
        value = bare if quoted is None else _unquoted(text, quoted, "")
        if key == "name":
            if value is None:
                _invalid(text, 'the name of a role selector reads name="…" or name*="…"')
            name, exact = _collapse(value), operator == "="
        else:
            states[key] = _state(text, key, value)
    return Role(head[0].lower(), name, exact, states)


def _state(text: str, key: str, value: str | None) -> bool | int:
    if key not in STATES:
        hint = did_you_mean(key, ("name", *STATES))
        _invalid(text, f"unknown state {key!r}{hint}; known: name, {', '.join(STATES)}")
    if key == "level":
        if value is None or not _LEVEL.fullmatch(value):
            _invalid(text, "level takes a number from 1 to 99, for example [level=2]")
        return int(value)
    if value not in (None, "true", "false"):
        _invalid(text, f"{key} is true or false, not {value!r}")
    return value != "false"


def _ref(text: str, ref: str) -> Ref:
    return Ref(ref) if _REF.fullmatch(ref) else _invalid(text, "a reference reads ref=e12")


STATES = ("checked", "selected", "expanded", "pressed", "disabled", "level")
"""The states that a role selector can ask for."""

_FORMS: dict[str, Callable[[str, str], Target]] = {
    "css": _css,
    "xpath": _xpath,
    "text": _text,
    "role": _role,
    "ref": _ref,
}
_FORM = re.compile(r"([A-Za-z_-]+)=")
_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_ROLE = re.compile(r"[A-Za-z]+")
_ROLE_PART = re.compile(
    r"""\s*\[\s*(?P<key>[a-z]+)\s*(?:(?P<operator>\*?=)\s*"""
    r"""(?:(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<bare>[^\]"'\s][^\]]*?))\s*)?\]\s*""",
    re.DOTALL,
)
_LEVEL = re.compile(r"[1-9][0-9]?", re.ASCII)
_REF = re.compile(r"e[0-9]{1,18}", re.ASCII)


# -- quoting -------------------------------------------------------------------------------------


def _mask(text: str, source: str) -> str:
    """Return a text of the same length in which quoted, bracketed and escaped characters are `x`."""
    out: list[str] = []
    open_: list[str] = []  # closing characters still owed, innermost last
    chars = iter(source)
    for char in chars:
        hidden = bool(open_)
        if char == "\\":
            out.append("x" + "x" * bool(next(chars, "")))
            continue
        if open_ and char == open_[-1]:
            open_.pop()
        elif char in "\"'" and not (open_ and open_[-1] in "\"'"):
            open_.append(char)
        elif char in _PAIRS and not (open_ and open_[-1] in "\"'"):
            open_.append(_PAIRS[char])
        out.append("x" if hidden or open_ else char)
    if open_:
        _invalid(text, f"{open_[-1]} is missing: a quote or a bracket is not closed")
    return "".join(out)


_PAIRS = {"[": "]", "(": ")"}


def _unquoted(text: str, source: str, prefix: str) -> str:
    """Return what follows the prefix, without its quotes when it is quoted."""
    words = source.removeprefix(prefix).strip()
    quote = words[:1]
    if quote in ('"', "'") and quote:
        if len(words) < 2 or words[-1] != quote:
            _invalid(text, f"the text begins with {quote} and does not end with it")
        words = re.sub(r"\\(.)", r"\1", words[1:-1], flags=re.DOTALL)
    if not words.strip():
        _invalid(text, f"`{prefix or 'text='}` is followed by nothing")
    return words


def _collapse(words: str) -> str:
    return " ".join(words.split())


def _invalid(text: str, reason: str) -> NoReturn:
    raise SelectorInvalid(f"selector {text!r} does not parse: {reason}", selector=text)
