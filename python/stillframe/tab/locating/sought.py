"""What a frame looks for, and what it reports of what it found."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stillframe.tab.frames import ElementHandle, Frame


class Sought(NamedTuple):
    """What to look for in a frame: the steps of a chain, within the element of a ref if the chain begins with one."""

    steps: list[dict[str, Any]]
    scope: ElementHandle | None = None

    async def call(self, frame: Frame, function: str, *args: Any, timeout: float | None = 30.0) -> Any:
        """Call a function of the agent that takes a chain first."""
        if self.scope is None:
            declaration = f"(steps, ...rest) => __sf.{function}({{ steps }}, ...rest)"
            return await frame.call(declaration, self.steps, *args, timeout=timeout)
        declaration = f"function(steps, ...rest) {{ return __sf.{function}({{ scope: this, steps }}, ...rest) }}"
        return await self.scope.call(declaration, self.steps, *args, timeout=timeout)


Target = Sought | ElementHandle


class Identity(msgspec.Struct, frozen=True):
    """What an element is known by, and its state; `hidden` says that its value is not to be kept."""

    role: str
    name: str
    place: str
    value: str
    hidden: bool
    state: str

    def __repr__(self) -> str:
        return f"Identity({self.role!r}, {self.name!r}, {self.place!r})"


class Report(msgspec.Struct, frozen=True):
    """What the agent says of an element: ready, or the fault that stood in the way last."""

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
    """The token of what the pointer aims at: the element, or a label of it."""
    view: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """The width and height of the viewport that x, y and box are in, and its device pixel ratio."""
    still: tuple[float, float] = (0.0, 0.0)
    """Where the top left of the element's box is in it."""
    size: tuple[float, float] = (0.0, 0.0)
    """The size of the padding box, when a position in it was asked for."""
    identity: Identity | None = None
    hidden: bool = False
    """Whether it is a field that hides what is typed into it, or did."""
    read: Any = None
    """The value that was read from the element, if the need asks for one."""
