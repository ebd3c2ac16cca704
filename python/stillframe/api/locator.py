"""Locators: a selector on a page, looked for again by every call."""

from __future__ import annotations

from typing import Any, Unpack

from stillframe.api.actions import State
from stillframe.api.handles import ElementHandle, JSHandle, evaluate_handle_on, evaluate_on
from stillframe.api.parts import PagePart, PageParts, default_limit, page_call
from stillframe.model.actions import (
    Button,
    Check,
    Click,
    Direction,
    DoubleClick,
    DragTo,
    Edge,
    Focus,
    Hover,
    LongPress,
    Modifiers,
    Offset,
    Paths,
    Position,
    PressKey,
    Scroll,
    ScrollTo,
    SelectOption,
    SelectText,
    SetValue,
    Swipe,
    Tap,
    Texts,
    TypeText,
    Uncheck,
    UploadFile,
    WaitFor,
)
from stillframe.model.keywords import ActionKeywords
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Text
from stillframe.tab import page_elements, reading
from stillframe.tab.deadline import CALL_MS, DefaultMs, in_seconds
from stillframe.tab.locating import selectors
from stillframe.tab.locating.locate import ACTION_TIMEOUT
from stillframe.tab.page_objects import PageObject
from stillframe.tab.reading import Box

READ_MS = DefaultMs(ACTION_TIMEOUT * 1000)
"""Milliseconds that a read waits for its element."""


