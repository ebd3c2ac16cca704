"""Choose from lists that a page draws itself: open, filter, scroll, click the option, and verify the result.

It follows ARIA (combobox, listbox, option, aria-controls); a widget without those attributes works too: whatever
appears when it opens is its list, and visible texts are its options. elements/choosing.ts inspects the widget; this
module acts on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import (
    AmbiguousSelector,
    ContextLost,
    ElementDetached,
    ElementDisabled,
    ElementUnsuitable,
    EvaluationFailed,
    RefStale,
)
from stillframe.injected import elements
from stillframe.tab.input import actionability as need
from stillframe.tab.input import keyboard, mouse
from stillframe.tab.input.actionability import ReadyTarget, make_ready
from stillframe.tab.input.filling import send_keys
from stillframe.tab.input.keyboard import Chord
from stillframe.tab.input.press import Press, click
from stillframe.tab.locating.locate import handle_of

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt

OPEN_S = 1.0
"""Seconds for an opened list to show options before another way is tried."""

SOON_S = 0.4
"""The same for a text field: many show nothing until something is typed."""

CALM_S = 0.2
"""Seconds without change after which the options count as complete: two polls of the page script."""

SHOW_S = 1.0
"""Seconds for a widget to show the chosen option: frameworks may update it a moment later."""

FILTER_SHARE = 0.6
"""Share of the remaining time for a list with options to react to typed text, before it is scrolled through instead."""

ANSWER_S = 0.3
"""Seconds reserved at the end for the page's answer to arrive."""

FOLLOW_S = 0.4
"""Seconds for a widget to follow the select that it stands for: libraries do so at once, or a frame later."""

PICK_S = 0.4
"""Seconds of the time limit reserved for clicking the option that was found."""

MAX_PICKS = 3
"""How often to search again for an option that goes away before its click: frameworks redraw lists."""


class ListState(msgspec.Struct, frozen=True, kw_only=True):
    """The list of a widget at one moment."""

    open: bool
    editable: bool
    count: int
    options: tuple[str, ...]
    found: int
    many: bool
    shown: str
    option: int
    disabled: bool
    chosen: bool


