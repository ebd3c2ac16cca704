"""`Page.settle`: the wait of a sequence, as a call of its own; and navigations that end with one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from stillframe.errors import OptionInvalid
from stillframe.model.bounds import bounded
from stillframe.model.options import SequenceOptions, Settle, parse_settling_options
from stillframe.model.result import NavigationResult
from stillframe.model.verdict import Verdict
from stillframe.settling.settler import OBSERVED_SECONDS
from stillframe.tab.clock import HELD_S
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.waits import check as check_expect

if TYPE_CHECKING:
    from stillframe.api.page import Page


async def settle(page: Page, options: dict[str, Any]) -> Verdict:
    """Wait until the page is still; see `Page.settle`."""
    parsed = parse_settling_options(options)
    check_expect(parsed.expect)
    async with page.lock:
        deadline = Deadline(parsed.timeout_ms / 1000)
        seconds = min(OBSERVED_SECONDS, deadline.late / 2)
        with page.drawing.kept():
            async with page.settling.armed(parsed, adopt=True, observed_s=seconds) as settling:
                verdict = await settling.verdict(limit_s=max(0.0, deadline.late - HELD_S))
    return _shown(page, verdict)


async def arrive(
    page: Page,
    navigate: Callable[[], Awaitable[NavigationResult]],
    settle: bool | Settle,
    options: dict[str, Any],
    timeout: float | None,
) -> NavigationResult:
    """Navigate a page and, with `settle`, wait until it is still; the verdict is `page.verdict`.

    Of `timeout`, in seconds, the wait has what the navigation leaves. Raises what `parse_arrival` and `navigate` raise.
    """
    parsed = parse_arrival(settle, options)
    if parsed is None:
        page.response, page.verdict = await navigate(), None
        return page.response
    deadline = Deadline(timeout)
    async with page.lock:
        seconds = min(OBSERVED_SECONDS, deadline.left)
        with page.drawing.kept():
            async with page.settling.armed(parsed, observed_s=seconds) as settling:
                page.response = await navigate()
                page.verdict = _shown(page, await settling.verdict(limit_s=deadline.left))
    return page.response


def parse_arrival(settle: bool | Settle, options: dict[str, Any]) -> SequenceOptions | None:
    """Return how a navigation waits for its page to be still, or None if it does not.

    Raises OptionInvalid, also for options of a wait that nobody asked for, and SelectorInvalid.
    """
    if settle is False:
        if options:
            name = next(iter(options))
            raise OptionInvalid(f"option {name}: it says how to wait; give settle=True as well", option=name)
        return None
    parsed = parse_settling_options(options if settle is True else {**options, "settle": settle})
    check_expect(parsed.expect)
    return parsed


def _shown(page: Page, verdict: Verdict) -> Verdict:
    # What was typed earlier may stand in a URL that the page asks for.
    return bounded(page.context.masks.redact(verdict))
