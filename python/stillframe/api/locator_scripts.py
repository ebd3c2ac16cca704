"""Scripts of the caller with the element of a locator, and handles to it."""

from __future__ import annotations

from typing import Any

from stillframe.api.handles import ElementHandle, JSHandle, evaluate_handle_on, evaluate_on
from stillframe.api.locator_reads import READ_MS
from stillframe.api.parts import PagePart, page_call
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.javascript import page_elements
from stillframe.tab.javascript.page_objects import PageObject


class LocatorScripts(PagePart):
    """What `Locator` lets scripts do with the element of its selector."""

    _selector: str

    @page_call
    async def evaluate(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Call a JavaScript function with the element and `arg` in the page's own world, and return its value.

        `await page.locator("#total").evaluate("(element, unit) => element.dataset[unit]", "cents")`. A promise is
        awaited.

        Args:
            expression: The JavaScript function.
            arg: Its second argument; see `Page.evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            The value, as `Page.evaluate` returns it.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
            EvaluationTimeout: The function runs longer than `timeout_ms`.
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
        """
        with await self._element(timeout_ms) as element:
            return await evaluate_on(self._parts, element, "element", expression, arg, timeout_ms)

    @page_call
    async def evaluate_all(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Call a JavaScript function with an array of all elements that match now, and `arg`; return its value.

        It waits for no element: the array may be empty.

        Args:
            expression: The JavaScript function.
            arg: Its second argument; see `Page.evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            The value, as `Page.evaluate` returns it.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
            EvaluationTimeout: The function runs longer than `timeout_ms`.
        """
        with await page_elements.array_of(self._tab, self._selector) as elements:
            return await evaluate_on(self._parts, elements, "elements", expression, arg, timeout_ms)

    @page_call
    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS
    ) -> JSHandle:
        """Call a function as `evaluate` does, and return a handle to what it returns; see `JSHandle`.

        Args:
            expression: The JavaScript function.
            arg: Its second argument; see `Page.evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
            EvaluationTimeout: The function runs longer than `timeout_ms`.
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
        """
        with await self._element(timeout_ms) as element:
            return await evaluate_handle_on(self._parts, element, "element", expression, arg, timeout_ms)

    @page_call
    async def element_handle(self, *, timeout_ms: float | None = READ_MS) -> ElementHandle:
        """Return a handle to the element, for scripts that take several elements; see `ElementHandle`."""
        return ElementHandle(self._parts, await self._element(timeout_ms))

    @page_call
    async def element_handles(self, *, timeout_ms: float | None = READ_MS) -> list[ElementHandle]:
        """Return a handle to each element that matches now, in document order; it waits for none."""
        elements = await page_elements.all_matching(self._tab, self._selector)
        return [ElementHandle(self._parts, element) for element in elements]

    async def _element(self, timeout_ms: float | None) -> PageObject:
        return await page_elements.one(self._tab, self._selector, deadline=Deadline.of_ms(timeout_ms))
