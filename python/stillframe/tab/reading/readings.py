"""Read from all elements that match, and again whenever the page changes what was read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.errors import AmbiguousSelector, ContextLost, ElementNotFound, RefStale, SessionLost
from stillframe.injected import elements
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.locate import ANSWER_MARGIN, RETRY_S, Search, next_document, search_intervals
from stillframe.tab.locating.query import Report

if TYPE_CHECKING:
    from stillframe.tab.tab import Tab

What = Literal[
    "count",
    "whole",
    "text",
    "value",
    "values",
    "attribute",
    "classes",
    "style",
    "role",
    "name",
    "description",
    "error",
    "visible",
    "enabled",
    "editable",
    "state",
    "focused",
    "filled",
    "in_view",
    "title",
    "aria",
]
"""What can be read from each element; "count" reads only how many there are."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read at one moment from the elements that match, in document order."""

    values: tuple[Any, ...] = ()
    """A value for each element, None for an element that has none; empty for "count"."""
    count: int = 0
    """How many elements match."""
    matches: tuple[str, ...] = ()
    """The first few of them, as errors describe elements."""
    note: str = ""
    """Why an element has no value, or why no frame or ref before the elements was found."""
    ambiguous: AmbiguousSelector | None = None
    """If several elements match, the error for a caller who needs one."""


async def readings(tab: Tab, selector: str, what: What, name: str, deadline: Deadline) -> AsyncIterator[Reading]:
    """Yield what is read now, and whatever differs from it, until the deadline.

    The page itself looks whenever it changes, and a document that replaces it goes on. Raises SelectorInvalid, and
    SessionLost or ElementNotFound when the page or the frame is gone.
    """
    search = Search(tab, selector, Deadline(0))
    known: list[Any] | None = None
    last: Reading | None = None
    for interval in search_intervals():
        look = deadline.within(interval)
        try:
            current, known = await _when_other(search, what, name, known, look)
        except (ElementNotFound, RefStale) as error:
            if search.frame_is_gone:
                raise
            current, known = Reading(note=str(error)), None
            await next_document(tab, deadline.within(RETRY_S))
        except (ContextLost, SessionLost):
            if tab.session.error is not None or search.frame_is_gone or not deadline.left_s:
                raise
            known = None
            await next_document(tab, deadline.within(RETRY_S))
            continue
        if current != last:
            last = current
            yield current
        if not deadline.left_s:
            return


async def _when_other(
    search: Search, what: What, name: str, known: list[Any] | None, deadline: Deadline
) -> tuple[Reading, list[Any]]:
    frame, target = await search.query(await search.enter(), search.selector.chain)
    asked = {"what": "" if what == "count" else what, "name": name, "known": known}
    left = deadline.left_s
    timeout, call = left + ANSWER_MARGIN, elements.when_other(asked, left * 1000)
    if isinstance(target, ElementHandle):
        answer = await target.call(call, timeout=timeout)
    else:
        await adopt_closed_roots(search.tab, frame)
        answer = await target.call(frame, call, timeout=timeout)
    report = msgspec.convert(answer, Report)
    if report.fault:
        raise search.syntax(report)
    values = tuple(report.read or ())
    reading = Reading(
        values=search.tab.context.redaction.redact(values),
        count=report.count,
        matches=tuple(report.matches),
        note=report.detail,
        ambiguous=search.ambiguous(frame, report) if report.count > 1 else None,
    )
    return reading, [report.count, list(values)]
