"""robots.txt in a crawler: whose groups count, and what tells that it has refused a page."""

from __future__ import annotations

import re

from stillframe.errors import OptionInvalid
from stillframe.farm.fetching.options import PRODUCT

_PRODUCT = re.compile(r"[A-Za-z0-9_-]+")
"""A product token; digits are not in the grammar of RFC 9309, but in the names of crawlers."""
_COMPATIBLE = re.compile(r"compatible;\s*([A-Za-z0-9_-]+)")


def token_of(user_agent: str | None, token: str | None = None) -> str:
    """Return the product token whose groups in robots.txt count: the one given, or that of the user agent.

    `ShopBot/1.0 (+https://shop.example/bot)` and `Mozilla/5.0 (compatible; ShopBot/1.0)` have the token `ShopBot`; that
    of a browser, and of no user agent, is `stillframe`. Raises OptionInvalid for a token that robots.txt cannot name.
    """
    if token is not None:
        if _PRODUCT.fullmatch(token) is None:
            raise OptionInvalid(
                f"option robots_token: {token!r} is not a product token; use letters, digits, '_' and '-'",
                option="robots_token",
            )
        return token
    found = _COMPATIBLE.search(user_agent or "") or _PRODUCT.match(user_agent or "")
    name = found.group(found.lastindex or 0) if found else PRODUCT
    return PRODUCT if name == "Mozilla" else name
