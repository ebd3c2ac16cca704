"""Locators: a selector on a page, looked for again by every call."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

from stillframe.api.locator_actions import LocatorActions
from stillframe.api.locator_reads import READ_MS, LocatorReads
from stillframe.api.locator_scripts import LocatorScripts
from stillframe.api.parts import PagePart, PartOfPage, default_limit, page_call
from stillframe.api.pictures import PictureKeywords, take
from stillframe.engine.page_parts import PageParts
from stillframe.errors import OptionInvalid, SelectorInvalid
from stillframe.model.actions import DragTo, Offset, Position
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.keywords import ActionKeywords
from stillframe.model.result import SequenceResult
from stillframe.tab.deadline import CALL_MS, Deadline, DefaultMs
from stillframe.tab.frames import Frame
from stillframe.tab.locating import selectors, writing
from stillframe.tab.locating.writing import TextOrPattern
from stillframe.tab.reading import aria_snapshot, screenshot

PICTURE_MS = DefaultMs(screenshot.CAPTURE_TIMEOUT * 1000)
"""Milliseconds that a picture may take."""


class RoleStates(TypedDict, total=False):
    """The states that `get_by_role` can require."""

    checked: bool | Literal["mixed"] | None
    disabled: bool | None
    expanded: bool | None
    level: int | None
    pressed: bool | Literal["mixed"] | None
    selected: bool | None


class Finding(PagePart, ABC):
    """What finds elements in a place: a page, a frame, the element of a locator, or the frame of a frame locator.

    None of these methods looks for anything yet: a call of the locator does. They raise SelectorInvalid, also for a
    regular expression that means nothing in JavaScript. Texts match a part in any case, with `exact` the whole text in
    its case; white space counts as one space. A text may be a compiled regular expression instead.
    """

    @property
    @abstractmethod
    def _place(self) -> str:
        """The selector of the place on the page; "" for the page itself."""

    def _within(self, selector: str) -> str:
        """Return a selector of the whole page for one of this place."""
        return f"{self._place} >> {selector}" if self._place else selector

    def locator(
        self,
        selector: str | Locator,
        *,
        has_text: TextOrPattern | None = None,
        has_not_text: TextOrPattern | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
    ) -> Locator:
        """Return a locator for what a selector, or another locator, finds here.

        It looks for nothing yet: `await page.locator("#total").text()` does.

        Args:
            selector: The selector, or a locator.
            has_text: A text in each match, as for `Locator.filter`.
            has_not_text: A text that no match has.
            has: What each match contains.
            has_not: What no match contains.

        Raises:
            SelectorInvalid: The selector does not parse.
        """
        if isinstance(selector, Locator):
            inner = selector._selector_for(self)
            found = Locator(self._parts, writing.inside(self._place, inner) if self._place else inner)
        else:
            found = Locator(self._parts, self._within(selector))
        return found.filter(has_text=has_text, has_not_text=has_not_text, has=has, has_not=has_not)

    def frame_locator(self, selector: str) -> FrameLocator:
        """Return a locator for the document in the frame whose element a selector finds here."""
        return FrameLocator(self._parts, writing.into_frame(self._within(selector)))

    def get_by_role(
        self,
        role: str,
        *,
        name: TextOrPattern | None = None,
        exact: bool = False,
        include_hidden: bool = False,
        **states: Unpack[RoleStates],
    ) -> Locator:
        """Return a locator for elements of an ARIA role, by accessible name and states.

        Args:
            role: The role, such as `button`.
            name: The accessible name, as a text or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.
            include_hidden: Whether elements match that assistive technology does not show.
            **states: The states that are required: `checked`, `disabled`, `expanded`, `level`, `pressed`, `selected`.

        Raises:
            SelectorInvalid: The role is not a text, or the expression means nothing in JavaScript.
        """
        if unknown := set(states) - set(RoleStates.__annotations__):
            raise TypeError(f"get_by_role takes no {min(unknown)!r}, only {', '.join(RoleStates.__annotations__)}")
        return self._find(writing.by_role(role, name=name, exact=exact, include_hidden=include_hidden, states=states))

    def get_by_text(self, text: TextOrPattern, *, exact: bool = False) -> Locator:
        """Return a locator for the innermost elements with a text; a button of type input has its value for a text.

        Args:
            text: The text, or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.

        Raises:
            SelectorInvalid: The expression means nothing in JavaScript.
        """
        return self._find(writing.by_text("text", text, exact=exact))

    def get_by_label(self, text: TextOrPattern, *, exact: bool = False) -> Locator:
        """Return a locator for controls by the text of their label, `aria-label` or `aria-labelledby`.

        Args:
            text: The text, or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.

        Raises:
            SelectorInvalid: The expression means nothing in JavaScript.
        """
        return self._find(writing.by_text("label", text, exact=exact))

    def get_by_placeholder(self, text: TextOrPattern, *, exact: bool = False) -> Locator:
        """Return a locator for fields by their placeholder.

        Args:
            text: The text, or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.

        Raises:
            SelectorInvalid: The expression means nothing in JavaScript.
        """
        return self._find(writing.by_text("placeholder", text, exact=exact))

    def get_by_alt_text(self, text: TextOrPattern, *, exact: bool = False) -> Locator:
        """Return a locator for images by their alternative text.

        Args:
            text: The text, or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.

        Raises:
            SelectorInvalid: The expression means nothing in JavaScript.
        """
        return self._find(writing.by_text("alt", text, exact=exact))

    def get_by_title(self, text: TextOrPattern, *, exact: bool = False) -> Locator:
        """Return a locator for elements by their `title`.

        Args:
            text: The text, or a compiled regular expression.
            exact: Whether the whole text has to match, in its case; otherwise a part of it in any case.

        Raises:
            SelectorInvalid: The expression means nothing in JavaScript.
        """
        return self._find(writing.by_text("title", text, exact=exact))

    def get_by_test_id(self, test_id: TextOrPattern) -> Locator:
        """Return a locator for elements by their whole `data-testid`, data-test-id, data-test, data-qa or data-cy."""
        return self._find(writing.by_test_id(test_id))

    def _find(self, selector: str) -> Locator:
        return Locator(self._parts, self._within(selector))


class Locator(Finding, LocatorReads, LocatorScripts, LocatorActions, PartOfPage):
    """An element, or several, by a selector. It holds no element: every call looks for it again.

    `page.locator("#list").locator("li").first` reads like `#list >> li >> nth=0`, and that is what the locator shows:
    `page.locator` takes it. Selectors reach through shadow roots, closed ones as well, and with `frame=…` into frames;
    see `stillframe.tab.locating.selectors` for the language.

    Reads wait for exactly one element, `timeout_ms` at most, and raise ElementNotFound, AmbiguousSelector,
    ElementDetached, CommandTimeout and SessionLost. `count`, `is_visible`, `is_hidden`, `all` and the reads of all
    matches do not wait. Secrets of the context
    are left out of what is read, and a field that hides its text shows only whether it holds any.

    Actions return what `Page.execute_sequence` returns for a list of this one action, and take the same `options`:
    `timeout_ms`, `action_timeout_ms`, `settle`, `expect` and so on. An action that fails raises the error of its
    failure, whose `result` is the SequenceResult; with `check=False` it returns that result, and `failed` in it says
    what failed. Actions raise ActionInvalid and OptionInvalid before anything is done.
    """

    def __init__(self, parts: PageParts, selector: str) -> None:
        super().__init__(parts)
        if not isinstance(selector, str):
            raise SelectorInvalid(f"a selector is a text, not {type(selector).__name__}", selector=repr(selector))
        selectors.parse(selector)
        self._selector = selector

    def __repr__(self) -> str:
        return f"Locator({self._tab.context.redaction.redact(self._selector)!r})"

    @property
    def _place(self) -> str:
        return self._selector

    # -- other locators --------------------------------------------------------------------------

    def filter(
        self,
        *,
        has_text: TextOrPattern | None = None,
        has_not_text: TextOrPattern | None = None,
        has: Locator | None = None,
        has_not: Locator | None = None,
        visible: bool | None = None,
    ) -> Locator:
        """Return a locator for some of the matches: those that pass all these tests.

        Args:
            has_text: A part of their text in any case, or a compiled regular expression.
            has_not_text: A text that they do not have.
            has: What is found in each of them.
            has_not: What is found in none of them.
            visible: True keeps what is rendered, False what is not.

        Raises:
            SelectorInvalid: A locator looks in another frame, or an expression means nothing in JavaScript.
        """
        selector = self._selector
        for form, text in (("has-text", has_text), ("has-not-text", has_not_text)):
            if text is not None:
                selector = writing.with_text(selector, form, text)
        for form, inner in (("has", has), ("has-not", has_not)):
            if inner is not None:
                selector = writing.joined(selector, form, inner._selector_for(self))
        if visible is not None:
            selector += f" >> visible={str(visible).lower()}"
        return self if selector == self._selector else Locator(self._parts, selector)

    def and_(self, locator: Locator) -> Locator:
        """Return a locator for what both locators match."""
        return Locator(self._parts, writing.joined(self._selector, "and", locator._selector_for(self)))

    def or_(self, locator: Locator) -> Locator:
        """Return a locator for what one of the locators matches, in document order."""
        return Locator(self._parts, writing.joined(self._selector, "or", locator._selector_for(self)))

    def within(self, locator: Locator) -> Locator:
        """Return a locator for what this one matches in each match of another one: `nth` and `first` count in each."""
        return locator.locator(self)

    @property
    def visible(self) -> Locator:
        """Those of the matches that are rendered."""
        return self.filter(visible=True)

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

    @property
    def content_frame(self) -> FrameLocator:
        """The document in the frame whose element this locator finds."""
        return FrameLocator(self._parts, writing.into_frame(self._selector))

    @default_limit
    async def all(self, *, timeout_ms: float | None = READ_MS) -> list[Locator]:
        """Return a locator for each element that matches now, in document order; see `count`."""
        return [self.nth(index) for index in range(await self.count(timeout_ms=timeout_ms))]

    def _selector_for(self, other: Finding) -> str:
        """Return the selector for use in another locator; raises SelectorInvalid if that is of another page."""
        if other._tab is not self._tab:
            raise SelectorInvalid(
                f"{self!r} is of another page: locators that are combined are of one page", selector=self._selector
            )
        return self._selector

    # -- what takes more than a selector ---------------------------------------------------------

    @page_call
    async def aria_snapshot(
        self,
        *,
        budget: int = aria_snapshot.BUDGET,
        tree: aria_snapshot.Tree = "compact",
        links: bool = False,
        timeout_ms: float | None = aria_snapshot.ARIA_MS,
    ) -> AriaSnapshot:
        """Return the accessible tree of the element and its content; see `Page.aria_snapshot`.

        Args:
            budget: How many characters the text may have.
            tree: `compact` makes it of a DOM snapshot, `accessibility` asks Chrome for its own tree, which takes far
                longer.
            links: Whether the targets of links are added.
            timeout_ms: The limit of the call, in ms: 60,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementNotFound: Nothing matches.
            AmbiguousSelector: Several elements match the selector.
            OptionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        scope = aria_snapshot.scope_of(self._selector)
        deadline = Deadline.of_ms(timeout_ms)
        return await aria_snapshot.page_text(
            self._tab, scope=scope, budget=budget, tree=tree, links=links, deadline=deadline
        )

    @page_call
    async def highlight(self, *, timeout_ms: float | None = READ_MS) -> None:
        """Draw a box over the element, for a person who looks: no screenshot and no script sees it.

        It stays until another element is highlighted or the document is replaced.

        Args:
            timeout_ms: The limit of the call, in ms: 3,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        # Few programs highlight, and the types of the Overlay domain take long to import.
        from stillframe.tab.reading import highlighting

        await highlighting.highlight(self._tab, self._selector, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def hide_highlight(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Take the box of `highlight` away, whichever element it is on.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        from stillframe.tab.reading import highlighting

        await highlighting.hide(self._tab, deadline=Deadline.of_ms(timeout_ms))

    @page_call
    async def screenshot(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        mask: Sequence[str | Locator] = (),
        timeout_ms: float | None = PICTURE_MS,
        **options: Unpack[PictureKeywords],
    ) -> bytes:
        """Return a screenshot of the element, scrolled into view: `Page.screenshot(selector=…)` with its options.

        Args:
            path: The file to write it to as well.
            mask: What is covered: selectors or locators.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.
            **options: The options of `Page.screenshot` that say how the picture is taken.

        Raises:
            OptionInvalid: An argument is invalid.
            ElementNotFound: Nothing matches the selector within `timeout_ms`.
            AmbiguousSelector: Several elements match the selector.
            ElementHidden: The element is not rendered.
            SecretShown: There is a secret to paint over, and Pillow is not installed.
        """
        deadline, masked = Deadline.of_ms(timeout_ms), selectors_of(mask)
        return await take(self._tab, path, deadline, options, selector=self._selector, mask=masked)

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

        Args:
            target: The element to drop it on.
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
        action = DragTo(
            selector=self._selector,
            target=None if target is None else target._selector_for(self),
            offset=offset,
            source_position=source_position,
            target_position=target_position,
        )
        return await self._act(action, options)


class FrameLocator(Finding):
    """The document in a frame, by a selector of the frame's element; it is looked for again by every call.

    `page.frame_locator("#pay").get_by_text("Buy")` reads like `frame=#pay >> text=Buy`.
    """

    def __init__(self, parts: PageParts, into: str) -> None:
        super().__init__(parts)
        selectors.parse(f"{into} >> *")
        self._into = into

    def __repr__(self) -> str:
        return f"FrameLocator({self._tab.context.redaction.redact(self._into)!r})"

    @property
    def _place(self) -> str:
        return self._into

    @property
    def owner(self) -> Locator:
        """The element of the frame."""
        return Locator(self._parts, writing.owner_of(self._into))

    def nth(self, index: int) -> FrameLocator:
        """Return one of the frames that match: from 0, or from the end if `index` is negative."""
        return FrameLocator(self._parts, f"{self._into} >> nth={index}")

    @property
    def first(self) -> FrameLocator:
        """The first of the frames that match."""
        return self.nth(0)

    @property
    def last(self) -> FrameLocator:
        """The last of the frames that match."""
        return self.nth(-1)


def selectors_of(mask: Sequence[str | Locator]) -> tuple[str, ...]:
    """Return the selectors of what a mask names; raises OptionInvalid."""
    given = (mask,) if isinstance(mask, str | Locator) else mask
    for each in given:
        if not isinstance(each, str | Locator):
            raise OptionInvalid(f"option mask: {each!r} is neither a selector nor a locator", option="mask")
    return tuple(each if isinstance(each, str) else each._selector for each in given)


def locator_of_node(parts: PageParts, frame: Frame, backend_node_id: int) -> Locator:
    """Return a locator for a node of a frame's document, by a ref."""
    ref = parts.tab.refs.ref_for(frame.process_key, backend_node_id, frame.id, frame.loader_id)
    return Locator(parts, f"ref={ref}")
