"""The shell round the settling logic: events become signals, deeds become commands.

One driver per page. It awaits nothing while it listens, holds one timer while it waits, and sends nothing at all while
nothing happens. A sequence uses it as

    async with page.settling.armed(options) as settling:
        ...act...
        verdict = await settling.verdict()
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from stillframe.cdp import Session
from stillframe.cdp_types import dom, network, runtime
from stillframe.errors import CommandError, SessionLost, StillframeError, TargetCrashed
from stillframe.model.options import Expect, SequenceOptions, Tier
from stillframe.model.verdict import Verdict
from stillframe.page import agent, waits
from stillframe.page.refs import NodeKey
from stillframe.settle import events, signals
from stillframe.settle.closed import ClosedRoots
from stillframe.settle.hooks import Hooks, Scheduled, scheduled
from stillframe.settle.quiet import QuietRule, Sample
from stillframe.settle.signals import Deed, Finish, Limits, Realm, Report, RunFence, Signal, WakeAt
from stillframe.settle.timekeeper import Timekeeper
from stillframe.settle.verdict import RESIDUAL_MS, SettleMachine

if TYPE_CHECKING:
    from stillframe.page.frames import Frame
    from stillframe.page.page import Page
    from stillframe.page.world import World

Answered = Callable[[asyncio.Future[Any]], None]
Watcher = Callable[[float, Signal, tuple[Deed, ...]], None]

BINDING = "__sfSignal"
"""The function of the isolated world through which the observer tells of a change."""
FENCE = """(async (from) => {
  const report = await __sfSettle.fence(%s);
  return { ...report, began: performance.timeOrigin + from, lasted: performance.now() - from };
})(performance.now())"""
"""What has been due when a fence began has run when it is answered."""
STALLED_MS = 115.0
"""A fence that lasted this much longer than it was asked to may not have seen its frames: it waits for 120 ms."""
WORKERS = frozenset({"worker", "shared_worker", "service_worker"})
WORKER_FENCE = "0"
"""Answered when the worker's loop is free. Nothing that schedules work: a worker that is being started, which has to
answer as well, takes its renderer down with it (Chromium 156, measured with a timer)."""
OBSERVED_SECONDS = 1.0
"""How long a page may take to install the observer; it takes two round trips."""
NOISE_SECONDS = 1.0
"""How long a frame may take to tell its noise: one that was settled a moment ago takes some milliseconds, one that
hangs is not worth more."""
QUIET_EVALUATE_SECONDS = 1.0
"""A sample of the quiet rule that takes longer than this is given up; the next poll asks again."""


OBSERVER = ("arm", "rest", "fence", "frame", "lastAnimation", "report", "noise", "sample", "suspects", "adoptClosed")
"""What the engine calls in a document; `__sfSettle.arm(…)` and so on."""


@cache
def observer_source() -> str:
    """Return the script that every document's isolated world runs once."""
    own = [(files(__package__) / name).read_text("utf-8") for name in ("rhythms.js", "observer.js")]
    parts = "\n".join([agent.part("nodes"), *own])
    return f'void (globalThis.__sfSettle ??= (() => {{\n"use strict";\n{parts}\nreturn {{ {", ".join(OBSERVER)} }};\n}})());'


class Settling:
    """One wait: armed already, to be ended by `verdict`."""

    def __init__(self, driver: SettleDriver, options: SequenceOptions) -> None:
        self._driver = driver
        self._options = options

    async def verdict(self) -> Verdict:
        """Wait until the page is still, or until the wait ends for another reason; never raises.

        Call it once, after the actions.
        """
        if self._options.settle == "quiet":
            return await self._driver._settle_quiet(self._options)
        if self._options.settle == "virtual":
            async with self._driver.time.jumping(self._options.timeout_ms):
                return await self._driver._settle(self._options)
        return await self._driver._settle(self._options)


