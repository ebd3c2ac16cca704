"""Playwright's options of `goto`, for those who move to stillframe with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stillframe.errors import OptionInvalid

WAITS: dict[str, dict[str, Any]] = {
    "commit": {"until": "commit", "settle": False},
    "domcontentloaded": {"until": "domcontentloaded", "settle": False},
    "load": {"until": "load", "settle": False},
    "networkidle": {"settle": True},
}
"""What Playwright's `wait_until` means here: a still page stands for an idle network, the others do not wait for it."""


def goto_options(given: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Return options of `Page.goto`, those of Playwright translated; `where` is what they were given as.

    `url` is left out, and `referer`, which is a header of the document's request. Raises OptionInvalid for a
    `wait_until` that Playwright does not have either.
    """
    options: dict[str, Any] = {"settle": True}
    for name, value in given.items():
        if name == "wait_until":
            options |= _wait(value, where)
        elif name == "timeout":
            options["timeout_ms"] = float(value) or None
        elif name not in ("referer", "url"):
            options[name] = value
    return options


def referer_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the header that options of `goto` ask for."""
    referer = given.get("referer")
    return {"referer": str(referer)} if referer else {}


def _wait(value: Any, where: str) -> dict[str, Any]:
    if value not in WAITS:
        raise OptionInvalid(
            f"{where}: wait_until {value!r} is none of {', '.join(WAITS)}; without it the page is waited for until it "
            "is still",
            option="wait_until",
        )
    return WAITS[value]
