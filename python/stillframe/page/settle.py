"""`Page.settle`: the wait of a sequence, as a call of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.model.options import SequenceOptions, parse_settling_options
from stillframe.model.secrets import redact_all
from stillframe.model.verdict import Verdict
from stillframe.page.selectors import parse as parse_selector

if TYPE_CHECKING:
    from stillframe.page.page import Page


async def settle(page: Page, options: dict[str, Any]) -> Verdict:
    """Wait until the page is still; see `Page.settle`."""
    parsed = _parse(options)
    async with page.lock, page.settling.armed(parsed, adopt=True) as settling:
        verdict = await settling.verdict()
    # What was typed earlier may stand in a URL that the page asks for.
    return redact_all(verdict, sorted(page.secrets, key=lambda text: (-len(text), text)))


def _parse(options: dict[str, Any]) -> SequenceOptions:
    parsed = parse_settling_options(options)
    if parsed.expect is not None and parsed.expect.selector is not None:
        parse_selector(parsed.expect.selector)
    return parsed