class SettleDriver:
    """Listens to one page for as long as it lives, and tells when it has settled."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.machine = SettleMachine(page.context.windows)
        self.hooks = Hooks(page)
        self._tier = page.context.options.tier
        self.watchers: list[Watcher] = []
        """Told of every signal, and of what the machine did about it; they must not raise."""
        self._signals: deque[Signal] = deque()
        self._feeding = False
        self.time = Timekeeper(self)
        self._waiter: asyncio.Future[Verdict] | None = None
        self._workers: dict[str, Session] = {}
        self._touched: set[str] = set()
        page.frames.scripts.append(observer_source())
        page.frames.bindings[BINDING] = self._mutated
        self.closed_roots = ClosedRoots(page)
        page.frames.eager = True
        if self._tier == 2:
            self.hooks.install()

    # -- listening -------------------------------------------------------------------------------

    def watch(self, session: Session) -> None:
        """Listen to a session of the page: its own, an out-of-process frame's or a worker's; awaits nothing."""
        worker = session.target_type in WORKERS
        for event, translate in (events.NETWORK if worker else events.NETWORK | events.FRAMES).items():
            session.on(event, self._translated(translate, session.session_id if worker else ""))
        session.post(network.Enable())
        self.hooks.watch(session, worker=worker)
        if not worker:
            self.time.watch(session)
        if worker:
            self._workers[session.session_id] = session
        if session is self.page.session:
            session.on(events.CRASH, lambda _: self.note(signals.Crashed()))
        else:
            self.note(signals.RealmCame(session.session_id))
        session.on_closed(lambda error: self._closed(session, error))

    def note(self, signal: Signal) -> None:
        """Take in a signal now, and do what the machine says."""
        self._signals.append(signal)
        if self._feeding:
            # A deed has called back; the outer loop takes the signal in its turn.
            return
        self._feeding = True
        try:
            while self._signals:
                now, signal = self.time.now(), self._signals.popleft()
                self.time.hear(signal)
                deeds = self.machine.feed(now, signal)
                for watcher in tuple(self.watchers):
                    watcher(now, signal, deeds)
                for deed in deeds:
                    self._do(deed)
            self.time.poke()
        finally:
            self._feeding = False

    def _translated(self, translate: events.Translation, worker: str) -> Any:
        def handle(event: Any) -> None:
            signal = translate(event, self.page.target_id)
            if worker and isinstance(signal, signals.RequestStarted):
                signal = structs.replace(signal, realm=worker)
            if signal is not None:
                self.note(signal)

        return handle

    def _mutated(self, frame: Frame, where: str) -> None:
        self._touched.add(frame.id)
        self.note(signals.Mutated(where))

    def _closed(self, session: Session, error: SessionLost) -> None:
        self._workers.pop(session.session_id, None)
        if session is self.page.session:
            self.note(signals.Crashed() if isinstance(error, TargetCrashed) else signals.Closed(error.code))
        else:
            self.note(signals.RealmGone(session.session_id))

    # -- waiting ---------------------------------------------------------------------------------

    @asynccontextmanager
    async def armed(self, options: SequenceOptions, *, adopt: bool = False) -> AsyncIterator[Settling]:
        """Note what is going on already, so that what starts inside the block can be told from it.

        With `adopt` it is awaited as well, unless it goes on by itself.
        """
        self._tier = self._tier_of(options)
        if options.settle == "virtual":
            await self.time.own()
        if self._tier == 2:
            self.hooks.install()
        else:
            self.hooks.remove()
        async with self.time.running():
            await self._observed()
            self._arm(options, adopt=adopt)
            try:
                yield Settling(self, options)
            finally:
                self._rest()

    def _tier_of(self, options: SequenceOptions) -> Tier:
        if options.tier is not None:
            return options.tier
        # To jump to what is due, one has to know what is.
        return 2 if options.settle == "virtual" else self.page.context.options.tier

    async def _observed(self) -> None:
        """Let the observer of a document that has only just come be installed; a page that cannot answer stays so."""
        with contextlib.suppress(CommandError, TimeoutError):
            async with asyncio.timeout(OBSERVED_SECONDS):
                await self.page.frames.main.world().context()
                await self.hooks.ready()

    def _arm(self, options: SequenceOptions, *, adopt: bool) -> None:
        self._touched.clear()
        for session in self._workers.values():
            self._greet(session, adopt=adopt)
        limits = Limits(
            timeout_ms=options.timeout_ms,
            horizon_ms=options.horizon_ms,
            residual_ms=options.stability_ms if options.settle == "virtual" else RESIDUAL_MS[self._tier],
        )
        self.note(signals.Armed(limits, tuple(self._workers), adopt, url=self.page.url))
        if self._tier > 0:
            self._tell(f"__sfSettle.arm({str(adopt).lower()})")
        self.hooks.tell("arm", int(adopt), workers=False)  # their greeting has said it

    def _rest(self) -> None:
        self.note(signals.Dropped())
        if self._tier > 0 and self.page.session.error is None:
            self._tell("__sfSettle.rest()")
        self.hooks.tell("rest")

    def _tell(self, expression: str) -> None:
        for frame in self.page.frames:
            if (context := _context(frame)) is not None:
                frame.session.post(runtime.Evaluate(expression=expression, context_id=context, silent=True))

    def _greet(self, session: Session, *, adopt: bool) -> None:
        key = session.session_id
        reply = session.post(self._worker_command("arm", int(adopt)), timeout=None)
        reply.add_done_callback(lambda _: self.note(signals.WorkerAnswered(key)))

    def _worker_command(self, method: str, *arguments: float) -> runtime.Evaluate:
        """Return what a worker answers when its loop is free, and not before."""
        if self.hooks.installed:
            return self.hooks.command(method, *arguments)
        return runtime.Evaluate(expression=WORKER_FENCE, silent=True)

    async def _settle(self, options: SequenceOptions) -> Verdict:
        waiter: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        if (error := self.page.session.error) is not None:
            self._closed(self.page.session, error)
        watches = []
        if options.expect is not None:
            watches.append(asyncio.ensure_future(self._watch_for(options.expect, options.timeout_ms / 1000)))
        self.note(signals.ActionDone())
        try:
            return await waiter
        finally:
            self._waiter = None
            self.time.sleep()
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)

    async def _watch_for(self, expect: Expect, timeout: float) -> None:
        try:
            await waits.wait_for(self.page, expect, state="visible", timeout=timeout)
        except StillframeError:
            # It did not come true; why the wait ended is for the verdict to say.
            return
        self.note(signals.Expected())

    async def _settle_quiet(self, options: SequenceOptions) -> Verdict:
        rule = QuietRule(
            self.time.now(),
            stability_ms=options.stability_ms,
            poll_ms=options.poll_interval_ms,
            timeout_ms=options.timeout_ms,
        )
        while True:
            try:
                sample = await self._sample(options)
            except SessionLost as error:
                return rule.lost(
                    self.time.now(), "crashed" if isinstance(error, TargetCrashed) else f"closed: {error.code}"
                )
            verdict = rule.take(self.time.now(), sample)
            if verdict is not None:
                return verdict
            await asyncio.sleep(max(0.0, rule.next_poll - self.time.now()) / 1000)

    async def _sample(self, options: SequenceOptions) -> Sample | None:
        """Read the signature; None when the document went away or does not answer."""
        timeout = min(QUIET_EVALUATE_SECONDS, max(0.001, options.timeout_ms / 1000))
        try:
            value = await self.page.frames.main.evaluate("__sfSettle.sample()", timeout=timeout)
        except SessionLost:
            raise
        except CommandError:
            return None
        rows = self.machine.pending.blocking(self.time.now(), float("inf"))
        requests = tuple(row.what for row in rows if row.kind == "request")
        return msgspec.convert(value | {"requests": requests}, Sample)

    @property
    def settled(self) -> bool:
        """Whether nobody waits any more for the page to settle."""
        return self._waiter is None or self._waiter.done()

    @property
    def workers(self) -> Mapping[str, Session]:
        """The workers of the page, by their realm."""
        return self._workers

    @property
    def leaving_for(self) -> str | None:
        """The URL that the page has begun to navigate to since the last arming, until it is there or given up."""
        row = self.machine.pending.row("navigation", "")
        return row.what if row is not None else None

    # -- noise -----------------------------------------------------------------------------------

    async def noise(self) -> set[NodeKey]:
        """Return the elements that have changed since the last arming, and always by themselves; empty in tier 0."""
        if self._tier == 0:
            return set()
        frames = [frame for frame in self.page.frames if _context(frame) is not None]
        found = await asyncio.gather(*(self._noise(frame) for frame in frames))
        return set().union(*found)

    async def _noise(self, frame: Frame) -> set[NodeKey]:
        try:
            async with asyncio.timeout(NOISE_SECONDS):
                return await self._noisy_nodes(frame)
        except (CommandError, TimeoutError):
            # The document is on its way out, and its noise with it; or it does not answer.
            return set()

    async def _noisy_nodes(self, frame: Frame) -> set[NodeKey]:
        session = frame.session
        elements = await frame.world().call_handle("() => __sfSettle.noise()")
        listed = await session.send(runtime.GetProperties(object_id=elements.object_id, own_properties=True))
        ids = [item.value.object_id for item in listed.result if item.value is not None and item.value.object_id]
        async with session.batch() as batch:
            nodes = [batch.send(dom.DescribeNode(object_id=id_)) for id_ in ids]
        session.post(runtime.ReleaseObject(object_id=elements.object_id))
        return {NodeKey(frame.process_key, node.result().node.backend_node_id) for node in nodes}

    # -- deeds -----------------------------------------------------------------------------------

    def _do(self, deed: Deed) -> None:
        match deed:
            case RunFence(number, min_ms):
                self._fence(number, min_ms)
            case WakeAt(at):
                self.time.wake_at(at)
            case Finish(verdict):
                self.time.sleep()
                if self._waiter is not None and not self._waiter.done():
                    self._waiter.set_result(verdict)

    def _fence(self, number: int, min_ms: float) -> None:
        min_ms = self.time.fence(min_ms)
        frames = [frame for frame in self.page.frames if self._fenced(frame)]
        self._touched.clear()
        workers = tuple(self._workers.items())
        realms = [Realm(frame.id, "main" if frame.is_main else "frame", frame.url) for frame in frames]
        realms += [Realm(key, "worker", _worker_url(session)) for key, session in workers]
        self.note(signals.FenceSent(number, tuple(realms)))
        for frame in frames:
            self._fence_frame(number, frame, min_ms)
        for key, session in workers:
            self._fence_worker(number, key, session)

    def _fence_worker(self, number: int, key: str, session: Session) -> None:
        def answered(reply: asyncio.Future[Any]) -> None:
            told = None if _lost(reply) else scheduled(reply.result())
            self.note(signals.FenceDone(number, key, _with(Report(), told)))

        session.post(self._worker_command("read"), timeout=None).add_done_callback(answered)

    def _fenced(self, frame: Frame) -> bool:
        """One fence per process orders all its events; other frames are asked only for what they have told of."""
        return frame.is_process_root or (frame.id in self._touched and self._tier > 0)

    def _fence_frame(self, number: int, frame: Frame, min_ms: float) -> None:
        if self._tier == 0:
            self._fence_bare(number, frame, min_ms)
            return

        def answered(reply: asyncio.Future[Any]) -> None:
            if self._tier < 2 or _lost(reply) or not frame.is_process_root:
                self.note(signals.FenceDone(number, frame.id, _report(reply), lost=_lost(reply)))
                return
            report = _report(reply)
            # Only now: what was due when the fence began has run.
            self.hooks.read(
                frame.session,
                lambda told: self.note(signals.FenceDone(number, frame.id, _with(report, told))),
                *_proof(reply, min_ms),
            )

        self._in_world(frame.world(), FENCE % f"{min_ms}, {self.time.frames}", answered)

    def _fence_bare(self, number: int, frame: Frame, min_ms: float) -> None:
        def ask() -> None:
            reply = frame.session.post(runtime.Evaluate(expression="0", silent=True), timeout=None)
            reply.add_done_callback(lambda reply: self.note(signals.FenceDone(number, frame.id, lost=_lost(reply))))

        asyncio.get_running_loop().call_later(min_ms / 1000, ask)

    def _in_world(self, world: World, expression: str, done: Answered) -> None:
        """Evaluate in a world as soon as it is there, without awaiting; `done` gets a finished future either way."""

        def ask(context: asyncio.Future[int]) -> None:
            if context.cancelled() or context.exception() is not None:
                done(context)
                return
            command = runtime.Evaluate(
                expression=expression, context_id=context.result(), await_promise=True, return_by_value=True
            )
            world.session.post(command, timeout=None).add_done_callback(done)

        world.start().add_done_callback(ask)


def _context(frame: Frame) -> int | None:
    """The frame's isolated world, if it is there already."""
    world = frame.world()
    return None if world.lost else world.context_id


def _lost(reply: asyncio.Future[Any]) -> bool:
    return reply.cancelled() or reply.exception() is not None


def _report(reply: asyncio.Future[Any]) -> Report:
    value = None if _lost(reply) else reply.result().result.value
    return msgspec.convert(value, Report) if isinstance(value, dict) else Report()


def _proof(reply: asyncio.Future[Any], min_ms: float) -> tuple[float | None, bool]:
    """Return when a fence began, in milliseconds since 1970, and whether it saw frames."""
    value = reply.result().result.value
    if not isinstance(value, dict):
        return None, False
    return value["began"], value["lasted"] - min_ms < STALLED_MS


def _with(report: Report, told: Scheduled | None) -> Report:
    if told is None:
        return report
    return msgspec.structs.replace(report, calls=told.calls, ignored=(*report.ignored, *told.ignored))


def _worker_url(session: Session) -> str:
    return session.target_info.url if session.target_info else session.session_id
