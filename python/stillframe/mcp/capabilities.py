"""The capabilities of the server: groups of tools that `--caps` switches on. Models pay for each schema they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown

Capability = Literal[
    "core",
    "actions",
    "tabs",
    "console",
    "network",
    "evaluate",
    "find",
    "vision",
    "pdf",
    "files",
    "emulation",
    "dialogs",
    "state",
    "tracing",
    "ask",
    "webmcp",
]

CAPABILITIES: dict[Capability, str] = {
    "core": "sequences of actions, the page as text and as a picture, sessions; always on",
    "actions": "one tool for each kind of action that `execute_sequence` takes",
    "tabs": "the tabs of a session: list, open, close, switch",
    "console": "console messages and uncaught errors",
    "network": "requests, their headers and bodies",
    "evaluate": "scripts in the page; needs `--allow-evaluate`",
    "find": "search in the text of the page",
    "vision": "numbered marks on a picture, the mouse by coordinates, and keys that are held",
    "pdf": "the page as a PDF",
    "files": "downloads and uploads",
    "emulation": "viewport, device, locale, geolocation, headers, offline",
    "dialogs": "answers to alert, confirm and prompt",
    "state": "cookies and storage",
    "tracing": "traces and HAR files of what happens",
    "ask": "questions to the person in front of the client",
    "webmcp": "tools that the page offers to agents (WebMCP)",
}
"""Each capability with what it is about."""

ALL = "all"

CORE: frozenset[Capability] = frozenset({"core"})
EVERY: frozenset[Capability] = frozenset(CAPABILITIES)


def parse_capabilities(names: str | Iterable[str]) -> frozenset[Capability]:
    """Return the capabilities that a list or a comma-separated text names, `core` always among them.

    `all` stands for all of them. Raises OptionInvalid for an unknown name.

    >>> sorted(parse_capabilities("tabs, find"))
    ['core', 'find', 'tabs']
    """
    listed = names.split(",") if isinstance(names, str) else names
    found: set[Capability] = set(CORE)
    for name in filter(None, (name.strip() for name in listed)):
        if name == ALL:
            found |= EVERY
        elif name in CAPABILITIES:
            found.add(name)
        else:
            raise OptionInvalid(unknown("capability", name, [*CAPABILITIES, ALL]), option="caps")
    return frozenset(found)
