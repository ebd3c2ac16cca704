"""Selectors as text, turned into plain values that the page agent can run. No I/O.

    .save > button            CSS, through open and closed shadow roots (`css=` may be written in front)
    xpath=//button            XPath of the document, also with a leading `//`, `(//`, `./` or `..`
    text=log in               the innermost element whose text contains this, in any case
    text="Log in"             … whose whole text is this, or if there is none, one of whose own lines of text is
    role=button[name="Save"]  role, accessible name (`=` whole, `*=` part in any case) and the states checked, selected,
                              expanded, pressed (each also `=false`, the first and last also `=mixed`), disabled, level
    label=Card number         what a label, aria-label or aria-labelledby names so; `label="…"` is the whole label
    placeholder= title= alt=  the attribute contains this, in any case; quoted: its whole value
    testid=submit             the whole value of data-testid, data-test-id, data-test, data-qa or data-cy
    ~loginButton              the accessibility id: accessible name, id, name or test id
    ref=e12                   an element of an earlier result

    #two >> text=Open         a chain: each part is looked for inside what the part before it matches
    li >> nth=2               of the matches the third; nth=-1 is the last
    li >> has-text="Ann"      … those whose text contains this, in any case
    .item >> visible=true     … those that are rendered; visible=false for the others
    frame=<selector> >> …     the rest is looked for in that frame; also frame=name=… and frame=url=… (`*` for anything)

A part of a chain may match several elements; the whole must end in one. A scope itself is no match of the part behind
it, except for `text=`. `li:has-text("Ann")`, `li:visible` and `:nth-match(li, 3)` are read as such chains.

`text=`, `role=`, `label=`, `placeholder=`, `title=`, `alt=` and `~` mean what a user perceives: elements that are not
rendered match only if no rendered one does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from stillframe.model.suggest import did_you_mean
from stillframe.page.quoting import (
    CHAIN,
    FORM,
    ROLE_PART,
    collapse,
    invalid,
    is_quoted,
    masked,
    split_chain,
    unquoted,
)

Segment = tuple[str, int]
"""Compounds without a descendant combinator between them, and how many parents up its leftmost compound stands."""


class Css(msgspec.Struct, frozen=True, tag_field="kind", tag="css"):
    """CSS; `parts` holds, for every selector of the list, its segments, so that the agent can match across roots.

    `scoped` says that it names its scope itself, by `:scope`.
    """

    css: str
    parts: tuple[tuple[Segment, ...], ...]
    scoped: bool = False


class XPath(msgspec.Struct, frozen=True, tag_field="kind", tag="xpath"):
    """An XPath expression; it sees the document, not what is inside shadow roots."""

    xpath: str


class Text(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """Text on the page; `exact` means the whole text in this case."""

    text: str
    exact: bool


class Role(msgspec.Struct, frozen=True, tag_field="kind", tag="role"):
    """A role with an optional accessible name and states; a level is an int, other states a bool or "mixed"."""

    role: str
    name: str | None
    exact: bool
    states: dict[str, bool | int | str]


class Label(msgspec.Struct, frozen=True, tag_field="kind", tag="label"):
    """What a label names; `exact` means the whole label in this case."""

    text: str
    exact: bool


class Attribute(msgspec.Struct, frozen=True, tag_field="kind", tag="attribute"):
    """An attribute that a user perceives; `exact` means its whole value in this case."""

    attribute: str
    text: str
    exact: bool


class TestId(msgspec.Struct, frozen=True, tag_field="kind", tag="testid"):
    """A test id, whole."""

    __test__ = False

    id: str


class AccessibleId(msgspec.Struct, frozen=True, tag_field="kind", tag="id"):
    """An accessibility id, as mobile drivers call it."""

    id: str


class Ref(msgspec.Struct, frozen=True, tag_field="kind", tag="ref"):
    """A reference given out with an earlier result."""

    ref: str


class Nth(msgspec.Struct, frozen=True, tag_field="kind", tag="nth"):
    """One of the matches so far: from 0, or from the end if negative."""

    index: int


class HasText(msgspec.Struct, frozen=True, tag_field="kind", tag="has-text"):
    """Those of the matches so far whose text contains this, in any case."""

    text: str


class Visible(msgspec.Struct, frozen=True, tag_field="kind", tag="visible"):
    """Those of the matches so far that are rendered, or that are not."""

    visible: bool


class FrameName(msgspec.Struct, frozen=True, tag_field="kind", tag="name"):
    """A frame by its name."""

    name: str


class FrameUrl(msgspec.Struct, frozen=True, tag_field="kind", tag="url"):
    """A frame whose URL contains this text, where `*` stands for anything."""

    url: str


Target = Css | XPath | Text | Role | Label | Attribute | TestId | AccessibleId | Ref
Filter = Nth | HasText | Visible
Step = Target | Filter
FrameStep = Target | FrameName | FrameUrl
FILTERS = (Nth, HasText, Visible)


class Chain(msgspec.Struct, frozen=True):
    """What to look for within one document, and how each step was written."""

    steps: tuple[Step, ...] = ()
    sources: tuple[str, ...] = ()


class Hop(msgspec.Struct, frozen=True):
    """The way into a frame: its element, or the scopes within which a frame has this name or URL."""

    frame: FrameStep
    way: Chain


class Selector(msgspec.Struct, frozen=True):
    """A parsed selector: the frames to go into, outermost first, and what to look for in the last of them."""

    text: str
    hops: tuple[Hop, ...]
    chain: Chain

    @property
    def steps(self) -> tuple[Step, ...]:
        """What to look for in the last document."""
        return self.chain.steps

    @property
    def frames(self) -> tuple[FrameStep, ...]:
        """The frames to go into, outermost first."""
        return tuple(hop.frame for hop in self.hops)

    @property
    def target(self) -> Step:
        """The last step, which is a filter or says what is looked for."""
        return self.chain.steps[-1]

    @property
    def kind(self) -> str:
        """The kind of the target: css, xpath, text, role, label, attribute, testid, id, ref, nth, has-text, visible."""
        return str(self.target.__struct_config__.tag)


def parse(text: str) -> Selector:
    """Parse a selector, in time that grows with its length.

    Raises SelectorInvalid saying where it went wrong; whether CSS and XPath are well-formed beyond their brackets
    and quotes is for the browser to say.
    """
    return _Parser(text).parse()


class _Parser:
    """The parts of a chain, taken one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.hops: list[Hop] = []
        self.steps: list[tuple[Step, str]] = []
        self.frame: FrameStep | None = None  # the last step leads to, until something else than a filter follows

    def parse(self) -> Selector:
        for part in split_chain(self.text):
            self._take(part)
        if self.frame is not None:
            invalid(self.text, "`frame=` is not followed by ` >> ` and what to look for inside the frame")
        return Selector(self.text, tuple(self.hops), _chain(self.steps))

    def _take(self, part: str) -> None:
        steps = [] if part.startswith("frame=") else list(self._steps(part))
        is_filter = bool(steps) and isinstance(steps[0][0], FILTERS)
        if is_filter and (not self.steps or isinstance(self.frame, FrameName | FrameUrl)):
            what = part.partition("=")[0]
            invalid(self.text, f"`{what}=` has no matches to choose from: it follows a part, as in `li >> {part[:40]}`")
        if self.frame is not None and not is_filter:
            self._hop()
        if part.startswith("frame="):
            self._take_frame(part)
        self.steps += steps

    def _take_frame(self, part: str) -> None:
        source = part.removeprefix("frame=").strip()
        self.frame = _frame_step(self.text, source)
        if self.frame is None:
            steps = list(self._steps(source))
            self.steps += steps
            self.frame = next(step for step, _ in steps if not isinstance(step, FILTERS))

    def _hop(self) -> None:
        assert self.frame is not None
        self.hops.append(Hop(self.frame, _chain(self.steps)))
        self.steps, self.frame = [], None

    def _steps(self, source: str) -> Iterator[tuple[Step, str]]:
        first = not self.steps or (self.frame is not None)
        for step, written in _steps(self.text, source, first=first):
            if isinstance(step, Ref) and not first:
                invalid(self.text, f"`{written}` is one element of the page and can only begin a chain")
            yield step, written


