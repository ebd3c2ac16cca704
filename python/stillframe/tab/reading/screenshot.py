"""Screenshots and PDFs of a page."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import math
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from stillframe.cdp_types import dom, emulation, io
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    CdpError,
    CommandError,
    CommandTimeout,
    ElementHidden,
    OptionInvalid,
    SecretShown,
    StillframeError,
)
from stillframe.injected import elements
from stillframe.model.suggest import did_you_mean
from stillframe.tab.context.emulation import metrics
from stillframe.tab.context.options import Viewport
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.drawing import DRAWN_S, drawn
from stillframe.tab.hung_gpu import restarted_if_hung
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate
from stillframe.tab.reading import shown_secrets
from stillframe.tab.reading.paper import NAMES, in_inches
from stillframe.tab.reading.picture import ScreenshotStyle
from stillframe.tab.reading.shown_secrets import Box, shown

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

ImageFormat = Literal["png", "jpeg", "webp"]
FORMATS: tuple[str, ...] = ("png", "jpeg", "webp")

MAX_PIXELS = 16_384
"""Device pixels per side: the largest texture; beyond it Chrome repeats content."""

PDF_CHUNK = 1 << 20
"""Bytes per read of a PDF."""

PDF_FIELDS = tuple(name for name in cdp_page.PrintToPDF.__struct_fields__ if name != "transfer_mode")

CAPTURE_TIMEOUT = CALL_MS / 1000
"""Seconds; a screenshot takes some 30 ms, a PDF of a long document seconds."""

PATIENCE_S = 10.0
PATIENCE_SHARE = 1 / 3
"""Seconds, or share of its time limit, after which it is checked whether a screenshot can come at all; of a large page
without a GPU it takes seconds."""

BACK_S = 0.3
"""Seconds for a page to restore its size after a screenshot, and as many to scroll back; it takes some ms."""

INVALID_PARAMETERS = -32602
RANGE_PROBLEM = "Page range"
"""How Chrome's complaint about page ranges begins; its error number is shared with other failures."""

UNDRAWN_S = 0.5
"""Seconds for a picture before the tab is made to draw itself; a tab that shows takes some 30 ms."""

BEYOND = "Page.captureScreenshot(captureBeyondViewport)"
"""Before, the area has to be in view."""
VIEW = "[visualViewport.pageLeft, visualViewport.pageTop, visualViewport.width, visualViewport.height]"
CONTENT_SIZE = (
    "((page) => [page.scrollWidth, page.scrollHeight])(document.scrollingElement || document.documentElement)"
)
"""What `Page.getLayoutMetrics` says in CSS pixels only from Chrome 91 on."""

Clip = Mapping[str, float] | Sequence[float]

PLAIN = ScreenshotStyle()
"""A picture of the page as it is."""

SUFFIXES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
"""The formats of files by the ends of their names."""


def format_of(format: ImageFormat | None, path: str | os.PathLike[str] | None) -> ImageFormat:
    """Return the format of a picture: the given one, that of the file's name, or png; raises OptionInvalid."""
    if format is not None or path is None:
        return format or "png"
    suffix = PurePath(path).suffix
    if suffix.lower() not in SUFFIXES:
        raise OptionInvalid(
            f"option path: {str(path)!r} does not end with a known format ({', '.join(SUFFIXES)}); give the format",
            option="path",
        )
    return SUFFIXES[suffix.lower()]  # type: ignore[return-value]


async def screenshot(  # noqa: PLR0913  by keyword
    tab: Tab,
    *,
    format: ImageFormat = "png",
    quality: int | None = None,
    full_page: bool = False,
    clip: Clip | None = None,
    selector: str | None = None,
    picture: ScreenshotStyle = PLAIN,
    deadline: Deadline,
) -> bytes:
    """Return a screenshot of the page; see `Page.screenshot`."""
    _check(format, quality, full_page, clip, selector)
    picture.check(format)
    if selector is not None:
        clip = await _box(tab, selector, deadline)
    area = await _area(tab, full_page, clip)
    shrink = 1.0 if picture.scale == "device" else 1 / await tab.frames.main.evaluate("devicePixelRatio")
    async with picture.taken_of(tab, deadline):
        if tab.redactor:
            return await _masked(tab, format, quality, area, deadline, shrink)
        if shrink != 1.0:
            area = msgspec.structs.replace(area or _whole(await _view(tab)), scale=shrink)
        return await _taken(tab, format, quality, area, deadline)


