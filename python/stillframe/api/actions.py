"""One call for one action, with the result of a sequence of one."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from stillframe.api.locator_actions import State
from stillframe.api.parts import PagePart
from stillframe.api.selector_reads import SelectorReads
from stillframe.model.actions import (
    Button,
    Direction,
    Edge,
    Modifiers,
    MouseClick,
    MouseDrag,
    MouseMove,
    MouseWheel,
    Offset,
    Paths,
    Payloads,
    Position,
    PressKey,
    Scroll,
    ScrollTo,
    Swipe,
    Texts,
    TypeText,
    WaitFor,
)
from stillframe.model.keywords import ActionKeywords
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Text


class SelectorActions(SelectorReads, ABC):
    """The actions of a page or a frame on what a selector finds there: those of `locator(selector)`.

    Each call returns what `Page.execute_sequence` returns for a list of this one action, and takes the same `options`:
    `timeout_ms`, `action_timeout_ms`, `settle`, `expect` and so on. An action that fails raises the error of its
    failure, such as ElementNotFound, whose `result` is the SequenceResult; with `check=False` the call returns that
    result, and `failed` in it says what failed. Raises ActionInvalid, OptionInvalid and SelectorInvalid before anything
    is done.
    """

    async def click(
        self,
        selector: str,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Modifiers = (),
        position: Position | None = None,
        delay_ms: float = 0,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click an element: the middle of its visible part, or a `position` within it.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
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
        return await self.locator(selector).click(
            button=button,
            click_count=click_count,
            modifiers=modifiers,
            position=position,
            delay_ms=delay_ms,
            **options,
        )

    async def dblclick(
        self,
        selector: str,
        *,
        button: Button = "left",
        modifiers: Modifiers = (),
        position: Position | None = None,
        delay_ms: float = 0,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click an element twice.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
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
        return await self.locator(selector).dblclick(
            button=button, modifiers=modifiers, position=position, delay_ms=delay_ms, **options
        )

    async def tap(
        self,
        selector: str,
        *,
        modifiers: Modifiers = (),
        position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Touch an element with one finger and release it.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).tap(modifiers=modifiers, position=position, **options)

    async def long_press(
        self,
        selector: str,
        *,
        duration_ms: float = 1000,
        position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Touch an element and hold the finger there.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            duration_ms: How long the finger stays, in ms; Chrome takes less than 700 for a tap.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).long_press(duration_ms=duration_ms, position=position, **options)

    async def hover(
        self,
        selector: str,
        *,
        modifiers: Modifiers = (),
        position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Move the mouse over an element.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).hover(modifiers=modifiers, position=position, **options)

    async def focus(self, selector: str, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Give an element the keyboard focus.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).focus(**options)

    async def dispatch_event(
        self, selector: str, type: str, event_init: dict[str, Any] | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Dispatch an event to an element by script, which no page can take for a user's input.

        The element need not be visible. The class of the event is that of its `type`; it bubbles, can be cancelled and
        crosses shadow roots unless `event_init` says otherwise.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            type: The name of the event, such as `click`.
            event_init: The members of the event, such as `{"clientX": 5}` or `{"detail": "own"}`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).dispatch_event(type, event_init, **options)

    async def fill(self, selector: str, value: Text | bool, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Replace the value of a field.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            value: A text, the option of a select, a date, True or False for a checkbox. A `Secret` is typed and never
                shown. Editable elements take texts as well.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).fill(value, **options)

    async def type(
        self, selector: str | None, text: Text, *, delay_ms: float = 0, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Type text key by key at the caret, and clear nothing before.

        Args:
            selector: The field; None types into what has the focus.
            text: The text; a `Secret` is typed and never shown.
            delay_ms: The time between two letters, in ms.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if selector is None:
            return await self._act(TypeText(text, delay_ms=delay_ms), options)
        return await self.locator(selector).type(text, delay_ms=delay_ms, **options)

    async def press(
        self,
        selector: str | None,
        key: str,
        *,
        times: int = 1,
        delay_ms: float = 0,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Press a key or a chord.

        Args:
            selector: What to focus first; None sends the key to what has the focus.
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
        if selector is None:
            return await self._act(PressKey(key, times=times, delay_ms=delay_ms), options)
        return await self.locator(selector).press(key, times=times, delay_ms=delay_ms, **options)

    async def select_option(
        self,
        selector: str,
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
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
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
        return await self.locator(selector).select_option(value, label=label, index=index, **options)

    async def select_text(self, selector: str, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Select the content of a field, or the text of any other element.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).select_text(**options)

    async def check(
        self, selector: str, *, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Check a checkbox, a radio button, a switch or any other element that can be checked.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).check(position=position, **options)

    async def uncheck(
        self, selector: str, *, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Uncheck a checkbox, a switch or any other element that can be unchecked.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).uncheck(position=position, **options)

    async def set_checked(
        self, selector: str, checked: bool, *, position: Position | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Check or uncheck a checkbox, a radio button, a switch or any other element that can be checked.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            checked: Whether it is to be checked.
            position: The point to act on, in CSS pixels from the top left of its padding box; its middle by default.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).set_checked(checked, position=position, **options)

    async def set_input_files(
        self, selector: str, files: Paths | Payloads, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Give files or a folder to an `<input type=file>`, its label, or the button that asks for them.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
            files: Local paths, or files from memory: `{"name": "a.csv", "mimeType": "text/csv", "buffer": b"…"}`, a
                `FilePayload`, or bytes. An empty list takes the files of the input away.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).set_input_files(files, **options)

    async def drop_files(
        self,
        selector: str,
        paths: Paths = (),
        *,
        position: Position | None = None,
        data: Mapping[str, str] | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Drop local files onto an element, as if they were dragged from the desktop into the page.

        Args:
            selector: What finds the element, such as `#save`, `text=Save` or `ref=e12`.
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
        return await self.locator(selector).drop_files(paths, position=position, data=data, **options)

    async def scroll(
        self,
        selector: str | None = None,
        *,
        direction: Direction = "down",
        pixels: int = 500,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Turn the mouse wheel over an element.

        Args:
            selector: What to scroll; None is the page.
            direction: Which part comes into view: `down` shows what lies below.
            pixels: How far, in CSS pixels.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if selector is None:
            return await self._act(Scroll(direction=direction, pixels=pixels), options)
        return await self.locator(selector).scroll(direction=direction, pixels=pixels, **options)

    async def scroll_to(
        self, selector: str | None = None, *, edge: Edge | None = None, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Scroll an element into view, or what contains it to an edge.

        Args:
            selector: The element; with None the page scrolls, to an `edge`.
            edge: The edge to scroll to: `top`, `bottom`, `left` or `right`; by default the element comes into view.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if selector is None:
            return await self._act(ScrollTo(edge=edge), options)
        return await self.locator(selector).scroll_to(edge=edge, **options)

    async def swipe(
        self,
        selector: str | None = None,
        *,
        direction: Direction,
        percent: float = 0.5,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Swipe over an element with one finger.

        Args:
            selector: What to swipe over; None is the page.
            direction: Which part comes into view: `down` shows what lies below.
            percent: The share of the element's width or height that the finger travels, up to 1.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if selector is None:
            return await self._act(Swipe(direction=direction, percent=percent), options)
        return await self.locator(selector).swipe(direction=direction, percent=percent, **options)

    async def drag_to(
        self,
        selector: str,
        target: str | None = None,
        *,
        offset: Offset | None = None,
        source_position: Position | None = None,
        target_position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Drag an element with the mouse: onto another one (`target`) or by an `offset`, exactly one of them.

        Args:
            selector: What finds the element to drag.
            target: What finds the element to drop it on.
            offset: How far to drag, in CSS pixels to the right and down.
            source_position: The point of the element to press, in CSS pixels from the top left of its padding box.
            target_position: The point of the target to release at, in the same way.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.locator(selector).drag_to(
            None if target is None else self.locator(target),
            offset=offset,
            source_position=source_position,
            target_position=target_position,
            **options,
        )

    async def drag_and_drop(
        self,
        source: str,
        target: str,
        *,
        source_position: Position | None = None,
        target_position: Position | None = None,
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Drag an element onto another one, as `drag_to` does.

        Args:
            source: What finds the element to drag.
            target: What finds the element to drop it on.
            source_position: The point of the element to press, in CSS pixels from the top left of its padding box.
            target_position: The point of the target to release at, in the same way.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self.drag_to(
            source, target, source_position=source_position, target_position=target_position, **options
        )

    async def wait_for(
        self,
        selector: str | None = None,
        *,
        text: str | None = None,
        url: str | None = None,
        state: State = "visible",
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Wait until a selector is in a `state`, a text is on the page, or the page's URL contains a part; one of them.

        Args:
            selector: What finds the element to wait for.
            text: The text to wait for.
            url: The part of the URL to wait for.
            state: The state to wait for: `visible`, `hidden` (or gone), `attached` or `detached`.
            **options: The fields of `SequenceOptions`, and `check`. `action_timeout_ms` limits this wait, `timeout_ms`
                the wait for a still page after it.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        if selector is None or text is not None or url is not None:
            within = None if selector is None else self._within(selector)
            return await self._act(WaitFor(selector=within, text=text, url=url, state=state), options)
        return await self.locator(selector).wait_for(state=state, **options)


class MouseActions(PagePart, ABC):
    """The mouse by coordinates, in CSS pixels from the top left of the page's viewport, whatever is there.

    The calls return what those of `SelectorActions` return. A point outside of the viewport fails with `point_outside`.
    """

    async def mouse_move(self, x: float, y: float, **options: Unpack[ActionKeywords]) -> SequenceResult:
        """Move the mouse to a point.

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(MouseMove(x=x, y=y), options)

    async def mouse_click(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        click_count: int = 1,
        modifiers: Modifiers = (),
        **options: Unpack[ActionKeywords],
    ) -> SequenceResult:
        """Click at a point.

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            button: The button to press: `left`, `middle` or `right`.
            click_count: How many clicks.
            modifiers: The keys to hold: `Alt`, `Control`, `Meta`, `Shift`.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(
            MouseClick(x=x, y=y, button=button, click_count=click_count, modifiers=modifiers), options
        )

    async def mouse_drag(
        self, x: float, y: float, to_x: float, to_y: float, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Press the left button at a point, move the mouse to another one, and release it there.

        Args:
            x: How far right of the viewport's top left the button is pressed, in CSS pixels.
            y: How far below it.
            to_x: How far right of the viewport's top left the button is released.
            to_y: How far below it.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(MouseDrag(x=x, y=y, to_x=to_x, to_y=to_y), options)

    async def mouse_wheel(
        self, x: float, y: float, *, delta_x: float = 0, delta_y: float = 0, **options: Unpack[ActionKeywords]
    ) -> SequenceResult:
        """Turn the mouse wheel at a point.

        Args:
            x: How far right of the viewport's top left the mouse is, in CSS pixels.
            y: How far below it.
            delta_x: How far to scroll to the right, in CSS pixels.
            delta_y: How far to scroll down; a positive value shows what lies below.
            **options: How to wait and what to report: the fields of `SequenceOptions`, and `check`.

        Returns:
            What changed, as `Page.execute_sequence` returns it.

        Raises:
            ActionInvalid: An argument is invalid; nothing has been done.
            ActionFailed: The action fails; `result` of the error says what changed. Not with `check=False`.
        """
        return await self._act(MouseWheel(x=x, y=y, delta_x=delta_x, delta_y=delta_y), options)
