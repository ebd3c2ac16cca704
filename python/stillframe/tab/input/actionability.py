"""The conditions that an element must meet before an action, and the point on the page where the action happens.

The checks run in the page script, in one awaited call: attached, visible, enabled, in view, stable box, receives the
event. A need names the stages for every kind of element that an action accepts; elements/state.ts has one function for
each stage. This module turns faults into errors, and points in frames into points of the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

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
from stillframe.injected import elements
from stillframe.tab.frames import ElementHandle, Frame
from stillframe.tab.input.route import FramePath, FramePoint, OwnerUnready, padding_quad, path_of
from stillframe.tab.locating.locate import IDENTITY, Search, handle_of

if TYPE_CHECKING:
    from stillframe.model.actions import Position
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt
    from stillframe.tab.locating.query import Report

Need = dict[str, Any]

VISIBLE = ["rendered"]
USABLE = ["rendered", "enabled"]
EDITABLE = ["rendered", "enabled", "editable"]
KEYABLE = ["shown", "enabled"]
"""Requirements for keyboard input: an element without any area can have focus."""

HOVER: Need = {"any": [*VISIBLE, "point"]}
CLICK: Need = {"any": [*USABLE, "point"]}
RENDERED: Need = {"any": VISIBLE}
DROP: Need = {"any": [*VISIBLE, "spot"]}
FOCUS: Need = {"control": ["focus"], "any": [*KEYABLE, "focus"]}
TYPE: Need = {
    "control": ["text", "editable", "focus"],
    "byKind": {"text": [*KEYABLE, "editable", "caret"], "editable": [*KEYABLE, "editable", "caret"]},
    "any": [*KEYABLE, "focus"],
}
CHECK: Need = {"control": ["check"], "byKind": {"check": [*USABLE, "toggle", "point"]}}
LISTS = ["select", "datalist", "combobox", "listbox"]
SELECT: Need = {
    "control": LISTS,
    "byKind": {
        "select": [*USABLE, "option"],
        "datalist": [*EDITABLE, "suggestion", "selectAll"],
        "combobox": [*USABLE, "someOption"],
        "listbox": [*USABLE, "someOption"],
    },
}
OPEN: Need = {"control": LISTS, "any": [*USABLE, "opener", "point"]}
FILL: Need = {
    "control": ["text", "editable", "picker"],
    "byKind": {
        "text": [*EDITABLE, "value", "selectAll"],
        "editable": [*KEYABLE, "editable", "selectAll"],
        "picker": [*EDITABLE, "value"],
    },
}
SET_VALUE: Need = {"control": [*FILL["control"], "select"], "byKind": {**FILL["byKind"], "select": [*USABLE, "option"]}}
SET_VALUE_OR_CHECK: Need = {
    "control": [*SET_VALUE["control"], "check"],
    "byKind": {**SET_VALUE["byKind"], **CHECK["byKind"]},
}
SELECT_TEXT: Need = {"control": ["text", "editable"], "any": [*VISIBLE, "selectText"]}
UPLOAD: Need = {"control": ["file"], "byKind": {"file": ["enabled", "files"], "other": [*USABLE, "point"]}}

MAX_REACHES = 8
"""How often frames and scrollers are scrolled to bring one point into view; each pass brings one more of them in."""


def at(position: Position | None) -> dict[str, Any]:
    """Return the argument of a need with a point for the `position` of an action."""
    return {} if position is None else {"position": {"x": position.x, "y": position.y}}


class ReadyTarget(msgspec.Struct, frozen=True):
    """An element that is ready for an action; `x`, `y` and `box` are CSS pixels of the page's viewport.

    They are 0 if the need has no point. `done` means that the element already is in the wanted state, `detail` is its
    previous state.
    """

    frame: Frame
    token: int
    what: str
    kind: str
    done: bool
    x: float = 0.0
    y: float = 0.0
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    points: tuple[FramePoint, ...] = ()
    """The point in each frame, from the element's own frame out to the page; empty if the need has no point."""
    still: tuple[float, float] = (0.0, 0.0)
    """The top left corner of its box in the viewport of its own frame."""
    detail: str = ""
    """Its previous state, for example of a checkbox."""
    hidden: bool = False
    """Whether it is, or was, a field that hides what is typed into it."""

    async def handle(self) -> ElementHandle:
        """Return a handle to the element."""
        return await handle_of(self.frame, self.token, self.what)


async def make_ready(
    attempt: Attempt,
    selector: str,
    need: Need,
    args: dict[str, Any] | None = None,
    *,
    deadline: Deadline,
) -> ReadyTarget:
    """Find an element and wait until it is ready for an action; sends no input.

    The attempt's inspector sees the element first, and may raise. A `position` in the arguments (x and y in CSS pixels,
    from the top left of the padding box) is the point in the element to aim at. Raises the ActionFailed for the last
    fault.
    """
    search = Search(attempt.tab, selector, deadline)
    inspect = attempt.before_input.inspect
    if inspect is not None:
        frame, report = await search.prepare(IDENTITY | {"control": need.get("control")})
        inspect(selector, frame, report.identity)
    while True:
        frame, report = await search.prepare(need, args)
        if report.fault:
            raise fault_error(report, selector, frame, deadline)
        try:
            return await _placed(frame, report, (args or {}).get("position"), deadline)
        except OwnerUnready as unready:
            raise fault_error(unready.report, selector, unready.frame, deadline) from None
        except (CdpError, SessionLost) as error:
            await search.retry_after(error)