def _whole(view: Box) -> cdp_page.Viewport:
    return cdp_page.Viewport(x=view.x, y=view.y, width=view.width, height=view.height, scale=1)


async def _taken(
    tab: Tab, format: ImageFormat, quality: int | None, area: cdp_page.Viewport | None, deadline: Deadline
) -> bytes:
    # Chrome runs concurrent screenshots of several tabs one after the other, and they time out.
    async with tab.context.painting:
        if not tab.drawing.alone:
            # Without it, Chrome answers for a tab behind another one only when that is closed (Chromium 156).
            await tab.session.send(cdp_page.BringToFront(), timeout=deadline.left_s)
        box = None if area is None else Box(area.x, area.y, area.width, area.height)
        view = await _view(tab)
        command = cdp_page.CaptureScreenshot(format=format, quality=quality, clip=area)
        if box is None or _fits(box, view) or not tab.context.capabilities.has(BEYOND):
            async with _in_view(tab, box):
                return await _captured(tab, command, deadline)
        async with _resizing(tab):
            beyond = msgspec.structs.replace(command, capture_beyond_viewport=True)
            return await _captured(tab, beyond, deadline)


async def _captured(tab: Tab, command: cdp_page.CaptureScreenshot, deadline: Deadline) -> bytes:
    """Return Chrome's picture.

    A tab that has not drawn itself for a while is made to, as one in a minimized window. Where the GPU process hangs,
    the picture is taken again after its restart.
    """
    picture = tab.session.post(command, timeout=deadline.left_s)
    try:
        await asyncio.wait([picture], timeout=UNDRAWN_S)
        with contextlib.nullcontext() if picture.done() else tab.drawing.forced():
            return await _awaited(tab, command, picture, deadline)
    finally:
        picture.cancel()


async def _awaited(
    tab: Tab,
    command: cdp_page.CaptureScreenshot,
    picture: asyncio.Future[cdp_page.CaptureScreenshotResult],
    deadline: Deadline,
) -> bytes:
    found = ""
    try:
        await asyncio.wait([picture], timeout=min(PATIENCE_S, PATIENCE_SHARE * deadline.timeout))
        found = "" if picture.done() else await restarted_if_hung(tab, deadline.within(deadline.left_s / 2))
        reply = await (tab.session.send(command, timeout=deadline.left_s) if found else picture)
    except CommandTimeout as error:
        if found:
            error.args = (f"{error}; {found}",)
        raise
    return base64.b64decode(reply.data)


@asynccontextmanager
async def _resizing(tab: Tab) -> AsyncIterator[None]:
    """Keep the events of what resizes the page inside the block from it and its frames."""
    main, *inner = tab.frames.main.walk()
    await _in_frames([main, *inner], elements.hide_resizes())
    try:
        yield
    finally:
        # Frames that are out of view draw nothing, so nobody waits until they have.
        await _in_frames(inner, elements.begin_to_show_resizes())
        await _in_frames([main], elements.show_resizes())


async def _in_frames(frames: Sequence[Frame], call: Call) -> None:
    """Call a function in each frame; those that do not answer are left as they are."""
    calls = (frame.call(call, timeout=DRAWN_S) for frame in frames)
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(outcome, BaseException) and not isinstance(outcome, StillframeError):
            raise outcome


async def _masked(
    tab: Tab,
    format: ImageFormat,
    quality: int | None,
    area: cdp_page.Viewport | None,
    deadline: Deadline,
    shrink: float,
) -> bytes:
    """Take a screenshot with everything that shows a secret before or after it painted over."""
    found = await shown(tab, tab.redactor)
    if not found:
        scaled = area if shrink == 1.0 else msgspec.structs.replace(area or _whole(await _view(tab)), scale=shrink)
        picture = await _taken(tab, format, quality, scaled, deadline)
        found = await shown(tab, tab.redactor)
        if not found:
            return picture
    shown_secrets.require_pillow()
    wanted = None if area is None else Box(area.x, area.y, area.width, area.height)
    async with _in_view(tab, wanted) as (view, moved):
        before = await shown(tab, tab.redactor) if moved else found
        picture = await _taken(tab, "png", None, None, deadline)
        boxes = [*before, *await shown(tab, tab.redactor)]
    return await asyncio.to_thread(
        shown_secrets.painted, picture, boxes, view, wanted, format=format, quality=quality, shrink=shrink
    )


