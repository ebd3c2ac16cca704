"""Send fences: a document answers after its frames and the tasks that they queue, a worker when its event loop is free.

Where calls are observed, the answer includes the calls that the realm has scheduled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp_types import runtime
from stillframe.injected import observer
from stillframe.settling import signals
from stillframe.settling.hooks import Scheduled, parse_scheduled
from stillframe.settling.signals import Realm, Report, RunFence

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.settling.observed_page import ObservedPage
    from stillframe.tab.frames import Frame, World

Answered = Callable[[asyncio.Future[Any]], None]

WORKER_FENCE = "0"
"""Evaluated by a worker when its event loop is free. It must not schedule work: doing so in a worker that is still
starting crashes its renderer (Chromium 156, measured with a timer)."""


class Fences:
    """Sends the fences of one page and feeds their answers to it as signals."""

    def __init__(self, page: ObservedPage) -> None:
        self._page = page
        self._open: dict[asyncio.Future[Any], Answered] = {}
        """The replies that are open, and the callback for each."""
        self._wait = 0
        """How many waits have ended: questions of an earlier wait are not sent any more."""

    def cancel(self) -> None:
        """Cancel all open replies: the wait has ended, and a page that hangs may never answer."""
        self._wait += 1
        replies, self._open = self._open, {}
        for reply in replies:
            reply.cancel()

    def on_reply(self, reply: asyncio.Future[Any], done: Answered) -> None:
        """Call `done` with a reply when it arrives, unless the wait has ended by then."""
        self._open[reply] = done
        reply.add_done_callback(self._answered)

    def _answered(self, reply: asyncio.Future[Any]) -> None:
        if (done := self._open.pop(reply, None)) is not None:
            done(reply)
        elif not reply.cancelled():
            reply.exception()  # a cancelled gather ends in an exception, and asyncio warns unless someone retrieves it

    def send(self, fence: RunFence, min_ms: float, rendered: int, changed: Set[str]) -> None:
        """Ask the root of every process, every frame that changed and every worker; each answers with a FenceDone.

        The clock may let the page wait for less than the fence asks for: `min_ms`, after `rendered` frames.
        """
        page = self._page
        frames = [frame for frame in page.tab.frames if self._is_asked(frame, changed)]
        workers = tuple(page.workers.items())
        realms = [
            Realm(frame.id, "main" if frame.is_main else "frame", frame.url, frame.process_key) for frame in frames
        ]
        realms += [Realm(key, "worker", _worker_url(session)) for key, session in workers]
        page.emit(signals.FenceSent(fence.id, tuple(realms)))
        for frame in frames:
            self._ask_frame(fence, frame, min_ms, rendered)
        for key, session in workers:
            self._ask_worker(fence.id, key, session)

    def worker_command(self, method: str, *arguments: float) -> runtime.Evaluate:
        """Return a command that a worker answers only when its event loop is free.

        With hooks it also calls their `method`.
        """
        if self._page.hooks.installed:
            return self._page.hooks.command(method, *arguments)
        return runtime.Evaluate(expression=WORKER_FENCE, silent=True)

    def _ask_worker(self, number: int, key: str, session: CDPSession) -> None:
        def answered(reply: asyncio.Future[Any]) -> None:
            scheduled_calls = None if _lost(reply) else parse_scheduled(reply.result())
            self._page.emit(signals.FenceDone(number, key, _with_calls(Report(), scheduled_calls)))

        self.on_reply(session.post(self.worker_command("read"), timeout=None), answered)

    def _is_asked(self, frame: Frame, changed: Set[str]) -> bool:
        """Return whether a fence asks a frame.

        One frame per process orders all its events; others are asked only if they changed.
        """
        return frame.is_process_root or (frame.id in changed and self._page.tab.observation.observe != "protocol")

    def _ask_frame(self, fence: RunFence, frame: Frame, min_ms: float, rendered: int) -> None:
        page = self._page
        if page.tab.observation.observe == "protocol":
            self._ask_bare(fence.id, frame, min_ms)
            return

        def answered(reply: asyncio.Future[Any]) -> None:
            self._page.emit(signals.FenceDone(fence.id, frame.id, _report(reply), lost=_lost(reply)))

        virtual = page.tab.clock.virtual is not None
        call = observer.fence(min_ms, fence.quiet_ms, rendered, fence.quick, virtual)
        self._in_world(frame.world(), call.expression, answered)

    def _ask_bare(self, number: int, frame: Frame, min_ms: float) -> None:
        wait = self._wait

        def ask() -> None:
            if wait == self._wait:
                reply = frame.session.post(runtime.Evaluate(expression="0", silent=True), timeout=None)
                self.on_reply(
                    reply, lambda reply: self._page.emit(signals.FenceDone(number, frame.id, lost=_lost(reply)))
                )

        clock = loop_clock()
        clock.call_at(clock.now() + min_ms / 1000, ask)

    def _in_world(self, world: World, expression: str, done: Answered) -> None:
        """Evaluate in a world as soon as it exists, without awaiting; `done` gets a finished future in every case."""
        wait = self._wait

        def ask(context: asyncio.Future[int]) -> None:
            if wait != self._wait:
                return
            if context.cancelled() or context.exception() is not None:
                done(context)
                return
            command = runtime.Evaluate(
                expression=expression, context_id=context.result(), await_promise=True, return_by_value=True
            )
            self.on_reply(world.session.post(command, timeout=None), done)

        world.start().add_done_callback(ask)


def _lost(reply: asyncio.Future[Any]) -> bool:
    return reply.cancelled() or reply.exception() is not None


def _report(reply: asyncio.Future[Any]) -> Report:
    value = None if _lost(reply) else reply.result().result.value
    return msgspec.convert(value, Report) if isinstance(value, dict) else Report()


def _with_calls(report: Report, scheduled_calls: Scheduled | None) -> Report:
    if scheduled_calls is None:
        return report
    return msgspec.structs.replace(
        report, calls=scheduled_calls.calls, ignored=(*report.ignored, *scheduled_calls.ignored)
    )


def _worker_url(session: CDPSession) -> str:
    return session.target_info.url if session.target_info else session.session_id
