"""What must hold before an action, and where on the page it then happens.

The checks run in the page agent, in one awaited call: attached, visible, enabled, in view, stable box, receives the
event. A need names the stages for every kind of element an action can take; agent/state.js has one function for each
stage. Here faults become errors, and points in frames become points of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import dom
from stillframe.errors import (
    ActionFailed,
    CdpError,
    ElementCovered,
    ElementDetached,
    ElementDisabled,
    ElementHidden,
    ElementUnstable,
    ElementUnsuitable,
    SessionLost,
)
from stillframe.page.locate import IDENTITY, Deadline, Report, Search, ask, handle_of

if TYPE_CHECKING:
    from stillframe.page.frames import Frame
    from stillframe.page.page import Page
    from stillframe.page.world import ElementHandle

Need = dict[str, Any]

VISIBLE = ["rendered"]
USABLE = ["rendered", "enabled"]
EDITABLE = ["rendered", "enabled", "editable"]

HOVER: Need = {"any": [*VISIBLE, "point"]}
CLICK: Need = {"any": [*USABLE, "point"]}
DROP: Need = {"any": [*VISIBLE, "spot"]}
FOCUS: Need = {"any": [*USABLE, "focus"]}
TYPE: Need = {
    "control": True,
    "byKind": {"text": [*EDITABLE, "caret"], "editable": [*EDITABLE, "caret"]},
    "any": [*USABLE, "focus"],
}
CHECK: Need = {"control": True, "byKind": {"check": [*USABLE, "toggle", "point"]}}
SELECT: Need = {"control": True, "byKind": {"select": [*USABLE, "option"]}}
FILL: Need = {
    "control": True,
    "byKind": {
        "text": [*EDITABLE, "value", "selectAll"],
        "editable": [*EDITABLE, "selectAll"],
        "picker": [*EDITABLE, "value"],
    },
}
SET_VALUE: Need = {"control": True, "byKind": {**FILL["byKind"], **SELECT["byKind"]}}
SET_VALUE_OR_CHECK: Need = {"control": True, "byKind": {**SET_VALUE["byKind"], **CHECK["byKind"]}}
UPLOAD: Need = {"control": True, "byKind": {"file": ["enabled", "multiple"]}}
THROUGH: Need = {"any": [*VISIBLE, "through"]}


class Ready(msgspec.Struct, frozen=True):
    """An element that an action can be performed on; `x`, `y` and `box` are CSS pixels of the page's viewport.

    They are 0 when the need had no point. `done` says that the element is already as wanted.
    """

    frame: Any
    token: int
    what: str
    kind: str
    done: bool
    x: float
    y: float
    box: tuple[float, float, float, float]

    async def call(self, declaration: str, *args: Any) -> Any:
        """Call a function of the agent that takes the element's token first."""
        return await self.frame.call(declaration, self.token, *args)

    async def handle(self) -> ElementHandle:
        """Return a handle of the element."""
        return await handle_of(self.frame, self.token, self.what)


async def ready(page: Page, selector: str, need: Need, args: dict[str, Any] | None = None, *, timeout: float) -> Ready:
    """Find an element and wait until it can take an action; nothing is sent to it.

    Whoever inspects the page's targets sees it before that, and may raise. `timeout` is in seconds and covers all of
    it. Raises the ActionFailed that says what stood in the way last.
    """
    deadline = Deadline(timeout)
    search = Search(page, selector, deadline)
    if page.inspect is not None:
        frame, report = await search.prepare(IDENTITY | {"control": need.get("control", False)})
        page.inspect(selector, frame, report.identity)
    while True:
        frame, report = await search.prepare(need, args)
        if report.fault:
            raise fault_error(report, selector, frame, deadline)
        try:
            return await _placed(frame, report, selector, deadline)
        except (CdpError, SessionLost) as error:
            await search.again(error)


async def _placed(frame: Frame, report: Report, selector: str, deadline: Deadline) -> Ready:
    x, y = report.x, report.y
    left, top, width, height = report.box
    if any(report.box):
        x, y = await _on_page(frame, selector, x, y, deadline)
    box = (left + x - report.x, top + y - report.y, width, height)
    return Ready(frame, report.token, report.what, report.kind, report.done, x, y, box)


async def _on_page(frame: Frame, selector: str, x: float, y: float, deadline: Deadline) -> tuple[float, float]:
    """Follow a point out of its frame, one owner after the other; each must be visible and not covered there."""
    while frame.parent is not None:
        parent = frame.parent
        owner = await parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
        handle = await parent.handle(owner.backend_node_id)
        report = await ask(parent, handle, THROUGH, {"x": x, "y": y}, deadline.left)
        if report.fault:
            raise fault_error(report, selector, parent, deadline)
        frame, x, y = parent, report.x, report.y
    return x, y


# -- faults as errors ----------------------------------------------------------------------------


def fault_error(report: Report, selector: str, frame: Frame, deadline: Deadline) -> ActionFailed:
    """Return the error for what the agent found wrong with an element."""
    what = f"{selector} is {report.what} in {frame.describe()}" if report.what else selector
    waited = f" (waited {deadline.timeout:g} s)"
    if report.fault == "covered":
        return ElementCovered(
            f"{what}; it is covered by {report.detail}, which would receive the event{waited}: "
            "close or move that first",
            selector=selector,
            cover=report.detail,
        )
    if report.fault == "kind":
        return ElementUnsuitable(f"{what}; {_UNFIT.get(report.kind, _UNFIT['other'])}", selector=selector)
    kind, text = _FAULTS[report.fault]
    words = text.format(detail=report.detail, matches=", ".join(report.matches), waited=waited)
    return kind(f"{what}; {words}", selector=selector)


_FAULTS: dict[str, tuple[type[ActionFailed], str]] = {
    "detached": (ElementDetached, "it has left the document: look at the page again"),
    "hidden": (ElementHidden, "it is not visible: {detail}{waited}; open or scroll to what it is in first"),
    "outside": (ElementHidden, "it lies outside of what can be scrolled into view{waited}"),
    "disabled": (ElementDisabled, "it is {detail}{waited}; find out what enables it"),
    "unstable": (ElementUnstable, "its box kept moving{waited}; wait for the animation to end"),
    "focus": (ElementUnsuitable, "it does not keep the keyboard focus{waited}; the page takes it away"),
    "unsuitable": (ElementUnsuitable, "it {detail}"),
    "option": (ElementUnsuitable, "it has no such option{waited}; it has {matches}"),
}
_UNFIT = {
    "file": "it takes files: use upload_file",
    "check": "it takes true or false, or the actions check and uncheck",
    "select": "it takes one of its options: use select_option or set_value with a text",
    "text": "it takes text: use set_value or type_text",
    "editable": "it takes text: use set_value or type_text",
    "picker": "it takes a value: use set_value",
    "option": "its list is closed: use select_option on the list",
    "hidden": "it is a hidden field that no user can reach",
    "other": "it cannot take this action; for a custom control click it and then what it opens",
}
