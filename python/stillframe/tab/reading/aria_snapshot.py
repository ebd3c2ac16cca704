"""The text of a page for a model, made from one snapshot; reuses the last capture if nothing has changed since."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Literal

from stillframe.errors import OptionInvalid, RefStale
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.tab.deadline import Deadline, DefaultMs
from stillframe.tab.locating.by_ref import resolve_ref
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate
from stillframe.tab.reading.ax_tree import Line, ax_lines, fitted, lines_from
from stillframe.tab.reading.focus import Focus, focus_of
from stillframe.tab.refs import MARK, Given, NodeKey

if TYPE_CHECKING:
    from stillframe.core import Outline, Snapshot
    from stillframe.tab.tab import Tab

Tree = Literal["compact", "accessibility"]
Scope = tuple[str, NodeKey | None]
"""A scope as the core takes it: "page", "viewport", or "below" or "from" with a node."""

PLACES = ("page", "viewport")
"""The scopes that are not selectors."""

BUDGET = 12_000
"""The default in characters; webdriverio's MCP server allows no larger snapshot."""
ARIA_MS = DefaultMs(60_000)
"""Milliseconds that an ARIA snapshot may take: Chrome's accessibility tree of 20,000 elements takes nine seconds on a
busy machine (measured)."""
MIN_BUDGET, MAX_BUDGET = 200, 10_000_000
"""The bounds of a budget: room for a note on the omitted part, and more than any model reads."""

_PLACE = re.compile(rf" ?\[ref={MARK}\]|{MARK}")
"""A placeholder, with the brackets around it where it stands for a ref."""
_REF = re.compile(r"(ref|from)=(e[0-9]{1,18})", re.ASCII)


def scope_of(selector: str) -> str:
    """Return a scope for one element by its selector, which a word for a place is not taken for."""
    return f"css={selector}" if selector in PLACES else selector


async def page_text(tab: Tab, *, scope: str, budget: int, tree: Tree, links: bool, deadline: Deadline) -> AriaSnapshot:
    """Return the text of a page; see `Page.aria_snapshot`."""
    _check(budget, tree, scope)
    if tree == "accessibility":
        snapshot, core_scope = await _resolve_scope(tab, scope, deadline)
        return await _accessibility(tab, snapshot, scope, core_scope, budget)
    focusing = asyncio.create_task(focus_of(tab, deadline))
    try:
        snapshot, core_scope = await _resolve_scope(tab, scope, deadline)
        focus = await focusing
    finally:
        focusing.cancel()
    text = _compact(tab, snapshot, core_scope, budget, focus, links=links)
    if text is None:
        raise _gone(scope)
    return text


def text_of(tab: Tab, snapshot: Snapshot, budget: int, focus: Focus) -> AriaSnapshot | None:
    """Return the text of a whole page from an existing snapshot; raises a smaller budget to MIN_BUDGET."""
    return _compact(tab, snapshot, ("page", None), max(budget, MIN_BUDGET), focus, links=False)


def text_with_known_refs(tab: Tab, snapshot: Snapshot, budget: int) -> str:
    """Return the text of a whole page with the refs that were given before; it gives no new ones."""
    outline = snapshot.outline(("page", None), budget=budget, reference=tab.refs.longest, secrets=tab.redactor)
    if outline is None:
        return ""
    loaders = snapshot.loaders
    found = iter(
        [tab.refs.known(ref.frame, ref.backend_node_id, loaders.get(ref.frame_id, "")) for ref in outline.refs]
    )
    return _PLACE.sub(lambda place: place[0].replace(MARK, ref) if (ref := next(found)) else "", outline.text)


def _compact(
    tab: Tab, snapshot: Snapshot, scope: Scope, budget: int, focus: Focus, *, links: bool
) -> AriaSnapshot | None:
    reference, secrets = tab.refs.longest, tab.redactor
    outline = snapshot.outline(scope, budget=budget, reference=reference, links=links, attention=focus, secrets=secrets)
    if outline is None:
        return None
    text = _with_refs(tab, snapshot, outline)
    counts = {"shown": outline.shown, "total": outline.total, "cut": outline.cut, "approximate": outline.approximate}
    return _result(tab, snapshot, text, counts)


