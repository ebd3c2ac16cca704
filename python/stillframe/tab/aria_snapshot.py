"""The text of a page for a model, made of one snapshot: what was captured last, if nothing has changed since."""

from __future__ import annotations

import re
from typing import Any, Literal

from stillframe.core import Outline, Snapshot
from stillframe.errors import OptionInvalid, RefStale
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.tab.ax_tree import Line, ax_lines, fitted, lines_from
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.by_ref import referred
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate
from stillframe.tab.refs import MARK, Given, NodeKey
from stillframe.tab.tab import Tab

Tree = Literal["compact", "accessibility"]
Scope = tuple[str, NodeKey | None]
"""As the core takes it: "page", "viewport", or "below" or "from" with a node."""

BUDGET = 12_000
"""Characters by default; what the snapshot of webdriverio's MCP server refuses to go beyond."""
LEAST, MOST = 200, 10_000_000
"""The bounds of a budget: room for a note on what was left out, and more than any model reads."""

_REF = re.compile(r"(ref|from)=(e[0-9]{1,18})", re.ASCII)


async def page_text(tab: Tab, *, scope: str, budget: int, tree: Tree, links: bool, deadline: Deadline) -> AriaSnapshot:
    """Return what a page says; see `Page.snapshot`."""
    _check(budget, tree, scope)
    snapshot, place = await _place(tab, scope, deadline)
    if tree == "accessibility":
        return await _accessibility(tab, snapshot, scope, place, budget)
    found = _outlined(tab, snapshot, place, budget, links=links)
    if found is None:
        raise _gone(scope)
    return found


def text_of(tab: Tab, snapshot: Snapshot, budget: int) -> AriaSnapshot | None:
    """Return what a whole page says in a snapshot that has been taken; a budget below LEAST counts as that."""
    return _outlined(tab, snapshot, ("page", None), max(budget, LEAST), links=False)


def _outlined(tab: Tab, snapshot: Snapshot, place: Scope, budget: int, *, links: bool) -> AriaSnapshot | None:
    reference = tab.refs.longest
    found = snapshot.outline(place, budget=budget, reference=reference, links=links, secrets=tab.redactor)
    if found is None:
        return None
    text = _with_refs(tab, snapshot, found)
    told = {"shown": found.shown, "total": found.total, "cut": found.cut, "approximate": found.approximate}
    return _told(tab, snapshot, text, told)


def _told(tab: Tab, snapshot: Snapshot, text: str, told: dict[str, Any]) -> AriaSnapshot:
    redact = tab.redactor.redact
    return AriaSnapshot(text=text, url=redact(tab.url), title=redact(snapshot.title), **told)


async def _accessibility(tab: Tab, snapshot: Snapshot, scope: str, place: Scope, budget: int) -> AriaSnapshot:
    lines = lines_from(await ax_lines(tab), *place)
    if lines is None:
        raise _gone(scope)

    def name(line: Line) -> str:
        assert line.key is not None
        return tab.refs.ref_for(*line.key, line.frame.id, line.loader)

    text, shown = fitted(lines, budget, name)
    tab.refs.saw(snapshot)
    left_out = len(lines) - shown
    cut = f"{left_out} of {len(lines)} lines" if left_out else ""
    return _told(tab, snapshot, text, {"shown": shown, "total": len(lines), "cut": cut})


def _check(budget: int, tree: str, scope: str) -> None:
    if not isinstance(budget, int) or isinstance(budget, bool) or not LEAST <= budget <= MOST:
        raise OptionInvalid(f"option budget: {budget!r} is not from {LEAST} to {MOST} characters", option="budget")
    if tree not in ("compact", "accessibility"):
        raise OptionInvalid(f"option tree: {tree!r} is neither compact nor accessibility", option="tree")
    if tree == "accessibility" and scope == "viewport":
        raise OptionInvalid("option scope: Chrome's accessibility tree does not tell what is in view", option="scope")


async def _place(tab: Tab, scope: str, deadline: Deadline) -> tuple[Snapshot, Scope]:
    """Take a snapshot and find in it what a scope means: the node of a ref, or the one element of another selector."""
    if scope in ("page", "viewport"):
        return await tab.captures.take(timeout=deadline.left), (scope, None)
    named = _REF.fullmatch(scope)
    if named is None:
        handle = await locate(tab, scope, timeout=min(ACTION_TIMEOUT, deadline.left))
    else:
        snapshot = await tab.captures.take(timeout=deadline.left)
        key = _in(snapshot, tab.refs.given(named[2]))
        if key is not None or named[1] == "from":
            return snapshot, ("below" if named[1] == "ref" else "from", key)
        if not tab.refs.numbers.has_drawn(named[2]):
            raise _gone(scope)
        _, handle = await referred(tab, named[2], Deadline(min(ACTION_TIMEOUT, deadline.left)))
    try:
        key = NodeKey(handle.frame.process_key, await handle.backend_node_id())
    finally:
        handle.forget()
    return await tab.captures.take(timeout=deadline.left), ("below", key)


def _in(snapshot: Snapshot, given: Given | None) -> NodeKey | None:
    """Return the element of a ref if a snapshot shows it in its own document."""
    if given is None or (given.loader and snapshot.loaders.get(given.frame_id) != given.loader):
        return None
    return given.key if snapshot.selector(*given.key) is not None else None


def _with_refs(tab: Tab, snapshot: Snapshot, found: Outline) -> str:
    """Put the refs where the core has left marks for them."""
    first, *rest = found.text.split(MARK)
    tab.refs.saw(snapshot)
    pieces = [first]
    loaders = snapshot.loaders
    for ref, piece in zip(found.refs, rest, strict=True):
        loader = loaders.get(ref.frame_id, "")
        pieces += [tab.refs.ref_for(ref.frame, ref.backend_node_id, ref.frame_id, loader), piece]
    return "".join(pieces)


def _gone(scope: str) -> RefStale:
    return RefStale(
        f"{scope}: the element is not on the page any more; take a snapshot of the page",
        ref=scope.partition("=")[2],
        role="",
        name="",
    )