async def _placed(frame: Frame, report: Report, position: dict[str, float] | None, deadline: Deadline) -> ReadyTarget:
    if not report.at:
        plain = ReadyTarget(frame, report.token, report.what, report.kind, report.done, detail=report.detail)
        return msgspec.structs.replace(plain, hidden=report.hidden)
    for _ in range(MAX_REACHES):
        path = await path_of(frame, report.view, deadline)
        x, y = await _aimed(path, report, position)
        points = path.points(report.at, x, y)
        if await _in_view(points if position else points[1:]) or not deadline.left_s:
            break
    end = points[-1]
    return ReadyTarget(
        frame=frame,
        token=report.token,
        what=report.what,
        kind=report.kind,
        done=report.done,
        x=end.x,
        y=end.y,
        box=_on_page(path, report.box),
        points=points,
        still=report.still,
        detail=report.detail,
        hidden=report.hidden,
    )


async def _aimed(path: FramePath, report: Report, position: dict[str, float] | None) -> tuple[float, float]:
    if position is None:
        return report.x, report.y
    quad = await padding_quad(await handle_of(path.frame, report.at, report.what))
    if quad is None:  # an element with display: contents
        left, top = report.still
        return left + position["x"], top + position["y"]
    return path.within(report.size, quad, position["x"], position["y"])


async def _in_view(points: Sequence[FramePoint]) -> bool:
    """Return whether each point is in view in its frame; scrolls if one is not."""
    reached = await asyncio.gather(
        *(point.frame.call(elements.scroll_point_into_view(point.token, point.x, point.y)) for point in points)
    )
    return all(reached)


def _on_page(path: FramePath, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return the bounding box in the page's viewport of a box in the frame."""
    left, top, width, height = box
    corners = [path.point(x, y) for x in (left, left + width) for y in (top, top + height)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


# -- faults as errors ----------------------------------------------------------------------------


def fault_error(report: Report, selector: str, frame: Frame, deadline: Deadline) -> ActionFailed:
    """Return the error for a fault that the page script reported."""
    what = f"{selector} is {report.what} in {frame.describe()}" if report.what else selector
    waited = f" (waited {deadline.shown})"
    if report.fault == "covered":
        return ElementCovered(
            f"{what}; it is covered by {report.detail}, which would receive the event{waited}: "
            "close or move that element first",
            selector=selector,
            cover=report.detail,
        )
    if report.fault == "kind":
        return ElementUnsuitable(f"{what}; {_unfit(report)}", selector=selector)
    kind, text = _FAULTS[report.fault]
    words = text.format(detail=report.detail, matches=", ".join(report.matches), waited=waited)
    return kind(f"{what}; {words}", selector=selector)


_FAULTS: dict[str, tuple[type[ActionFailed], str]] = {
    "detached": (ElementDetached, "it has left the document: take a new snapshot"),
    "hidden": (ElementHidden, "it is not visible: {detail}{waited}; open or scroll its container first"),
    "outside": (ElementHidden, "no scrolling can bring it into view{waited}"),
    "disabled": (ElementDisabled, "it is {detail}{waited}; find out what enables it"),
    "unstable": (ElementUnstable, "its box kept moving{waited}; wait for the animation to end"),
    "undrawn": (ElementUnstable, "its frame has not been drawn yet{waited}; wait for the frame first"),
    "focus": (ElementUnsuitable, "it does not keep the keyboard focus{waited}; the page moves the focus away"),
    "unsuitable": (ElementUnsuitable, "it {detail}"),
    "label": (ElementUnsuitable, "it is a label without a control: {detail}{waited}; select the field itself"),
    "option": (ElementUnsuitable, "it has no such option{waited}; its options are {matches}"),
}
_UNFIT_ROLES = {
    **dict.fromkeys(
        ("textbox", "searchbox", "spinbutton"),
        "its role promises a text field, but it is neither a field nor editable, so it cannot take text; "
        "if its script handles keys, use type_text",
    ),
    **dict.fromkeys(("combobox", "listbox"), "it takes one of its options: use select_option"),
    "slider": "it does not support this action; use press_key with ArrowRight or Home, or drag_to with an offset",
    "gridcell": "it does not support this action; to edit it, double-click it, then use type_text without a selector",
}


def _unfit(report: Report) -> str:
    words = _UNFIT_ROLES.get(report.detail) if report.kind == "other" else None
    return words or _UNFIT.get(report.kind, _UNFIT["other"])


_UNFIT = {
    "file": "it takes files: use upload_file",
    "check": "it takes true or false, or the actions check and uncheck",
    "select": "it takes one of its options: use select_option or set_value with a text",
    "text": "it takes text: use set_value or type_text",
    "editable": "it takes text: use set_value or type_text",
    "picker": "it takes a value: use set_value",
    "option": "its list is closed: use select_option on the list",
    "hidden": "it is a hidden field that no user can reach",
    "other": "it does not support this action; for a custom control, click it and then what it opens",
}
