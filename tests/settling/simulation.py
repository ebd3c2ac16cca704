"""Simulate a page as a stream of signals: drives the machine without a clock, a browser or a sleep."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from itertools import count

from stillframe.model.verdict import Verdict
from stillframe.settling import signals
from stillframe.settling.machine import SettleMachine
from stillframe.settling.signals import Effect, Finish, Limits, Realm, Report, RunFence, Signal, WakeAt

MAIN = Realm("main", "main", "http://site/")
Stream = Iterable[tuple[float, Signal]]


class Simulation:
    """Feeds a stream to a machine and acts as the shell: answers fences, sends ticks, keeps every effect."""

    def __init__(
        self,
        stream: Stream = (),
        *,
        fence_ms: float | None = 33.0,
        worker_ms: float | None = 1.0,
        realms: tuple[Realm, ...] = (MAIN,),
    ) -> None:
        """How long realms take to answer a fence; None for never."""
        self.machine = SettleMachine()
        self.now = 0.0
        self.fence_ms = fence_ms
        self.worker_ms = worker_ms
        self.realms = realms
        self.reports: dict[str, Report] = {}
        self.effects: list[tuple[float, Effect]] = []
        self.verdict: Verdict | None = None
        """The verdict of the current wait, if it has ended."""
        self.fences = 0
        """How many fences were sent."""
        self._order = count()
        self._coming: list[tuple[float, int, Callable[[], Signal]]] = []
        self._wake: float | None = None
        self._changed_at: float | None = None
        self.at(*stream)

    def at(self, *stream: tuple[float, Signal]) -> None:
        """Schedule signals at their times in milliseconds."""
        for when, signal in stream:
            heapq.heappush(self._coming, (when, next(self._order), lambda signal=signal: signal))

    def settle(self, limits: Limits | None = None, *, start: float | None = None, acting: float = 0.0) -> Verdict:
        """Arm, act for a while, and run until the verdict."""
        start = self.now if start is None else start
        self.run(start)
        self.feed(signals.Armed(limits or Limits()))
        self.run(start + acting)
        self._changed_at = None
        self.feed(signals.ActionsDone())
        while self.verdict is None:
            self._step()
        return self.verdict

    def forget(self) -> None:
        """Forget the effects so far: another wait begins."""
        self.effects.clear()
        self.verdict = None
        self.fences = 0

    def run(self, until: float) -> None:
        """Let time pass until a moment, and process the signals that are due."""
        while self._next() <= until:
            self._step()
        self.now = max(self.now, until)

    def feed(self, signal: Signal) -> None:
        """Feed one signal to the machine now and perform the effects."""
        if isinstance(signal, signals.Mutated):
            self._changed_at = self.now
        for effect in self.machine.feed(self.now, signal):
            self.effects.append((self.now, effect))
            self._do(effect)

    def _next(self) -> float:
        wake = float("inf") if self._wake is None else self._wake
        return min(wake, self._coming[0][0] if self._coming else float("inf"))

    def _step(self) -> None:
        when = self._next()
        assert when < float("inf"), "the machine waits for ever: it has asked for no tick"
        self.now = max(self.now, when)
        if self._coming and self._coming[0][0] <= when:
            self.feed(heapq.heappop(self._coming)[2]())
        else:
            self._wake = None
            self.feed(signals.Tick())

    def _do(self, effect: Effect) -> None:
        match effect:
            case WakeAt(at):
                self._wake = at
            case RunFence(number, min_ms):
                self.fences += 1
                self.feed(signals.FenceSent(number, self.realms))
                for realm in self.realms:
                    self._answer_later(number, realm, min_ms)
            case Finish(verdict):
                self.verdict = verdict
                self._wake = None

    def _answer_later(self, number: int, realm: Realm, min_ms: float) -> None:
        took = self.worker_ms if realm.kind == "worker" else self.fence_ms
        if took is None:
            return
        when = self.now + (took if realm.kind == "worker" else max(took, min_ms))
        heapq.heappush(self._coming, (when, next(self._order), lambda: self._answer(number, realm)))

    def _answer(self, number: int, realm: Realm) -> Signal:
        report = self.reports.get(realm.key)
        if report is None and self._changed_at is not None and realm.kind == "main":
            report = Report(quiet_ms=self.now - self._changed_at)
        return signals.FenceDone(number, realm.key, report or Report())
