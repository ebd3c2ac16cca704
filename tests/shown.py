"""How tests read a result: rows as short tuples."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import pytest
from aiohttp import web

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.change import ChangedRow, Row, StateChange
from stillframe.model.result import SequenceResult

RULES = ("causal", "quiet")
EACH_RULE = pytest.mark.parametrize("settle", RULES)
"""Runs a test under both ways of settling that this version has: what they say or wait for is its subject."""
BOTH_RULES = pytest.mark.parametrize("settle", sampled(RULES, ("causal",)))
"""The same for what only happens on the way: `make test` has one of them, and `make test-all` both."""


def selectors(rows: Iterable[Row | ChangedRow]) -> list[str]:
    return [row.selector for row in rows]


def fields(rows: Iterable[ChangedRow]) -> set[tuple[str, str, str | None, str | None]]:
    return {(row.selector, row.field, row.from_, row.to) for row in rows}


def change(result: SequenceResult) -> StateChange:
    """The state change of a result that must have succeeded and must have one."""
    assert result.failed is None, result.failed
    assert result.state_change is not None, "nothing changed"
    return result.state_change


def only_changed(result: SequenceResult) -> set[tuple[str, str, str | None, str | None]]:
    """The changed rows of a result in which nothing appeared and nothing disappeared."""
    state = change(result)
    assert (state.url, state.title, state.appeared, state.disappeared) == (None, None, (), ())
    return fields(state.changed)


def waited(result: SequenceResult) -> float:
    """The milliseconds from the first action to the verdict of a verbose result.

    The wait alone may be short: on a slow machine the action ends when much of its effect has come.
    """
    assert result.steps is not None
    return result.stability_wait_ms + sum(step.duration_ms for step in result.steps)


def on_ping(site: Site, page: Page, act: Callable[[], object]) -> None:
    """Do something when the page asks for `/ping`, once the click that made it ask has been answered for."""

    async def handler(_: web.Request) -> web.Response:
        # No event tells that a command was answered; its answer is on its way already.
        while any(method.startswith("Input.") for _, method, _ in page.cdp_session.channel.pending):  # noqa: ASYNC110
            await asyncio.sleep(0)
        act()
        return web.Response(text="pong")

    site.route("/ping", handler)
