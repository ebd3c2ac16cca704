"""Every public call takes a limit: `timeout_ms`, by itself or among the options of a sequence."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, get_type_hints

import pytest

import stillframe
from stillframe.api.browser import Page
from stillframe.cdp import CDPSession
from stillframe.chrome.options import LaunchOptions
from stillframe.errors import OptionInvalid
from stillframe.model import keywords
from stillframe.model.options import SequenceOptions

CLASSES = (
    stillframe.Browser,
    stillframe.BrowserContext,
    stillframe.Page,
    stillframe.Session,
    stillframe.Sessions,
    CDPSession,
)
WAITS = {"Page.expect_popup", "CDPSession.expect", "CDPSession.batch"}
"""Calls that are not coroutines and wait all the same."""

AT_ONCE = {"Page.add_locator_handler", "Page.opener", "Page.remove_locator_handler"}
"""Coroutines that wait for nothing; they are coroutines because Playwright's are."""


def calls() -> Iterator[tuple[str, Any]]:
    for owner in CLASSES:
        for name, method in inspect.getmembers(owner):
            known = f"{owner.__name__}.{name}"
            coroutine = callable(method) and inspect.iscoroutinefunction(inspect.unwrap(method))
            if known in WAITS or (coroutine and not name.startswith("_") and known not in AT_ONCE):
                yield known, method
    yield "connect", stillframe.connect


CALLS = dict(calls())


def test_the_calls_are_found() -> None:
    assert len(CALLS) > 40
    assert {"Page.goto", "Page.title", "Browser.new_page", "BrowserContext.cookies", "Sessions.open"} <= set(CALLS)
    assert set(CALLS) >= WAITS


@pytest.mark.parametrize("name", CALLS)
def test_it_takes_a_limit(name: str) -> None:
    parameters = inspect.signature(CALLS[name]).parameters
    if name.startswith("CDPSession."):
        assert parameters["timeout"].kind is inspect.Parameter.KEYWORD_ONLY  # in seconds, as all below the public calls
    elif "timeout_ms" in parameters:
        assert parameters["timeout_ms"].kind is inspect.Parameter.KEYWORD_ONLY
    else:
        assert "timeout_ms" in keywords_of(parameters["options"])


def keywords_of(options: inspect.Parameter) -> set[str]:
    """Return the names that the `Unpack[…]` of a signature holds."""
    name = str(options.annotation).removeprefix("Unpack[").removesuffix("]")
    return set(get_type_hints(getattr(keywords, name)))


def test_sequences_and_launches_have_theirs_among_their_options() -> None:
    assert {"timeout_ms", "action_timeout_ms"} <= set(SequenceOptions.__struct_fields__)
    assert "timeout_ms" in LaunchOptions.__struct_fields__


@pytest.mark.parametrize("timeout_ms", [-1, "soon", True])
async def test_what_is_not_a_time_is_refused(page: Page, timeout_ms: Any) -> None:
    with pytest.raises(OptionInvalid, match="timeout_ms"):
        await page.title(timeout_ms=timeout_ms)


async def test_none_means_no_limit(page: Page) -> None:
    assert await page.title(timeout_ms=None) == ""
    assert await page.evaluate("1", timeout_ms=None) == 1
    assert await page.snapshot(timeout_ms=None)
    assert (await page.aria_snapshot(timeout_ms=None)).text is not None
    assert await page.screenshot(timeout_ms=None)
