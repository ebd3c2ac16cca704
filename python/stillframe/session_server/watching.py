"""The changes of a page as they happen, whatever causes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.extend.signals import Committed, Effect, Mutated, NavigatedWithinDocument, Signal
from stillframe.model.change import StateChange
from stillframe.model.structs import Value
from stillframe.model.verdict import Reason

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.core import Snapshot

NEWS = (Mutated, Committed, NavigatedWithinDocument)
"""Signals after which the page may look different."""


class Delta(Value, frozen=True, kw_only=True, rename="camel"):
    """One change of a watched page, and how the page came to rest."""

    url: str
    reason: Reason
    detail: str | None
    state_change: StateChange


async def deltas(page: Page) -> AsyncIterator[Delta]:
    """Yield each change of a page once the page is still, until it is closed; the first look yields nothing."""
    state = page_state(page)
    changed = asyncio.Event()
    changed.set()

    def heard(_now: float, signal: Signal, _effects: tuple[Effect, ...]) -> None:
        if isinstance(signal, NEWS):
            changed.set()

    removes = state.on_signal(heard), state.listen("close", lambda _: changed.set())
    last: Snapshot | None = None
    try:
        while await changed.wait() and not page.closed:
            changed.clear()
            try:
                verdict, snapshot = await page.settle(), await page.snapshot()
            except StillframeError:
                continue  # a page that crashed or was closed; the next signal tells
            last, before = snapshot, last
            change = state.compare(before, last)
            if change is not None:
                delta = Delta(url=page.url, reason=verdict.reason, detail=verdict.detail, state_change=change)
                yield state.redact(delta)
    finally:
        for remove in removes:
            remove()
