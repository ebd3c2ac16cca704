"""`Page.settle`: the wait of a sequence, as a call of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.model.bounds import bounded
from stillframe.model.options import parse_settling_options
from stillframe.model.verdict import Verdict
from stillframe.page.deadline import Deadline
from stillframe.page.waits import check as check_expect
from stillframe.settle.clock import HELD_S
from stillframe.settle.driver import OBSERVED_SECONDS

if TYPE_CHECKING:
    from stillframe.page.page import Page


async def settle(page: Page, options: dict[str, Any]) -> Verdict:
    """Wait until the page is still; see `Page.settle`."""
    parsed = parse_settling_options(options)
    check_expect(parsed.expect)
    async with page.lock:
        deadline = Deadline(parsed.timeout_ms / 1000)
        seconds = min(OBSERVED_SECONDS, deadline.late / 2)
        async with page.settling.armed(parsed, adopt=True, observed_s=seconds) as settling:
            verdict = await settling.verdict(limit_s=max(0.0, deadline.late - HELD_S))
    # What was typed earlier may stand in a URL that the page asks for.
    return bounded(page.context.masks.redact(verdict))