def _result(tab: Tab, snapshot: Snapshot, text: str, counts: dict[str, Any]) -> AriaSnapshot:
    redact = tab.redactor.redact
    return AriaSnapshot(text=text, url=redact(tab.url), title=redact(snapshot.title), **counts)


async def _accessibility(tab: Tab, snapshot: Snapshot, scope: str, core_scope: Scope, budget: int) -> AriaSnapshot:
    lines = lines_from(await ax_lines(tab), *core_scope)
    if lines is None:
        raise _gone(scope)

    def name(line: Line) -> str:
        assert line.key is not None
        return tab.refs.ref_for(*line.key, line.frame.id, line.loader)

    text, shown = fitted(lines, budget, name)
    tab.refs.saw(snapshot)
    omitted = len(lines) - shown
    cut = f"{omitted} of {len(lines)} lines" if omitted else ""
    return _result(tab, snapshot, text, {"shown": shown, "total": len(lines), "cut": cut})


def _check(budget: int, tree: str, scope: str) -> None:
    if not isinstance(budget, int) or isinstance(budget, bool) or not MIN_BUDGET <= budget <= MAX_BUDGET:
        raise OptionInvalid(
            f"option budget: {budget!r} is not an int from {MIN_BUDGET} to {MAX_BUDGET} (characters)", option="budget"
        )
    if tree not in ("compact", "accessibility"):
        raise OptionInvalid(f"option tree: {tree!r} is neither compact nor accessibility", option="tree")
    if tree == "accessibility" and scope == "viewport":
        raise OptionInvalid(
            "option scope: viewport works only with tree='compact': Chrome's accessibility tree has no positions",
            option="scope",
        )


async def _resolve_scope(tab: Tab, scope: str, deadline: Deadline) -> tuple[Snapshot, Scope]:
    """Take a snapshot and resolve a scope in it: the node of a ref, or the one element of another selector."""
    if scope in PLACES:
        return await tab.captures.take(deadline), (scope, None)
    ref = _REF.fullmatch(scope)
    if ref is None:
        handle = await locate(tab, scope, deadline.within(tab.timeouts.finding_s(ACTION_TIMEOUT)))
    else:
        snapshot = await tab.captures.take(deadline)
        key = _key_in(snapshot, tab.refs.given(ref[2]))
        if key is not None or ref[1] == "from":
            return snapshot, ("below" if ref[1] == "ref" else "from", key)
        if not tab.refs.numbers.has_drawn(ref[2]):
            raise _gone(scope)
        _, handle = await resolve_ref(tab, ref[2], deadline.within(tab.timeouts.finding_s(ACTION_TIMEOUT)))
    try:
        key = NodeKey(handle.frame.process_key, await handle.backend_node_id())
    finally:
        handle.forget()
    return await tab.captures.take(deadline), ("below", key)


def _key_in(snapshot: Snapshot, given: Given | None) -> NodeKey | None:
    """Return the element of a ref if the snapshot contains it in the same document."""
    if given is None or (given.loader and snapshot.loaders.get(given.frame_id) != given.loader):
        return None
    return given.key if snapshot.selector(*given.key) is not None else None


def _with_refs(tab: Tab, snapshot: Snapshot, outline: Outline) -> str:
    """Replace the core's placeholders by refs."""
    first, *rest = outline.text.split(MARK)
    tab.refs.saw(snapshot)
    pieces = [first]
    loaders = snapshot.loaders
    for ref, piece in zip(outline.refs, rest, strict=True):
        loader = loaders.get(ref.frame_id, "")
        pieces += [tab.refs.ref_for(ref.frame, ref.backend_node_id, ref.frame_id, loader), piece]
    return "".join(pieces)


def _gone(scope: str) -> RefStale:
    return RefStale(
        f"{scope}: the element is no longer on the page; take a new snapshot of the page",
        ref=scope.partition("=")[2],
        role="",
        name="",
    )
