"""`Page.settle`: the wait of a sequence, as a call of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.model.bounds import bounded
from stillframe.model.options import parse_settling_options
from stillframe.model.verdict import Verdict
from stillframe.page.waits import check as check_expect

if TYPE_CHECKING:
    from stillframe.page.page import Page


async def settle(page: Page, options: dict[str, Any]) -> Verdict:
    """Wait until the page is still; see `Page.settle`."""
    parsed = parse_settling_options(options)
    check_expect(parsed.expect)
    async with page.lock, page.settling.armed(parsed, adopt=True) as settling:
        verdict = await settling.verdict()
    # What was typed earlier may stand in a URL that the page asks for.
    return bounded(page.context.masks.redact(verdict))
