"""Read from the page: the text, value and state of an element, the number of matches, and the document as HTML.

Results never contain the secrets of the context. A field that hides its text (a password, a one-time code, or one that
hid it earlier) only shows whether it is empty.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from stillframe.cdp.loop_clock import sleep
from stillframe.errors import CdpError, ContextLost, ElementNotFound, RefStale, SessionLost
from stillframe.injected import elements
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle, Frame
from stillframe.tab.input.actionability import fault_error
from stillframe.tab.input.route import OwnerUnready, path_of
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.locate import RETRY_S, Search
from stillframe.tab.locating.query import Report

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.tab.tab import Tab

T = TypeVar("T")
Reading = Literal["text", "content", "html", "value", "attribute", "enabled", "editable", "checked", "box"]

PLACED: dict[str, Any] = {"any": ["placed"]}
BOX: dict[str, Any] = {"any": ["placed", "read"]}
READ: dict[str, Any] = {"any": ["read"]}
FOREVER_S = 604_800.0
"""Seconds for a read without a limit: a week, because a page cannot set an infinite timer."""


class Box(NamedTuple):
    """A rectangle in CSS pixels, from the top left of the page's viewport."""

    x: float
    y: float
    width: float
    height: float


async def read(tab: Tab, selector: str, reading: Reading, *, name: str = "", deadline: Deadline) -> Any:
    """Wait for exactly one matching element and return the value read from it.

    Raises SelectorInvalid, ElementNotFound, AmbiguousSelector, ElementDetached, and ElementUnsuitable for an element
    without that value.
    """
    deadline = deadline.within(FOREVER_S)
    frame, report = await Search(tab, selector, deadline).prepare(READ, {"read": reading, "name": name})
    if report.fault:
        raise fault_error(report, selector, frame, deadline)
    return tab.context.redaction.redact(report.read)


async def box(tab: Tab, selector: str, *, deadline: Deadline) -> Box | None:
    """Wait for exactly one matching element and return its box; None if it is not rendered. Never scrolls."""
    deadline = deadline.within(FOREVER_S)
    search = Search(tab, selector, deadline)
    while True:
        frame, report = await search.prepare(BOX, {"read": "box"})
        if report.read is None:
            return None
        try:
            return await box_on_page(frame, report, deadline)
        except OwnerUnready:
            return None
        except (ContextLost, SessionLost) as error:
            await search.retry_after(error)
        except CdpError:
            return None  # a frame around it has no box


async def box_on_page(frame: Frame, report: Report, deadline: Deadline) -> Box:
    """Return the box that a report has read, moved from its frame to the page; raises OwnerUnready."""
    path = await path_of(frame, report.view, deadline, PLACED)
    left, top, width, height = report.read
    corners = [path.point(x, y) for x in (left, left + width) for y in (top, top + height)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


async def count(tab: Tab, selector: str, *, deadline: Deadline) -> int:
    """Return how many elements match now; raises SelectorInvalid.

    Does not wait for elements. The deadline is for a document that is being replaced.
    """
    _, _, report = await _tally(tab, selector, deadline)
    return report.count


async def read_all(tab: Tab, selector: str, reading: Reading, *, deadline: Deadline) -> list[str]:
    """Return the value read from each element that matches now, in document order; raises SelectorInvalid.

    Does not wait for elements. The deadline is for a document that is being replaced.
    """
    _, _, report = await _tally(tab, selector, deadline, reading)
    return tab.context.redaction.redact([str(value) for value in report.read or ()])


async def is_visible(tab: Tab, selector: str, *, deadline: Deadline) -> bool:
    """Return whether the only element that matches now is visible; False if none matches.

    Raises SelectorInvalid and AmbiguousSelector.
    """
    search, frame, report = await _tally(tab, selector, deadline)
    if report.count > 1:
        raise search.ambiguous(frame, report)
    return report.done


async def _tally(
    tab: Tab, selector: str, deadline: Deadline, reading: Reading | None = None
) -> tuple[Search, Frame, Report]:
    search = Search(tab, selector, Deadline(0))
    try:
        return search, *await _read_again(tab, deadline, lambda: _tally_once(search, reading))
    except (ElementNotFound, RefStale):
        return search, tab.frames.main, Report()  # a frame or ref before the target is missing


async def _tally_once(search: Search, reading: Reading | None) -> tuple[Frame, Report]:
    frame = await search.enter()
    frame, target = await search.query(frame, search.selector.chain)
    if isinstance(target, ElementHandle):
        return frame, msgspec.convert(await target.call(elements.tally(reading)), Report)
    await adopt_closed_roots(search.tab, frame)
    report = msgspec.convert(await target.call(frame, elements.tally(reading)), Report)
    if report.fault:
        raise search.syntax(report)
    return frame, report


async def markup(tab: Tab, frame: Frame, *, deadline: Deadline) -> str:
    """Return the document of a frame as HTML, its doctype included; without shadow roots and frames."""
    return await _document_text(tab, frame, elements.markup(), deadline)


async def title(tab: Tab, frame: Frame, *, deadline: Deadline) -> str:
    """Return the title of the document of a frame."""
    return await _document_text(tab, frame, elements.title(), deadline)


async def _document_text(tab: Tab, frame: Frame, call: Call, deadline: Deadline) -> str:
    text = await _read_again(tab, deadline, lambda: frame.call(call, timeout=deadline.left_s), frame)
    return tab.context.redaction.redact(str(text))


async def _read_again(tab: Tab, deadline: Deadline, read: Callable[[], Awaitable[T]], frame: Frame | None = None) -> T:
    """Read from a document, or from the next one if it is being replaced; not when `frame` or the page is gone."""
    while True:
        try:
            return await read()
        except (ContextLost, SessionLost):
            is_gone = tab.session.error is not None or (frame is not None and frame.detached)
            if is_gone or not deadline.left_s:
                raise
        await sleep(min(RETRY_S, deadline.left_s))
