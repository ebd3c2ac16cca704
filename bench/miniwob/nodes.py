"""The page text as a tree: what `page.aria_snapshot()` says, one node per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

QUOTED = r'"(?:[^"\\]|\\.)*"'
LINE = re.compile(
    rf'^(?P<indent> *)- (?P<role>[\w-]+)(?: (?P<name>{QUOTED}))?(?P<states>(?: \[[\w-]+(?:=(?:{QUOTED}|[^\]"]*))?\])*)'
    rf"(?: = (?P<value>{QUOTED}))?(?P<more>.*)$"
)
STATE = re.compile(rf'\[([\w-]+)(?:=({QUOTED}|[^\]"]*))?\]')
TEXT_ROLE = "text"
INDENT = 2


@dataclass(eq=False)
class Node:
    """One line of the page text: an element, or a text that belongs to none."""

    role: str
    name: str = ""
    ref: str = ""
    """The ref without `ref=`, for example `e12`; empty if the element has none."""
    level: int = 0
    """How deep it is: 0 at the top."""
    states: dict[str, str] = field(default_factory=dict)
    """What is in brackets, except the ref: `{"checked": "", "hint": "icon-trash"}`."""
    value: str = ""
    parent: Node | None = field(default=None, repr=False)
    children: list[Node] = field(default_factory=list, repr=False)

    @property
    def selector(self) -> str:
        """The selector of the element. Raises LookupError for a node without a ref."""
        if not self.ref:
            raise LookupError(f"the page text has no ref for {self.role} {self.name!r}; use one above or below it")
        return f"ref={self.ref}"

    @property
    def text(self) -> str:
        """The name and the texts of everything below, separated by spaces."""
        return " ".join(node.name for node in self.walk() if node.name)

    def walk(self) -> Iterator[Node]:
        """Yield the node and everything below it in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def has(self, state: str) -> bool:
        """Return whether the line shows a state, for example `checked`."""
        return state in self.states


def parse(text: str) -> list[Node]:
    """Return all nodes of a page text in reading order; those with `level == 0` are the top ones."""
    found: list[Node] = []
    path: list[Node] = []
    for line in text.splitlines():
        if node := _node(line):
            del path[node.level :]
            if path:
                node.parent = path[-1]
                path[-1].children.append(node)
            path.append(node)
            found.append(node)
    return found


def _node(line: str) -> Node | None:
    match = LINE.match(line)
    if not match:
        return None
    states = {name: _plain(value) for name, value in STATE.findall(f"{match['states']}{match['more']}")}
    return Node(
        role=match["role"],
        name=_plain(match["name"]),
        ref=states.pop("ref", ""),
        level=len(match["indent"]) // INDENT,
        states=states,
        value=_plain(match["value"]),
    )


def _plain(text: str | None) -> str:
    return str(json.loads(text)) if text and text.startswith('"') else text or ""


def find(
    nodes: Iterable[Node], role: str | tuple[str, ...] = (), name: str | None = None, **states: bool
) -> list[Node]:
    """Return the nodes of a role (or one of several), of a name, and with or without states."""
    roles = (role,) if isinstance(role, str) else role
    return [
        node
        for node in nodes
        if (not roles or node.role in roles)
        and name in (None, node.name)
        and all(node.has(state) == wanted for state, wanted in states.items())
    ]


def one(nodes: Iterable[Node], role: str | tuple[str, ...] = (), name: str | None = None, **states: bool) -> Node:
    """Return the first node that `find` finds. Raises LookupError if there is none."""
    every = list(nodes)
    for node in find(every, role, name, **states):
        return node
    shown = ", ".join(f"{node.role} {node.name!r}" for node in every)
    raise LookupError(f"the page shows no {role or 'element'} named {name!r} {states or ''}; it shows {shown}")
