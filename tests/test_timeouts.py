"""Every public call takes a limit: `timeout` in seconds, or `timeout_ms` among the options of a sequence."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import stillframe
from stillframe.api.browser import Page
from stillframe.cdp import CDPSession
from stillframe.chrome import LaunchOptions
from stillframe.errors import OptionInvalid
from stillframe.model.options import SequenceOptions

CLASSES = (
    stillframe.Browser,
    stillframe.BrowserContext,
    stillframe.Page,
    stillframe.Session,
    stillframe.Sessions,
    CDPSession,
)
IN_OPTIONS = {"execute_sequence", "parallel", "settle"}
"""Calls whose limits are among the options of a sequence."""
WAITS = {"Page.expect_popup", "CDPSession.expect", "CDPSession.batch"}
"""Calls that are no coroutines and wait all the same."""


def calls() -> Iterator[tuple[str, Any]]:
    for owner in CLASSES:
        for name, method in inspect.getmembers(owner):
            known = f"{owner.__name__}.{name}"
            coroutine = callable(method) and inspect.iscoroutinefunction(inspect.unwrap(method))
            if known in WAITS or (coroutine and not name.startswith("_")):
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
    if name.rpartition(".")[2] in IN_OPTIONS:
        assert any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        return
    (limit,) = {"timeout", "timeout_ms"} & set(parameters)
    assert parameters[limit].kind is inspect.Parameter.KEYWORD_ONLY


def test_sequences_and_launches_have_theirs_among_their_options() -> None:
    assert {"timeout_ms", "action_timeout_ms"} <= set(SequenceOptions.__struct_fields__)
    assert "timeout" in LaunchOptions.__struct_fields__


@pytest.mark.parametrize("timeout", [-1, "soon", True])
async def test_what_is_no_time_is_refused(page: Page, timeout: Any) -> None:
    with pytest.raises(OptionInvalid, match="timeout"):
        await page.title(timeout_ms=timeout * 1000)


async def test_none_is_no_limit(page: Page) -> None:
    assert await page.title(timeout_ms=None) == ""
    assert await page.evaluate("1", timeout_ms=None) == 1
    assert await page.snapshot(timeout_ms=None)
    assert (await page.aria_snapshot(timeout_ms=None)).text is not None
    assert await page.screenshot(timeout_ms=None)
