"""Where a reply names a target: its ref, by role and name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.miniwob.nodes import QUOTED

_STATES = rf"(?: \[(?!ref=|uid=)[^\]\"]*(?:{QUOTED}[^\]\"]*)*\]| = {QUOTED})*"
_OURS = re.compile(rf"({QUOTED}){_STATES} \[ref=(e\d+)\]")
_OUR_TEXT = re.compile(rf"\s*[-+~±]?\s*[a-z]+{_STATES} \[ref=(e\d+)\]: ({QUOTED})$")
_OUR_ROLE = re.compile(r"\s*[-+~±]?\s*([a-z]+)\b")
_PLAYWRIGHT = re.compile(rf"- ([a-z]+) ({QUOTED})?[^\n]*?\[ref=(\w+)\][^\n:]*(?:: ([^\n]+))?")
_ICONS = re.compile("[\ue000-\uf8ff]")
_DEVTOOLS = re.compile(rf"uid=(\S+) (\w+) ({QUOTED})")


class Named(NamedTuple):
    """An element that a text names, and the ref by which it can be acted on."""

    role: str
    name: str
    ref: str


def ours(text: str) -> Iterator[Named]:
    """Yield what a text of stillframe names: `- button "Save" [ref=e1], "Cancel" [ref=e2]`."""
    for line in text.splitlines():
        role = _OUR_ROLE.match(line)
        for found in _OURS.finditer(line):
            yield Named(role[1] if role else "", json.loads(found[1]), found[2])
        if (text := _OUR_TEXT.match(line)) and role:
            yield Named(role[1], json.loads(text[2]), text[1])


def playwright(text: str) -> Iterator[Named]:
    """Yield what a snapshot of Playwright names; an element without a name shows its text after a colon."""
    for found in _PLAYWRIGHT.finditer(text):
        yield Named(found[1], json.loads(found[2]) if found[2] else (found[4] or "").strip(), found[3])


def devtools(text: str) -> Iterator[Named]:
    """Yield what a snapshot of chrome-devtools-mcp names."""
    for found in _DEVTOOLS.finditer(text):
        yield Named(found[2], json.loads(found[3]), found[1])


Reader = Callable[[str], Iterator[Named]]
Finder = Callable[[Reader, str, str, str], str | None]
"""Finds a target, by role and name, in what a reader reads in a text."""


def find(reader: Reader, text: str, role: str, name: str) -> str | None:
    """Return the ref of the last element of this role and name, or of this name alone; None if the text has none."""
    named = [each for each in reader(text) if each.name == name]
    same = [each for each in named if each.role == role]
    return (same or named)[-1].ref if named else None


def find_alike(reader: Reader, text: str, role: str, name: str) -> str | None:
    """Return what `find` does, or else the ref of the first element of this role whose name has these words in it.

    Names of applications have more in them than a person says: icons, times, counts; and capitals differ, because a
    browser names what a style shows, and Playwright what the document says.
    """
    exact = find(reader, text, role, name)
    if exact is not None:
        return exact
    named = [(each, _words(each.name)) for each in reader(text)]
    wanted = _words(name)
    same = [each for each, words in named if words == wanted]
    within = [each for each, words in named if each.role == role and wanted in words]
    return next((each.ref for each in [*reversed(same), *within]), None)


def _words(name: str) -> str:
    """Return a name without icons, which are letters for private use, in small letters."""
    return " ".join(_ICONS.sub(" ", name).split()).casefold()
