"""The injected scripts, and the JavaScript in the package's Python, use nothing that V8 7.4 and Chrome 74 lack.

There is no such engine here, so the scripts are read token by token. What a script uses only after asking whether it is
there stands in `ASKED_FOR`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import stillframe
from stillframe import injected

PACKAGE = Path(stillframe.__file__).parent
SCRIPTS = sorted((PACKAGE / "injected").rglob("*.js"))
ROOMS = ("tab", "settling", "engine", "api", "injected")
"""The rooms whose Python contains JavaScript."""

# -- tokens ----------------------------------------------------------------------------------------


class Token(NamedTuple):
    """One token: `kind` is name, private, number, string, template, regex or mark."""

    kind: str
    text: str
    line: int


TOKEN = re.compile(
    r"""
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<number>0[xXbBoO][\da-fA-F_]+n? | (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?)
  | (?P<private>\#[A-Za-z_$][\w$]*)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
  | (?P<mark>\?\?= | \?\?(?!=) | \?\.(?!\d) | \|\|= | &&= | \*\*=? | => | \.\.\. | [{}()\[\];,<>=!+\-*%&|^~?:.@])
    """,
    re.VERBOSE | re.DOTALL,
)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
ENDS_VALUE = re.compile(r"[\w$)\]}\"'`]$")
"""After such a token a slash divides; else it begins a regular expression."""
BEFORE_REGEX = frozenset({"return", "typeof", "case", "in", "of", "void", "delete", "throw", "new", "else"})


def tokens(source: str) -> list[Token]:
    """Return the tokens of a script; raises ValueError for what it cannot read."""
    return list(_tokens(source, 0, len(source)))


def _tokens(source: str, at: int, end: int) -> Iterator[Token]:
    before, line, counted = "", source.count("\n", 0, at) + 1, at
    while at < end:
        # From the last token on: from the beginning each time would take a time that grows with the square.
        line, counted = line + source.count("\n", counted, at), at
        if source[at] == "`":
            stop, inner = _template(source, at)
            yield Token("template", source[at:stop], line)
            for begin, finish in inner:
                yield from _tokens(source, begin, finish)
            at, before = stop, "`"
            continue
        divides = ENDS_VALUE.search(before) and before not in BEFORE_REGEX
        if source[at] == "/" and source[at + 1 : at + 2] not in ("/", "*") and not divides:
            found, kind = REGEX.match(source, at), "regex"
        elif source[at] == "/" and source[at + 1 : at + 2] not in ("/", "*"):
            at, before = at + 1, "/"
            continue
        else:
            found = TOKEN.match(source, at)
            kind = (found.lastgroup or "") if found else ""
        if found is None:
            raise ValueError(f"line {line}: cannot read {source[at : at + 30]!r}")
        if kind != "space":
            before = found[0]
            yield Token(kind, before, line)
        at = found.end()


def _template(source: str, at: int) -> tuple[int, list[tuple[int, int]]]:
    """Return where a template ends, and the places of the expressions in it."""
    at, inner = at + 1, []
    while source[at] != "`":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at):
            stop = _closing_brace(source, at + 2)
            inner.append((at + 2, stop))
            at = stop + 1
        else:
            at += 1
    return at + 1, inner


def _closing_brace(source: str, at: int) -> int:
    depth = 0
    while source[at] != "}" or depth:
        if source[at] == "`":
            at = _template(source, at)[0]
        elif source[at] in "\"'":
            at = source.index(source[at], at + 1) + 1
        else:
            depth += {"{": 1, "}": -1}.get(source[at], 0)
            at += 1
    return at


# -- what is too new -------------------------------------------------------------------------------

NEW_MARKS = {"?.": 80, "??": 80, "??=": 85, "||=": 85, "&&=": 85}
NEW_NAMES = {
    "at": 92,
    "hasOwn": 93,
    "findLast": 97,
    "findLastIndex": 97,
    "toSorted": 110,
    "toReversed": 110,
    "toSpliced": 110,
    "groupBy": 117,
    "replaceAll": 85,
    "isWellFormed": 111,
    "toWellFormed": 111,
    "allSettled": 76,
    "any": 85,
    "withResolvers": 119,
    "structuredClone": 98,
    "WeakRef": 84,
    "FinalizationRegistry": 84,
    "AggregateError": 85,
    "checkVisibility": 105,
    "getAnimations": 84,
    "replaceChildren": 86,
    "scheduler": 94,
    "postTask": 94,
    "requestSubmit": 76,
    "showPicker": 99,
    "showPopover": 114,
    "togglePopover": 114,
    "popover": 114,
    "moveBefore": 133,
    "getHTML": 125,
    "setHTMLUnsafe": 124,
    "throwIfAborted": 100,
    "randomUUID": 92,
    "isInputPending": 87,
    "inert": 102,
    "getComposedRanges": 137,
    "caretPositionFromPoint": 128,
    "contentVisibility": 85,
    "navigation": 102,
    "Temporal": 144,
}
"""Names of properties and globals, and the Chrome that brought them (MDN); a string of that name counts as well."""
COMMON = {"at", "any", "navigation", "inert", "popover"}
"""Of these, the words that also name something else: they count as names of methods that are called."""
GLOBALS = {"scheduler", "structuredClone", "postTask"}
NEW_SELECTORS = re.compile(
    r":(?:is|where|has|focus-visible|modal|popover-open|open|user-valid|user-invalid|state|host-context|dir|has-slotted)\b"
    r"|:not\([^()]*,"
)
"""Pseudo-classes that are a syntax error in Chrome 74, which would make the whole selector throw."""
NEW_FLAGS = re.compile(r"/[a-z]*[dv][a-z]*$")
ARIA = re.compile(r"aria[A-Z]\w*")
"""Element properties that reflect ARIA attributes by value came with 81, by element with 135."""

DOM = {"WeakRef", "checkVisibility", "getAnimations", "scheduler", "postTask"}
ASKED_FOR = {
    "elements.js": {*DOM, "showPopover", ":popover-open", ":open", ":modal"},
    "observer.js": DOM,
    "hooks.js": {"scheduler", "postTask", "WeakRef"},
    "tab/navigation.py": {"scheduler", "postTask"},
}
"""What a file uses only where it is, with a stand-in elsewhere."""


def too_new(source: str) -> set[str]:
    """Return what a script uses that Chrome 74 lacks."""
    found: set[str] = set()
    read = tokens(source)
    for index, token in enumerate(read):
        after = read[index + 1].text if index + 1 < len(read) else ""
        found |= set(_problems(token, after, read[index - 1].text if index else ""))
    return found


def _problems(token: Token, after: str, before: str) -> Iterator[str]:
    kind, text, _ = token
    if text in NEW_MARKS and kind == "mark":
        yield text
    if kind == "number" and "_" in text:
        yield text
    if kind == "private":
        yield text
    if kind == "name" and text == "static" and after == "{":
        yield "static {"
    if kind == "regex" and NEW_FLAGS.search(text):
        yield text
    if kind == "name" and _is_new_name(text, before, after):
        yield text
    if kind == "string" and text[1:-1] in NEW_NAMES.keys() - COMMON:
        yield text[1:-1]
    if kind in ("string", "template"):
        yield from (found[0] for found in NEW_SELECTORS.finditer(text) if _is_selector(text))


def _is_new_name(name: str, before: str, after: str) -> bool:
    if before == "." and ARIA.fullmatch(name):
        return True
    if name not in NEW_NAMES or (name in COMMON and after != "("):
        return False
    # A variable or a key of an object may have any name.
    return before == "." or name[0].isupper() or name in GLOBALS


def _is_selector(text: str) -> bool:
    return not re.search(r"\s\w+ \w+ ", text)  # prose


def allowed(file: str) -> set[str]:
    return ASKED_FOR.get(file, set())


# -- the scripts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(PACKAGE / "injected").as_posix())
def test_a_script_uses_nothing_newer_than_chrome_74(path: Path) -> None:
    file = path.relative_to(PACKAGE / "injected").as_posix()
    assert too_new(path.read_text("utf-8")) <= allowed(file)


def test_the_assembled_scripts_can_be_read() -> None:
    for source in (injected.elements_source(), injected.observer_source("key"), injected.hooks_source()):
        assert len(tokens(source)) > 1000


@pytest.mark.parametrize("room", ROOMS)
def test_javascript_in_python_uses_nothing_newer_than_chrome_74(room: str) -> None:
    for path in sorted((PACKAGE / room).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        for line, source in javascript_in(path.read_text("utf-8")):
            assert too_new(source) <= allowed(file), f"{file}:{line}"


SCRIPT = re.compile(r"=>|\bfunction\s*\(|\b__sf|\bglobalThis\b|\bdocument\.|\bnew Promise\b|\[scroll[XY]")


def javascript_in(python: str) -> list[tuple[int, str]]:
    """Return the JavaScript in the string constants of a Python module, docstrings excepted."""
    tree = ast.parse(python)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    left_out |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = []
    for node in ast.walk(tree):
        text = _text(node)
        if text is not None and id(node) not in left_out and SCRIPT.search(text) and _reads(text):
            found.append((node.lineno, text))  # type: ignore[attr-defined]
    return found


def _text(node: ast.AST) -> str | None:
    """Return the text of a string constant; `0` stands for what an f-string puts in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
    return None


def _reads(text: str) -> bool:
    try:
        return len(tokens(text)) > 1
    except (ValueError, IndexError):
        return False  # a piece of a script, or prose


# -- the check itself ------------------------------------------------------------------------------

TOO_NEW = {
    "a?.b": "?.",
    "a?.[0]": "?.",
    "a ?? b": "??",
    "a ??= b": "??=",
    "a ||= b": "||=",
    "a &&= b": "&&=",
    "const x = 1_000;": "1_000",
    "class A { #x = 1; }": "#x",
    "class A { static { f(); } }": "static {",
    "list.at(-1)": "at",
    "Object.hasOwn(a, b)": "hasOwn",
    "new WeakRef(a)": "WeakRef",
    "Promise.allSettled(all)": "allSettled",
    "element.checkVisibility()": "checkVisibility",
    'method(Element.prototype, "checkVisibility")': "checkVisibility",
    "element.ariaLabel": "ariaLabel",
    'query(":is(a, b)")': ":is",
    'query("p:not(.a, .b)")': ":not(.a,",
    "query(`${a} :has(b)`)": ":has",
    "`${a?.b}`": "?.",
    "`${`${a ?? 1}`}`": "??",
    "structuredClone(a)": "structuredClone",
    "/a/v.test(b)": "/a/v",
    "/[/?.]/.test(a?.b)": "?.",
}

FINE = (
    "a ? .5 : b",
    "a ?.5 : b",
    "// a?.b ?? c\nb",
    "/* a?.b */ b",
    '"a?.b"',
    "`a?.b`",
    "/a?.b/.test(c)",
    "a / b / c",
    "const at = 1; let any = at;",
    "a || b && c",
    'query("p:not(.a)")',
    "({ at: 1, ...b })",
    "async function* f() { for await (const a of b) yield a ** 2; }",
)


@pytest.mark.parametrize(("source", "found"), TOO_NEW.items())
def test_what_is_too_new_is_found(source: str, found: str) -> None:
    assert found in too_new(source)


@pytest.mark.parametrize("source", FINE)
def test_what_chrome_74_knows_is_not(source: str) -> None:
    assert too_new(source) == set()


def test_javascript_is_found_in_python() -> None:
    python = '"""a => b?.c"""\nX = "() => a?.b"\nY = f"document.{x}?.c"\nZ = "no script"\n'
    assert [too_new(source) for _, source in javascript_in(python)] == [{"?."}, {"?."}]


def test_every_exception_is_still_needed() -> None:
    for file, names in ASKED_FOR.items():
        path = PACKAGE / file if file.endswith(".py") else PACKAGE / "injected" / file
        text = path.read_text("utf-8")
        sources = [source for _, source in javascript_in(text)] if file.endswith(".py") else [text]
        assert names == set().union(*map(too_new, sources)), file
