"""Parse selectors into plain values that the page agent can run. No I/O.

    .save > button            CSS, through open and closed shadow roots (also with the prefix `css=`)
    xpath=//button            XPath of the document, also with a leading `//`, `(//`, `./` or `..`
    text=log in               the innermost element whose text contains this, ignoring case
    text="Log in"             … whose whole text is this (case-sensitive), or else one of whose own lines of text is
    role=button[name="Save"]  role, accessible name (`=` whole, `*=` part, ignoring case) and the states checked,
                              selected, expanded, pressed (each also `=false`, checked and pressed also `=mixed`),
                              disabled, level
    label=Card number         the control that a label, aria-label or aria-labelledby names so; `label="…"` is exact
    placeholder= title= alt=  the attribute contains this, ignoring case; quoted: its whole value
    testid=submit             the whole value of data-testid, data-test-id, data-test, data-qa or data-cy
    ~loginButton              the accessibility id: accessible name, id, name or test id
    ref=e12                   an element of an earlier result

    #two >> text=Open         a chain: each part is searched inside the matches of the part before it
    li >> nth=2               the third match; nth=-1 is the last
    li >> has-text="Ann"      the matches whose text contains this, ignoring case
    .item >> visible=true     the matches that are rendered; visible=false: those that are not
    frame=<selector> >> …     the rest is searched in that frame; also frame=name=…,
                              frame=url=… (`*` for anything) and frame=id=…, the id of a public `Frame`

A part of a chain may match several elements; the whole selector must match exactly one. A scope itself does not match
the part after it, except for `text=`. `li:has-text("Ann")`, `li:visible` and `:nth-match(li, 3)` are parsed as such
chains.

`text=`, `role=`, `label=`, `placeholder=`, `title=`, `alt=` and `~` match what a user perceives: elements that are not
rendered match only if no rendered one does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from stillframe import _core
from stillframe.errors import SelectorInvalid
from stillframe.injected import STATEFUL_ROLES
from stillframe.model.suggest import did_you_mean
from stillframe.tab.locating.css import css_steps
from stillframe.tab.locating.quoting import FORM, ROLE_PART, collapse, invalid, is_quoted, split_chain, unquoted
from stillframe.tab.locating.steps import (
    FILTERS,
    AccessibleId,
    Attribute,
    Chain,
    Css,
    FrameId,
    FrameName,
    FrameStep,
    FrameUrl,
    HasText,
    Hop,
    Label,
    Nth,
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

__all__ = [
    "FILTERS",
    "AccessibleId",
    "Attribute",
    "Chain",
    "Css",
    "FrameId",
    "FrameName",
    "FrameStep",
    "FrameUrl",
    "HasText",
    "Hop",
    "Label",
    "Nth",
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
    """Return the parts of a selector that are no refs, "" for a ref alone."""
    return " >> ".join(part.strip() for part in _parts(text) if ref_of(part.strip()) is None)


def _parts(text: str) -> list[str]:
    try:
        return split_chain(text)
    except SelectorInvalid:
        return [text]


class _Parser:
    """Parses the parts of a chain one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
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
        steps = [] if part.startswith("frame=") else list(self._steps(part))
        is_filter = bool(steps) and isinstance(steps[0][0], FILTERS)
        if is_filter and (not self.steps or isinstance(self.frame, FrameId | FrameName | FrameUrl)):
            what = part.partition("=")[0]
            invalid(self.text, f"`{what}=` filters the matches of a part before it, as in `li >> {part[:40]}`")
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
                invalid(self.text, f"`{written}` is one element of the page, so it can only begin a chain")
            yield step, written


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
        forms = ("css", *_FORMS, "frame")
        hint = did_you_mean(form[1], forms)
        invalid(text, f"unknown prefix `{form[1]}=`{hint}; known: {', '.join(forms)}; CSS needs no prefix")
    return [(_FORMS[form[1]](text, value), source)]


# -- the other forms -----------------------------------------------------------------------------


def _xpath(text: str, xpath: str) -> XPath:
    return XPath(xpath) if xpath else invalid(text, "`xpath=` needs a value")


def _words(text: str, source: str, form: str) -> str:
    _refuse_regex(text, source.strip(), form)
    return collapse(unquoted(text, source, form))


