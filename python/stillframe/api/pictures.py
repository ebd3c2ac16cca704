"""Take a picture with what a caller asks of it; pages and locators do it in the same way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict

from stillframe.errors import OptionInvalid
from stillframe.model.playwright_parameters import option_error
from stillframe.tab.deadline import Deadline
from stillframe.tab.reading import picture, screenshot
from stillframe.tab.saving import saved
from stillframe.tab.tab import Tab


class PictureKeywords(TypedDict, total=False):
    """The options of `Page.screenshot` that say how a picture is taken, and not of what."""

    format: screenshot.ImageFormat | None
    type: screenshot.ImageFormat | None
    """Playwright's name of `format`."""
    quality: int | None
    mask_color: str
    animations: picture.Animations
    caret: picture.Caret
    omit_background: bool
    scale: picture.Scale
    style: str


async def take(  # noqa: PLR0913  by keyword
    tab: Tab,
    path: str | os.PathLike[str] | None,
    deadline: Deadline,
    options: PictureKeywords,
    *,
    full_page: bool = False,
    clip: screenshot.Clip | None = None,
    selector: str | None = None,
    mask: Sequence[str] = (),
) -> bytes:
    """Return a picture, which is also written to `path`; raises what `Page.screenshot` raises."""
    for name in options:
        if name not in PictureKeywords.__annotations__:
            raise option_error("screenshot", name, PictureKeywords.__annotations__)
    taken = await screenshot.screenshot(
        tab,
        format=screenshot.format_of(_one_format(options.get("format"), options.get("type")), path),
        quality=options.get("quality"),
        full_page=full_page,
        clip=clip,
        selector=selector,
        picture=picture.ScreenshotStyle(
            animations=options.get("animations", "allow"),
            caret=options.get("caret", "initial"),
            mask=tuple(mask),
            mask_color=options.get("mask_color", picture.MASK_COLOR),
            omit_background=options.get("omit_background", False),
            scale=options.get("scale", "device"),
            style=options.get("style", ""),
        ),
        deadline=deadline,
    )
    return await saved(taken, path)


def _one_format(
    format: screenshot.ImageFormat | None, type: screenshot.ImageFormat | None
) -> screenshot.ImageFormat | None:
    if None not in (format, type) and format != type:
        raise OptionInvalid(f"option type: {type!r} is not the format {format!r}; give one of the two", option="type")
    return format or type