@asynccontextmanager
async def _in_view(tab: Tab, area: Box | None) -> AsyncIterator[tuple[Box, bool]]:
    """Bring an area into view; yields the view, and whether the page was moved, which shifts what is out of view.

    If the area is larger than the view, the page temporarily gets a larger window, as Chrome does for screenshots
    beyond the viewport. Otherwise the page is scrolled and keeps its size.
    """
    view = await _view(tab)
    if area is None or area.within(view) == area:
        yield view, False
        return
    if _fits(area, view):
        async with _scrolled_to(tab, area, view) as moved:
            if area.within(moved) == area:  # it may be beyond the end of the page
                yield moved, True
                return
    scrolled = await tab.frames.main.evaluate("[scrollX, scrollY]")
    viewport = tab.viewport or Viewport(width=round(view.width), height=round(view.height))
    width, height = max(viewport.width, area.x + area.width), max(viewport.height, area.y + area.height)
    large = msgspec.structs.replace(viewport, width=math.ceil(width), height=math.ceil(height))
    async with _resizing(tab):
        try:
            await tab.session.send(metrics(large))
            await tab.frames.main.evaluate("scrollTo({left: 0, top: 0, behavior: 'instant'})")
            yield await _view(tab), True
        finally:
            back = metrics(tab.viewport) if tab.viewport else emulation.ClearDeviceMetricsOverride()
            with contextlib.suppress(CommandError):
                await tab.session.send(back, timeout=BACK_S)
                await tab.frames.main.call(elements.scroll_page(*scrolled), timeout=BACK_S)


def _fits(area: Box, view: Box) -> bool:
    return area.width <= view.width and area.height <= view.height


@asynccontextmanager
async def _scrolled_to(tab: Tab, area: Box, view: Box) -> AsyncIterator[Box]:
    """Scroll the page as little as it takes to have an area in view, and back after the block; yields the view."""
    main = tab.frames.main
    back = await main.evaluate("[scrollX, scrollY]")
    left = _nearest(area.x, area.width, view.x, view.width)
    top = _nearest(area.y, area.height, view.y, view.height)
    try:
        await main.call(elements.scroll_page(left, top))
        await drawn(main)  # frames of other processes draw nothing before they come into view
        yield await _view(tab)
    finally:
        with contextlib.suppress(CommandError):
            await main.call(elements.scroll_page(*back), timeout=BACK_S)


def _nearest(start: float, length: float, at: float, size: float) -> int:
    """Return the scroll offset nearest to `at` that has a range in view; Chrome rounds others."""
    return math.floor(start) if start < at else max(math.floor(at), math.ceil(start + length - size))


async def _view(tab: Tab) -> Box:
    view = (await tab.session.send(cdp_page.GetLayoutMetrics())).css_visual_viewport
    if view is None:
        return Box(*await tab.frames.main.evaluate(VIEW))
    return Box(view.page_x, view.page_y, view.client_width, view.client_height)


async def _content_size(tab: Tab) -> tuple[float, float]:
    """Return width and height of the whole page in CSS pixels."""
    size = (await tab.session.send(cdp_page.GetLayoutMetrics())).css_content_size
    if size is None:
        width, height = await tab.frames.main.evaluate(CONTENT_SIZE)
        return width, height
    return size.width, size.height


async def pdf(tab: Tab, options: Mapping[str, Any], *, deadline: Deadline) -> bytes:
    """Return the page as a PDF; see `Page.pdf`."""
    command = _pdf_command(options)
    if tab.redactor and await shown(tab, tab.redactor):
        raise SecretShown("the PDF would show a secret, and a PDF cannot be painted over; take a screenshot instead")
    try:
        reply = await tab.session.send(command, timeout=deadline.left_s)
    except CdpError as error:
        if error.number == INVALID_PARAMETERS or error.text.startswith(RANGE_PROBLEM):
            raise OptionInvalid(f"pdf: {error.text}", option="pdf") from None
        raise
    assert reply.stream is not None  # transfer_mode requests a stream
    return await read_stream(tab, reply.stream)


