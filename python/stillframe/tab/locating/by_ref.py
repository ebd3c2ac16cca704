"""Resolve a ref: the element it was assigned to or, if the page recreated it, the element that replaced it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import sleep
from stillframe.errors import CdpError, ContextLost, ElementNotFound, ElementUnsuitable, RefStale
from stillframe.injected import elements
from stillframe.model.result import Healed
from stillframe.tab.captures import CAPTURE_S
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.core import ElementId, RefindResult, Snapshot
    from stillframe.tab.frames import ElementHandle, Frame
    from stillframe.tab.refs import Given
    from stillframe.tab.tab import Tab

SEARCH_DELAYS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.35)
"""Seconds to wait before each search for an element that is gone: a page may be about to recreate it. Few, because each
search takes a capture; short, because the caller who named the ref last saw the page at rest."""

MAX_REMADE = 8
"""How often an element is searched for that the page recreates again before it is used."""

REASONS = {
    "nameless": "it had no name by which to find it again",
    "nothing": "no element on the page has its role and name",
    "twins": "other elements had the same role and name",
    "elsewhere": "the only element with its role and name is in another place",
    "several": "several elements match it",
    "forgotten": "its last snapshot is no longer available",
    "remade": "the page recreates it faster than it can be used",
    "off": "healing is switched off",
}
"""The outcome of the search, for error messages."""


async def resolve_ref(tab: Tab, ref: str, deadline: Deadline, *, heal: bool = True) -> tuple[Frame, ElementHandle]:
    """Return the frame and a handle of the element that a ref means.

    Raises ElementNotFound for a ref that was never assigned, RefStale for one whose element is gone or ambiguous.
    """
    heal = heal and tab.refs.heals
    given, healed = _given(tab, ref, heal)
    found = await _element_in_document(tab, ref, given)
    earlier: Snapshot | None = None
    tries = 0
    while found is None:
        if tries and (tries == MAX_REMADE or not deadline.left_s):
            raise _stale(ref, "remade")
        healed, earlier = await _find_again(tab, ref, given, deadline, heal, earlier)
        found = await _element_in_document(tab, ref, tab.refs.given(healed.new_ref))
        tries += 1
    if healed is not None:
        tab.refs.note(healed)
    return found


def _given(tab: Tab, ref: str, heal: bool) -> tuple[Given | None, Healed | None]:
    """Return what a ref was assigned to, or healed to since."""
    refs = tab.refs
    if not refs.numbers.has_drawn(ref):
        raise ElementNotFound(
            f"Element not found: ref={ref} was never assigned; use refs from this page's latest snapshot or result",
            selector=f"ref={ref}",
        )
    healed = refs.relocated(ref) if heal else None
    return refs.given(healed.new_ref if healed else ref), healed


async def _element_in_document(tab: Tab, ref: str, given: Given | None) -> tuple[Frame, ElementHandle] | None:
    """Return the element itself if it is still in its document."""
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
        # A process can wrap the nodes of all its frames; only the page script of the element's document can check it.
        answer = await handle.call(elements.presence()) if handle.object_id else "no"
        if answer == "text":
            raise ElementUnsuitable(f"ref={ref} is a position in a text; only scopes accept it", selector=f"ref={ref}")
        if answer == "yes":
            return frame, handle
    return None


def _is_present(tab: Tab, given: Given) -> bool:
    """Return whether the document of a ref is still there; each process has node ids of its own."""
    if not given.loader:
        return tab.refs.is_of_present(given)
    frame = tab.frames.by_id.get(given.frame_id)
    return frame is not None and frame.loader_id == given.loader


async def _find_again(
    tab: Tab, ref: str, given: Given | None, deadline: Deadline, heal: bool, earlier: Snapshot | None
) -> tuple[Healed, Snapshot]:
    """Return the element that replaced a ref's element, with the capture that shows it.

    `earlier` is the capture of a search before: what has changed since changes by itself.
    """
    former = tab.refs.last_seen(given) if given else None
    if not heal or given is None or former is None:
        raise _stale(ref, "off" if not heal else "forgotten")
    found: RefindResult | None = None
    for pause_s in SEARCH_DELAYS:
        if pause_s > deadline.left_s:
            break
        await sleep(pause_s)
        snapshot = await tab.captures.take(Deadline(CAPTURE_S))
        found = former.refind(given.key, snapshot, earlier=earlier, secrets=tab.redactor)
        earlier = snapshot
        if found is not None and found.element is not None:
            return _healed(tab, ref, snapshot, found, found.element), snapshot
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
        f"ref={ref}{was} is stale: its element has left the page, and {REASONS[outcome]}{near}; take a new snapshot",
        ref=ref,
        role=role,
        name=name,
        candidates=candidates,
    )
