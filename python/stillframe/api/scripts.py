"""Code on the page: what a page and a frame offer alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from stillframe.api.handles import ElementHandle, JSHandle, evaluate_on, handle_to
from stillframe.api.locator_actions import State
from stillframe.api.parts import PagePart, page_call
from stillframe.errors import ElementNotFound
from stillframe.settling import signals
from stillframe.tab import frames
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.javascript import caller_scripts, function_waits, page_elements
from stillframe.tab.javascript.caller_scripts import Given
from stillframe.tab.javascript.function_waits import Polling
from stillframe.tab.locating import selectors, waits


class Scripts(PagePart):
    """JavaScript in the own world of a page or of one of its frames.

    An expression or statements are run; if they come to a function that they do not assign, it is called with `arg`.
    """

    @property
    @abstractmethod
    def _frame(self) -> frames.Frame:
        """The frame that runs the scripts; raises ElementNotFound once it has left the page."""

    @abstractmethod
    def _within(self, selector: str) -> str:
        """Return a selector of the whole page for one of this part."""

    # -- scripts ---------------------------------------------------------------------------------

    @page_call
    async def evaluate(
        self, expression: str, arg: Any = None, *, user_gesture: bool = False, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Run JavaScript in the document's own world and return its value; a promise is awaited.

        `await page.evaluate("(rows) => rows.map(id => document.getElementById(id).value)", ["a", "b"])`.

        NaN, ±Infinity and -0 become floats; a BigInt, and a number without a fraction, an int. A Date becomes a
        datetime in UTC (a float of milliseconds beyond the years of Python, NaN if it is invalid), a RegExp a
        `re.Pattern` (a str if Python has no such expression), a URL a `urllib.parse.ParseResult`, an Error a `JsError`,
        a Map a dict and a Set a set (lists, of pairs for a Map, if Python cannot hash the content), an ArrayBuffer and
        a Uint8Array bytes, another typed array a list. undefined, functions and symbols become None. Nodes, documents
        and windows become `ref: <Node>`, `ref: <Document>` and `ref: <Window>`. Identical objects stay identical,
        cycles included.

        Args:
            expression: An expression, statements, or a function, which is called with `arg`.
            arg: None (null), True, False, str, numbers (an int beyond ±(2^53 - 1) becomes a BigInt), lists and tuples
                (Array), dicts with keys of str or int, sets (Set), bytes (Uint8Array), datetimes (Date; one without a
                time zone is local time), `re.Pattern` (RegExp), `urllib.parse.ParseResult` (URL), exceptions (Error)
                and handles, nested as you like and with cycles.
            user_gesture: Whether Chrome treats the script as if a person's click ran it: it may open a window that a
                popup blocker would refuse, copy to the clipboard, play sound or enter full screen.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            The value, as a Python value; that of a script that leaves the page itself arrives as well.

        Raises:
            ArgumentInvalid: `arg` holds anything else; the script has not run.
            HandleForeign: `arg` holds a handle of another frame or page.
            HandleReleased: `arg` holds a handle that was released.
            EvaluationFailed: The script throws, or is given an `arg` and is not a function.
            ContextLost: The document is replaced meanwhile.
            EvaluationTimeout: The script runs longer than `timeout_ms`; it is terminated, or its promise abandoned, and
                the page goes on, unless it hung before.
        """
        self._parts.settler.emit(signals.CallerScriptRan())
        return await caller_scripts.evaluate(
            self._frame, expression, Given(arg), user_gesture=user_gesture, deadline=Deadline.of_ms(timeout_ms)
        )

    @page_call
    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, user_gesture: bool = False, timeout_ms: float | None = CALL_MS
    ) -> JSHandle:
        """Run JavaScript as `evaluate` does, and return a handle to what it comes to; see `JSHandle`.

        Args:
            expression: An expression, statements, or a function, which is called with `arg`.
            arg: What the function is called with, as for `evaluate`.
            user_gesture: Whether Chrome treats the script as if a person's click ran it.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            EvaluationFailed: The script throws, or is given an `arg` and is not a function.
            ContextLost: The document is replaced meanwhile.
            EvaluationTimeout: The script runs longer than `timeout_ms`.
        """
        self._parts.settler.emit(signals.CallerScriptRan())
        made = await caller_scripts.evaluate_handle(
            self._frame, expression, Given(arg), user_gesture=user_gesture, deadline=Deadline.of_ms(timeout_ms)
        )
        return handle_to(self._parts, made)

    @page_call
    async def wait_for_function(
        self,
        expression: str,
        arg: Any = None,
        *,
        polling: Polling | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> JSHandle:
        """Wait until JavaScript comes to something true, and return a handle to that.

        `await page.wait_for_function("(least) => cart.items.length >= least", 3)`. The page itself looks again, and
        awaits a promise before the next look. The wait goes on in the next document if the page navigates, unless `arg`
        has a handle of the one before. A wait for a still page does not see it.

        Args:
            expression: An expression, statements, or a function, which is called with `arg`.
            arg: What the function is called with, as for `evaluate`.
            polling: When the page looks again: at each frame (`"raf"`, the default; ten times a second in a tab in the
                background), or after a number of ms.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            WaitTimeout: It does not come true within `timeout_ms`; the message has the last value.
            EvaluationFailed: The script throws.
            ArgumentInvalid: `arg` holds what no script can have.
        """
        self._parts.settler.emit(signals.CallerScriptRan())
        made = await function_waits.wait_for_function(
            self._tab, self._frame, expression, arg, polling=polling, deadline=Deadline.of_ms(timeout_ms)
        )
        return handle_to(self._parts, made)

    # -- elements by handles: locators are the better way ----------------------------------------

    @page_call
    async def query_selector(self, selector: str, *, timeout_ms: float | None = CALL_MS) -> ElementHandle | None:
        """Return a handle to the first element that matches now, or None; `locator(selector)` is the better way.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            SelectorInvalid: The selector does not parse.
        """
        return await self._first(selector)

    @page_call
    async def query_selector_all(self, selector: str, *, timeout_ms: float | None = CALL_MS) -> list[ElementHandle]:
        """Return a handle to each element that matches now; `locator(selector)` is the better way.

        Args:
            selector: What finds the elements.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            SelectorInvalid: The selector does not parse.
        """
        elements = await page_elements.all_matching(self._tab, self._within(selector))
        return [ElementHandle(self._parts, element) for element in elements]

    @page_call
    async def eval_on_selector(
        self, selector: str, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Call a function with the first element that matches now; `locator(selector).evaluate` is the better way.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            expression: The JavaScript function.
            arg: Its second argument; see `evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            The value, as `evaluate` returns it.

        Raises:
            ElementNotFound: Nothing matches now: the call waits for no element.
            EvaluationFailed: The function throws, or `expression` is not a function.
        """
        found = await self._first(selector)
        if found is None:
            raise ElementNotFound(
                f"nothing matches {selector!r} now; page.locator({selector!r}).evaluate waits for it", selector=selector
            )
        async with found:
            return await found.evaluate(expression, arg, timeout_ms=timeout_ms)

    @page_call
    async def eval_on_selector_all(
        self, selector: str, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS
    ) -> Any:
        """Call a function with all elements that match now; the same as `locator(selector).evaluate_all`.

        Args:
            selector: What finds the elements.
            expression: The JavaScript function, which gets an array.
            arg: Its second argument; see `evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Returns:
            The value, as `evaluate` returns it.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
        """
        with await page_elements.array_of(self._tab, self._within(selector)) as elements:
            return await evaluate_on(self._parts, elements, "elements", expression, arg, timeout_ms)

    @page_call
    async def wait_for_selector(
        self, selector: str, *, state: State = "visible", timeout_ms: float | None = CALL_MS
    ) -> ElementHandle | None:
        """Wait until a selector is in a `state`, and return a handle to its first element; None for one that is gone.

        `locator(selector).wait_for` is the better way, and needs no handle.

        Args:
            selector: What finds the element to wait for.
            state: The state to wait for: `visible`, `hidden` (or gone), `attached` or `detached`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            WaitTimeout: It does not happen within `timeout_ms`.
            SelectorInvalid: The selector does not parse.
        """
        await waits.wait_selector(self._tab, self._within(selector), state, Deadline.of_ms(timeout_ms))
        return None if state in ("hidden", "detached") else await self._first(selector)

    async def _first(self, selector: str) -> ElementHandle | None:
        selectors.parse(selector)
        elements = await page_elements.all_matching(self._tab, self._within(f"{selector} >> nth=0"))
        return ElementHandle(self._parts, elements[0]) if elements else None
