"""Parse selectors into plain values that the page script can run. No I/O.

    .save > button            CSS, through open and closed shadow roots (also with the prefix `css=`)
    xpath=//button            XPath of the document, also with a leading `//`, `(//`, `./` or `..`
    text=log in               the innermost element whose text contains this, ignoring case; also `text="log in"i`
    text="Log in"             … whose whole text is this (case-sensitive), or else one of whose own lines of text is
    text=/log ?in/i           … in whose text this regular expression of JavaScript finds something
    role=button[name="Save"]  role, accessible name (`=` whole, `*=` part, ignoring case; `=/…/`) and the states
                              checked, selected, expanded, pressed (each also `=false`, checked and pressed also
                              `=mixed`), disabled, level; `include-hidden=true`, `include-hidden=false`
    label=Card number         the control that a label, aria-label or aria-labelledby names so; `label="…"` is exact
    placeholder= title= alt=  the attribute contains this, ignoring case; quoted: its whole value
    testid=submit             the whole value of data-testid, data-test-id, data-test, data-qa or data-cy
                              (each of these texts may be a regular expression)
    ~loginButton              the accessibility id: accessible name, id, name or test id
    ref=e12                   an element of an earlier result

    #two >> text=Open         a chain: each part is searched inside the matches of the part before it
    li >> nth=2               the third match; nth=-1 is the last
    li >> has-text="Ann"      the matches whose text contains this, ignoring case; has-not-text=: all others
    li >> has="text=Ann"      the matches that contain a match of this selector; has-not=: all others
    .item >> visible=true     the matches that are rendered; visible=false: those that are not
    button >> and="[title]"   the matches that this selector matches, too, which begins where the whole one does
    button >> or="a >> img"   the matches of the left and those of this selector, which begins where the whole one does
    tr >> chain="td >> nth=0" what this selector matches in each match: the first cell of each row
    frame=<selector> >> …     the rest is searched in that frame; also frame=name=…,
                              frame=url=… (`*` for anything) and frame=id=…, the id of a public `Frame`

A part of a chain may match several elements; the whole selector must match exactly one. A scope itself does not match
the part after it, except for `text=`. `li:has-text("Ann")`, `li:visible` and `:nth-match(li, 3)` are parsed as such
chains.

`text=`, `role=`, `label=`, `placeholder=`, `title=`, `alt=` and `~` match what a user perceives: elements that are not
rendered match only if no rendered one does. With `include-hidden`, a role matches all elements or, with `=false`, only
those that assistive technology shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from stillframe.errors import SelectorInvalid
from stillframe.model.suggest import did_you_mean
from stillframe.tab.locating.css import css_steps
from stillframe.tab.locating.quoting import (
    FORM,
    NESTING,
    invalid,
    shortened,
    split_chain,
    unquoted,
)
from stillframe.tab.locating.roles import role
from stillframe.tab.locating.steps import (
    FILTERS,
    AccessibleId,
    And,
    Attribute,
    Chain,
    Css,
    FrameId,
    FrameName,
    FrameStep,
    FrameUrl,
    Group,
    Has,
    HasText,
    Hop,
    Label,
    Nth,
    Or,
    Ref,
    Role,
    Selector,
    Step,
    Target,
    TestId,
    Text,
    Visible,
    XPath,
)
from stillframe.tab.locating.words import pattern, refuse_pattern, words

__all__ = [
    "FILTERS",
    "AccessibleId",
    "And",
    "Attribute",
    "Chain",
    "Css",
    "FrameId",
    "FrameName",
    "FrameStep",
    "FrameUrl",
    "Group",
    "Has",
    "HasText",
    "Hop",
    "Label",
    "Nth",
    "Or",
    "Ref",
    "Role",
    "Selector",
    "Step",
    "Target",
    "TestId",
    "Text",
    "Visible",
    "XPath",
    "parse",
]


def parse(text: str) -> Selector:
    """Parse a selector in linear time.

    Raises SelectorInvalid that says where parsing failed; apart from brackets and quotes, the browser checks the syntax
    of CSS and XPath.
    """
    return _Parser(text).parse()


def ref_of(text: str) -> str | None:
    """Return the ref that a selector consists of; None for any other selector."""
    kind, _, ref = text.partition("=")
    return ref if kind == "ref" and _REF.fullmatch(ref) else None


def has_ref(text: str) -> bool:
    """Return whether a selector contains a ref, which means an element of one document only."""
    return any(ref_of(part.strip()) is not None for part in _parts(text))


def without_refs(text: str) -> str:
    """Return the parts of a selector that are not refs, "" for a ref alone."""
    return " >> ".join(part.strip() for part in _parts(text) if ref_of(part.strip()) is None)


def _parts(text: str) -> list[str]:
    try:
        return split_chain(text)
    except SelectorInvalid:
        return [text]


MAX_DEPTH = 5
"""Selectors inside one another; each level doubles the backslashes of quotes within quotes."""


class _Parser:
    """Parses the parts of a chain one by one; `depth` counts the selectors around it, such as that of a `has=`."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.depth = depth
        self.hops: list[Hop] = []
        self.steps: list[tuple[Step, str]] = []
        self.frame: FrameStep | None = None  # the frame of the last part, until a part that is not a filter follows

    def parse(self) -> Selector:
        for part in split_chain(self.text):
            self._take(part)
        if self.frame is not None:
            invalid(self.text, "`frame=` must be followed by ` >> ` and a selector inside the frame")
        return Selector(self.text, tuple(self.hops), _chain(self.steps))

    def _take(self, part: str) -> None:
        if part.startswith("frame=") and self.depth:
            invalid(self.text, "`frame=` cannot stand inside another selector: enter the frame first")
        steps = [] if part.startswith("frame=") else list(self._steps(part))
        is_filter = bool(steps) and isinstance(steps[0][0], (*FILTERS, Or))
        if is_filter and (not self.steps or isinstance(self.frame, FrameId | FrameName | FrameUrl)):
            what = part.partition("=")[0]
            invalid(self.text, f"`{what}=` filters the matches of a part before it, as in `li >> {part[:40]}`")
        if self.frame is not None and not is_filter:
            self._hop()
        if part.startswith("frame="):
            self._take_frame(part)
        match steps:
            case [(Or() as either, written)]:
                self._join(either, written)
            case _:
                self.steps += steps

    def _join(self, either: Or, written: str) -> None:
        """Make all that came before one of the two sides; a ref stays in front of them."""
        at = 1 if isinstance(self.steps[0][0], Ref) else 0
        left = self.steps[at:]
        source = " >> ".join([*(source for _, source in left), written])
        self.steps[at:] = [(Or(tuple(step for step, _ in left), either.right), source)]

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
        form = FORM.match(source)
        if form is not None and form[1] in NESTING:
            yield self._nesting(form[1], source[form.end() :].strip()), source
            return
        first = not self.depth and (not self.steps or self.frame is not None)
        for step, written in _steps(self.text, source, first=first):
            if isinstance(step, Ref) and not first:
                invalid(self.text, f"`{written}` is one element of the page, so it can only begin a chain")
            yield step, written

    def _nesting(self, form: str, source: str) -> Step:
        """Read the selector inside a step such as `has=`."""
        if self.depth == MAX_DEPTH:
            invalid(self.text, f"its selectors stand inside one another more than {MAX_DEPTH} deep")
        inner = unquoted(self.text, source, f"{form}=")
        try:
            steps = _Parser(inner, self.depth + 1).parse().steps
        except SelectorInvalid as error:
            raise SelectorInvalid(f"in {shortened(self.text)!r}: {error}", selector=self.text) from None
        return _NESTED[form](steps)