def _refuse_regex(text: str, source: str, form: str) -> None:
    """Refuse what looks like a regular expression: taken as a text it would match nothing, without a word."""
    if _REGEX.fullmatch(source):
        invalid(
            text,
            f"`{form}` takes a text, not a regular expression; write the words alone for a part of the text, any case, "
            f'or quote them if the slashes belong to the text: {form}"{source[:40]}"',
        )


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
        invalid(text, 'write a role selector as role=button or role=button[name="Save"]')
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
                invalid(text, 'write the name of a role selector as name="…" or name*="…"')
            if quoted is None:
                _refuse_regex(text, value, f"name{operator}")
            name, exact = collapse(value), operator == "="
        else:
            states[key] = _state(text, key, value)
    return Role(_role_word(text, head[0].lower(), states), name, exact, states)


def _role_word(text: str, word: str, states: Iterable[str]) -> str:
    """Return the role that a word means; refuses words that are no role, and states that elements of the role lack."""
    if word in _MEANINGLESS:
        invalid(text, f"{word!r} stands for elements without a role, which no role selector finds; use CSS or text=")
    if word not in _ROLES:
        hint = f" (did you mean {_MEANT[word]!r}?)" if word in _MEANT else did_you_mean(word, _COMMON_ROLES)
        invalid(text, f"unknown role {word!r}{hint}; roles are words of ARIA such as button, link")
    role = _ROLES[word].get("synonym") or word
    for state in states:
        having = _STATEFUL[state]
        if role not in having:
            own = ", ".join(other for other in STATES if role in _STATEFUL[other])
            invalid(text, f"role={role} never has the state {state!r}, only {own}; roles with it: {', '.join(having)}")
    return role


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
        invalid(text, f"{key} must be true or false{' or mixed' if key in MIXED else ''}, not {value[:40]!r}")
    return value != "false"


def _ref(text: str, ref: str) -> Ref:
    return Ref(ref) if _REF.fullmatch(ref) else invalid(text, "write a ref as ref=e12")


def _nth(text: str, index: str) -> Nth:
    return Nth(int(index)) if _INDEX.fullmatch(index) else invalid(text, "nth= takes a number, as in nth=0")


def _has_text(text: str, source: str) -> HasText:
    return HasText(_words(text, source, "has-text="))


def _visible(text: str, value: str) -> Visible:
    return Visible(value == "true") if value in ("true", "false") else invalid(text, "visible= must be true or false")


_ROLES = _core.aria_roles()
_COMMON_ROLES = [role for role in _ROLES if "-" not in role]
_MEANT = {
    "a": "link",
    "anchor": "link",
    "dropdown": "combobox",
    "field": "textbox",
    "input": "textbox",
    "li": "listitem",
    "modal": "dialog",
    "nav": "navigation",
    "ol": "list",
    "password": "textbox",
    "popup": "dialog",
    "select": "combobox",
    "submit": "button",
    "td": "cell",
    "text": "textbox",
    "textarea": "textbox",
    "th": "columnheader",
    "title": "heading",
    "toggle": "switch",
    "tr": "row",
    "ul": "list",
    **{f"h{level}": f"heading[level={level}]" for level in range(1, 7)},
}
"""The roles that people mean by tags and words of their own."""

_MEANINGLESS = ("generic", "none", "presentation")

_STATEFUL: dict[str, Collection[str]] = {
    **STATEFUL_ROLES,
    "expanded": (*STATEFUL_ROLES["expanded"], "group"),  # the role of <details>
    "disabled": _ROLES,  # a fieldset disables whatever it holds
}

STATES = ("checked", "selected", "expanded", "pressed", "disabled", "level")
"""The states that a role selector can require."""

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
_ROLE = re.compile(r"[A-Za-z]+[0-9]?(?:-[A-Za-z]+)*", re.ASCII)
_REGEX = re.compile(r"/.+/[dgimsuvy]*", re.DOTALL)
_LEVEL = re.compile(r"[1-9][0-9]?", re.ASCII)
_REF = re.compile(r"e[0-9]{1,18}", re.ASCII)
_INDEX = re.compile(r"-?[0-9]{1,9}", re.ASCII)
