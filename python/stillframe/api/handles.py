"""Handles: objects of a page that the caller holds, to give them to scripts again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Unpack

import msgspec

from stillframe.api.locator_actions import LocatorActions
from stillframe.api.parts import PagePart, page_call
from stillframe.api.pictures import PictureKeywords, take
from stillframe.chrome.close_on_fork import in_inherited_loop
from stillframe.engine.page_parts import PageParts
from stillframe.model.actions import Action
from stillframe.model.result import SequenceResult
from stillframe.settling import signals
from stillframe.tab import frames
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.javascript import caller_scripts, page_elements
from stillframe.tab.javascript.caller_scripts import Given
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.reading import handles
from stillframe.tab.reading.reading import Box


class JSHandle(PagePart):
    """An object of a page, which stays there: for what has no value in Python, and to be passed to scripts.

    `page.evaluate_handle` returns one. Handles go anywhere in the argument of a script, nested and several of them:
    `await page.evaluate("({map, place}) => map.show(place)", {"map": map_handle, "place": "Bern"})`. They belong to the
    frame that made them.

    A handle keeps its object alive until `dispose`, the end of its `async with` block, or the next document of its
    frame, whichever comes first. After that, its calls, and calls that it is passed to, raise HandleReleased.
    """

    def __init__(self, parts: PageParts, held: PageObject) -> None:
        super().__init__(parts)
        self._held = held

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._tab.context.redaction.redact(self._held.shown)})"

    @property
    def _page_object(self) -> PageObject:
        """What `arguments.encode` passes for a handle."""
        return self._held

    @page_call
    async def evaluate(self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Call a function with the object and `arg`, and return its value, as `Page.evaluate` does.

        Args:
            expression: The JavaScript function.
            arg: Its second argument; see `Page.evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Returns:
            The value, as `Page.evaluate` returns it.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
            EvaluationTimeout: The function runs longer than `timeout_ms`.
            HandleReleased: The object is released.
        """
        return await evaluate_on(self._parts, self._held, "it", expression, arg, timeout_ms)

    @page_call
    async def evaluate_handle(
        self, expression: str, arg: Any = None, *, timeout_ms: float | None = CALL_MS
    ) -> JSHandle:
        """Call a function with the object and `arg`, and return a handle to what it returns.

        Args:
            expression: The JavaScript function.
            arg: Its second argument; see `Page.evaluate`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            EvaluationFailed: The function throws, or `expression` is not a function.
            EvaluationTimeout: The function runs longer than `timeout_ms`.
            HandleReleased: The object is released.
        """
        return await evaluate_handle_on(self._parts, self._held, "it", expression, arg, timeout_ms)

    @page_call
    async def get_property(self, property_name: str, *, timeout_ms: float | None = CALL_MS) -> JSHandle:
        """Return a handle to a property, which may be inherited; one to undefined if there is none.

        Args:
            property_name: The name of the property.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            HandleReleased: The object is released.
        """
        found = await handles.one(self._held, property_name, deadline=Deadline.of_ms(timeout_ms))
        return handle_to(self._parts, found)

    @page_call
    async def get_properties(self, *, timeout_ms: float | None = CALL_MS) -> dict[str, JSHandle]:
        """Return a handle to each own, enumerable property that is not an accessor; none for a primitive."""
        found = await handles.every(self._held, deadline=Deadline.of_ms(timeout_ms))
        return {name: handle_to(self._parts, value) for name, value in found.items()}

    @page_call
    async def json_value(self, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Return the value of the object, as `Page.evaluate` returns it."""
        return await handles.value(self._held, deadline=Deadline.of_ms(timeout_ms))

    def as_element(self) -> ElementHandle | None:
        """Return the handle itself if it is one to a node, or None."""
        return None

    async def dispose(self) -> None:
        """Release the object; a second time, and after the document is gone, it does nothing."""
        await self._held.release()

    async def __aenter__(self) -> JSHandle:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if not in_inherited_loop():
            await self.dispose()


class ElementHandle(JSHandle, LocatorActions):
    """A node of a page, mostly an element, that the caller holds; `evaluate_handle` returns one for a node.

    Locators are the way to act and to read: they look for their element each time and wait for it. A handle sticks to
    one node, even after the page has replaced it. Take one to give elements to a script, or to hold on to the very same
    element. Reads wait for nothing, and raise ElementUnsuitable for a node that is not an element. Actions are those of
    `Locator`; they fail for a node that has left the page, and raise HandleReleased.
    """

    _selector = "ref=e1"
    """Stands in each action for the ref of the element, which is known once the action begins."""

    async def _act(self, action: Action, options: Mapping[str, Any]) -> SequenceResult:
        found = await page_elements.ref_of(self._tab, self._held)
        return await super()._act(msgspec.structs.replace(action, selector=found), {"heal": False, **options})

    def as_element(self) -> ElementHandle:
        """Return the handle itself."""
        return self

    async def __aenter__(self) -> ElementHandle:
        return self

    @page_call
    async def text_content(self, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Return the text of all text nodes in the node, hidden ones included; None for a document type."""
        text: str | None = await self._read("content", timeout_ms)
        return text

    @page_call
    async def inner_text(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the text of the element as it is rendered (`innerText`); of one that is not rendered all its text."""
        return str(await self._read("text", timeout_ms))

    @page_call
    async def inner_html(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the HTML inside the element, without what is in fields that hide it."""
        return str(await self._read("html", timeout_ms))

    @page_call
    async def get_attribute(self, name: str, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Return an attribute of the element as the document has it; None if it has no such attribute.

        Args:
            name: The name of the attribute.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementUnsuitable: The node is not an element.
            HandleReleased: The node is released.
        """
        value: str | None = await self._read("attribute", timeout_ms, name)
        return value

    @page_call
    async def bounding_box(self, *, timeout_ms: float | None = CALL_MS) -> Box | None:
        """Return the rectangle of the element in CSS pixels from the top left of the page's viewport, or None.

        It may lie outside of the viewport: nothing is scrolled. It is None for an element that is not rendered.
        """
        return await handles.box(self._tab, self._held, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def is_visible(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether the element is rendered now; False for one that has left the document."""
        return await handles.is_visible(self._tab, self._held, deadline=Deadline.of_ms(timeout_ms))

    async def is_hidden(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether the element is not rendered now; the opposite of `is_visible`."""
        return not await self.is_visible(timeout_ms=timeout_ms)

    @page_call
    async def is_enabled(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether the element, and all that it is part of, is not disabled."""
        return bool(await self._read("enabled", timeout_ms))

    async def is_disabled(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether the element, or something that it is part of, is disabled."""
        return not await self.is_enabled(timeout_ms=timeout_ms)

    @page_call
    async def is_editable(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether a user can change the value or the text of the element."""
        return bool(await self._read("editable", timeout_ms))

    @page_call
    async def is_checked(self, *, timeout_ms: float | None = CALL_MS) -> bool:
        """Return whether a checkbox, a radio button, a switch or an option is checked; one that is mixed is not."""
        return bool(await self._read("checked", timeout_ms))

    @page_call
    async def input_value(self, *, timeout_ms: float | None = CALL_MS) -> str:
        """Return the value of a field, as `Locator.value` does."""
        return str(await self._read("value", timeout_ms))

    @page_call
    async def screenshot(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        timeout_ms: float | None = CALL_MS,
        **options: Unpack[PictureKeywords],
    ) -> bytes:
        """Return a screenshot of the element, scrolled into view, as `Locator.screenshot` does.

        Args:
            path: The file to write it to as well.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
            **options: The options of `Page.screenshot` that say how the picture is taken.

        Raises:
            OptionInvalid: An argument is invalid.
            ElementUnsuitable: The node is not an element.
            HandleReleased: The node is released.
        """
        deadline = Deadline.of_ms(timeout_ms)
        found = await page_elements.ref_of(self._tab, self._held)
        return await take(self._tab, path, deadline, options, selector=found)

    @page_call
    async def query_selector(self, selector: str, *, timeout_ms: float | None = CALL_MS) -> ElementHandle | None:
        """Return a handle to the first element inside this one that matches now, or None.

        Args:
            selector: The selector, which looks inside this element.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            SelectorInvalid: The selector does not parse.
            HandleReleased: The node is released.
        """
        found = await self._inside(selector)
        for other in found[1:]:
            other.forget()
        return ElementHandle(self._parts, found[0]) if found else None

    @page_call
    async def query_selector_all(self, selector: str, *, timeout_ms: float | None = CALL_MS) -> list[ElementHandle]:
        """Return a handle to each element inside this one that matches now, in document order.

        Args:
            selector: The selector, which looks inside this element.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            SelectorInvalid: The selector does not parse.
            HandleReleased: The node is released.
        """
        return [ElementHandle(self._parts, element) for element in await self._inside(selector)]

    async def _inside(self, selector: str) -> list[PageObject]:
        return await page_elements.all_matching(
            self._tab, f"{await page_elements.ref_of(self._tab, self._held)} >> {selector}"
        )

    @page_call
    async def owner_frame(self, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Return the Frame whose document the node belongs to; None for a document that no frame shows."""
        return self._frame(await page_elements.owner_frame(self._tab, self._held))

    @page_call
    async def content_frame(self, *, timeout_ms: float | None = CALL_MS) -> Any:
        """Return the Frame that an `<iframe>` shows; None for any other element."""
        return self._frame(await page_elements.content_frame(self._tab, self._held))

    async def _read(self, what: handles.Reading, timeout_ms: float | None, name: str = "") -> Any:
        return await handles.read(self._tab, self._held, what, name=name, deadline=Deadline.of_ms(timeout_ms))

    def _frame(self, frame: frames.Frame | None) -> Any:
        return None if frame is None else self._parts.frame(frame.id)


def handle_to(parts: PageParts, held: PageObject) -> JSHandle:
    """Return the handle to an object: an ElementHandle for a node."""
    return ElementHandle(parts, held) if held.is_node else JSHandle(parts, held)


async def evaluate_on(
    parts: PageParts, held: PageObject, name: str, expression: str, arg: Any, timeout_ms: float | None
) -> Any:
    """Call a function with an object, `name` in messages, and an argument; return its value."""
    parts.settler.emit(signals.CallerScriptRan())
    given = Given(arg, held, name)
    return await caller_scripts.evaluate(held.frame, expression, given, deadline=Deadline.of_ms(timeout_ms))


async def evaluate_handle_on(
    parts: PageParts, held: PageObject, name: str, expression: str, arg: Any, timeout_ms: float | None
) -> JSHandle:
    """Call a function as `evaluate_on` does, and return a handle to what it returns."""
    parts.settler.emit(signals.CallerScriptRan())
    given = Given(arg, held, name)
    made = await caller_scripts.evaluate_handle(held.frame, expression, given, deadline=Deadline.of_ms(timeout_ms))
    return handle_to(parts, made)
