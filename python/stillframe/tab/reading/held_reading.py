"""Read from an element that the caller holds: what it is now, without waiting. See `reading` for locators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.errors import CdpError, ElementUnsuitable
from stillframe.injected import elements
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.route import OwnerUnready
from stillframe.tab.javascript.page_elements import in_isolated_world
from stillframe.tab.locating.query import Report
from stillframe.tab.reading.reading import Box, box_on_page

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame
    from stillframe.tab.javascript.page_objects import PageObject
    from stillframe.tab.tab import Tab

Reading = Literal["content", "text", "html", "attribute", "box", "visible", "value", "enabled", "editable", "checked"]


async def read(tab: Tab, held: PageObject, what: Reading, *, name: str = "", timeout: float | None) -> Any:
    """Return what is read from an element; raises HandleReleased, and ElementUnsuitable for a node without it."""
    _, report = await _report(tab, held, what, name, timeout)
    return tab.context.redaction.redact(report.read)


async def is_visible(tab: Tab, held: PageObject, *, timeout: float | None) -> bool:
    """Return whether an element is rendered."""
    _, report = await _report(tab, held, "visible", "", timeout)
    return report.done


async def box(tab: Tab, held: PageObject, *, timeout: float | None) -> Box | None:
    """Return the box of an element on the page; None if it is not rendered."""
    frame, report = await _report(tab, held, "box", "", timeout)
    if report.read is None:
        return None
    try:
        return await box_on_page(frame, report, Deadline(timeout))
    except (OwnerUnready, CdpError):
        return None  # a frame around it has no box


async def _report(tab: Tab, held: PageObject, what: Reading, name: str, timeout: float | None) -> tuple[Frame, Report]:
    handle = await in_isolated_world(tab, held)
    try:
        report = msgspec.convert(await handle.call(elements.read_held(what, name), timeout=timeout), Report)
    finally:
        handle.forget()
    if report.fault:
        raise ElementUnsuitable(f"the handle to {held.shown} {report.detail}", selector="")
    return handle.frame, report