async def read_stream(tab: Tab, handle: str) -> bytes:
    """Read a stream of the browser to its end and close it."""
    content = bytearray()
    try:
        while True:
            part = await tab.session.send(io.Read(handle=handle, size=PDF_CHUNK))
            content += base64.b64decode(part.data) if part.base64_encoded else part.data.encode()
            if part.eof:
                return bytes(content)
    finally:
        tab.session.post(io.Close(handle=handle))


def _check(format: str, quality: int | None, full_page: bool, clip: Clip | None, selector: str | None) -> None:
    if format not in FORMATS:
        hint = did_you_mean(str(format), FORMATS)
        raise OptionInvalid(f"format is {format!r}{hint}; known: {', '.join(FORMATS)}", option="format")
    if quality is not None and (format == "png" or not 0 <= quality <= 100):
        raise OptionInvalid(
            f"quality is {quality} for {format}: it must be 0 to 100, for jpeg and webp", option="quality"
        )
    if full_page + (clip is not None) + (selector is not None) > 1:
        raise OptionInvalid(
            "full_page, clip and selector are mutually exclusive", option="selector" if selector else "clip"
        )


async def _box(tab: Tab, selector: str, deadline: Deadline) -> tuple[float, float, float, float]:
    """Return the box of an element in CSS pixels of the top document."""
    element = await locate(tab, selector, deadline.within(tab.timeouts.finding_s(ACTION_TIMEOUT)))
    x, y, width, height = await element.call(elements.box_nearest())
    frame = element.frame
    element.forget()
    if not (width and height):
        raise ElementHidden(f"{selector} has no size, so a screenshot of it would be empty", selector=selector)
    if frame.session is not tab.session:
        await drawn(frame)  # Chrome draws none of another process that is out of view
    while frame.parent is not None:
        place = await frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
        owner = await frame.parent.handle(place.backend_node_id)
        left, top = await owner.call(elements.content_position())
        x, y, frame = x + left, y + top, frame.parent
        owner.forget()
    scrolled = await frame.evaluate("[scrollX, scrollY]")
    return max(0, x + scrolled[0]), max(0, y + scrolled[1]), width, height


async def _area(tab: Tab, full_page: bool, clip: Clip | None) -> cdp_page.Viewport | None:
    if clip is not None:
        area = _viewport(clip)
    elif full_page:
        width, height = await _content_size(tab)
        area = cdp_page.Viewport(x=0, y=0, width=width, height=height, scale=1)
    else:
        return None
    ratio = await tab.frames.main.evaluate("devicePixelRatio")
    if max(area.width, area.height) * ratio > MAX_PIXELS:
        raise OptionInvalid(
            f"a screenshot of {area.width:g} × {area.height:g} CSS pixels at {ratio:g} device pixels each exceeds "
            f"Chrome's limit of {MAX_PIXELS} device pixels per side; take parts of it with clip",
            option="clip" if clip is not None else "full_page",
        )
    return area


def _viewport(clip: Clip) -> cdp_page.Viewport:
    try:
        named = dict(clip) if isinstance(clip, Mapping) else dict(zip(_CLIP_FIELDS, clip, strict=True))
        area = msgspec.convert(named | {"scale": 1}, cdp_page.Viewport)
        known = set(named) == set(_CLIP_FIELDS)
    except (ValueError, TypeError, msgspec.ValidationError):
        known = False
    if not known or area.width <= 0 or area.height <= 0:
        raise OptionInvalid(f"clip is {clip!r}: it must have x, y, width and height in CSS pixels", option="clip")
    return area


_CLIP_FIELDS = ("x", "y", "width", "height")


def _pdf_command(options: Mapping[str, Any]) -> cdp_page.PrintToPDF:
    known = (*NAMES, *PDF_FIELDS)
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionInvalid(f"unknown option {name!r}{hint}; known: {', '.join(known)}", option=name)
    command = cdp_page.PrintToPDF(**in_inches(options), transfer_mode="ReturnAsStream")
    try:
        # Building a Struct does not check types; a round trip does.
        return msgspec.convert(msgspec.to_builtins(command), cdp_page.PrintToPDF)
    except msgspec.ValidationError as error:
        raise OptionInvalid(f"pdf: {error}", option="pdf") from None
