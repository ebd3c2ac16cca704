"""One call for one read: what a page or a frame reads from the element of a selector."""

from __future__ import annotations

from abc import ABC

from stillframe.api.locator import Finding
from stillframe.api.locator_reads import READ_MS
from stillframe.model.playwright_parameters import name_parameters


@name_parameters
class SelectorReads(Finding, ABC):
    """The reads of a page or a frame: those of `locator(selector)`, which documents what they wait for and raise."""

    async def inner_text(self, selector: str, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the text of an element as it is rendered (`innerText`).

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).inner_text(timeout_ms=timeout_ms)

    async def text_content(self, selector: str, *, timeout_ms: float | None = READ_MS) -> str:
        """Return all text in an element (`textContent`), rendered or not.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).text_content(timeout_ms=timeout_ms)

    async def inner_html(self, selector: str, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the content of an element as HTML (`innerHTML`).

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).inner_html(timeout_ms=timeout_ms)

    async def input_value(self, selector: str, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the value of a field, a select or an editable element.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).input_value(timeout_ms=timeout_ms)

    async def get_attribute(self, selector: str, name: str, *, timeout_ms: float | None = READ_MS) -> str | None:
        """Return an attribute of an element as the document has it; None if it has no such attribute.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            name: The name of the attribute.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).get_attribute(name, timeout_ms=timeout_ms)

    async def is_visible(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether an element is rendered now; False if nothing matches.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_visible(timeout_ms=timeout_ms)

    async def is_hidden(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether an element is not rendered now, or nothing matches.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_hidden(timeout_ms=timeout_ms)

    async def is_enabled(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether an element, and all that it is part of, is not disabled.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_enabled(timeout_ms=timeout_ms)

    async def is_disabled(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether an element, or anything that it is part of, is disabled.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_disabled(timeout_ms=timeout_ms)

    async def is_editable(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether a field, a select or an editable element is neither disabled nor read-only.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_editable(timeout_ms=timeout_ms)

    async def is_checked(self, selector: str, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether a checkbox, a radio button, a switch or an option is checked.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.
        """
        return await self.locator(selector).is_checked(timeout_ms=timeout_ms)
