"""The targets of actions on the page as it is now: the element of a selector, and its durable selector."""

from __future__ import annotations

import re
from typing import NamedTuple

from stillframe import Page
from stillframe.core import ElementSelector, Fingerprint, Snapshot
from stillframe.errors import ActionFailed, CommandError, SelectorInvalid
from stillframe.extend import page_state

TARGET_FIELDS = ("selector", "target")
"""The fields of actions that name an element."""

CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))", re.DOTALL)
UUID = r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}"
EPHEMERAL = re.compile(
    "|".join(
        (
            UUID,
            r":r[0-9a-z]*:|«r[0-9a-z]*»|_r_[0-9a-z]+_",  # React.useId
            r"(?<![A-Za-z0-9])rc[-_]",  # the components of Ant Design
            r"(?<![A-Za-z0-9])(?:radix|headlessui|reach|downshift|react-aria|react-select)[-_:]",
            r"(?<![A-Za-z0-9])(?:ember|yui_|ext-(?:gen|comp-)|gwt-uid-|j_idt|cdk-|mat-\w+-|mui-|el-id-|__BVID__)\d",
            r"[0-9a-fA-F]*(?:\d[a-fA-F]|[a-fA-F]\d)[0-9a-fA-F]{7,}",  # a hash
        )
    )
)
"""Ids and classes that a program makes up for one load of a page; another load has others."""
BY_WORDS = frozenset({"role", "placeholder", "label", "alt", "text", "title"})
"""The kinds of selectors that say what a user reads, where only a UUID is certain to be made up."""


class Place(NamedTuple):
    """An element as snapshots and refs know it: the key of its part, its backend node id, its frame and document."""

    frame: str
    backend_node_id: int
    frame_id: str = ""
    loader: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What snapshots take."""
        return self.frame, self.backend_node_id


async def place_of(page: Page, selector: str, timeout_ms: float = 0.0) -> Place:
    """Return the one element that a selector means; waits up to `timeout_ms` for it.

    Raises ElementNotFound, AmbiguousSelector, RefStale, SelectorInvalid and CommandError.
    """
    handle = await page_state(page).locate(selector, timeout_ms=timeout_ms)
    try:
        frame = handle.frame
        return Place(frame.process_key, await handle.backend_node_id(), frame.id, frame.loader_id)
    finally:
        handle.forget()


def ref_of(page: Page, snapshot: Snapshot, place: Place) -> str:
    """Return the selector of a ref that means this very element and, without healing, no other one."""
    refs = page_state(page).refs
    refs.saw(snapshot)
    return f"ref={refs.ref_for(*place)}"


def frame_path(page: Page, frame_id: str) -> tuple[int, ...]:
    """Return the number of a child frame for each level down to a frame, in the order in which they were attached."""
    frame, path = page_state(page).frames.by_id.get(frame_id), list[int]()
    while frame is not None and frame.parent is not None:
        path.append(list(frame.parent.children).index(frame.id))
        frame = frame.parent
    return tuple(reversed(path))


async def durable_selectors(page: Page, snapshot: Snapshot, place: Place, limit: int = 1) -> list[str]:
    """Return up to `limit` lasting selectors that mean this element on the page now, the most durable first."""
    found: list[str] = []
    for candidate in snapshot.selectors(*place.key, secrets=page_state(page).redactor):
        if len(found) < limit and is_lasting(candidate) and await means(page, candidate.selector, place):
            found.append(candidate.selector)
    return found


def is_lasting(candidate: ElementSelector) -> bool:
    """Return whether a selector has no id, class or attribute that a program made up for one load of the page."""
    text = CSS_ESCAPE.sub(_unescaped, candidate.selector)
    return not re.search(UUID if candidate.kind in BY_WORDS else EPHEMERAL, text)


async def means(page: Page, selector: str, place: Place) -> bool:
    """Return whether a selector means this element, and no other one, on the page now."""
    try:
        return (await place_of(page, selector)).key == place.key
    except (ActionFailed, SelectorInvalid, CommandError):
        return False


def _unescaped(found: re.Match[str]) -> str:
    if not found[1]:
        return found[2]
    number = int(found[1], 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"


def described(fingerprint: Fingerprint) -> str:
    """Return which element a fingerprint is of, in words: its role and name, or its tag and text."""
    if fingerprint.name:
        return f'{fingerprint.role or fingerprint.tag_name} "{fingerprint.name}"'
    shown = f' "{fingerprint.text}"' if fingerprint.text else ""
    return f"{fingerprint.role or fingerprint.tag_name}{shown}"