def _chain(steps: list[tuple[Step, str]]) -> Chain:
    return Chain(tuple(step for step, _ in steps), tuple(source for _, source in steps))


def _frame_step(text: str, source: str) -> FrameId | FrameName | FrameUrl | None:
    if source.startswith("id="):
        return FrameId(unquoted(text, source[3:], "id="))
    if source.startswith("name="):
        return FrameName(unquoted(text, source[5:], "name="))
    if source.startswith("url="):
        return FrameUrl(unquoted(text, source[4:], "url="))
    return None


def _steps(text: str, source: str, *, first: bool) -> Iterable[tuple[Step, str]]:
    """Read one part of a chain: one step, unless it is CSS with filters."""
    if not source:
        invalid(text, "the selector is empty: use CSS, xpath=, text=, role=, label=, ~id or ref=")
    if source.startswith(("//", "(//", "./", "..")):
        return [(XPath(source), source)]
    if source.startswith("~") and (first or not source[1:2].isspace()):
        refuse_pattern(text, source[1:], "~")
        return [(AccessibleId(unquoted(text, source[1:], "~")), source)]
    if source[0] in "\"'":
        return [(_text(text, source), source)]
    form = FORM.match(source)
    if form is None:
        return css_steps(text, source, first=first)
    value = source[form.end() :].strip()
    if form[1] == "css":
        return css_steps(text, value, first=first)
    if form[1] not in _FORMS:
        forms = ("css", *_FORMS, *_NESTED, "frame")
        hint = did_you_mean(form[1], forms)
        invalid(text, f"unknown prefix `{form[1]}=`{hint}; known: {', '.join(forms)}; CSS needs no prefix")
    return [(_FORMS[form[1]](text, value), source)]


