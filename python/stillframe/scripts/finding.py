"""Find the element that a script means on a page: by one of its selectors or, in a repair, by its fingerprint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe import Page
from stillframe.core import Snapshot, aria_roles
from stillframe.errors import ActionFailed, ElementNotFound, SelectorInvalid
from stillframe.extend import page_state
from stillframe.scripts.flexibility import Tolerance
from stillframe.scripts.identity import Likeness, compare, fingerprint_of
from stillframe.scripts.rows import in_row, row_of, twins
from stillframe.scripts.script import ScriptTarget
from stillframe.scripts.targets import Place, place_of, ref_of

ROLES = aria_roles()
LINE_CHARS = 300
"""Characters of the text of an element; the first line is its own."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKETED = re.compile(r"\[([^\]]*)\]")


class FoundElement(NamedTuple):
    """An element that was found; `likeness` is None if it is the one that the selector means."""

    place: Place
    snapshot: Snapshot
    likeness: Likeness | None = None


async def find(
    page: Page, selector: str, target: ScriptTarget, *, timeout_ms: float, allowed: Tolerance | None = None
) -> FoundElement:
    """Return the one element of a selector if it is the one that the script means.

    Waits up to `timeout_ms`. The target's other selectors count as well and, with `allowed`, an element that is
    like enough; without a fingerprint, which would tell a wrong one, only after the wait. Raises ElementNotFound if the
    selector means another element, and what the search for it raises.
    """
    if target.fingerprint is not None and (target.selectors or allowed is not None):
        try:
            return await _by_selector(page, selector, target, 0.0)
        except ActionFailed:
            found = await _otherwise(page, selector, target, allowed)
        if found is not None:
            return found
    try:
        return await _by_selector(page, selector, target, timeout_ms)
    except ActionFailed:
        found = await _otherwise(page, selector, target, allowed)
        if found is None:
            raise
        return found


async def _by_selector(page: Page, selector: str, target: ScriptTarget, timeout_ms: float) -> FoundElement:
    return (await _compared_by_selector(page, selector, target, timeout_ms))._replace(likeness=None)


async def _otherwise(page: Page, selector: str, target: ScriptTarget, allowed: Tolerance | None) -> FoundElement | None:
    """Return the element now by another selector of the target or, with `allowed`, by its likeness."""
    for other in target.selectors:
        try:
            return await _compared_by_selector(page, other, target, 0.0)
        except (ActionFailed, SelectorInvalid):
            continue
    if allowed is None or target.fingerprint is None:
        return None
    return await _by_likeness(page, target, selector, allowed)


async def _compared_by_selector(page: Page, selector: str, target: ScriptTarget, timeout_ms: float) -> FoundElement:
    """Return the element of a selector with its likeness, which is None without a fingerprint."""
    place = await place_of(page, selector, timeout_ms)
    snapshot = await page.snapshot()
    if target.fingerprint is None:
        return FoundElement(place, snapshot)
    likeness = await _compared(page, snapshot, target, place)
    if likeness is not None and likeness.is_same:
        return FoundElement(place, snapshot, likeness)
    now = f"now means {likeness}" if likeness else "means an element that has just left the page"
    raise ElementNotFound(f"Element not found: {selector} {now}, and not {target.target}", selector=selector)


async def _by_likeness(page: Page, target: ScriptTarget, selector: str, allowed: Tolerance) -> FoundElement | None:
    """Return the element that is most like the one that the script means, if it is certain enough."""
    assert target.fingerprint is not None
    if target.row and (twin := in_row(await twins(page, selector, target.fingerprint), target.row)) is not None:
        snapshot, place = await page.snapshot(), twin[0].place
        margin = twin[1]
    else:
        snapshot = await page.snapshot()
        element = snapshot.relocate(fingerprint_of(target.fingerprint)).element
        if element is None:
            return None
        loader = snapshot.loaders.get(element.frame_id, "")
        place, margin = Place(element.frame, element.backend_node_id, element.frame_id, loader), None
    likeness = await _compared(page, snapshot, target, place)
    if likeness is None or not allowed.accepts(likeness) or not _takes_input(snapshot, target.fingerprint, place):
        return None
    return FoundElement(place, snapshot, likeness if margin is None else likeness._replace(margin=margin))


def _takes_input(snapshot: Snapshot, fingerprint: Mapping[str, Any], place: Place) -> bool:
    """Return whether an element can take the place of a control: a heading of the same words cannot be pressed."""
    was = fingerprint_of(fingerprint).role
    now = snapshot.accessible(place.frame, place.backend_node_id)
    if not _is_control(was) or now is None or _is_control(now.role):
        return True
    node = (place.frame, place.backend_node_id)
    outline = snapshot.outline(("below", node), budget=LINE_CHARS)
    return outline is not None and "clickable" in brackets(outline.text.partition("\n")[0])


def _is_control(role: str) -> bool:
    return bool(ROLES.get(role, {}).get("control"))


async def _compared(page: Page, snapshot: Snapshot, target: ScriptTarget, place: Place) -> Likeness | None:
    assert target.fingerprint is not None
    try:
        row = await row_of(page, ref_of(page, snapshot, place)) if target.row else ""
    except ActionFailed:
        return None  # it has just left the page
    rows = (target.row, row)
    return compare(snapshot, target.fingerprint, target.others, place, page_state(page).redactor, rows)


def brackets(line: str) -> tuple[str, ...]:
    """Return what stands in the brackets of a line of an ARIA snapshot, such as `ref=e2` and `clickable`.

    Names and texts of the page are left out.
    """
    head = _QUOTED.sub("", line).partition(": ")[0]
    return tuple(_BRACKETED.findall(head))
