"""Traces: what every detector gets to see of an agent's calls on a made-up page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from bench.loops.page import Call, Element, Noise, Page


class Seen(NamedTuple):
    """One call: what it was, what it was done to, how it ended, and what the page was like just before and after."""

    call: Call
    target: Element | None
    node: int
    """The number that the element goes by: the same as long as it is the same node; 0 for none."""
    place: str
    failed: str
    url: str
    document: int
    scrolled: int
    focus: str
    drawn: int
    """The picture on the page's canvas, if it has one."""
    before: bytes
    after: bytes
    left: int
    """The document that the call left."""
    text: str
    """The text of the page before the call, with all that moves on it."""
    count: int
    """How many elements it has."""


class Trace(NamedTuple):
    """A labelled trace: `is_loop` says whether the agent goes round in it, by the behaviour that made it."""

    family: str
    is_loop: bool
    seen: list[Seen]


def play(family: str, is_loop: bool, page: Page, calls: Sequence[Call], noise: Noise) -> Trace:
    """Let an agent make calls on a page, a second and a half apart."""
    stage = _Stage(page, noise)
    return Trace(family, is_loop, [stage.play(call) for call in calls])


class _Stage:
    def __init__(self, page: Page, noise: Noise) -> None:
        self.page = page
        self.noise = noise
        self.now = 0
        self.nodes: dict[tuple[int, int, str], int] = {}
        self.generation = 0

    def play(self, call: Call) -> Seen:
        self.now += 1
        before, place = self.shown(), self.place(call)
        target = next((each for each in before if each.key == (call.key or self.page.focus)), None)
        page = self.page
        told = (page.url, page.document, page.scrolled, page.focus, page.drawn, self.capture(before))
        failed = page.act(call) if target or not call.key else "element_not_found"
        self.generation += page.churns
        return Seen(
            call, target, self.node(target.key) if target else 0, place, failed, *told,
            after=self.capture(self.shown()),
            left=page.document, text=" ".join(each.text for each in before), count=len(before),
        )  # fmt: skip

    def shown(self) -> list[Element]:
        return self.noise.elements(self.now) + self.page.elements()

    def place(self, call: Call) -> str:
        """Return the element's place: its number among those of its tag, as in the page script without landmarks."""
        shown = self.page.elements()
        target = next((each for each in shown if each.key == (call.key or self.page.focus)), None)
        if target is None:
            return ""
        alike = [each.key for each in shown if each.tag == target.tag]
        return f"main > {target.role}" + (f"[{alike.index(target.key) + 1}]" if len(alike) > 1 else "")

    def node(self, key: str) -> int:
        return self.nodes.setdefault((self.page.document, self.generation, key), len(self.nodes) + 10)

    def capture(self, shown: list[Element]) -> bytes:
        return capture(shown, [self.node(each.key) for each in shown], self.page.url)


def capture(shown: Sequence[Element], nodes: Sequence[int], url: str) -> bytes:
    """Return a page as Chrome captures it: `DOMSnapshot.captureSnapshot`."""
    strings: dict[str, int] = {}
    rows: list[tuple[int, int, str, str, dict[str, str], int]] = [
        (-1, 9, "#document", "", {}, 1), (0, 1, "HTML", "", {}, 2), (1, 1, "BODY", "", {}, 3),
        (2, 1, "MAIN", "", {}, 4),
    ]  # fmt: skip
    values = {}
    for element, node in zip(shown, nodes, strict=True):
        if element.tag == "input":
            values[len(rows)] = element.value
        rows.append((3, 1, element.tag.upper(), "", _attributes(element), node * 2 + 10))
        if element.text:
            rows.append((len(rows) - 1, 3, "#text", element.text, {}, node * 2 + 11))

    def string(text: str) -> int:
        return strings.setdefault(text, len(strings))

    tree: dict[str, Any] = {
        "parentIndex": [row[0] for row in rows],
        "nodeType": [row[1] for row in rows],
        "nodeName": [string(row[2]) for row in rows],
        "nodeValue": [string(row[3]) if row[3] else -1 for row in rows],
        "attributes": [[string(word) for pair in row[4].items() for word in pair] for row in rows],
        "backendNodeId": [row[5] for row in rows],
        "inputValue": {"index": [*values], "value": [string(value) for value in values.values()]},
    }
    layout = {"nodeIndex": [*range(len(rows))], "styles": [[]] * len(rows), "bounds": [[0, 0, 90, 20]] * len(rows)}
    document = {"documentURL": string(url), "title": string("Shop"), "frameId": string("F0")}
    document |= {"nodes": tree, "layout": layout}
    return json.dumps({"documents": [document], "strings": [*strings]}).encode()


def _attributes(element: Element) -> dict[str, str]:
    said = {"aria-label": element.label} if element.label else {}
    said |= {"id": element.key} if element.key in ("clock", "error") else {}
    said |= {"role": "alert"} if element.key == "error" else {}
    if element.hidden:
        said["type"] = "password"
    if element.state == "expanded":
        said["aria-expanded"] = "true"
    return said | ({"role": "checkbox", "aria-checked": "true"} if element.state == "checked" else {})