# -- the other forms -----------------------------------------------------------------------------


def _xpath(text: str, xpath: str) -> XPath:
    return XPath(xpath) if xpath else invalid(text, "`xpath=` needs a value")


def _text(text: str, source: str) -> Text:
    return Text(*words(text, source, "text="))


def _label(text: str, source: str) -> Label:
    return Label(*words(text, source, "label="))


def _attribute(name: str) -> Callable[[str, str], Attribute]:
    return lambda text, source: Attribute(name, *words(text, source, f"{name}="))


def _test_id(text: str, source: str) -> TestId:
    found = pattern(text, source)
    return TestId(unquoted(text, source, "testid="), found) if found is None else TestId(found[0], found)


def _ref(text: str, ref: str) -> Ref:
    return Ref(ref) if _REF.fullmatch(ref) else invalid(text, "write a ref as ref=e12")


def _nth(text: str, index: str) -> Nth:
    return Nth(int(index)) if _INDEX.fullmatch(index) else invalid(text, "nth= takes a number, as in nth=0")


def _has_text(text: str, source: str, *, wanted: bool = True) -> HasText:
    found = words(text, source, "has-text=" if wanted else "has-not-text=")
    return HasText(found.text, found.pattern, wanted)


def _visible(text: str, value: str) -> Visible:
    return Visible(value == "true") if value in ("true", "false") else invalid(text, "visible= must be true or false")


_FORMS: dict[str, Callable[[str, str], Step]] = {
    "xpath": _xpath,
    "text": _text,
    "role": role,
    "label": _label,
    "placeholder": _attribute("placeholder"),
    "testid": _test_id,
    "title": _attribute("title"),
    "alt": _attribute("alt"),
    "ref": _ref,
    "nth": _nth,
    "has-text": _has_text,
    "has-not-text": partial(_has_text, wanted=False),
    "visible": _visible,
}

_NESTED: dict[str, Callable[[tuple[Step, ...]], Step]] = {
    "has": Has,
    "has-not": partial(Has, wanted=False),
    "and": And,
    "or": partial(Or, ()),
    "chain": Group,
}
_REF = re.compile(r"e[0-9]{1,18}", re.ASCII)
_INDEX = re.compile(r"-?[0-9]{1,9}", re.ASCII)
