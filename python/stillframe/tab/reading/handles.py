"""What a handle holds: an element as it is now, without waiting, or the properties of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.cdp_types import runtime
from stillframe.errors import CdpError, ElementUnsuitable
from stillframe.injected import elements
from stillframe.tab import remote
from stillframe.tab.input.route import OwnerUnready
from stillframe.tab.javascript import caller_scripts
from stillframe.tab.javascript import values as javascript
from stillframe.tab.javascript.caller_scripts import Given
from stillframe.tab.javascript.page_elements import in_isolated_world
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.locating.query import Report
from stillframe.tab.reading.reading import Box, box_on_page

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

Reading = Literal["content", "text", "html", "attribute", "box", "visible", "value", "enabled", "editable", "checked"]


async def read(tab: Tab, held: PageObject, what: Reading, *, name: str = "", deadline: Deadline) -> Any:
    """Return what is read from an element; raises HandleReleased, and ElementUnsuitable for a node without it."""
    _, report = await _report(tab, held, what, name, deadline)
    return tab.context.redaction.redact(report.read)


async def is_visible(tab: Tab, held: PageObject, *, deadline: Deadline) -> bool:
    """Return whether an element is rendered."""
    _, report = await _report(tab, held, "visible", "", deadline)
    return report.done


async def box(tab: Tab, held: PageObject, *, deadline: Deadline) -> Box | None:
    """Return the box of an element on the page; None if it is not rendered."""
    frame, report = await _report(tab, held, "box", "", deadline)
    if report.read is None:
        return None
    try:
        return await box_on_page(frame, report, deadline)
    except (OwnerUnready, CdpError):
        return None  # a frame around it has no box


async def _report(tab: Tab, held: PageObject, what: Reading, name: str, deadline: Deadline) -> tuple[Frame, Report]:
    handle = await in_isolated_world(tab, held)
    try:
        report = msgspec.convert(await handle.call(elements.read_held(what, name), timeout=deadline.left_s), Report)
    finally:
        handle.forget()
    if report.fault:
        raise ElementUnsuitable(f"the handle to {held.shown} {report.detail}", selector="")
    return handle.frame, report


# The properties and the value of an object that the caller holds.

VALUE = "(it) => it"
PROPERTY = "(it, name) => ({ __proto__: null, found: it[name] })"
"""In an object of its own, so that a promise is returned and not awaited."""


async def one(held: PageObject, name: str, *, deadline: Deadline) -> PageObject:
    """Return a property of an object, an inherited one or undefined as well; raises what `evaluate_handle` does."""
    holder = await caller_scripts.evaluate_handle(held.frame, PROPERTY, Given(name, held), deadline=deadline)
    try:
        return (await every(holder, deadline=deadline))["found"]
    finally:
        holder.forget()


async def every(held: PageObject, *, deadline: Deadline) -> dict[str, PageObject]:
    """Return the own, enumerable properties of an object that are values, in their order."""
    held.require_usable()
    if held.object_id is None:
        return {}
    command = runtime.GetProperties(object_id=held.object_id, own_properties=True)
    reply = await held.session.send(command, timeout=deadline.left_s)
    remote.raise_thrown(reply, held.session, "Runtime.getProperties")
    return {
        row.name: PageObject(held.frame, held.loader_id, row.value)
        for row in reply.result
        if row.enumerable and row.value is not None
    }


async def value(held: PageObject, *, deadline: Deadline) -> object:
    """Return the value of an object."""
    held.require_usable()
    if held.object_id is None:
        return javascript.primitive(held.remote)
    return await caller_scripts.evaluate(held.frame, VALUE, Given(None, held), deadline=deadline)
