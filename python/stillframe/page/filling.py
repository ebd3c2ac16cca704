"""From what an action says to the text that is typed: declared secrets, and only where they are meant to go."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, overload

from stillframe.errors import CommandError
from stillframe.model.secrets import Secret, Text
from stillframe.page import actionability as need
from stillframe.page.actionability import ready

if TYPE_CHECKING:
    from stillframe.page.frames import Frame
    from stillframe.page.page import Page

HAS_FOCUS = "document.hasFocus()"
"""Whether keys arrive in this document, or in a frame of it. Asked in the isolated world: no page can forge it."""


@overload
async def for_element(page: Page, value: Text, selector: str, *, timeout: float) -> str: ...
@overload
async def for_element(page: Page, value: Text | bool, selector: str, *, timeout: float) -> str | bool: ...
async def for_element(page: Page, value: Text | bool, selector: str, *, timeout: float) -> str | bool:
    """Return the value for an element that is still to be made ready: not even its process learns what it may not.

    Raises SecretRefused, SecretUnknown, and what finding the element raises.
    """
    if isinstance(value, Secret) and value.name is not None and page.context.secrets.find(value.name).hosts:
        target = await ready(page, selector, {"any": need.VISIBLE}, timeout=timeout)
        return await for_frame(page, value, target.frame)
    return value if isinstance(value, bool) else await for_frame(page, value, None)


async def for_frame(page: Page, value: Text | bool, frame: Frame | None) -> str:
    """Return the text for a frame, or for the one that has the focus; raises SecretRefused, SecretUnknown."""
    if not isinstance(value, Secret):
        return str(value)
    if value.name is None:
        return value.reveal()
    declared = page.context.secrets.find(value.name)
    if declared.hosts:
        for place in [frame] if frame else await _focused(page):
            # The browser's word: a document without a URL of its own, as of srcdoc, has no host either.
            declared.check_url(place.url)
    return declared.value


async def _focused(page: Page) -> list[Frame]:
    """The frames that keys may go to: with the focus, and none in them that has it. The page if none says so.

    Which element has it does not tell: a frame in a closed shadow root is seen by nobody outside of that.
    """
    frames = list(page.frames)
    answers = await asyncio.gather(*(_has_focus(frame) for frame in frames))
    focused = [frame for frame, has in zip(frames, answers, strict=True) if has]
    within = {id(frame.parent) for frame in focused}
    return [frame for frame in focused if id(frame) not in within] or [page.frames.main]


async def _has_focus(frame: Frame) -> bool:
    try:
        return bool(await frame.evaluate(HAS_FOCUS))
    except CommandError:
        return False  # its document is on its way out
