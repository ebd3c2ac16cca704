"""Settle one page with a state machine: signals in, effects out, one verdict per wait.

    idle ──Armed──▶ armed ──ActionsDone──▶ settling ──Finish──▶ done ──Armed──▶ armed …
                      └─BetweenActions──▶ settling ──Finish──▶ armed

While settling, the first line that applies decides after every signal:

    the page crashed or is gone               Finish   crashed | closed
    a dialog waits for the caller's answer    Finish   dialog
    the timeout is over                       Finish   timeout | hung
    dialogs loop past the horizon             Finish   horizon
    a fence is in progress                    wait for its answers
    a dialog is open and not answered         Finish   dialog
    a row of the pending set blocks           wait for a signal, or for the end of the row
    activity within the quiet window          wait for the rest of it, minus the duration of a fence
    otherwise                                 RunFence

A fence that is answered without any activity since the quiet window began ends the wait. Past the horizon only patient
rows block (navigation, loading document, visible indicator, dialog), and the next fence ends the wait, whatever it
sees. The signals of a document that is replaced end with it; the horizon then counts from the last sign that the
application of the new document is loading (`loads`). The length of the quiet window depends on the level of observation
and on what `quiet_windows` has learned for the origin; all windows stretch with the slowdown of the machine
(`slowdown`).
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from stillframe.model.verdict import Ignored, Pending, Reason, Verdict
from stillframe.security.urls import origin_of
from stillframe.settling.activity import Activity
from stillframe.settling.fence import Fence
from stillframe.settling.late import LateLog
from stillframe.settling.loads import BUSY_MS
from stillframe.settling.pending import PendingRow, PendingSet
from stillframe.settling.quiet_windows import QuietWindows
from stillframe.settling.signals import (
    ActionsDone,
    Armed,
    BetweenActions,
    CallsScheduled,
    Closed,
    Committed,
    Crashed,
    DialogClosed,
    DialogHeld,
    DialogOpened,
    DialogReleased,
    Disarmed,
    Effect,
    ExpectationMet,
    FenceDone,
    FenceSent,
    Finish,
    Limits,
    Loaded,
    Mutated,
    RealmAttached,
    RealmDetached,
    Report,
    RequestEnded,
    RunFence,
    Signal,
    SocketReceived,
    StreamMessage,
    Tick,
    WakeAt,
    WorkerAnswered,
)
from stillframe.settling.slowdown import NOMINAL_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stillframe.model.options import Observe
    from stillframe.settling.signals import Animated

QUIET_WINDOW_MS: dict[Observe, float] = {"protocol": 100.0, "dom": 60.0, "calls": 20.0}
"""How long after the last activity unobserved sources (mostly timers) may still show an effect."""
FENCE_MS = 30.0
"""How long after a fence the next one may start: the duration of one, two frames at 60 Hz."""
RENDER_MS = 30.0
"""How much later the window begins after an answer from outside: the page first has to read it, which takes a frame or
two, and the window is for what the page does then (a timer, a render). Never more than half of the window: where the
window is short, the hooks report what the page does."""
ANSWERS = (RequestEnded, SocketReceived, StreamMessage)
HUNG_MS = 1000.0
"""A fence unanswered for this long when the timeout ends means that the page hangs."""
BUSY_WORKER_MS = 50.0
"""A worker that answers a fence later than this was busy; a free one takes a few milliseconds."""
INDICATOR_MS = 500.0
"""How long a visible indicator blocks before a fence checks it again; mutations are announced, style changes are
not."""
CLOCK_MS = 1.0
"""How much the page's clock and ours may differ within one fence."""

ROUND = "round"
"""The key of the row that stands for the next round of the page's own loops."""
MANY_ROWS = 64
"""From how many blocking rows on one of them stands for all."""
CLAIMS_QUIET: frozenset[Reason] = frozenset({"quiet", "no_effect", "navigated", "animation_done"})
"""Reasons that claim that no work is left: a change soon afterwards shows that the window was too short."""

