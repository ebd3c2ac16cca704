"""Choosing from lists that a page draws itself: open, filter, scroll, pick with the mouse, and see that it was taken.

The contract is ARIA's (combobox, listbox, option, aria-controls); where a widget has none of it, what appears when it
is opened is its list, and visible texts are its options. agent/choosing.js looks; here is what is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from stillframe.tab.deadline import Deadline
from stillframe.tab.input import actionability as need
from stillframe.tab.input import keyboard, mouse
from stillframe.tab.input.actionability import Ready, ready
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.filling import send_keys
from stillframe.tab.input.keyboard import Chord
from stillframe.tab.input.press import click, strike
from stillframe.tab.locating.locate import handle_of

OPEN_S = 1.0
"""Seconds that a list has to show options when it was opened, before something else is tried."""

SOON_S = 0.4
"""The same for a field: many show nothing before something is typed."""

CALM_S = 0.2
"""Seconds without change after which the options are taken for all that there are: two looks of the agent."""

SHOW_S = 1.0
"""Seconds that a widget has to show what was picked: frameworks may write it a moment later."""

FILTER_SHARE = 0.6
"""The part of the time that is left in which a list that showed options must answer to what was typed, before it is
scrolled through instead."""

SAY_S = 0.3
"""Seconds before the end in which an answer still comes."""

PICK_S = 0.4
"""Seconds of the time limit that are kept for picking what was found."""

MAX_PICKS = 3
"""How often an option is looked for again that goes away before its click: frameworks redraw lists."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a widget offers at one moment."""

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

    def __init__(self, attempt: Attempt, selector: str, target: Ready, deadline: Deadline) -> None:
        self.attempt = attempt
        self.selector = selector
        self.target = target
        self.deadline = deadline
        self._typed = False
        self._cut = False
        """Whether the time was up before the end of the list was seen."""
        self._over: Ready | None = None

    async def choose(self, values: list[str]) -> None:
        """Choose options, one after the other; raises ActionFailed that says what was seen."""
        try:
            for value in values:
                await self._choose(value)
            await self._close()
        except EvaluationFailed as error:
            raise ElementDetached(
                f"{self.selector} is {self.target.what}; it was taken away while an option was chosen: look at the "
                "page again",
                selector=self.selector,
            ) from error
        except ContextLost:
            return  # what was chosen made the page load another document
        finally:
            await self._unwatch()

    async def _choose(self, value: str) -> None:
        self._typed, self._over = False, None
        await self._ask("watch")
        for attempt in range(MAX_PICKS):
            offer = await self._find(value)
            if offer.chosen:
                return
            try:
                await self._pick(value, offer)
            except (RefStale, ElementDetached):
                if attempt == MAX_PICKS - 1 or not self.deadline.left:
                    raise
            else:
                return

    async def _ask(self, function: str, *args: Any, seconds: float = 0.0) -> Any:
        declaration = f"(token, ...rest) => __sf.{function}(token, ...rest)"
        return await self.target.call(declaration, *args, timeout=seconds + self.deadline.late)

    async def _offered(
        self, value: str, seconds: float, calm: float = CALM_S, seen: Sequence[str] | None = None
    ) -> Offer:
        seconds = min(seconds, self.deadline.left)
        answer = await self._ask("offered", value, seconds * 1000, calm * 1000, seen, seconds=seconds)
        return msgspec.convert(answer, Offer)

    # -- finding the option --------------------------------------------------------------------

    async def _find(self, value: str) -> Offer:
        offer = await self._offered(value, 0)
        if not offer.open:
            await self._open()
            offer = await self._offered(value, SOON_S if offer.editable else OPEN_S)
        if not offer.count and not offer.found:
            await self._keys("ArrowDown")
            offer = await self._offered(value, SOON_S if offer.editable else OPEN_S)
        first = offer
        if not offer.found and offer.editable:
            offer = await self._filter(value, FILTER_SHARE if first.count else 1.0)
        if not offer.found and first.count:
            offer = await self._scroll(value)
        if not offer.found:
            raise self._no_option(value, first, offer)
        if offer.found > 1:
            raise AmbiguousSelector(
                f"{self.selector} is {self.target.what}; {offer.found} of its options are {value!r}: give the value of "
                "one, or click it by a selector",
                selector=self.selector,
                matches=offer.options,
                count=offer.found,
            )
        return offer

    async def _open(self) -> None:
        # Some lists open when the button goes down, and then lie under the mouse when it comes up.
        stroke = click(self.attempt, ends=False)
        await strike(self.attempt, self.selector, need.OPEN, {}, stroke, timeout=self.deadline.left)

    async def _keys(self, key: str) -> None:
        await send_keys(self.attempt, keyboard.chord_events(Chord((), key)), self.deadline)

    async def _filter(self, text: str, share: float) -> Offer:
        """Type what is looked for, and wait for it during a share of the time that is left."""
        seconds = max(0.0, self.deadline.left - PICK_S) * share
        if await self._ask("aimKeys"):
            self._typed = True
            await send_keys(self.attempt, keyboard.text_events(text), self.deadline)
        return await self._offered(text, seconds, calm=seconds)

    async def _scroll(self, value: str) -> Offer:
        """Look through a list that only draws what is in view."""
        if self._typed and await self._ask("aimKeys"):
            await self._keys("Delete")
            self._typed = False
        moved = await self._on(first=True)
        offer = last = await self._offered(value, 0)
        while moved and not offer.found and self.deadline.left > PICK_S:
            moved = await self._on(first=False)
            # At its end a list may be about to load more.
            offer = await self._offered(value, CALM_S, seen=last.options)
            moved = moved and offer.options != last.options
            last = offer
        self._cut = moved and not offer.found
        return offer

    async def _on(self, *, first: bool) -> bool:
        answer = await self._ask("scrollList", first)
        if answer.get("by"):
            if self._over is None:
                ref = await self._ref(answer["wheel"])
                self._over = await ready(self.attempt, ref, need.HOVER, timeout=self.deadline.left)
            x, y = self._over.x, self._over.y
            wheel = cdp_input.DispatchMouseEvent(type="mouseWheel", x=x, y=y, delta_x=0, delta_y=answer["by"])
            await mouse.send_input(self.attempt.tab.session, [mouse.moved(x, y), wheel], timeout=self.deadline.late)
        return bool(answer["moved"])

    async def _ref(self, token: int) -> str:
        """Return a selector of an element that the agent has told of."""
        frame = self.target.frame
        handle = await handle_of(frame, token, self.selector)
        node = await handle.backend_node_id()
        return f"ref={self.attempt.tab.refs.ref_for(frame.process_key, node, frame.id, frame.loader_id)}"

    async def _click(self, token: int) -> None:
        await strike(
            self.attempt, await self._ref(token), need.CLICK, {}, click(self.attempt), timeout=self.deadline.left
        )

    def _no_option(self, value: str, first: Offer, last: Offer) -> ElementUnsuitable:
        what = f"{self.selector} is {self.target.what}"
        typed = f"; after {value!r} was typed it offered {_listed(last)}" if self._typed else ""
        if not first.count and not last.count:
            words = f"it was clicked{' and typed into' if self._typed else ''} and no option appeared"
        else:
            cut = f"; the end of the list was not reached, the last ones seen are {_listed(last)}" if self._cut else ""
            words = f"it has no option {value!r}; it offered {_listed(first if first.count else last)}{typed}{cut}"
        return ElementUnsuitable(f"{what}; {words} (waited {self.deadline.timeout:g} s)", selector=self.selector)

    # -- picking it ----------------------------------------------------------------------------

    async def _pick(self, value: str, offer: Offer) -> None:
        if offer.disabled:
            raise ElementDisabled(
                f"{self.selector} is {self.target.what}; {value!r} is an option that is disabled",
                selector=self.selector,
            )
        option = await self._ask("optionOf", offer.option)
        await self._click(offer.option)
        await self._verify(value, offer.option, option)

    async def _verify(self, value: str, token: int, option: dict[str, Any]) -> None:
        seconds = min(max(SHOW_S, self.deadline.left), max(0.0, self.deadline.late - SAY_S))
        try:
            report = await self._ask("picked", token, option, seconds * 1000, seconds=seconds)
        except EvaluationFailed:
            # The framework redrew the widget with its new value: ask the element that replaced it.
            self.target = await ready(
                self.attempt, self.selector, need.SELECT, {"value": [value]}, timeout=self.deadline.left
            )
            report = await self._ask("picked", token, option, SHOW_S * 1000, seconds=SHOW_S)
        if report.get("undone"):
            await self._click(token)
        if report.get("fault"):
            raise ElementUnsuitable(
                f"{self.selector} is {self.target.what}; its option {option['name'] or value!r} was clicked, and it "
                f"does not show it: it shows {report.get('detail', '')!r}",
                selector=self.selector,
            )

    # -- leaving it ----------------------------------------------------------------------------

    async def _close(self) -> None:
        """Close a list for several options that stays open, for it lies over other things."""
        if await self._ask("isLeftOpen"):
            await self._keys("Escape")

    async def _unwatch(self) -> None:
        try:
            await self.target.frame.call("() => __sf.unwatch()", timeout=self.deadline.late)
        except (ContextLost, EvaluationFailed):
            return


def _listed(offer: Offer) -> str:
    more = offer.count - len(offer.options)
    return (", ".join(repr(name) for name in offer.options) or "nothing") + (f" and {more} more" if more > 0 else "")
