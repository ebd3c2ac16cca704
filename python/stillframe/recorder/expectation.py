"""Choose what a recording expects after an action: the change that is most likely to come again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from stillframe.core import Delta, ElementRow, Redactor, Snapshot, quoted
from stillframe.scripts.targets import is_lasting

ROWS = 30
"""Rows of each list that are looked at, best first."""
MAX_TEXT = 80
"""Characters of a text to wait for; a longer one changes more easily."""
VARIES = re.compile(r"\d")
"""What makes a text another one next time: counters, dates, prices, ids."""
REDACTED = "••••"
SHOWS_TEXT = frozenset({"textContent"})
POSITIONAL = re.compile(r":nth-|\bnth=")


def expected(before: Snapshot, after: Snapshot, delta: Delta, secrets: Redactor) -> dict[str, Any] | None:
    """Return the fields of a WaitFor that the change from one snapshot to the other fulfils, None if nothing lasts.

    What appeared counts most, then the text of what changed, then another address, then what disappeared. Nothing with
    a digit in its text is expected, since it would be another one the next time.
    """
    for candidates in (_appeared(before, after, delta, secrets), _texts(delta), _address(before, after, secrets)):
        for fields in candidates:
            return fields
    return next(_disappeared(before, delta, secrets), None)


def _appeared(before: Snapshot, after: Snapshot, delta: Delta, secrets: Redactor) -> Iterator[dict[str, Any]]:
    for row in delta.appeared:
        selector = _lasting_selector(after, row, secrets)
        if selector is not None and (delta.same_document or not _was_there(before, after, row, selector)):
            yield {"selector": selector}


def _was_there(before: Snapshot, after: Snapshot, row: ElementRow, selector: str) -> bool:
    """Return whether the document before had an element of this selector, as pages of one site have."""
    fingerprint = after.fingerprint(row.frame, row.backend_node_id)
    element = None if fingerprint is None else before.relocate(fingerprint).element
    if element is None:
        return False
    return any(each.selector == selector for each in before.selectors(element.frame, element.backend_node_id))


def _texts(delta: Delta) -> Iterator[dict[str, Any]]:
    for row in delta.changed:
        text = (row.to or "").strip()
        if row.field in SHOWS_TEXT and _lasts(text) and text not in (row.from_ or ""):
            frame = row.selector.rpartition(" >> ")[0]
            yield {"selector": f"{frame} >> text={quoted(text)}"} if frame else {"text": text}


def _address(before: Snapshot, after: Snapshot, secrets: Redactor) -> Iterator[dict[str, Any]]:
    old, new = urlsplit(before.url), urlsplit(after.url)
    for part in ("path", "fragment"):
        text = secrets.redact(getattr(new, part))
        if text != getattr(old, part) and len(text) > 1 and REDACTED not in text and not VARIES.search(text):
            yield {"url": text}


def _disappeared(before: Snapshot, delta: Delta, secrets: Redactor) -> Iterator[dict[str, Any]]:
    for row in delta.disappeared:
        selector = _lasting_selector(before, row, secrets)
        if selector is not None:
            yield {"selector": selector, "state": "hidden"}


def _lasting_selector(snapshot: Snapshot, row: ElementRow, secrets: Redactor) -> str | None:
    if row.count > 1:
        return None
    for candidate in snapshot.selectors(row.frame, row.backend_node_id, secrets=secrets):
        text = candidate.selector
        if candidate.kind == "text" and text != f"text={quoted(row.text)}":
            continue  # the texts of several elements
        if is_lasting(candidate) and not POSITIONAL.search(text) and not VARIES.search(text) and REDACTED not in text:
            return text
    return None


def _lasts(text: str) -> bool:
    return 2 <= len(text) <= MAX_TEXT and not VARIES.search(text) and "…" not in text and REDACTED not in text
