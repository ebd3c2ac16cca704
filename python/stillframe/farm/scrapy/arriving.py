"""How a Scrapy request is loaded: the options of `Page.goto`, also by the names of Playwright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy import Request

from stillframe.errors import OptionInvalid

WAITS: dict[str, dict[str, Any]] = {
    "commit": {"until": "commit", "settle": False},
    "domcontentloaded": {"until": "domcontentloaded", "settle": False},
    "load": {"until": "load", "settle": False},
    "networkidle": {"settle": True},
}
"""What Playwright's `wait_until` means here: a still page stands for an idle network, the others do not wait for it."""


def goto_options(request: Request, timeout_ms: float) -> dict[str, Any]:
    """Return the options of `Page.goto` for a request, those of Playwright translated.

    Raises OptionInvalid for a `wait_until` that Playwright does not have either.
    """
    given: Mapping[str, Any] = request.meta.get("stillframe_page_goto_kwargs") or {}
    options: dict[str, Any] = {"settle": True, "timeout_ms": timeout_ms}
    for name, value in given.items():
        options |= TRANSLATED[name](value) if name in TRANSLATED else {name: value}
    return options


def referer_of(request: Request) -> dict[str, str]:
    """Return the header that a request's goto options ask for."""
    referer = (request.meta.get("stillframe_page_goto_kwargs") or {}).get("referer")
    return {"referer": str(referer)} if referer else {}


def _wait(value: Any) -> dict[str, Any]:
    if value not in WAITS:
        raise OptionInvalid(
            f"stillframe_page_goto_kwargs: wait_until {value!r} is none of {', '.join(WAITS)}; without it the request "
            "waits until the page is still",
            option="wait_until",
        )
    return WAITS[value]


TRANSLATED: dict[str, Any] = {
    "referer": lambda _: {},  # a header of the document's request: see RequestChanges
    "timeout": lambda value: {"timeout_ms": float(value) or None},
    "url": lambda _: {},
    "wait_until": _wait,
}
