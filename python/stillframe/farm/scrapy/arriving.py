"""How a Scrapy request is loaded: the options of `Page.goto`, also by the names of Playwright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy import Request

from stillframe.farm import playwright_names

KEY = "stillframe_page_goto_kwargs"


def goto_options(request: Request, timeout_ms: float) -> dict[str, Any]:
    """Return the options of `Page.goto` for a request, those of Playwright translated.

    Raises OptionInvalid for a `wait_until` that Playwright does not have either.
    """
    return {"timeout_ms": timeout_ms, **playwright_names.goto_options(_given(request), where=KEY)}


def referer_of(request: Request) -> dict[str, str]:
    """Return the header that a request's goto options ask for."""
    return playwright_names.referer_of(_given(request))


def _given(request: Request) -> Mapping[str, Any]:
    return request.meta.get(KEY) or {}
