"""The public face of a frame."""

from __future__ import annotations

import re
from collections.abc import Callable

from stillframe.api.actions import SelectorActions
from stillframe.api.document_calls import DocumentCalls
from stillframe.api.frame_waits import FrameWaits, UrlPattern, url_test
from stillframe.api.handles import ElementHandle
from stillframe.api.locator import locator_of_node
from stillframe.api.parts import PartOfPage, page_call
from stillframe.api.scripts import Scripts
from stillframe.api.webmcp import WebMCP
from stillframe.cdp_types import dom
from stillframe.engine.page_parts import PageParts
from stillframe.errors import ElementNotFound, OptionInvalid
from stillframe.tab import frames
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.locating.locate import url_matches
from stillframe.tab.reading import reading


class Frame(SelectorActions, Scripts, DocumentCalls, FrameWaits, PartOfPage):
    """A frame of a page, in whatever process. It outlives the documents it shows; see `Page.frames`.

    Selectors are looked for in this frame alone. Two objects for the same frame are equal.
    """

    def __init__(self, parts: PageParts, frame_id: str, known: frames.Frame | None = None) -> None:
        super().__init__(parts)
        self._id = frame_id
        self._known = known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and (other._tab, other._id) == (self._tab, self._id)

    def __hash__(self) -> int:
        return hash((id(self._tab), self._id))

    def __repr__(self) -> str:
        return f"Frame({self._id[:8]}, {self._tab.context.redaction.redact(self.url)!r})"

    # -- what it is ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The `name` of the frame's element when the frame began; "" for the main frame."""
        frame = self._last_known()
        return frame.name if frame else ""

    @property
    def url(self) -> str:
        """The URL of the document, fragment included."""
        frame = self._last_known()
        return frame.url if frame else self._tab.url

    @property
    def detached(self) -> bool:
        """Whether the frame has left the page; its calls fail then."""
        return self._tab.closed or (self._tab.attached and self._id not in self._tab.frames.by_id)

    @property
    def parent(self) -> Frame | None:
        """The frame around this one; None for the main frame."""
        frame = self._last_known()
        return None if frame is None or frame.parent is None else Frame(self._parts, frame.parent.id)

    @property
    def children(self) -> list[Frame]:
        """The frames directly in this one, in the order in which they were attached."""
        frame = self._last_known()
        return [Frame(self._parts, child) for child in frame.children] if frame else []

    @property
    def parent_frame(self) -> Frame | None:
        """The frame around this one, as `parent` is."""
        return self.parent

    @property
    def child_frames(self) -> list[Frame]:
        """The frames directly in this one, as `children` are."""
        return self.children

    def is_detached(self) -> bool:
        """Return whether the frame has left the page, as `detached` says."""
        return self.detached

    # -- reading ---------------------------------------------------------------------------------

    @page_call
    async def content(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the document of the frame as HTML, as `Page.content` does."""
        return await reading.markup(self._tab, self._frame, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def title(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the title of the frame's document.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await reading.title(self._tab, self._frame, deadline=Deadline.of_ms(timeout_ms))

    @property
    def webmcp(self) -> WebMCP:
        """The tools that this frame offers to agents; see `Page.webmcp`."""
        return WebMCP(self._parts, self._id)

    @page_call
    async def frame_element(self, *, timeout_ms: float | None = CALL_MS) -> ElementHandle:
        """Return a handle to the element whose document this frame shows, an `iframe` as a rule.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: It is the main frame, which has none.
            ElementNotFound: The frame has left the page.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        frame = self._frame
        if frame.parent is None:
            raise OptionInvalid("the main frame has no element: it is the page itself", option="frame")
        owner = await frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
        element = locator_of_node(self._parts, frame.parent, owner.backend_node_id)
        return await element.element_handle(timeout_ms=timeout_ms)

    # -- finding it ------------------------------------------------------------------------------

    @property
    def _frame_id(self) -> str:
        return self._id

    def _last_known(self) -> frames.Frame | None:
        if self._tab.attached:
            self._known = self._tab.frames.by_id.get(self._id, self._known)
        return self._known

    @property
    def _frame(self) -> frames.Frame:
        frame = self._tab.frames.by_id.get(self._id)
        if frame is None:
            raise ElementNotFound("the frame has left the page; take another one from page.frames", selector="")
        return frame

    @property
    def _place(self) -> str:
        return "" if self._id == self._tab.target_id else f"frame=id={self._id}"


def frames_of(parts: PageParts) -> list[Frame]:
    """Return all frames of a page, the main frame first."""
    if not parts.tab.attached:
        return [main_frame_of(parts)]
    return [Frame(parts, frame.id) for frame in parts.tab.frames]


def main_frame_of(parts: PageParts) -> Frame:
    """Return the top frame of a page."""
    return Frame(parts, parts.tab.target_id)


def frame_of(parts: PageParts, name: str | None, url: UrlPattern | None) -> Frame | None:
    """Return the first frame of that name, or with such a URL; raises OptionInvalid unless one of them is given."""
    if (name is None) == (url is None):
        raise OptionInvalid("page.frame takes exactly one of name and url", option="name")
    fits = (lambda frame: frame.name == name) if url is None else _with_url(url)
    return next((frame for frame in frames_of(parts) if fits(frame)), None)


def _with_url(url: UrlPattern) -> Callable[[Frame], object]:
    """Return a test for frames; unlike that of other calls, a text is a part of the URL and not a glob of it."""
    if isinstance(url, str):
        return lambda frame: url and url_matches(url, frame.url)
    if not (isinstance(url, re.Pattern) or callable(url)):
        raise OptionInvalid(
            f"option url: {url!r} is not a text, a compiled regular expression or a function", option="url"
        )
    fits = url_test(url)
    return lambda frame: fits(frame.url)
