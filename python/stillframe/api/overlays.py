"""Locator handlers: functions of the caller for what may come up over a page."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from stillframe.api.arguments import count
from stillframe.api.locator import Locator
from stillframe.api.parts import PagePart
from stillframe.errors import OptionInvalid
from stillframe.tab.background import parameters_of
from stillframe.tab.locator_handlers import LocatorHandler


class PageOverlays(PagePart):
    """What runs when something comes up over the page."""

    async def add_locator_handler(
        self,
        locator: Locator,
        handler: Callable[..., object],
        *,
        times: int | None = None,
        no_wait_after: bool = False,
    ) -> None:
        """Run `handler` whenever an action is about to act, or is kept from it, and `locator` shows.

        It is for what comes up at moments of its own, such as a consent banner. What the handler calls on the page is
        part of the action, which then goes on: such calls wait for no still page, their results have no `state_change`,
        and `settle` is refused. What it raises of stillframe's errors is the error of the action.

        Args:
            locator: What comes up.
            handler: A function of the locator; it may be async.
            times: How often it runs at most; by default without end.
            no_wait_after: Whether the element may stay: otherwise it has to be gone after the handler.

        Raises:
            ActionInvalid: `times` is not a number above 0.
            OptionInvalid: `locator` is not a locator.
        """
        if not isinstance(locator, Locator):
            raise OptionInvalid(f"locator is {locator!r}: it must be a locator of the page", option="locator")
        if times is not None:
            count("times", times, what="runs")

        given = (locator,) if _takes_one(handler) else ()

        async def run() -> None:
            result = handler(*given)
            if inspect.isawaitable(result):
                await result

        made = LocatorHandler(locator._selector, run, times=times, waits=not no_wait_after)
        self._tab.locator_handlers.append(made)

    async def remove_locator_handler(self, locator: Locator) -> None:
        """Take back all handlers of a locator."""
        kept = [each for each in self._tab.locator_handlers if each.selector != locator._selector]
        self._tab.locator_handlers[:] = kept


def _takes_one(handler: Callable[..., object]) -> bool:
    """Whether a handler takes the locator; a function without parameters need not."""
    parameters = parameters_of(handler)
    return parameters is None or bool(parameters)
