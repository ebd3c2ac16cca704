"""The element that a ref means: the one it was given to, or, where that was made anew, the same one for a reader."""

from __future__ import annotations

import asyncio

from stillframe.core import ElementId, RefindResult, Snapshot
from stillframe.errors import CdpError, ContextLost, ElementNotFound, ElementUnsuitable, RefStale
from stillframe.model.result import Healed
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle, Frame
from stillframe.tab.refs import Given
from stillframe.tab.tab import Tab

LOOKS = (0.0, 0.15, 0.35, 0.5)
"""Seconds of waiting before each look for an element that is gone: a page may be about to make it anew. Few, since each
takes a capture; and short, since the caller who named it has last seen the page at rest."""

THERE = """function() {
  if (this.ownerDocument !== document || !this.isConnected) return "no";
  return this.nodeType === Node.ELEMENT_NODE ? "yes" : "text";
}"""

WHY = {
    "nameless": "it had no name to be found again by",
    "nothing": "nothing on the page has its role and name",
    "twins": "it could not be told from others of its role and name",
    "elsewhere": "what has its role and name is in another place",
    "several": "several elements may be it",
    "forgotten": "it was last seen too long ago",
    "off": "looking for it is switched off",
}
"""What became of the search, in words."""


async def referred(tab: Tab, ref: str, deadline: Deadline, *, heal: bool = True) -> tuple[Frame, ElementHandle]:
    """Return the frame and a handle of the element that a ref means.

    Raises ElementNotFound for a ref that was never given, RefStale for one whose element is gone and cannot be told.
    """
    heal = heal and tab.refs.heals
    given, healed = _given(tab, ref, heal)
    found = await _standing(tab, ref, given)
    if found is None:
        healed = await _find_again(tab, ref, given, deadline, heal)
        found = await _standing(tab, ref, tab.refs.given(healed.new_ref))
    if found is None:
        raise _stale(ref, "forgotten")
    if healed is not None:
        tab.refs.note(healed)
    return found


def _given(tab: Tab, ref: str, heal: bool) -> tuple[Given | None, Healed | None]:
    """Return what a ref was given to, or has been found to mean since."""
    refs = tab.refs
    if not refs.numbers.has_drawn(ref):
        raise ElementNotFound(
            f"Element not found: ref={ref} was never given; refs are those of the last snapshot or result of this page",
            selector=f"ref={ref}",
        )
    healed = refs.became(ref) if heal else None
    return refs.given(healed.new_ref if healed else ref), healed


async def _standing(tab: Tab, ref: str, given: Given | None) -> tuple[Frame, ElementHandle] | None:
    """Return the element itself, if it is in the document it was in."""
    if given is None or not _is_present(tab, given):
        return None
    for frame in tab.frames:
        if frame.process_key != given.key.frame:
            continue
        try:
            handle = await frame.handle(given.key.backend_node_id)
        except ContextLost:
            raise
        except CdpError:
            continue  # a node of another frame of the process, or gone
        # One process can wrap the nodes of all its frames; the agent to ask is that of the element's own document.
        there = await handle.call(THERE) if handle.object_id else "no"
        if there == "text":
            raise ElementUnsuitable(f"ref={ref} is a place in a text; only scopes take it", selector=f"ref={ref}")
        if there == "yes":
            return frame, handle
    return None


def _is_present(tab: Tab, given: Given) -> bool:
    """Whether the document of a ref is still there; node ids alone do not tell, since each process has its own."""
    if not given.loader:
        return tab.refs.is_of_present(given)
    frame = tab.frames.by_id.get(given.frame_id)
    return frame is not None and frame.loader_id == given.loader


async def _find_again(tab: Tab, ref: str, given: Given | None, deadline: Deadline, heal: bool) -> Healed:
    former = tab.refs.last_seen(given) if given else None
    if not heal or given is None or former is None:
        raise _stale(ref, "off" if not heal else "forgotten")
    found: RefindResult | None = None
    for seconds in LOOKS:
        if seconds > deadline.left:
            break
        await asyncio.sleep(seconds)
        snapshot = await tab.captures.take()
        found = former.refind(given.key, snapshot, secrets=tab.redactor)
        if found is not None and found.element is not None:
            return _healed(tab, ref, snapshot, found, found.element)
        if found is None or found.outcome not in ("nothing", "elsewhere") or snapshot.url != former.url:
            break
    raise _stale(ref, found.outcome if found else "forgotten", found)


def _healed(tab: Tab, ref: str, snapshot: Snapshot, found: RefindResult, element: ElementId) -> Healed:
    loader = snapshot.loaders.get(element.frame_id, "")
    new_ref = tab.refs.ref_for(element.frame, element.backend_node_id, element.frame_id, loader)
    tab.refs.saw(snapshot)
    return Healed(
        ref=ref,
        new_ref=new_ref,
        selector=found.selector or "",
        role=found.role,
        name=found.name,
        score=found.score,
        margin=found.margin,
    )


def _stale(ref: str, outcome: str, found: RefindResult | None = None) -> RefStale:
    role, name, candidates = (found.role, found.name, found.candidates) if found else ("", "", ())
    was = f" ({role} {name!r})" if role else ""
    near = f"; candidates: {', '.join(candidates)}" if candidates else ""
    return RefStale(
        f"ref={ref}{was} is stale: its element has left the page, and {WHY[outcome]}{near}; take a new snapshot",
        ref=ref,
        role=role,
        name=name,
        candidates=candidates,
    )
