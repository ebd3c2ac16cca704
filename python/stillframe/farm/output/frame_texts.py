"""The text and the links of a page, each frame's where it stands, and what its own document asks of crawlers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from stillframe import Page
from stillframe.errors import CommandError
from stillframe.extend import Frame, PageState, page_state
from stillframe.injected import content_source, read

DEPTH = 5
"""How deep frames in frames are read; two levels are common; our choice."""
FRAME_MS = 5_000.0
"""How long the frames within a document may take to be read, in milliseconds: one that hangs must not cost the page."""

T = TypeVar("T")


class Asks(msgspec.Struct, frozen=True):
    """What the document of a page asks of crawlers, in its own words."""

    robots: list[str] = []
    canonical: str | None = None
    refresh: str | None = None
    nofollow: list[str] = []


class FrameContent(msgspec.Struct, kw_only=True, rename="camel"):
    """What one question to a document returns; `texts` are the parts of its text between which frames stand.

    `asks` is that of the page's own document, None for those of frames.
    """

    url: str
    title: str
    content_type: str
    texts: list[str]
    links: tuple[str, ...]
    text_truncated: bool
    links_truncated: bool
    asks: Asks | None = None

    @property
    def text(self) -> str:
        """The parts as one text."""
        return "\n".join(filter(str.strip, self.texts)) if len(self.texts) > 1 else self.texts[0]


async def read_content(page: Page, characters: int, links: int, *, timeout_ms: float) -> FrameContent:
    """Return what a page shows, frames included, without the secrets of its context."""
    state = page_state(page)
    content = await _read(state, state.frames.main, (characters, links), timeout_ms)
    text = content.text
    content.texts = [text[:characters]]
    content.text_truncated |= len(text) > characters
    unique = tuple(dict.fromkeys(content.links))
    content.links = unique[:links]
    content.links_truncated |= len(unique) > links
    return content


async def _read(
    state: PageState, frame: Frame, limits: tuple[int, int], timeout_ms: float, depth: int = 0
) -> FrameContent:
    content = await _asked(state, frame, limits, timeout_ms)
    if len(content.texts) == 1:
        return content
    inner = await _inner(state, frame, limits, depth)
    parts = content.texts[:1]
    for found, after in zip(_padded(inner, len(content.texts) - 1), content.texts[1:], strict=True):
        parts.append("" if found is None else found.text)
        parts.append(after)
        content.text_truncated |= found is None or found.text_truncated
        if found is not None:
            content.links += found.links
            content.links_truncated |= found.links_truncated
    content.texts = parts
    return content


async def _asked(state: PageState, frame: Frame, limits: tuple[int, int], timeout_ms: float) -> FrameContent:
    characters, links = limits
    question = content_source(max_text=characters, max_links=links)
    answer = await frame.evaluate(question, timeout=timeout_ms / 1000)
    return msgspec.convert(whole(state.redact(answer)), FrameContent)


async def read_asks(page: Page, *, timeout_ms: float) -> Asks | None:
    """Return only what the document of a page asks of crawlers."""
    state = page_state(page)
    return (await _asked(state, state.frames.main, (0, 0), timeout_ms)).asks


async def _inner(state: PageState, frame: Frame, limits: tuple[int, int], depth: int) -> list[FrameContent | None]:
    """Return what the frames that a document shows hold, None for those that cannot be read."""
    if depth == DEPTH:
        return []
    try:
        nodes = await frame.world().call_nodes(read("shown_frames"))
    except CommandError:
        return []
    frames = {each.id: each for each in state.frames}
    shown = [frames.get(node.frame_id or "") for node in nodes]
    return await asyncio.gather(*(_held(state, each, limits, depth + 1) for each in shown))


async def _held(state: PageState, frame: Frame | None, limits: tuple[int, int], depth: int) -> FrameContent | None:
    if frame is None:
        return _NOTHING  # an object or a plug-in, which holds no document
    try:
        return await _read(state, frame, limits, FRAME_MS, depth)
    except CommandError:
        return None


def _padded(found: list[FrameContent | None], count: int) -> Iterable[FrameContent | None]:
    return [*found[:count], *[None] * (count - len(found))]


_NOTHING = FrameContent(
    url="", title="", content_type="", texts=[""], links=(), text_truncated=False, links_truncated=False
)


def whole(value: T) -> T:
    """Return a JSON-like value in which half surrogates, which JSON cannot have, are replaced by U+FFFD."""
    changed: Any = value
    if isinstance(value, str):
        changed = value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    elif isinstance(value, dict):
        changed = {key: whole(one) for key, one in value.items()}
    elif isinstance(value, list):
        changed = [whole(one) for one in value]
    return changed  # type: ignore[no-any-return]
