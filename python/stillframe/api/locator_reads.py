"""What a locator reads from the element of its selector, or from all that match."""

from __future__ import annotations

from typing import Any, TypedDict

from stillframe.api.parts import PagePart, page_call
from stillframe.model.playwright_parameters import name_parameters
from stillframe.tab.deadline import Deadline, DefaultMs
from stillframe.tab.locating.locate import ACTION_TIMEOUT
from stillframe.tab.reading import reading
from stillframe.tab.reading.reading import Box

READ_MS = DefaultMs(ACTION_TIMEOUT * 1000)
"""Milliseconds that a read waits for its element."""


class FloatRect(TypedDict):
    """A rectangle in CSS pixels, from the top left of the page's viewport."""

    x: float
    y: float
    width: float
    height: float


@name_parameters
class LocatorReads(PagePart):
    """What `Locator` reads; the reads of pages and frames go through these."""

    _selector: str

    @page_call
    async def text(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the text of the element as it is rendered (`innerText`); of one that is not rendered all its text."""
        return str(await self._read("text", timeout_ms))

    @page_call
    async def value(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the value of an input, a text area, a select or an editable element, or of the one that a label names.

        Of a password, or another field that hides its text, it is `••••` where there is any and "" where there is none.

        Args:
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementUnsuitable: The element has no value.
        """
        return str(await self._read("value", timeout_ms))

    @page_call
    async def attribute(self, name: str, *, timeout_ms: float | None = READ_MS) -> str | None:
        """Return an attribute of the element as the document has it; None if it has no such attribute.

        Args:
            name: The name of the attribute.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
        """
        value: str | None = await self._read("attribute", timeout_ms, name)
        return value

    @page_call
    async def count(self, *, timeout_ms: float | None = READ_MS) -> int:
        """Return how many elements match now. It waits for none; `timeout_ms` is for a page that does not answer."""
        return await reading.count(self._tab, self._selector, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def is_visible(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element is rendered now; False if nothing matches.

        Args:
            timeout_ms: The limit for a page that does not answer, in ms: the call waits for no element.

        Raises:
            AmbiguousSelector: Several elements match the selector.
        """
        return await reading.is_visible(self._tab, self._selector, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def is_enabled(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element, and all that it is part of, is not disabled."""
        return bool(await self._read("enabled", timeout_ms))

    @page_call
    async def is_checked(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether a checkbox, a radio button, a switch or an option is checked; one that is mixed is not.

        Args:
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementUnsuitable: The element cannot be checked.
        """
        return bool(await self._read("checked", timeout_ms))

    @page_call
    async def box(self, *, timeout_ms: float | None = READ_MS) -> Box | None:
        """Return the rectangle of the element in CSS pixels from the top left of the page's viewport, or None.

        It may lie outside of the viewport: nothing is scrolled. It is None for an element that is not rendered.
        """
        return await reading.box(self._tab, self._selector, deadline=Deadline.of_ms(timeout_ms))

    # -- the names that Playwright has -----------------------------------------------------------

    async def inner_text(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the text of the element as it is rendered (`innerText`), as `text` does."""
        return await self.text(timeout_ms=timeout_ms)

    @page_call
    async def text_content(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return all text in the element (`textContent`), rendered or not, without that of shadow roots."""
        return str(await self._read("content", timeout_ms))

    @page_call
    async def inner_html(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the content of the element as HTML (`innerHTML`), without shadow roots and frames."""
        return str(await self._read("html", timeout_ms))

    async def input_value(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the value of a field, as `value` does."""
        return await self.value(timeout_ms=timeout_ms)

    async def get_attribute(self, name: str, *, timeout_ms: float | None = READ_MS) -> str | None:
        """Return an attribute of the element, or None, as `attribute` does.

        Args:
            name: The name of the attribute.
            timeout_ms: The limit of the call, in ms: 3,000 by default; None for no limit.
        """
        return await self.attribute(name, timeout_ms=timeout_ms)

    async def bounding_box(self, *, timeout_ms: float | None = READ_MS) -> FloatRect | None:
        """Return the rectangle of the element as a dict of x, y, width and height, or None; see `box`."""
        box = await self.box(timeout_ms=timeout_ms)
        return None if box is None else FloatRect(x=box.x, y=box.y, width=box.width, height=box.height)

    async def is_hidden(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element is not rendered now, or nothing matches; see `is_visible`."""
        return not await self.is_visible(timeout_ms=timeout_ms)

    async def is_disabled(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element, or anything that it is part of, is disabled."""
        return not await self.is_enabled(timeout_ms=timeout_ms)

    @page_call
    async def is_editable(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether a field, a select or an editable element is neither disabled nor read-only.

        Args:
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementUnsuitable: Nobody could edit the element.
        """
        return bool(await self._read("editable", timeout_ms))

    @page_call
    async def all_inner_texts(self, *, timeout_ms: float | None = READ_MS) -> list[str]:
        """Return the text of each element that matches now, as it is rendered, in one round trip; see `count`."""
        return await self._read_all("text", timeout_ms)

    @page_call
    async def all_text_contents(self, *, timeout_ms: float | None = READ_MS) -> list[str]:
        """Return all text in each element that matches now, rendered or not, in one round trip; see `count`."""
        return await self._read_all("content", timeout_ms)

    # -- how -------------------------------------------------------------------------------------

    async def _read(self, what: reading.Reading, timeout_ms: float | None, name: str = "") -> Any:
        return await reading.read(self._tab, self._selector, what, name=name, deadline=Deadline.of_ms(timeout_ms))

    async def _read_all(self, what: reading.Reading, timeout_ms: float | None) -> list[str]:
        return await reading.read_all(self._tab, self._selector, what, deadline=Deadline.of_ms(timeout_ms))