REASONS: dict[Reason, str] = {
    "quiet": "all work that the actions caused has ended",
    "no_effect": "no request, navigation or change of the DOM followed",
    "navigated": "another document was loaded and is still",
    "dialog": "a JavaScript dialog opened (it is still open if it is pending)",
    "download": "a download started",
    "new_target": "the page opened another page",
    "animation_done": "the last thing to end was an animation",
    "expected": "the condition of `expect` came true",
    "horizon": "work continues beyond the horizon",
    "timeout": "the timeout ended the wait",
    "hung": "the page does not answer",
    "crashed": "the renderer of the page crashed",
    "closed": "the page is gone",
}
"""The reasons of verdicts, and what they mean; where work is to blame, the verdict's `detail` describes it."""


class Phase(Enum):
    """The phase of a machine."""

    IDLE = "idle"
    ARMED = "armed"
    SETTLING = "settling"
    DONE = "done"


class SettleMachine:
    """Settles one page, for all its sequences in turn."""

    def __init__(self, windows: QuietWindows | None = None) -> None:
        self.pending = PendingSet()
        self.windows = QuietWindows() if windows is None else windows
        """The learned windows of the origins; the pages of a browser context may share them."""
        self.phase = Phase.IDLE
        self.verdict: Verdict | None = None
        """The last verdict; it stays until the next one."""
        self._limits = Limits()
        self._fence: Fence | None = None
        self._fence_number = 0
        self._origin = ""
        self._gone: tuple[Reason, str | None] | None = None
        self._dialog_open = False
        self._dialog_held = False
        self.excess_ms = 0.0
        """How long the last wait went on after the page's last activity."""
        self._late = LateLog()
        self._reset(0.0)

    def _reset(self, now: float) -> None:
        self._started = self._armed_at = now
        self._last_active = now
        self._last_activity = 0
        self._activity = Activity()
        self._animated = -1
        self._fence_activity = 0
        self._expected = False
        self._fence_from = now
        self._horizon = float("inf")
        self._timeout_ms = self._limits.timeout_ms
        self._goes_on = False
        """Whether more actions follow the wait."""
        self._round_awaited = False
        """Whether the page's own loops had their chance to act on what the actions left."""
        self._fences = 0
        self._confirmed_activity = -1
        """The activity count at the previous fence of this wait."""
        self._fence = None
        self._blocker: PendingRow | None = None
        """Of many blocking rows the last, for which the page has an alarm; while it blocks, no other is looked at."""
        self._busy_workers: set[str] = set()
        self._ignored: dict[tuple[str, str], Ignored] = {}

    def feed(self, now: float, signal: Signal) -> tuple[Effect, ...]:
        """Process one signal and return the effects to perform, in order.

        It never raises, whatever the order of signals.
        """
        if isinstance(signal, Armed):
            self._arm(now, signal)
            return ()
        if isinstance(signal, ActionsDone):
            return self._begin(now, self._limits.timeout_ms, goes_on=False)
        if isinstance(signal, BetweenActions):
            return self._begin(now, signal.timeout_ms, goes_on=True)
        if isinstance(signal, Disarmed):
            self._disarm()
            return ()
        self._late.record(now, signal, self.pending, waiting=self.phase in (Phase.ARMED, Phase.SETTLING))
        settling = self.phase is Phase.SETTLING
        if isinstance(signal, Tick):
            self._blocker = None  # the alarm that was set for it has gone off
        if self._take(now, signal):
            self._active(now, grace=self._render_ms if isinstance(signal, ANSWERS) else 0.0)
        return self._decided(now) if settling else ()

    def _decided(self, now: float) -> tuple[Effect, ...]:
        """Decide; at the end of a wait between two actions, everything stays armed for the next one."""
        effects = self._decide(now)
        if self.phase is Phase.DONE and self._goes_on:
            self.phase = Phase.ARMED
        return effects

    def _arm(self, now: float, signal: Armed) -> None:
        self._learn()
        self._reset(now)
        self._origin = origin_of(signal.url) or self._origin
        self._limits = signal.limits
        self._round_awaited = signal.adopt
        self._busy_workers = set(signal.workers)
        self.pending.arm(now, adopt=signal.adopt)
        self.phase = Phase.ARMED

    def _learn(self) -> None:
        """Adjust the window of the origin to whether the last verdict came too early."""
        if self.phase is not Phase.DONE:
            return
        late = self._late.first
        if late is None:
            self.windows.record_quiet(self._origin)
        else:
            self.windows.record_late(self._origin, late, slowdown=self.pending.slowdown.factor)
            # A loop that had shown no effect before may have caused the late change.
            self.pending.calls.forget_idle()

    def _begin(self, now: float, timeout_ms: float, *, goes_on: bool) -> tuple[Effect, ...]:
        if self.phase is not Phase.ARMED:
            return ()
        self.phase = Phase.SETTLING
        self._timeout_ms, self._goes_on = timeout_ms, goes_on
        self._started = self._last_active = now
        self._horizon = now + self._limits.horizon_ms
        return self._decided(now)

    def _disarm(self) -> None:
        if self.phase in (Phase.ARMED, Phase.SETTLING):
            self.phase = Phase.IDLE
            self._fence = None
            self.pending.disarm()

    @property
    def horizon(self) -> float:
        """When only patient rows block from then on; infinite before the wait begins."""
        return self._horizon

    @property
    def fencing(self) -> bool:
        """Whether a fence is in progress."""
        return self._fence is not None

    def blocking(self, now: float) -> list[PendingRow]:
        """Return the rows that block the verdict."""
        return self.pending.blocking(now, self._horizon)

    def external(self, now: float) -> list[PendingRow]:
        """Return the rows that block the verdict and that only real time can end."""
        return self.pending.external(now, self._horizon)

    @property
    def _quiet_window(self) -> float:
        return self.pending.slowdown.factor * (self._limits.quiet_window_ms + self.windows.extra_ms(self._origin))

    @property
    def _render_ms(self) -> float:
        return min(self.pending.slowdown.factor * RENDER_MS, self._quiet_window / 2)

    @property
    def _deadline(self) -> float:
        return self._started + self._timeout_ms

    # -- signals ---------------------------------------------------------------------------------

    def _take(self, now: float, signal: Signal) -> bool:
        """Process a signal; return whether the quiet window restarts."""
        match signal:
            case FenceSent():
                self._fence_sent(now, signal)
                return False
            case FenceDone():
                self._fence_done(now, signal)
                return False
            case RealmDetached(realm):
                self._answered(now, realm)
            case WorkerAnswered(realm):
                self._busy_workers.discard(realm)
                return False
            case ExpectationMet():
                self._expected = True
                return False
            case CallsScheduled(realm):
                self._last_activity += not self._is_asked(realm)
                return False
        self._note_state(now, signal)
        active = isinstance(signal, (RealmAttached, Mutated)) or self.pending.feed(now, signal)
        if active and self.pending.shows_loading(signal):
            self._restart_horizon(now)
        self._activity.record(now, signal, active=active)
        # A document that is being asked reports its changes in its answer.
        return active and not (isinstance(signal, Mutated) and self._is_asked(signal.realm))

    def _note_state(self, now: float, signal: Signal) -> None:
        match signal:
            case Crashed():
                self._gone = "crashed", None
            case Closed(why):
                self._gone = "closed", why or None
            case DialogOpened():
                self._dialog_open = True
            case DialogClosed():
                self._dialog_open = False
            case DialogHeld():
                self._dialog_held = True
            case DialogReleased():
                self._dialog_held = False
            case Committed(main=True, url=url):
                self._origin = origin_of(url)
                self._dialog_open = False
                self._gone = None if self._gone == ("crashed", None) else self._gone
                self._restart_horizon(now)
            case Loaded(main=True):
                self._restart_horizon(now)

    def _restart_horizon(self, now: float) -> None:
        if self.phase is Phase.SETTLING:
            self._horizon = now + self._limits.horizon_ms

    def _active(self, now: float, *, grace: float = 0.0) -> None:
        self._last_activity += 1
        self._last_active = max(self._last_active, now + grace)
        # The change may have removed an indicator: the next fence lists those that are left.
        self.pending.unblock("indicator", now)

    # -- fences ----------------------------------------------------------------------------------

    def _is_asked(self, realm: str) -> bool:
        return self._fence is not None and self._fence.awaited_realm(realm) is not None

    def _send_fence(self, now: float) -> tuple[Effect, ...]:
        self._fence_number += 1
        self._fences += 1
        for kind in ("worker", "fence"):
            self.pending.close_kind(kind)
        self._fence_activity = self._last_activity
        min_ms = max(0.0, round(self._last_active + self._quiet_window - now, 1))
        self._fence = Fence(self._fence_number, now, self._last_activity, min_ms=min_ms, last=now >= self._horizon)
        # Realms that answer at once and always report overdue calls must not be asked without a pause.
        self._fence_from = now + self.pending.slowdown.factor * FENCE_MS
        quick = self._limits.observes_calls and self.pending.last_external < self._armed_at
        return RunFence(self._fence_number, min_ms, self._quiet_window, quick), WakeAt(self._deadline)

    def _fence_sent(self, now: float, signal: FenceSent) -> None:
        if self._fence is None or signal.id != self._fence.number:
            return
        for realm in signal.realms:
            if realm.key in self._busy_workers:
                self._ignored["worker", realm.what] = Ignored("worker", realm.what, 0.0)
        self._fence.sent_to([realm for realm in signal.realms if realm.key not in self._busy_workers])
        if not self._fence.awaited:
            self._conclude(now)

    def _fence_done(self, now: float, signal: FenceDone) -> None:
        fence = self._fence
        realm = fence.awaited_realm(signal.realm) if fence is not None and signal.id == fence.number else None
        if fence is None or realm is None:
            return
        if signal.lost and realm.kind == "main":
            # The document was replaced during the fence; wait for its successor instead.
            self._fence = None
            self._fence_from = now + FENCE_MS
            self._active(now)
            return
        fence.add_report(signal)
        if realm.kind != "worker" and not signal.lost:
            self._measure_pace(now, fence, signal)
        if realm.kind == "worker" and now - fence.sent > BUSY_WORKER_MS:
            # The worker has just finished a task, and its messages to the page are still on their way.
            self._activity.effects += 1
            self._active(now)
        self._answered(now, signal.realm)

    def _measure_pace(self, now: float, fence: Fence, signal: FenceDone) -> None:
        """Measure how fast the machine is, and whether a new document is being built."""
        waited = signal.report.waited_ms
        took = now - fence.sent - (fence.min_ms if waited is None else waited)
        self.pending.slowdown.record(took)
        busy = took - NOMINAL_MS >= BUSY_MS
        if self.pending.record_growth(now, signal.realm, signal.report.elements) or (
            busy and self.pending.awaits_loading
        ):
            self._restart_horizon(now)

    def _answered(self, now: float, realm: str) -> None:
        if self._fence is not None and self._fence.mark_answered(realm):
            self._conclude(now)

    def _conclude(self, now: float) -> None:
        """Evaluate a fence that all realms have answered."""
        fence, self._fence = self._fence, None
        assert fence is not None
        self.pending.close("timer", ROUND)
        for realm, report in fence.reports:
            self._read(now, report)
            self.pending.renew_calls(realm, report.calls, now, self._horizon)
        self._renew_indicators(now, [report for _, report in fence.reports])
        still = fence.activity == self._last_activity
        confirmed = self._is_confirmed(fence)
        windowed = self._last_active + self._quiet_window <= now + CLOCK_MS
        blocked = self.pending.blocking(now, self._horizon)
        last = fence.last and now >= self._horizon
        rests = not blocked and still and windowed and confirmed
        if self._expected or (not blocked and last) or (rests and not self._awaits_round(now, fence)):
            self._complete(now, still=still and windowed)

    def _awaits_round(self, now: float, fence: Fence) -> bool:
        """Block until the page's own loops have come round that may act on what the actions left.

        A loop that has made the last change goes on, perhaps: a queue that is worked off piece by piece. Once, also the
        others of the short ones count if the actions had no effect, and those that look at fields if one has changed: a
        slider that was moved by a key draws itself in its next round, and a page saves a form that it finds changed.
        """
        once, self._round_awaited = not self._round_awaited, True
        ineffective = not self._activity.effects
        rounds = [report.acting_ms for _, report in fence.reports]
        if once:
            rounds += [max(report.check_ms, report.round_ms if ineffective else 0.0) for _, report in fence.reports]
        until = now + max(rounds, default=0.0)
        if until > now:
            self.pending.open(PendingRow("timer", ROUND, "a loop of the page", now, until=until))
        return until > now

    def _renew_indicators(self, now: float, reports: list[Report]) -> None:
        """Block while an indicator is visible, and up to the horizon while a control says that it is working."""
        patient = {what: True for report in reports for what in report.indicators}
        shown = {what: False for report in reports for what in report.working} | patient
        until = now + INDICATOR_MS
        rows = [
            PendingRow("indicator", what, what, now, until=until, patient=patient) for what, patient in shown.items()
        ]
        self.pending.renew("indicator", rows)

    def _is_confirmed(self, fence: Fence) -> bool:
        """Return whether no message can be on its way from one process of the page to another.

        A message that a process sent before its answer arrives before the next fence, but not always before this one.
        """
        confirmed, self._confirmed_activity = self._confirmed_activity, fence.activity
        return fence.processes < 2 or confirmed == fence.activity

    def _read(self, now: float, report: Report) -> None:
        self._ignored.update({(row.kind, row.key): row for row in report.ignored})
        if report.quiet_ms is not None:
            self._activity.record_change(report.where)
            self._last_active = max(self._last_active, now - report.quiet_ms)
        if report.animated is not None:
            self._read_animations(now, (report.animated, *report.animated_earlier))

    def _read_animations(self, now: float, animations: Sequence[Animated]) -> None:
        """Await the animations that end before the horizon, and report the others."""
        for at, animated in enumerate(animations):
            until = now + animated.remaining_ms
            beyond_horizon = until > self._horizon
            key = f"{animated.what} {at}" if at else animated.what
            self.pending.open(
                PendingRow("animation", key, animated.what, now, until=until, beyond_horizon=beyond_horizon)
            )
            if not beyond_horizon:
                self._animated = self._last_activity

    # -- decisions -------------------------------------------------------------------------------

    def _decide(self, now: float) -> tuple[Effect, ...]:
        if self.phase is Phase.DONE:
            # The signal was the last answer to the fence that ended the wait.
            return self._finish()
        if self._gone is not None:
            reason, detail = self._gone
            return self._end(now, reason, detail=detail)
        if self._dialog_held:
            return self._end(now, "dialog")
        if now >= self._deadline:
            return self._time_out(now)
        if self._activity.has_dialog_loop(now) and now >= self._horizon:
            return self._end_blaming(now, "horizon", [self._activity.describe_ongoing(now, self._started)])
        if self._fence is not None:
            return self._await_fence(now)
        if self._is_still_blocked(now):
            return ()
        blocking = self.pending.blocking(now, self._horizon)
        if self._dialog_open and not any(row.kind == "dialog" for row in blocking):
            return self._end(now, "dialog", stable=True)
        if blocking and not self._expected and not self._is_outdated(now, blocking):
            end = self.pending.next_end(now, self._horizon)
            self._blocker = blocking[-1] if len(blocking) > MANY_ROWS and blocking[-1].kind != "timer" else None
            return (WakeAt(min(self._deadline, end or self._deadline)),)
        if now < self._fence_from:
            return (WakeAt(min(self._fence_from, self._deadline)),)
        fence_at = self._last_active + self._quiet_window - self._limits.lead_ms
        if now < fence_at and now < self._horizon and not self._expected:
            return (WakeAt(min(fence_at, self._horizon, self._deadline)),)
        return self._send_fence(now)

    def _is_still_blocked(self, now: float) -> bool:
        """Return whether one row is known to block: with many, to look at all after each signal would take seconds."""
        row = self._blocker
        if row is None or self._dialog_open or self._expected:
            return False
        return self.pending.blocks(row, now, self._horizon)

    def _is_outdated(self, now: float, blocking: list[PendingRow]) -> bool:
        """Return whether only timers block and the page has run since it reported them: it may have cleared them."""
        if any(row.kind != "timer" for row in blocking):
            return False
        ran = any(row.until is not None and row.until <= now for row in self.pending.of_kind("timer"))
        return ran or self._last_activity != self._fence_activity

    def _await_fence(self, now: float) -> tuple[Effect, ...]:
        fence = self._fence
        assert fence is not None
        awaited = fence.awaited
        if not awaited or any(realm.kind == "main" for realm in awaited):
            return (WakeAt(self._deadline),)
        if now < self._horizon:
            return (WakeAt(min(self._horizon, self._deadline)),)
        for realm in awaited:
            kind = "worker" if realm.kind == "worker" else "fence"
            self.pending.open(PendingRow(kind, realm.key, realm.what, fence.sent))
        self._conclude(now)
        return self._decide(now)

    def _complete(self, now: float, *, still: bool) -> None:
        rows = self.pending.unfinished(now)
        blamed = [row.pending(now) for row in rows if not row.beyond_horizon and (row.until is None or now < row.until)]
        others = [
            row.pending(now) for row in rows if row.beyond_horizon or (row.until is not None and now >= row.until)
        ]
        if not still:
            blamed.append(self._activity.describe_ongoing(now, self._started))
        stable = not blamed
        if self._expected:
            self._end(now, "expected", stable=stable, pending=(*blamed, *others))
        elif stable:
            self._end(
                now,
                self._activity.reason(animated=self._animated == self._last_activity),
                stable=True,
                pending=tuple(others),
            )
        else:
            self._end_blaming(now, "horizon", blamed, others)

    def _end_blaming(
        self, now: float, reason: Reason, blamed: list[Pending], others: Sequence[Pending] = ()
    ) -> tuple[Effect, ...]:
        """End the wait with the first row as the cause, and all rows as pending."""
        return self._end(now, reason, (*blamed, *others), detail=f"{blamed[0].kind} {blamed[0].what}")

    def _time_out(self, now: float) -> tuple[Effect, ...]:
        rows = self.pending.unfinished(now)
        awaited = [row.pending(now) for row in rows if not row.beyond_horizon]
        others = [row.pending(now) for row in rows if row.beyond_horizon]
        unanswered = self._fence.pending(now) if self._fence is not None else []
        ongoing = self._activity.describe_ongoing(now, self._started)
        if self._activity.has_document_loop or self._activity.has_dialog_loop(now):
            awaited.insert(0, ongoing)
        elif self._is_hung(now):
            return self._end(now, "hung", (*unanswered, *awaited, *others))
        elif not awaited:
            awaited = [ongoing] if self._activity.effects else unanswered or [ongoing]
        # A person would name the indicator first: the page itself says that it is not ready.
        awaited.sort(key=lambda row: row.kind != "indicator")
        return self._end_blaming(now, "timeout", awaited, others)

    def _is_hung(self, now: float) -> bool:
        """Return whether a fence went unanswered that the page could answer.

        Chrome holds back all commands to a page whose next document is awaited.
        """
        navigation = self.pending.row("navigation", "")
        until = now if navigation is None else navigation.opened
        return self._fence is not None and until - self._fence.sent >= HUNG_MS

    def _end(
        self,
        now: float,
        reason: Reason,
        pending: tuple[Pending, ...] | None = None,
        *,
        detail: str | None = None,
        stable: bool = False,
    ) -> tuple[Effect, ...]:
        left = self.pending.unfinished(now)
        if pending is None:
            pending = tuple(row.pending(now) for row in left)
        self._ignored.update(self.pending.ignored)
        self.excess_ms = max(0.0, now - self._last_active)
        self.verdict = Verdict(
            stable=stable,
            reason=reason,
            detail=detail,
            waited_ms=round(now - self._started, 1),
            fences=self._fences,
            pending=pending,
            ignored=tuple(self._ignored.values()),
            late=self._late.take(self.pending),
            omitted=self._late.omitted,
        )
        self._fence = None
        self.phase = Phase.DONE
        if not self._goes_on:
            arrived = [row.key for row in self.pending.of_kind("request") if stable and row.received]
            self._late.start(now, left, teaches=reason in CLAIMS_QUIET and not pending, arrived=arrived)
            self.pending.disarm()
        return self._finish()

    def _finish(self) -> tuple[Effect, ...]:
        assert self.verdict is not None
        return (Finish(self.verdict),)