def _chain(steps: list[tuple[Step, str]]) -> Chain:
    return Chain(tuple(step for step, _ in steps), tuple(source for _, source in steps))


def _frame_step(text: str, source: str) -> FrameName | FrameUrl | None:
    if source.startswith("name="):
        return FrameName(unquoted(text, source[5:], "name="))
    if source.startswith("url="):
        return FrameUrl(unquoted(text, source[4:], "url="))
    return None


def _steps(text: str, source: str, *, first: bool) -> Iterable[tuple[Step, str]]:
    """Read one part of a chain: one step, except for CSS with filters in it."""
    if not source:
        invalid(text, "there is nothing to look for: give CSS, xpath=, text=, role=, label=, ~id or ref=")
    if source.startswith(("//", "(//", "./", "..")):
        return [(XPath(source), source)]
    if source.startswith("~"):
        return [(AccessibleId(unquoted(text, source[1:], "~")), source)]
    if source[0] in "\"'":
        return [(_text(text, source), source)]
    form = FORM.match(source)
    if form is None:
        return _css(text, source, first=first)
    value = source[form.end() :].strip()
    if form[1] == "css":
        return _css(text, value, first=first)
    if form[1] not in _FORMS:
        forms = ("css", *_FORMS, "frame")
        hint = did_you_mean(form[1], forms)
        invalid(text, f"unknown form `{form[1]}=`{hint}; known: {', '.join(forms)}; CSS needs no prefix")
    return [(_FORMS[form[1]](text, value), source)]