class Locator(PagePart):
    """An element, or several, by a selector. It holds no element: every call looks for it again.

    `page.locator("#list").locator("li").first` reads like `#list >> li >> nth=0`. Selectors reach through shadow roots,
    closed ones as well, and with `frame=…` into frames; see `stillframe.tab.locating.selectors` for the language.

    Reads wait for exactly one element, `timeout_ms` at most, and raise ElementNotFound, AmbiguousSelector,
    ElementDetached, CommandTimeout and SessionLost. `count`, `is_visible` and `all` do not wait. Secrets of the context
    are left out of what is read, and a field that hides its text shows only whether it holds any.

    Actions return what `Page.execute_sequence` returns for a list of this one action, and take the same `options`:
    `timeout_ms`, `action_timeout_ms`, `settle`, `expect` and so on. An action that fails raises the error of its
    failure, whose `result` is the SequenceResult; with `check=False` it returns that result, and `failed` in it says
    what failed. Actions raise ActionInvalid and OptionInvalid before anything is done.
    """

    def __init__(self, parts: PageParts, selector: str) -> None:
        super().__init__(parts)
        selectors.parse(selector)
        self._selector = selector

    def __repr__(self) -> str:
        return f"Locator({self._tab.context.redaction.redact(self._selector)!r})"

    # -- other locators --------------------------------------------------------------------------

    def locator(self, selector: str) -> Locator:
        """Return a locator for what a selector finds inside this one; raises SelectorInvalid."""
        return Locator(self._parts, f"{self._selector} >> {selector}")

    def nth(self, index: int) -> Locator:
        """Return a locator for one of the matches: from 0, or from the end if `index` is negative."""
        return self.locator(f"nth={index}")

    @property
    def first(self) -> Locator:
        """The first of the matches."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last of the matches."""
        return self.nth(-1)

    @default_limit
    async def all(self, *, timeout_ms: float | None = READ_MS) -> list[Locator]:
        """Return a locator for each element that matches now, in document order; see `count`."""
        return [self.nth(index) for index in range(await self.count(timeout_ms=timeout_ms))]

    # -- reading ---------------------------------------------------------------------------------

    @page_call
    async def text(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the text of the element as it is rendered (`innerText`); of one that is not rendered all its text."""
        return str(await self._read("text", timeout_ms))

    @page_call
    async def value(self, *, timeout_ms: float | None = READ_MS) -> str:
        """Return the value of an input, a text area, a select or an editable element, or of the one that a label names.

        Of a password, or another field that hides its text, it is `••••` where there is any and "" where there is none.
        Raises ElementUnsuitable for an element without a value.
        """
        return str(await self._read("value", timeout_ms))

    @page_call
    async def attribute(self, name: str, *, timeout_ms: float | None = READ_MS) -> str | None:
        """Return an attribute of the element as the document has it; None if it has no such attribute."""
        value: str | None = await self._read("attribute", timeout_ms, name)
        return value

    @page_call
    async def count(self, *, timeout_ms: float | None = READ_MS) -> int:
        """Return how many elements match now. It waits for none; `timeout_ms` is for a page that does not answer."""
        return await reading.count(self._tab, self._selector, timeout=in_seconds(timeout_ms))

    @page_call
    async def is_visible(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element is rendered now; False if nothing matches.

        It waits for no element; `timeout_ms` is for a page that does not answer. Raises AmbiguousSelector.
        """
        return await reading.is_visible(self._tab, self._selector, timeout=in_seconds(timeout_ms))

    @page_call
    async def is_enabled(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether the element, and all that it is part of, is not disabled."""
        return bool(await self._read("enabled", timeout_ms))

    @page_call
    async def is_checked(self, *, timeout_ms: float | None = READ_MS) -> bool:
        """Return whether a checkbox, a radio button, a switch or an option is checked; one that is mixed is not.

        Raises ElementUnsuitable for an element that cannot be checked.
        """
        return bool(await self._read("checked", timeout_ms))

    @page_call
    async def box(self, *, timeout_ms: float | None = READ_MS) -> Box | None:
        """Return the rectangle of the element in CSS pixels from the top left of the page's viewport, or None.

        It may lie outside of the viewport: nothing is scrolled. It is None for an element that is not rendered.
        """
        return await reading.box(self._tab, self._selector, timeout=in_seconds(timeout_ms))

    # -- code on the page ------------------------------------------------------------------------

    @page_call
    async def evaluate(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Call a JavaScript function with the element and `arg` in the page's own world, and return its value.

        `await page.locator("#total").evaluate("(element, unit) => element.dataset[unit]", "cents")`. Arguments and
        values are those of `Page.evaluate`; a promise is awaited. Raises EvaluationFailed for what throws or is not a
        function, EvaluationTimeout after `timeout_ms`, and what reads raise.
        """
        with await self._element(timeout_ms) as element:
            return await evaluate_on(self._parts, element, "element", expression, arg, timeout_ms)

    @page_call
    async def evaluate_all(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Call a JavaScript function with an array of all elements that match now, and `arg`; return its value.

        It waits for no element: the array may be empty. Otherwise like `evaluate`.
        """
        with await page_elements.array_of(self._tab, self._selector) as elements:
            return await evaluate_on(self._parts, elements, "elements", expression, arg, timeout_ms)

    @page_call
    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS
    ) -> JSHandle:
        """Call a function as `evaluate` does, and return a handle to what it returns; see `JSHandle`."""
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
        return await page_elements.one(self._tab, self._selector, timeout=in_seconds(timeout_ms))

    async def _read(self, what: reading.Reading, timeout_ms: float | None, name: str = "") -> Any:
        return await reading.read(self._tab, self._selector, what, name=name, timeout=in_seconds(timeout_ms))

    # -- actions ---------------------------------------------------------------------------------

    async def click(
        self,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Modifiers = (),
        position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click the element: the middle of its visible part, or a `position` within it.

        A `click_count` of 2 is a double click, 3 selects a paragraph. `modifiers` are the keys that are held: Alt,
        Control, Meta, Shift. `position` is in CSS pixels from the top left of the element's padding box.
        """
        return await self._act(
            Click(
                selector=self._selector,
                button=button,
                click_count=click_count,
                modifiers=modifiers,
                position=position,
            ),
            options,
        )

    async def dblclick(
        self,
        *,
        modifiers: Modifiers = (),
        position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Double-click the element with the left button."""
        return await self._act(DoubleClick(selector=self._selector, modifiers=modifiers, position=position), options)

    async def tap(self, *, position: Position | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Touch the element with one finger and release it."""
        return await self._act(Tap(selector=self._selector, position=position), options)

    async def long_press(
        self, *, duration_ms: float = 1000, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Touch the element and hold the finger there for `duration_ms`; Chrome takes less than 700 ms for a tap."""
        return await self._act(LongPress(selector=self._selector, duration_ms=duration_ms, position=position), options)

    async def hover(self, *, position: Position | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Move the mouse over the element."""
        return await self._act(Hover(selector=self._selector, position=position), options)

    async def focus(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Give the element the keyboard focus."""
        return await self._act(Focus(selector=self._selector), options)

    async def fill(self, value: Text | bool, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Replace the value of a field: a text, the option of a select, a date, True or False for a checkbox.

        A `Secret` is typed and never shown. Editable elements take texts as well.
        """
        return await self._act(SetValue(selector=self._selector, value=value), options)

    async def type(self, text: Text, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Type text key by key at the caret, and clear nothing before."""
        return await self._act(TypeText(selector=self._selector, text=text), options)

    async def press(self, key: str, *, times: int = 1, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Press a key or a chord such as `Enter` or `Control+Shift+A`, `times` in a row."""
        return await self._act(PressKey(selector=self._selector, key=key, times=times), options)

    async def select_option(self, value: Texts, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Choose options of a `<select>`, a combobox or a listbox, by their values or their names.

        A `<select>` has exactly these options selected afterwards.
        """
        return await self._act(SelectOption(selector=self._selector, value=value), options)

    async def select_text(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Select the content of a field, or the text of any other element."""
        return await self._act(SelectText(selector=self._selector), options)

    async def check(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Check a checkbox, a radio button, a switch or any other element that can be checked."""
        return await self._act(Check(selector=self._selector), options)

    async def uncheck(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Uncheck a checkbox, a switch or any other element that can be unchecked."""
        return await self._act(Uncheck(selector=self._selector), options)

    async def set_input_files(self, paths: Paths, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Give local files or a folder to an `<input type=file>`, its label, or the button that asks for them."""
        return await self._act(UploadFile(selector=self._selector, paths=paths), options)

    async def scroll(
        self, *, direction: Direction = "down", pixels: int = 500, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Turn the mouse wheel over the element by some CSS `pixels`; `down` shows what lies below."""
        return await self._act(Scroll(selector=self._selector, direction=direction, pixels=pixels), options)

    async def scroll_to(self, *, edge: Edge | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Scroll the element into view, or what contains it to an `edge`: top, bottom, left or right."""
        return await self._act(ScrollTo(selector=self._selector, edge=edge), options)

    async def swipe(
        self, *, direction: Direction, percent: float = 0.5, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Swipe over the element with one finger; `down` shows what lies below.

        `percent` is the share of its width or height that the finger travels, up to 1.
        """
        return await self._act(Swipe(selector=self._selector, direction=direction, percent=percent), options)

    async def drag_to(
        self,
        target: Locator | None = None,
        *,
        offset: Offset | None = None,
        source_position: Position | None = None,
        target_position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Drag the element with the mouse: onto another one (`target`) or by an `offset`, exactly one of them.

        `source_position` is the point of the element to press, `target_position` the point of the target to release at.
        """
        action = DragTo(
            selector=self._selector,
            target=None if target is None else target._selector,
            offset=offset,
            source_position=source_position,
            target_position=target_position,
        )
        return await self._act(action, options)

    async def wait_for(self, *, state: State = "visible", **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Wait until the element is visible, hidden (or gone), attached or detached; of several matches one is enough.

        `action_timeout_ms` limits this wait; `timeout_ms`, as ever, limits the wait for a still page after it.
        """
        return await self._act(WaitFor(selector=self._selector, state=state), options)
