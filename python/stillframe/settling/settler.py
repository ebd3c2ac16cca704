"""Connect the settling logic to a tab: events become signals, effects become commands.

There is one settler per tab. It awaits nothing while it listens, holds one timer while it waits, and sends nothing
while nothing happens. A sequence uses it like this:

    async with settler.armed(options) as settling:
        ...act...
        verdict = await settling.verdict()
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import msgspec
from msgspec import structs

from stillframe.cdp.loop_clock import sleep, time_limit
from stillframe.cdp_types import network
from stillframe.errors import CommandError, DialogOpen, SessionLost, StillframeError, TargetCrashed
from stillframe.injected import observer, observer_source
from stillframe.settling import events, signals
from stillframe.settling.call_lock import CallLock
from stillframe.settling.closed_roots import ClosedRoots
from stillframe.settling.fences import Fences
from stillframe.settling.hooks import KEY
from stillframe.settling.machine import QUIET_WINDOW_MS
from stillframe.settling.messages import Message, Messages
from stillframe.settling.observed_page import ObservedPage
from stillframe.settling.observing import Observing
from stillframe.settling.opened_tabs import OpenedTabs
from stillframe.settling.quiet_rule import QuietRule, Sample
from stillframe.settling.restless import NOISE_SECONDS, RestlessElements
from stillframe.settling.restored_page import loaded_resources
from stillframe.settling.signals import Effect, Finish, Limits, RunFence, Signal, WakeAt
from stillframe.settling.timekeeper import Timekeeper
from stillframe.tab.deadline import Deadline
from stillframe.tab.events.held_dialogs import until_dialog

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.model.options import Observe, SequenceOptions
    from stillframe.model.verdict import Observed, Verdict
    from stillframe.settling.quiet_windows import QuietWindows
    from stillframe.tab.frames import Frame, World
    from stillframe.tab.refs import NodeKey
    from stillframe.tab.tab import Tab

Expectation = Callable[[Deadline], Awaitable[object]]
"""Waits until a deadline for the condition that ends a wait early; raises StillframeError if it fails."""

Watcher = Callable[[float, Signal, tuple[Effect, ...]], None]

BINDING = "__sfSignal"
"""The binding that the observer calls to announce a change."""
WORKERS = frozenset({"worker", "shared_worker", "service_worker"})
OBSERVED_SECONDS = 1.0
"""How long a page may take to install the observer; it takes two round trips."""
QUIET_EVALUATE_SECONDS = 1.0
"""The time limit of one sample of the quiet rule; the next poll tries again."""
LAST_SAMPLE_SECONDS = 0.25
"""The time limit of the sample at the end of the wait: the reason depends on it."""


class Settling:
    """One wait that is armed; `verdict` ends it."""

    def __init__(self, settler: Settler, options: SequenceOptions, observed: Observed | None) -> None:
        self._settler = settler
        self._options = options
        self._observed = observed

    async def verdict(self, deadline: Deadline | None = None, *, expected: Expectation | None = None) -> Verdict:
        """Wait until the page is still, or until the wait ends for another reason; never raises.

        Call it once, after the actions. Whatever the timeout of the options is, the wait ends at the deadline, and when
        `expected` comes true.
        """
        timeout_ms = self._options.timeout_ms
        deadline = (deadline or Deadline(None)).within(timeout_ms / 1000)
        self._options = structs.replace(self._options, timeout_ms=int(deadline.timeout * 1000))
        overdue = self._settler.time.end_at(deadline, timeout_ms)
        try:
            verdict = await self._verdict(expected)
            return structs.replace(verdict, observed=self._observed) if self._observed else verdict
        finally:
            overdue.cancel()

    async def rest(self, deadline: Deadline) -> None:
        """Wait between two actions until the page is still, until the deadline at most; never raises."""
        timeout_ms = deadline.left_s * 1000
        async with self._settler.time.jumping(timeout_ms):
            await self._settler._wait(signals.BetweenActions(timeout_ms))

    async def _verdict(self, expected: Expectation | None) -> Verdict:
        if self._options.settle == "quiet":
            return await self._settler._settle_quiet(self._options)
        if self._options.settle == "virtual":
            async with self._settler.time.jumping(self._options.timeout_ms):
                verdict = await self._settler._settle(self._options, expected)
                return self._settler.time.with_limit(verdict, self._options)
        return await self._settler._settle(self._options, expected)


class Settler:
    """Listens to one tab for its lifetime, and decides when it has settled."""

    def __init__(self, tab: Tab, windows: QuietWindows) -> None:
        self.tab = tab
        self.page = ObservedPage(tab, windows, self._feed)
        self.lock = CallLock()
        """Held while something acts on the tab or waits for it: the sequences and waits of one page run one after
        another."""
        self.watchers: list[Watcher] = []
        """Called with every signal and the effects that the machine returned; they must not raise."""
        self.time = Timekeeper(self.page)
        self.tabs = OpenedTabs(self.page)
        self.scheme: tuple[str, str] | None = None
        """The color schemes of the page before and after, if another one came to be shown since it was last armed."""
        self._messages = Messages()
        self._changed_frames: set[str] = set()
        self._noisy_worlds: WeakSet[World] = WeakSet()
        """The isolated worlds of the documents in which something changes by itself."""
        self._restless = RestlessElements(tab, self._noisy_worlds)
        self._fences = Fences(self.page)
        self._observing = Observing(self.page)
        self._armings: tuple[asyncio.Future[Any], ...] = ()
        scripts = tab.frames.scripts
        scripts.sources.append(observer_source(KEY))
        scripts.bindings[BINDING] = self._on_announcement
        self.closed_roots = ClosedRoots(scripts, self.emit)
        tab.frames.eager = True
        if self.observe == "calls":
            self.page.hooks.install()
        tab.dialogs.listeners.append(self._dialog_changed)
        tab.on_session(self._watch)

    # -- listening -------------------------------------------------------------------------------

    @property
    def observe(self) -> Observe:
        """How closely the page is observed: the level of the last sequence."""
        return self.tab.observation.observe

    def emit(self, signal: Signal) -> None:
        """Process a signal now, and perform the effects that the machine returns."""
        self.page.emit(signal)

    def _watch(self, session: CDPSession) -> None:
        """Listen to a session of the tab: its own, an out-of-process frame's or a worker's; awaits nothing."""
        worker = session.target_type in WORKERS
        for event, translate in events.translations(self.tab.context.capabilities, worker=worker):
            session.on(event, self._translated(translate, session.session_id if worker else ""))
        session.post(network.Enable())
        self.page.hooks.watch(session, worker=worker)
        if worker:
            self.page.workers[session.session_id] = session
        if session is self.tab.session:
            session.on(events.CRASH, lambda _: self.emit(signals.Crashed()))
        else:
            self.emit(signals.RealmAttached(session.session_id))
        session.on_closed(lambda error: self._closed(session, error))

    def _dialog_changed(self, is_held: bool) -> None:
        self.emit(signals.DialogHeld() if is_held else signals.DialogReleased())

    def _feed(self, signal: Signal) -> None:
        now = self.time.now()
        if isinstance(signal, signals.FenceDone) and not signal.lost:
            self._read(signal)
        self.time.on_signal(signal)
        effects = self.page.machine.feed(now, signal)
        for watcher in tuple(self.watchers):
            watcher(now, signal, effects)
        for effect in effects:
            self._perform(effect)
        if isinstance(signal, signals.Committed) and self.page.machine.pending.requests.any_restored:
            self.tab.context.background.start(self._read_loaded_resources(), "report of loaded resources")
        if not self.page.has_signals:
            self.time.on_decision()

    def _read(self, answer: signals.FenceDone) -> None:
        """Record what a document reports beside what settling needs."""
        frame = next((frame for frame in self.tab.frames if frame.id == answer.realm), None)
        if frame is None:
            return
        self._messages.reported(frame.id, frame.world(), answer.report)
        if frame.is_main:
            self.scheme = answer.report.scheme

    async def _read_loaded_resources(self) -> None:
        with contextlib.suppress(CommandError):
            self.emit(await loaded_resources(self.tab.frames.main))

    def _translated(self, translate: events.Translation, worker: str) -> Any:
        def handle(event: Any) -> None:
            signal = translate(event, self.tab.target_id)
            if worker and isinstance(signal, signals.RequestStarted):
                signal = structs.replace(signal, realm=worker)
            if signal is not None:
                self.emit(signal)

        return handle

    def _on_announcement(self, frame: Frame, payload: str) -> None:
        """Process an announcement of the observer; it sends each kind only once until it is asked."""
        word, _, where = payload.partition(" ")
        if word == "noisy":
            self._noisy_worlds.add(frame.world())
            return
        if word == "said":
            self._messages.heard(frame.id, frame.world(), where)
            return
        self._changed_frames.add(frame.id)
        self.emit(signals.Mutated(where, frame.id) if word == "changed" else signals.CallsScheduled(frame.id))

    def _closed(self, session: CDPSession, error: SessionLost) -> None:
        self.page.workers.pop(session.session_id, None)
        if session is self.tab.session:
            self.emit(signals.Crashed() if isinstance(error, TargetCrashed) else signals.Closed(error.code))
        else:
            self.emit(signals.RealmDetached(session.session_id))

    # -- waiting ---------------------------------------------------------------------------------

    @asynccontextmanager
    async def armed(
        self, options: SequenceOptions, *, adopt: bool = False, observed: Deadline | None = None
    ) -> AsyncIterator[Settling]:
        """Record the work in progress, so that work that starts inside the block can be told apart from it.

        With `adopt`, that work is awaited as well, unless it recurs by itself. A new document has until `observed` to
        install the observer, a second by default.
        """
        if options.settle == "virtual":
            await self.tab.clock.take()
        async with self.time.running():
            shortfall = await self._observing.prepare(options, observed or Deadline(OBSERVED_SECONDS))
            self._arm(options, adopt=adopt)
            try:
                yield Settling(self, options, shortfall)
            finally:
                self._disarm()
                await self.tabs.cancel()

    def _arm(self, options: SequenceOptions, *, adopt: bool) -> None:
        self._changed_frames.clear()
        self._messages.clear()
        self.scheme = None
        for session in self.page.workers.values():
            self._arm_worker(session, adopt=adopt)
        limits = Limits(
            timeout_ms=options.timeout_ms,
            horizon_ms=options.horizon_ms,
            quiet_window_ms=QUIET_WINDOW_MS[self.observe],
            observes_calls=self.observe == "calls",
        )
        if options.settle == "virtual":
            # A jump to the end of the window costs as much as a jump to slightly before it, and saves a fence.
            limits = structs.replace(limits, quiet_window_ms=options.stability_ms, lead_ms=0)
        self.emit(signals.Armed(limits, tuple(self.page.workers), adopt, url=self.tab.url))
        armings = self.page.post_to_frames(observer.arm(adopt).expression) if self.observe != "protocol" else []
        self._armings = tuple(armings)

    async def armed_everywhere(self, deadline: Deadline) -> None:
        """Wait until every document has recorded the work in progress, until the deadline at most.

        Needed for input that no snapshot of the page precedes: input takes another path than commands and overtakes
        them.
        """
        if armings := [each for each in self._armings if not each.done()]:
            with contextlib.suppress(TimeoutError):
                async with time_limit(deadline.left_s):
                    await asyncio.wait(armings)

    def _disarm(self) -> None:
        self.emit(signals.Disarmed())
        self._fences.cancel()
        if self.observe != "protocol" and self.tab.session.error is None:
            self.page.post_to_frames(observer.disarm().expression)
        self.page.hooks.disarm_workers()

    def _arm_worker(self, session: CDPSession, *, adopt: bool) -> None:
        key = session.session_id
        reply = session.post(self._fences.worker_command("arm", int(adopt)), timeout=None)
        self._fences.on_reply(reply, lambda _: self.emit(signals.WorkerAnswered(key)))

    async def _settle(self, options: SequenceOptions, expected: Expectation | None) -> Verdict:
        watches = []
        if expected is not None:
            watches.append(asyncio.ensure_future(self._watch_for(expected, Deadline(options.timeout_ms / 1000))))
        try:
            return await self._wait(signals.ActionsDone())
        finally:
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)

    async def _wait(self, beginning: signals.ActionsDone | signals.BetweenActions) -> Verdict:
        waiter: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.page.waiter = waiter
        if (error := self.tab.session.error) is not None:
            self._closed(self.tab.session, error)
        self.emit(beginning)
        try:
            return await waiter
        finally:
            self.page.waiter = None
            self.time.sleep()

    async def _watch_for(self, expected: Expectation, deadline: Deadline) -> None:
        try:
            await expected(deadline)
        except StillframeError:
            # The condition did not come true; the verdict says why the wait ended.
            return
        self.emit(signals.ExpectationMet())

    async def _settle_quiet(self, options: SequenceOptions) -> Verdict:
        rule = QuietRule(
            self.time.now(),
            stability_ms=options.stability_ms,
            poll_ms=options.poll_interval_ms,
            timeout_ms=options.timeout_ms,
        )
        while True:
            try:
                async with until_dialog(self.tab.dialogs):
                    last = Deadline(rule.left(self.time.now()) + LAST_SAMPLE_SECONDS)
                    sample = await self._sample(last.within(QUIET_EVALUATE_SECONDS))
            except DialogOpen:
                return rule.lost(self.time.now(), "dialog")
            except SessionLost as error:
                if isinstance(error, TargetCrashed):
                    return rule.lost(self.time.now(), "crashed")
                return rule.lost(self.time.now(), "closed", error.code)
            verdict = rule.take(self.time.now(), sample)
            if verdict is not None:
                return verdict
            await sleep(max(0.0, rule.next_poll - self.time.now()) / 1000)

    async def _sample(self, deadline: Deadline) -> Sample | None:
        """Read the signature; None if the document was replaced or does not answer."""
        try:
            async with time_limit(deadline.left_s):
                value = await self.tab.frames.main.call(observer.sample(), timeout=None)
        except SessionLost:
            raise
        except (CommandError, TimeoutError):
            return None
        rows = self.page.machine.pending.blocking(self.time.now(), float("inf"))
        requests = tuple(row.what for row in rows if row.kind == "request")
        return msgspec.convert(value | {"requests": requests}, Sample)

    @property
    def leaving_for(self) -> str | None:
        """The URL of the navigation that the page has started since it was last armed, until it commits or fails."""
        row = self.page.machine.pending.row("navigation", "")
        return row.what if row is not None else None

    def forget_messages(self) -> None:
        """Leave out of `messages` what the page has said so far."""
        self._messages.clear()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that came and went since the last arming or `forget_messages`."""
        return self._messages.passed({frame.id: frame.world() for frame in self.tab.frames})

    # -- noise -----------------------------------------------------------------------------------

    async def noise(self, deadline: Deadline | None = None) -> set[NodeKey]:
        """Return the elements that have changed since the last arming, and only by themselves.

        There are none if only the protocol is observed. Elements of a frame that does not answer in time are left
        out.
        """
        if self.observe == "protocol":
            return set()
        return await self._restless.find("noise", deadline or Deadline(NOISE_SECONDS))

    async def habits(self, deadline: Deadline | None = None) -> set[NodeKey]:
        """Return the elements that have changed since the last arming as they had by themselves, but too seldom."""
        if self.observe == "protocol":
            return set()
        return await self._restless.find("habits", deadline or Deadline(NOISE_SECONDS))

    # -- effects -----------------------------------------------------------------------------------

    def _perform(self, effect: Effect) -> None:
        match effect:
            case RunFence():
                changed, self._changed_frames = self._changed_frames, set()
                min_ms = self.time.start_fence(effect.min_ms)
                self._fences.send(effect, min_ms, self.time.frames, changed)
            case WakeAt(at):
                self.time.wake_at(at)
            case Finish(verdict):
                self.time.sleep()
                if self.page.waiter is not None and not self.page.waiter.done():
                    self.page.waiter.set_result(verdict)