# -- CSS -----------------------------------------------------------------------------------------


def _css(text: str, css: str, *, first: bool) -> Iterable[tuple[Step, str]]:
    mask = masked(text, css)
    pseudos = [found for found in _PSEUDO.finditer(css) if mask[found.start()] == ":"]
    if not pseudos:
        return [(_plain_css(text, css, first=first), css)]
    if "," in mask:
        invalid(text, f"`{pseudos[0][0]}` stands in a list of selectors; {_AS_FILTER}")
    return _css_with_filters(text, css, mask, first)


def _css_with_filters(text: str, css: str, mask: str, first: bool) -> Iterator[tuple[Step, str]]:
    """Read `:has-text()`, `:visible` and `:nth-match()` as the filters that they are, and the rest as CSS."""
    plain, filters = "", []
    for combinator, compound in _compounds(css, mask):
        if filters:
            yield _plain_css(text, plain, first=first), plain
            yield from filters
            first = False
            plain = _within(text, combinator)
        else:
            plain += combinator
        base, filters = _taken_apart(text, compound)
        if compound.startswith(":nth-match(") and plain:
            invalid(text, f"`:nth-match` does not begin the selector; {_AS_FILTER}")
        plain += base
    yield _plain_css(text, plain, first=first), plain
    yield from filters


def _compounds(css: str, mask: str) -> Iterator[tuple[str, str]]:
    """Yield the combinator before each compound of a selector, and the compound."""
    start, combinator = 0, ""
    for found in _COMBINATOR.finditer(mask):
        if found.start():
            yield combinator, css[start : found.start()]
        start, combinator = found.end(), found[0]
    yield combinator, css[start:]


def _within(text: str, combinator: str) -> str:
    if combinator.isspace():
        return ""
    if combinator.strip() == ">":
        return ":scope > "
    invalid(text, f"`{combinator.strip()}` stands behind a filter; {_AS_FILTER}")


def _taken_apart(text: str, compound: str) -> tuple[str, list[tuple[Step, str]]]:
    """Return what is CSS in a compound and the filters in it."""
    plain: list[str] = []
    filters: list[tuple[Step, str]] = []
    mask = masked(text, compound)
    at = 0
    for found in _PSEUDO.finditer(compound):
        if mask[found.start()] != ":":
            continue
        plain.append(compound[at : found.start()])
        base, step, at = _pseudo(text, compound, found)
        plain.append(base)
        filters.append((step, compound[found.start() : at]))
    plain.append(compound[at:])
    return "".join(plain) or "*", filters


def _pseudo(text: str, compound: str, found: re.Match[str]) -> tuple[str, Filter, int]:
    """Return the CSS and the filter that a pseudo-class stands for, and where it ends."""
    if found[1] == "visible":
        return "", Visible(True), found.end()
    if found[1] == "has-text":
        words = _HAS_TEXT.match(compound, found.end())
        if words is None:
            invalid(text, 'it reads :has-text("…"), with one text in quotes')
        return "", HasText(_words(text, words[1], ":has-text")), words.end()
    whole = _NTH_MATCH.fullmatch(compound)
    if whole is None or not whole[1].strip():
        invalid(text, "it reads :nth-match(li, 3), with a number from 1 last and nothing beside it")
    return whole[1].strip(), Nth(int(whole[2]) - 1), len(compound)


def _plain_css(text: str, css: str, *, first: bool) -> Css:
    parts = list(_list(text, css))
    if not first and any(part[0] in ">+~" for part in parts):
        parts = [_relative(text, part) for part in parts]
        css = ", ".join(parts)
    scoped = not first and any(":scope" in masked(text, part) for part in parts)
    return Css(css, tuple(_segments(text, part) for part in parts), scoped)


def _relative(text: str, part: str) -> str:
    if part[0] in "+~":
        invalid(text, f"`{part[0]}` leads out of the scope; an XPath such as `xpath=following-sibling::*` can")
    return f":scope {part}" if part[0] == ">" else part


