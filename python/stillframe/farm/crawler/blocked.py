"""Pages by which a site says that it takes a crawler for one."""

from __future__ import annotations

import msgspec
from crawlee.errors import SessionError

from stillframe import Page

SELECTORS = (
    'iframe[src^="https://challenges.cloudflare.com"]',
    'div#infoDiv0 a[href*="//www.google.com/policies/terms/"]',
    'iframe[src*="_Incapsula_Resource"]',
)
"""What crawlee looks for with `retry_on_blocked` in the pages of its own browser crawlers."""
BLOCKED_MS = 5_000.0


async def check_not_blocked(page: Page) -> None:
    """Raise crawlee's SessionError for a page that holds one of the selectors, so that the session is retired."""
    selectors = msgspec.json.encode(SELECTORS).decode()
    found = await page.evaluate(f"{selectors}.filter(each => document.querySelector(each))", timeout_ms=BLOCKED_MS)
    if found:
        raise SessionError(f"{page.url} blocks this session: it has {', '.join(found)}")