class Choice:
    """One `select_option` on a widget; all of it ends by the deadline."""

    def __init__(self, attempt: Attempt, selector: str, target: ReadyTarget, deadline: Deadline) -> None:
        self.attempt = attempt
        self.selector = selector
        self.target = target
        self.deadline = deadline
        self._typed = False
        self._cut = False
        """Whether time ran out before the end of the list was reached."""
        self._scroller: ReadyTarget | None = None
        self._document = target.frame.loader_id

    async def choose(self, values: list[str]) -> None:
        """Choose options one after the other; raises ActionFailed that says what the list offered."""
        try:
            for value in values:
                await self._choose(value)
            await self._close()
        except EvaluationFailed as error:
            if self._has_left_document():
                return
            raise ElementDetached(
                f"{self.selector} is {self.target.what}; the page removed it while an option was being chosen: take a "
                "new snapshot",
                selector=self.selector,
            ) from error
        except ContextLost:
            return  # the choice made the page load another document
        finally:
            await self._unwatch()

    def _has_left_document(self) -> bool:
        """Return whether the frame shows another document by now, which knows nothing of the widget."""
        return self.target.frame.loader_id != self._document

    async def _choose(self, value: str) -> None:
        self._typed, self._scroller = False, None
        await self._ask(elements.watch(self.target.token))
        for attempt in range(MAX_PICKS):
            offer = await self._find(value)
            if offer.chosen:
                return
            try:
                await self._pick(value, offer)
            except (RefStale, ElementDetached):
                if attempt == MAX_PICKS - 1 or not self.deadline.left_s:
                    raise
            else:
                return

    async def _ask(self, call: Call, wait_s: float = 0.0) -> Any:
        """Call a function of the page, which waits for `wait_s` before it answers."""
        return await self.target.frame.call(call, timeout=wait_s + self.deadline.hard_left_s)

    async def _wait_for_options(
        self, value: str, wait_s: float, calm_s: float = CALM_S, seen: Sequence[str] | None = None
    ) -> ListState:
        wait_s = min(wait_s, self.deadline.left_s)
        answer = await self._ask(
            elements.wait_for_options(self.target.token, value, wait_s * 1000, calm_s * 1000, seen), wait_s
        )
        return msgspec.convert(answer, ListState)

    # -- finding the option --------------------------------------------------------------------

    async def _find(self, value: str) -> ListState:
        offer = await self._wait_for_options(value, 0)
        if not offer.open:
            await self._open()
            offer = await self._wait_for_options(value, SOON_S if offer.editable else OPEN_S)
        if not offer.count and not offer.found:
            await self._keys("ArrowDown")
            offer = await self._wait_for_options(value, SOON_S if offer.editable else OPEN_S)
        first = offer
        if not offer.found and offer.editable:
            offer = await self._filter(value, FILTER_SHARE if first.count else 1.0)
        if not offer.found and first.count:
            offer = await self._scroll(value)
        if not offer.found:
            raise self._no_option(value, first, offer)
        if offer.found > 1:
            raise AmbiguousSelector(
                f"{self.selector} is {self.target.what}; {offer.found} of its options match {value!r}: give the value "
                "of one, or click the option by its own selector",
                selector=self.selector,
                matches=offer.options,
                count=offer.found,
            )
        return offer

    async def _open(self) -> None:
        # Some lists open on mousedown, and are under the mouse on mouseup.
        pointer_input = click(self.attempt, ends=False)
        await Press(self.attempt, self.selector, need.OPEN, {}, pointer_input, self.deadline).send()

    async def _keys(self, key: str) -> None:
        await send_keys(self.attempt, keyboard.chord_events(Chord((), key)), self.deadline)

    async def _filter(self, text: str, share: float) -> ListState:
        """Type the wanted text, and wait for the option during a share of the remaining time."""
        wait_s = max(0.0, self.deadline.left_s - PICK_S) * share
        if await self._ask(elements.focus_filter(self.target.token)):
            self._typed = True
            await send_keys(self.attempt, keyboard.text_events(text), self.deadline)
        return await self._wait_for_options(text, wait_s, calm_s=wait_s)

    async def _scroll(self, value: str) -> ListState:
        """Search a list that only draws the options in view."""
        if self._typed and await self._ask(elements.focus_filter(self.target.token)):
            await self._keys("Delete")
            self._typed = False
        moved = await self._scroll_by_page(first=True)
        offer = last = await self._wait_for_options(value, 0)
        while moved and not offer.found and self.deadline.left_s > PICK_S:
            moved = await self._scroll_by_page(first=False)
            # At its end a list may load more options.
            offer = await self._wait_for_options(value, CALM_S, seen=last.options)
            moved = moved and offer.options != last.options
            last = offer
        self._cut = moved and not offer.found
        return offer

    async def _scroll_by_page(self, *, first: bool) -> bool:
        answer = await self._ask(elements.scroll_list(self.target.token, first))
        if answer.get("by"):
            if self._scroller is None:
                ref = await self._ref(answer["wheel"])
                self._scroller = await make_ready(self.attempt, ref, need.HOVER, deadline=self.deadline)
            x, y = self._scroller.x, self._scroller.y
            wheel = cdp_input.DispatchMouseEvent(type="mouseWheel", x=x, y=y, delta_x=0, delta_y=answer["by"])
            await mouse.send_input(self.attempt.tab, [mouse.moved(x, y), wheel], self.deadline)
        return bool(answer["moved"])

    async def _ref(self, token: int) -> str:
        """Return a selector for an element, given the page script's token."""
        return await _ref(self.attempt, self.target, token, self.selector)

    async def _click(self, token: int) -> None:
        ref = await self._ref(token)
        await Press(self.attempt, ref, need.CLICK, {}, click(self.attempt), self.deadline).send()

    def _no_option(self, value: str, first: ListState, last: ListState) -> ElementUnsuitable:
        what = f"{self.selector} is {self.target.what}"
        typed = f"; after typing {value!r} it offered {_listed(last)}" if self._typed else ""
        if not first.count and not last.count:
            words = f"it was clicked{' and typed into' if self._typed else ''}, but no option appeared"
        else:
            cut = f"; the end of the list was not reached, the last options are {_listed(last)}" if self._cut else ""
            words = f"it has no option {value!r}; it offered {_listed(first if first.count else last)}{typed}{cut}"
        return ElementUnsuitable(f"{what}; {words} (waited {self.deadline.shown})", selector=self.selector)

    # -- picking it ----------------------------------------------------------------------------

    async def _pick(self, value: str, offer: ListState) -> None:
        if offer.disabled:
            raise ElementDisabled(
                f"{self.selector} is {self.target.what}; its option {value!r} is disabled",
                selector=self.selector,
            )
        option = await self._ask(elements.describe_option(self.target.token, offer.option))
        await self._click(offer.option)
        await self._verify(value, offer.option, option)

    async def _verify(self, value: str, token: int, option: dict[str, Any]) -> None:
        wait_s = min(max(SHOW_S, self.deadline.left_s), max(0.0, self.deadline.hard_left_s - ANSWER_S))
        try:
            report = await self._shows(token, option, wait_s)
        except EvaluationFailed:
            if self._has_left_document():
                raise
            # The framework redrew the widget with its new value: check the element that replaced it.
            self.target = await make_ready(
                self.attempt, self.selector, need.SELECT, {"value": [value]}, deadline=self.deadline
            )
            report = await self._shows(token, option, SHOW_S)
        if report.get("undone"):
            await self._click(token)
        if report.get("fault"):
            raise ElementUnsuitable(
                f"{self.selector} is {self.target.what}; its option {option['name'] or value!r} was clicked, but the "
                f"widget does not show it: it shows {report.get('detail', '')!r}",
                selector=self.selector,
            )

    # -- leaving it ----------------------------------------------------------------------------

    async def _shows(self, token: int, option: dict[str, Any], wait_s: float) -> Any:
        return await self._ask(elements.verify_choice(self.target.token, token, option, wait_s * 1000), wait_s)

    async def _close(self) -> None:
        """Close a multi-select list that stays open, because it covers other elements."""
        if await self._ask(elements.is_left_open(self.target.token)):
            await self._keys("Escape")

    async def _unwatch(self) -> None:
        try:
            await self.target.frame.call(elements.unwatch(), timeout=self.deadline.hard_left_s)
        except (ContextLost, EvaluationFailed):
            return


