"""The query that a frame's page script runs, and its report on the element it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from stillframe.tab.frames import ElementHandle, Frame

if TYPE_CHECKING:
    from stillframe.injected.call import Call


class Query(NamedTuple):
    """A query in a frame: the steps of a chain, within the element of a ref if the chain begins with one."""

    steps: list[dict[str, Any]]
    scope: ElementHandle | None = None

    async def call(self, frame: Frame, call: Call, *, timeout: float | None = 30.0) -> Any:
        """Call a function of the page script on what the query finds."""
        if self.scope is None:
            return await frame.call(call.on_steps, self.steps, *call.arguments, timeout=timeout)
        return await self.scope.call(call.on_steps_in_this, self.steps, *call.arguments, timeout=timeout)

    async def handles(self, frame: Frame, call: Call) -> list[str]:
        """Call a function that returns elements on what the query finds; return the object id of each."""
        return await frame.world().call_handles(call.on_steps_in_scope, self.steps, self.scope, *call.arguments)


Target = Query | ElementHandle


class Identity(msgspec.Struct, frozen=True):
    """What identifies an element to the loop guard, and its state; `hidden` means that its value must not be kept."""

    role: str
    name: str
    place: str
    value: str
    hidden: bool
    state: str

    def __repr__(self) -> str:
        return f"Identity({self.role!r}, {self.name!r}, {self.place!r})"


class Report(msgspec.Struct, frozen=True):
    """The page script's report on an element: ready, or the last fault that kept it from being ready."""

    fault: str = ""
    detail: str = ""
    step: int = 0
    final: bool = False
    soon: bool = False
    what: str = ""
    kind: str = ""
    count: int = 0
    matches: tuple[str, ...] = ()
    token: int = 0
    done: bool = False
    x: float = 0.0
    y: float = 0.0
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    at: int = 0
    """The token of the element that the pointer aims at: the element itself, or a label of it."""
    view: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """The width and height of the viewport that x, y and box refer to, and its device pixel ratio."""
    still: tuple[float, float] = (0.0, 0.0)
    """The top left corner of the element's box in it."""
    size: tuple[float, float] = (0.0, 0.0)
    """The size of the padding box, if the action has a position in it."""
    stirred: bool = False
    """Whether the page has brought something under the resting mouse since its last move."""
    widget: int = 0
    """The token of an element around both the covered element and its cover, if they may be parts of one widget."""
    identity: Identity | None = None
    hidden: bool = False
    """Whether the element is, or was, a field that hides what is typed into it."""
    read: Any = None
    """The value that was read from the element, if the need asks for one."""