def _list(text: str, css: str) -> list[str]:
    """Cut a selector list at its commas."""
    ends = [*(at for at, char in enumerate(masked(text, css)) if char == ","), len(css)]
    parts = [css[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    if not all(parts):
        invalid(text, "a selector of the CSS list is empty")
    return parts


def _segments(text: str, part: str) -> tuple[Segment, ...]:
    """Cut a complex selector at its descendant combinators, the only ones that reach across shadow roots."""
    segments: list[Segment] = []
    start = climbs = 0
    for combinator in _COMBINATOR.finditer(masked(text, part)):
        if combinator[0].isspace():
            segments.append((part[start : combinator.start()], climbs))
            start, climbs = combinator.end(), 0
        else:
            climbs += combinator[0].count(">")
    return (*segments, (part[start:], climbs))


_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_PSEUDO = re.compile(r":(has-text|visible|nth-match)(?![\w-])")
_HAS_TEXT = re.compile(r"""\(\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*\)""", re.DOTALL)
_NTH_MATCH = re.compile(r":nth-match\((.*),\s*0*([1-9][0-9]{0,8})\s*\)", re.DOTALL | re.ASCII)
_AS_FILTER = 'write it as a chain: `li >> has-text="…"`, `li >> visible=true`, `li >> nth=0`'


# -- the other forms -----------------------------------------------------------------------------


def _xpath(text: str, xpath: str) -> XPath:
    return XPath(xpath) if xpath else invalid(text, "`xpath=` is followed by nothing")


def _words(text: str, source: str, form: str) -> str:
    return collapse(unquoted(text, source, form))


def _text(text: str, source: str) -> Text:
    return Text(_words(text, source, "text="), exact=is_quoted(source))


def _label(text: str, source: str) -> Label:
    return Label(_words(text, source, "label="), exact=is_quoted(source))


def _attribute(name: str) -> Callable[[str, str], Attribute]:
    return lambda text, source: Attribute(name, _words(text, source, f"{name}="), exact=is_quoted(source))


def _test_id(text: str, source: str) -> TestId:
    return TestId(unquoted(text, source, "testid="))


def _role(text: str, source: str) -> Role:
    head = _ROLE.match(source)
    if head is None:
        invalid(text, 'a role selector reads role=button or role=button[name="Save"]')
    name, exact, states, at = None, True, {}, head.end()
    while at < len(source):
        part = ROLE_PART.match(source, at)
        if part is None:
            invalid(text, f'expected [name="…"] or [state] at {source[at : at + 20]!r}')
        key, operator, quoted, bare = part["key"], part["operator"], part["quoted"], part["bare"]
        at = part.end()
        value = (bare and bare.strip()) if quoted is None else unquoted(text, quoted, "name=")
        if key == "name":
            if value is None:
                invalid(text, 'the name of a role selector reads name="…" or name*="…"')
            name, exact = collapse(value), operator == "="
        else:
            states[key] = _state(text, key, value)
    return Role(head[0].lower(), name, exact, states)


def _state(text: str, key: str, value: str | None) -> bool | int | str:
    if key not in STATES:
        hint = did_you_mean(key, ("name", *STATES))
        invalid(text, f"unknown state {key!r}{hint}; known: name, {', '.join(STATES)}")
    if key == "level":
        if value is None or not _LEVEL.fullmatch(value):
            invalid(text, "level takes a number from 1 to 99, for example [level=2]")
        return int(value)
    if value == "mixed" and key in MIXED:
        return "mixed"
    if value not in (None, "true", "false"):
        invalid(text, f"{key} is true or false{' or mixed' if key in MIXED else ''}, not {value[:40]!r}")
    return value != "false"


def _ref(text: str, ref: str) -> Ref:
    return Ref(ref) if _REF.fullmatch(ref) else invalid(text, "a reference reads ref=e12")


def _nth(text: str, index: str) -> Nth:
    return Nth(int(index)) if _INDEX.fullmatch(index) else invalid(text, "nth= takes a number: nth=0, nth=-1 for the last")


def _has_text(text: str, source: str) -> HasText:
    return HasText(_words(text, source, "has-text="))


def _visible(text: str, value: str) -> Visible:
    return Visible(value == "true") if value in ("true", "false") else invalid(text, "visible= is true or false")


STATES = ("checked", "selected", "expanded", "pressed", "disabled", "level")
"""The states that a role selector can ask for."""

MIXED = ("checked", "pressed")
"""The states that can be mixed (ARIA: tristate)."""

_FORMS: dict[str, Callable[[str, str], Step]] = {
    "xpath": _xpath,
    "text": _text,
    "role": _role,
    "label": _label,
    "placeholder": _attribute("placeholder"),
    "testid": _test_id,
    "title": _attribute("title"),
    "alt": _attribute("alt"),
    "ref": _ref,
    "nth": _nth,
    "has-text": _has_text,
    "visible": _visible,
}
_ROLE = re.compile(r"[A-Za-z]+")
_LEVEL = re.compile(r"[1-9][0-9]?", re.ASCII)
_REF = re.compile(r"e[0-9]{1,18}", re.ASCII)
_INDEX = re.compile(r"-?[0-9]{1,9}", re.ASCII)
