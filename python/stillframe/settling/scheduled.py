"""Ask a page for its scheduled work while its clock stands: its calls, and what is moving.

Asking changes nothing and takes one round trip.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandError
from stillframe.injected import observer
from stillframe.settling.hooks import Scheduled, parse_scheduled
from stillframe.settling.signals import Call
from stillframe.settling.time_policy import ScheduledWork

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.settling.observed_page import ObservedPage
    from stillframe.tab.frames import Frame

ANSWER_SECONDS = 0.05
"""How long a page may take to answer: one that is not busy takes 2 ms."""
FRAME_SECONDS = 0.12
"""How long to wait for a frame; a hidden page renders none."""
ANIMATION = "animation"
"""The kind of call that stands for an animation: it runs in real time until its end."""
BUSY = "busy"
"""The kind of call that stands for a thread that does not answer: its work takes real time."""


MESSAGE_KINDS = frozenset(
    {"postMessage", "Worker.postMessage", "MessagePort.postMessage", "BroadcastChannel.postMessage", "scheduler.yield"}
)
"""Kinds of calls that have run once every thread has answered: each answers after the messages sent to it."""
SAME_MS = 0.5
"""How far the times of one call may differ between two reports."""


class MessagesInFlight:
    """Tracks delivered messages: in flight at an earlier question that every thread has answered since."""

    def __init__(self) -> None:
        self._sent: dict[str, float] = {}

    def without_delivered(self, ahead: ScheduledWork, now: float) -> ScheduledWork:
        """Remove the messages that an earlier report included, unless a later one of their kind has been sent."""
        before, self._sent = self._sent, {}
        left = []
        for call in ahead.calls:
            if call.kind in MESSAGE_KINDS:
                sent = self._sent[call.key] = now - call.age_ms
                if abs(sent - before.get(call.key, float("inf"))) < SAME_MS:
                    continue
            left.append(call)
        return structs.replace(ahead, calls=tuple(left))


async def wait_for_frame(page: ObservedPage) -> float | None:
    """Wait until every process of the page has rendered a frame, or does not.

    Return the time of the request in milliseconds since 1970, by the page's clock, or None if a process rendered none.
    """
    roots = [frame for frame in page.tab.frames if frame.is_process_root]
    with suppress(TimeoutError):
        async with time_limit(FRAME_SECONDS):
            shown = await asyncio.gather(*(_evaluate(root, observer.next_frame().expression) for root in roots))
            return min(shown) if shown and None not in shown else None
    return None


async def scheduled_work(page: ObservedPage, shown: float | None = None) -> ScheduledWork | None:
    """Return the calls that the page and its workers have scheduled, and what is moving.

    It is None if calls are not observed. `shown` is when the last frame was requested: calls that were due then have
    run.
    """
    if not page.hooks.installed:
        return None
    try:
        async with time_limit(ANSWER_SECONDS):
            documents = asyncio.gather(*(_document(frame, shown) for frame in page.tab.frames))
            workers = asyncio.gather(*(_worker(page, session) for session in page.workers.values()))
            reported = [part for part in (*await documents, *await workers) if part is not None]
    except TimeoutError:
        return ScheduledWork((Call(BUSY, BUSY, "a busy thread", 0.0),))
    return ScheduledWork(
        tuple(call for part in reported for call in part.calls), recurs=any(part.ignored for part in reported)
    )


async def _document(frame: Frame, shown: float | None) -> Scheduled | None:
    value = await _evaluate(frame, observer.scheduled_work(shown).expression)
    if value is None:
        return None
    reported, moving = msgspec.convert(value["scheduled"], Scheduled), value["moving"]
    animations = (Call(ANIMATION, ANIMATION, moving, 0.0),) if moving else ()
    return Scheduled(reported.calls + animations, reported.ignored)


async def _worker(page: ObservedPage, session: CDPSession) -> Scheduled | None:
    """Return the calls of a worker without due times: its timers end in real time."""
    try:
        reported = parse_scheduled(await session.send(page.hooks.command("read")))
    except CommandError:
        return None
    return reported and Scheduled(
        tuple(structs.replace(call, due_ms=None) for call in reported.calls), reported.ignored
    )


async def _evaluate(frame: Frame, expression: str) -> Any:
    world = frame.world()
    if world.lost or world.context_id is None:
        return None
    try:
        return await world.evaluate(expression)
    except CommandError:
        return None
