"""Settle a page without running actions, and navigations that wait for the page to settle."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from stillframe.errors import OptionInvalid
from stillframe.model.bounds import bounded
from stillframe.model.keywords import NavigationKeywords
from stillframe.model.options import FIELDS, SequenceOptions, Settle, parse_settling_options, python_name
from stillframe.model.playwright_parameters import PARAMETERS, playwright_option
from stillframe.model.suggest import unknown
from stillframe.settling.settler import OBSERVED_SECONDS, Expectation, Settler
from stillframe.tab.clock.virtual_clock import HELD_S
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating import waits

if TYPE_CHECKING:
    from stillframe.engine.history import History
    from stillframe.model.result import NavigationResult
    from stillframe.model.verdict import Verdict
    from stillframe.tab.tab import Tab

CALL_OPTIONS = ("until", "timeout_ms", "settle")
WAIT_OPTIONS = tuple(NavigationKeywords.__annotations__)


async def settle(settler: Settler, options: Mapping[str, Any]) -> Verdict:
    """Wait until a page is still; see `Page.settle`."""
    parsed = parse_settling_options(options)
    waits.check(parsed.expect)
    tab = settler.tab
    refuse_within(settler)
    async with settler.lock:
        deadline = Deadline(parsed.timeout_ms / 1000)
        end = deadline.hard()
        observed = end.within(min(OBSERVED_SECONDS, end.left_s / 2))
        with tab.drawing.kept():
            async with settler.armed(parsed, adopt=True, observed=observed) as settling:
                verdict = await settling.verdict(end.extended(-HELD_S), expected=expected(tab, parsed))
    return _redacted(tab, verdict)


async def arrive(
    settler: Settler,
    history: History,
    navigate: Callable[[], Awaitable[NavigationResult]],
    settle: bool | Settle,
    options: Mapping[str, Any],
    deadline: Deadline,
) -> NavigationResult:
    """Navigate a page and, with `settle`, wait until it is still; `history.arrival` is the verdict.

    The deadline covers both: the wait gets what the navigation leaves. Raises the errors of `parse_arrival` and
    `navigate`.
    """
    parsed = parse_arrival(settle, options)
    if parsed is None:
        response, history.arrival = await navigate(), None
        return response
    refuse_within(settler)
    async with settler.lock:
        with settler.tab.drawing.kept():
            async with settler.armed(parsed, observed=deadline.within(OBSERVED_SECONDS)) as settling:
                response = await navigate()
                verdict = await settling.verdict(deadline, expected=expected(settler.tab, parsed))
    history.arrival = _redacted(settler.tab, verdict)
    return response


def refuse_within(settler: Settler) -> None:
    """Raise OptionInvalid in a locator handler: the call around it is the one that waits for a still page."""
    if settler.lock.is_lent:
        raise OptionInvalid(
            "a locator handler cannot wait until the page is still, because the action that it runs in does: wait for "
            "an element with page.wait_for instead",
            option="settle",
        )


def parse_arrival(settle: bool | Settle, options: Mapping[str, Any]) -> SequenceOptions | None:
    """Return how a navigation waits for its page to settle, or None if it does not.

    A navigation's `timeout_ms` covers all of it; `settle_timeout_ms` limits the wait alone. Raises SelectorInvalid, and
    OptionInvalid, also for wait options without `settle`.
    """
    for name in options:
        if name in PARAMETERS:
            raise playwright_option(name, PARAMETERS[name])
        if problem := _problem(name, settle):
            raise OptionInvalid(problem, option=name)
    if settle is False:
        return None
    wait_options = {"timeout_ms" if name == "settle_timeout_ms" else name: value for name, value in options.items()}
    parsed = parse_settling_options(wait_options if settle is True else {**wait_options, "settle": settle})
    waits.check(parsed.expect)
    return parsed


def _problem(name: str, settle: bool | Settle) -> str | None:
    """Return what is wrong with the name of an option of a navigation, if anything is."""
    if name in CALL_OPTIONS:
        return f"option {name}: new_page does not take it; open an empty page and call page.goto(url, {name}=…)"
    if name not in WAIT_OPTIONS and python_name(name) not in FIELDS:
        return unknown("option", name, (*CALL_OPTIONS, *WAIT_OPTIONS))
    if settle is False:
        return f"option {name}: it configures the wait for the page to settle; pass settle=True as well"
    return None


def expected(tab: Tab, options: SequenceOptions) -> Expectation | None:
    """Return a function that waits for the `expect` condition of the options, or None if there is none."""
    if options.expect is None:
        return None
    return partial(_wait_for, tab, options.expect)


async def _wait_for(tab: Tab, expect: Any, deadline: Deadline) -> None:
    await waits.wait_for(tab, expect, deadline, state="visible")


def _redacted(tab: Tab, verdict: Verdict) -> Verdict:
    # The page may request a URL that contains text typed earlier.
    return bounded(tab.context.redaction.redact(verdict))
