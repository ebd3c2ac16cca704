"""What a page changes for the time of a picture: styles, animations, its background, and what is covered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

import msgspec

from stillframe.cdp_types import dom, emulation
from stillframe.errors import CommandError, ElementNotFound, OptionInvalid, RefStale
from stillframe.injected import elements
from stillframe.model.suggest import unknown
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle
from stillframe.tab.locating.locate import Search
from stillframe.tab.locating.selectors import parse as parse_selector

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

Animations = Literal["allow", "disabled"]
Caret = Literal["hide", "initial"]
Scale = Literal["css", "device"]
WORDS: dict[str, tuple[str, ...]] = {
    "animations": ("allow", "disabled"),
    "caret": ("hide", "initial"),
    "scale": ("css", "device"),
}

MASK_COLOR = "#FF00FF"
"""The colour of covers, as in Playwright."""

NO_CARET = "*, *::before, *::after { caret-color: transparent !important }"

BACK_S = 0.5
"""Seconds for a document to take back what it changed for a picture; it takes some ms."""


class ScreenshotStyle(msgspec.Struct, frozen=True, kw_only=True):
    """What a picture changes of the page that it shows."""

    animations: Animations = "allow"
    caret: Caret = "initial"
    mask: tuple[str, ...] = ()
    mask_color: str = MASK_COLOR
    omit_background: bool = False
    scale: Scale = "device"
    style: str = ""

    def check(self, format: str) -> None:
        """Raise OptionInvalid, or SelectorInvalid for a mask."""
        for name, words in WORDS.items():
            if getattr(self, name) not in words:
                message = f"option {name}: {unknown('value', str(getattr(self, name)), words)}"
                raise OptionInvalid(message, option=name)
        for name in ("mask_color", "style"):
            if not isinstance(getattr(self, name), str):
                raise OptionInvalid(f"option {name}: {getattr(self, name)!r} is not a text", option=name)
        if self.omit_background and format == "jpeg":
            raise OptionInvalid(
                "option omit_background: a jpeg has no transparency; take a png or a webp", option="omit_background"
            )
        for selector in self.mask:
            parse_selector(selector)

    @property
    def css(self) -> str:
        """Return the style sheet for all documents of the page."""
        return "\n".join(filter(None, (NO_CARET if self.caret == "hide" else "", self.style)))

    @property
    def changes_documents(self) -> bool:
        """Return whether documents have something to do."""
        return bool(self.css or self.mask) or self.animations == "disabled"

    @asynccontextmanager
    async def taken_of(self, tab: Tab, deadline: Deadline) -> AsyncIterator[None]:
        """Change the page inside the block, and change it back."""
        if self.omit_background:
            clear = emulation.SetDefaultBackgroundColorOverride(color=dom.RGBA(r=0, g=0, b=0, a=0))
            await tab.session.send(clear, timeout=deadline.left_s)
        try:
            if not self.changes_documents:
                yield
                return
            try:
                await self._prepare(tab, deadline)
                yield
            finally:
                await _in_frames(tab, elements.end_picture(), Deadline(BACK_S))
        finally:
            if self.omit_background:
                tab.session.post(emulation.SetDefaultBackgroundColorOverride())

    async def _prepare(self, tab: Tab, deadline: Deadline) -> None:
        if self.animations == "disabled":
            await _in_frames(tab, elements.still_animations(), deadline)
        if self.css:
            await _in_frames(tab, elements.add_picture_style(self.css), deadline)
        for selector in self.mask:
            await _cover(tab, selector, self.mask_color)


async def _cover(tab: Tab, selector: str, colour: str) -> None:
    """Cover what a selector finds; nothing is covered if nothing matches."""
    search = Search(tab, selector, Deadline(0))
    try:
        frame, target = await search.query(await search.enter(), search.selector.chain)
        if isinstance(target, ElementHandle):
            await target.call(elements.cover_matches(colour))
        else:
            await target.call(frame, elements.cover_matches(colour))
    except (ElementNotFound, RefStale):
        return


async def _in_frames(tab: Tab, call: Call, deadline: Deadline) -> None:
    """Call a function in each frame; those that do not answer are left as they are."""
    frames: Sequence[Frame] = [frame for frame in tab.frames if frame.context_id is not None]
    calls = (frame.call(call, timeout=deadline.left_s) for frame in frames)
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, CommandError):
            raise outcome
