"""The actions of a locator: one call for one action, with the result of a sequence of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from stillframe.api.parts import PagePart, page_call
from stillframe.errors import ElementUnsuitable, OptionInvalid
from stillframe.injected import elements
from stillframe.model.actions import (
    Blur,
    Button,
    Check,
    Click,
    Direction,
    DispatchEvent,
    DoubleClick,
    DropFiles,
    Edge,
    Focus,
    Hover,
    LongPress,
    Modifiers,
    Paths,
    Payloads,
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
    WaitFor,
    drop,
    upload,
)
from stillframe.model.keywords import ActionKeywords
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Text
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate

State = Literal["visible", "hidden", "attached", "detached"]


class LocatorActions(PagePart):
    """What `Locator` does with the element of its selector; the calls of pages and frames go through these."""

    _selector: str

    async def click(
        self,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Modifiers = (),
        position: Position | None = None,
        delay_ms: float = 0,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click the element: the middle of its visible part, or a `position` within it.

        Args:
            button: The button to press: `left`, `middle` or `right`.
            click_count: How many clicks: 2 is a double click, 3 selects a paragraph.
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            delay_ms: How long the button is held, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(
            Click(
                selector=self._selector,
                button=button,
                click_count=click_count,
                modifiers=modifiers,
                position=position,
                delay_ms=delay_ms,
            ),
            options,
        )

    async def dblclick(
        self,
        *,
        button: Button = "left",
        modifiers: Modifiers = (),
        position: Position | None = None,
        delay_ms: float = 0,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click the element twice.

        Args:
            button: The button to press: `left`, `middle` or `right`.
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            delay_ms: How long the button is held each time, and the pause between the two clicks, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(
            DoubleClick(
                selector=self._selector, button=button, modifiers=modifiers, position=position, delay_ms=delay_ms
            ),
            options,
        )

    async def tap(
        self, *, modifiers: Modifiers = (), position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Touch the element with one finger and release it.

        Args:
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Tap(selector=self._selector, modifiers=modifiers, position=position), options)

    async def long_press(
        self, *, duration_ms: float = 1000, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Touch the element and hold the finger there.

        Args:
            duration_ms: How long the finger stays, in ms; Chrome takes less than 700 for a tap.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(LongPress(selector=self._selector, duration_ms=duration_ms, position=position), options)

    async def hover(
        self, *, modifiers: Modifiers = (), position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Move the mouse over the element.

        Args:
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Hover(selector=self._selector, modifiers=modifiers, position=position), options)

    async def focus(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Give the element the keyboard focus.

        Args:
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Focus(selector=self._selector), options)

    async def blur(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Take the keyboard focus away from the element.

        Args:
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Blur(selector=self._selector), options)

    async def dispatch_event(
        self, type: str, event_init: dict[str, Any] | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Dispatch an event to the element by script, which no page can take for a user's input.

        The element need not be visible. The class of the event is that of its `type`; it bubbles, can be cancelled and
        crosses shadow roots unless `event_init` says otherwise.

        Args:
            type: The name of the event, such as `click`.
            event_init: The members of the event, such as `{"clientX": 5}` or `{"detail": "own"}`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(DispatchEvent(selector=self._selector, type=type, event_init=event_init), options)

    async def fill(self, value: Text | bool, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Replace the value of a field.

        Args:
            value: A text, the option of a select, a date, True or False for a checkbox. A `Secret` is typed and never
                shown. Editable elements take texts as well.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(SetValue(selector=self._selector, value=value), options)

    async def clear(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Empty a field or an editable element.

        Args:
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.fill("", **options)

    async def type(self, text: Text, *, delay_ms: float = 0, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Type text key by key at the caret, and clear nothing before.

        Args:
            text: The text; a `Secret` is typed and never shown.
            delay_ms: The time between two letters, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(TypeText(selector=self._selector, text=text, delay_ms=delay_ms), options)

    async def press_sequentially(
        self, text: Text, *, delay: float = 0, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Type text key by key, as `type` does.

        Args:
            text: The text; a `Secret` is typed and never shown.
            delay: The time between two letters, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.type(text, delay_ms=delay, **options)

    async def press(
        self, key: str, *, times: int = 1, delay_ms: float = 0, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Press a key or a chord.

        Args:
            key: The key or the chord, such as `Enter` or `Control+Shift+A`.
            times: How often it is pressed.
            delay_ms: How long it is held each time, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(PressKey(selector=self._selector, key=key, times=times, delay_ms=delay_ms), options)

    async def select_option(
        self,
        value: Texts | None = None,
        *,
        label: Texts | None = None,
        index: int | Sequence[int] | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Choose options of a `<select>`, a combobox or a listbox, by their values or their names.

        A `<select>` has exactly these options selected afterwards. Exactly one of `value`, `label` and `index` is
        given.

        Args:
            value: The values or the names of the options.
            label: The names of the options; it stands for `value`.
            index: The places of the options of a `<select>`, from 0.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if sum(each is not None for each in (value, label, index)) != 1:
            raise OptionInvalid("select_option takes exactly one of value, label and index", option="value")
        if index is not None:
            label = await self._values_at([index] if isinstance(index, int) else list(index))
        chosen = value if value is not None else label
        assert chosen is not None
        return await self._act(SelectOption(selector=self._selector, value=chosen), options)

    @page_call
    async def _values_at(self, places: Sequence[int]) -> list[str]:
        """Return the values of the options of a `<select>` at these places; raises ElementUnsuitable."""
        select = await locate(self._tab, self._selector, Deadline(ACTION_TIMEOUT))
        values: list[str | None] = await select.call(elements.option_values_at(places))
        if None in values:
            missing = places[values.index(None)]
            raise ElementUnsuitable(
                f"{self._selector} is not a <select> with an option at index {missing}; indexes begin at 0",
                selector=self._selector,
            )
        return [value for value in values if value is not None]

    async def select_text(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Select the content of a field, or the text of any other element.

        Args:
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(SelectText(selector=self._selector), options)

    async def check(self, *, position: Position | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Check a checkbox, a radio button, a switch or any other element that can be checked.

        Args:
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Check(selector=self._selector, position=position), options)

    async def uncheck(self, *, position: Position | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Uncheck a checkbox, a switch or any other element that can be unchecked.

        Args:
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Uncheck(selector=self._selector, position=position), options)

    async def set_checked(
        self, checked: bool, *, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Check or uncheck a checkbox, a radio button, a switch or any other element that can be checked.

        Args:
            checked: Whether it is to be checked.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await (self.check if checked else self.uncheck)(position=position, **options)

    async def set_input_files(self, files: Paths | Payloads, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Give files or a folder to an `<input type=file>`, its label, or the button that asks for them.

        Args:
            files: Local paths, or files from memory: `{"name": "a.csv", "mimeType": "text/csv", "buffer": b"…"}`, a
                `FilePayload`, or bytes. An empty list takes the files of the input away.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(upload(self._selector, files), options)

    async def drop_files(
        self,
        paths: Paths = (),
        *,
        position: Position | None = None,
        data: Mapping[str, str] | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Drop local files onto the element, as if they were dragged from the desktop into the page.

        Args:
            paths: The files; none to drop `data` alone.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            data: What is dropped as well: texts by their MIME type, such as `{"text/plain": "hello"}`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(DropFiles(self._selector, paths, position, data), options)  # type: ignore[arg-type]

    async def drop(
        self, payload: Mapping[str, Any], *, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Drop files and data onto the element: `drop_files` in Playwright's form.

        Args:
            payload: `{"files": paths, "data": {"text/plain": …}}`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: A file is from memory, which no browser can drop, or the payload has neither files nor data.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(drop(self._selector, payload, position), options)

    async def scroll(
        self, *, direction: Direction = "down", pixels: int = 500, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Turn the mouse wheel over the element.

        Args:
            direction: Which part comes into view: `down` shows what lies below.
            pixels: How far, in CSS pixels.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Scroll(selector=self._selector, direction=direction, pixels=pixels), options)

    async def scroll_to(self, *, edge: Edge | None = None, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Scroll the element into view, or what contains it to an edge.

        Args:
            edge: The edge to scroll to: `top`, `bottom`, `left` or `right`; by default the element comes into view.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(ScrollTo(selector=self._selector, edge=edge), options)

    async def scroll_into_view_if_needed(self, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Scroll the element into view unless it is, as `scroll_to` does.

        Args:
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.scroll_to(**options)

    async def swipe(
        self, *, direction: Direction, percent: float = 0.5, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Swipe over the element with one finger.

        Args:
            direction: Which part comes into view: `down` shows what lies below.
            percent: The share of the element's width or height that the finger travels, up to 1.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(Swipe(selector=self._selector, direction=direction, percent=percent), options)

    async def wait_for(self, *, state: State = "visible", **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Wait until the element is in a `state`; of several matches one is enough.

        Args:
            state: The state to wait for: `visible`, `hidden` (or gone), `attached` or `detached`.
            **options: The fields of `SequenceOptions`, and `check`. `action_timeout_ms` limits this wait, `timeout_ms`
                the wait for a still page after it.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(WaitFor(selector=self._selector, state=state), options)