async def _ref(attempt: Attempt, target: ReadyTarget, token: int, selector: str) -> str:
    frame = target.frame
    handle = await handle_of(frame, token, selector)
    node = await handle.backend_node_id()
    return f"ref={attempt.tab.refs.ref_for(frame.process_key, node, frame.id, frame.loader_id)}"


async def choose_behind(attempt: Attempt, selector: str, select: ReadyTarget, widget: int, deadline: Deadline) -> None:
    """Choose in the widget of a select what it does not show although the select has it; raises ActionFailed."""
    try:
        call = elements.unfollowed(select.token, widget, FOLLOW_S * 1000)
        shown = await select.frame.call(call, timeout=FOLLOW_S + deadline.hard_left_s)
    except (ContextLost, EvaluationFailed):
        return  # the choice made the page draw the widget again, or load another document
    if shown["present"]:
        raise ElementUnsuitable(
            f"{selector} is {select.what}, behind a widget that the page draws for it; the widget did not follow the "
            f"choice and still shows {', '.join(map(repr, shown['present']))}: act on the widget itself",
            selector=selector,
        )
    if shown["absent"]:
        ref = await _ref(attempt, select, widget, selector)
        target = await make_ready(attempt, ref, need.SELECT, {"value": shown["absent"]}, deadline=deadline)
        await Choice(attempt, ref, target, deadline).choose(shown["absent"])


def _listed(offer: ListState) -> str:
    more = offer.count - len(offer.options)
    return (", ".join(repr(name) for name in offer.options) or "nothing") + (f" and {more} more" if more > 0 else "")
