"""Recorded streams of signals: their format, and two ways to play them.

A stream holds the signals that the machine of a real page got, one line `[ms, signal, fields]` each, from the page's
first signal to its verdict; `streams/verdicts.json` holds the verdicts. `replay` feeds a machine exactly these signals.
`rehearse` simulates the page instead: signals from outside come as recorded, or slightly later, and fences are sent
again and answered with what the recorded answers say about that moment, so it works even when the machine asks at other
times.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
from simulation import MAIN, Simulation

from stillframe.model.verdict import Verdict
from stillframe.settling import signals as s
from stillframe.settling.machine import SettleMachine
from stillframe.settling.signals import Animated, Call, Finish, Realm, Report, Signal

STREAMS = Path(__file__).parent / "streams"
VERDICTS = STREAMS / "verdicts.json"
SHELL = (s.FenceSent, s.FenceDone, s.Tick, s.Armed, s.ActionsDone, s.Disarmed)
"""Signals that the shell creates: a rehearsal creates its own."""
RECORD_AGAIN = "if that is meant, record the streams again with `python tests/settling/record_streams.py [name ...]`"
"""The advice of a failing stream test."""
CALL_TOLERANCE_MS = 30.0
"""How far the times of one call may differ between two reports."""

Line = tuple[float, Signal]


class Kept(msgspec.Struct, frozen=True):
    """The part of a verdict that does not depend on the speed of the machine."""

    stable: bool
    reason: str
    detail: str | None = None
    pending: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


def kept(verdict: Verdict) -> Kept:
    """Return the stored part of a verdict."""
    return Kept(
        verdict.stable,
        verdict.reason,
        verdict.detail,
        tuple(sorted({row.kind for row in verdict.pending})),
        tuple(sorted({row.kind for row in verdict.ignored})),
        tuple(sorted({row.kind for row in verdict.late})),
    )


def names() -> list[str]:
    """Return the names of the streams."""
    return sorted(path.stem for path in STREAMS.glob("*.jsonl"))


def verdicts() -> dict[str, Kept]:
    """Return the verdicts of the streams."""
    return msgspec.json.decode(VERDICTS.read_bytes(), type=dict[str, Kept])


def write(name: str, lines: list[Line]) -> None:
    """Store a stream; times count from its first line."""
    first = lines[0][0]
    text = [json.dumps([round(now - first, 3), type(signal).__name__, _fields(signal)]) for now, signal in lines]
    (STREAMS / f"{name}.jsonl").write_text("\n".join(text) + "\n", "utf-8")


def read(name: str) -> list[Line]:
    """Return a stream."""
    lines = [json.loads(line) for line in (STREAMS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [(now, msgspec.convert(fields, getattr(s, kind))) for now, kind, fields in lines]


def _fields(value: Any) -> Any:
    """Return a struct as a dict without the fields that have their default."""
    if isinstance(value, msgspec.Struct):
        fields = {info.name: getattr(value, info.name) for info in msgspec.structs.fields(value)}
        defaults = {info.name: info.default for info in msgspec.structs.fields(value)}
        return {key: _fields(field) for key, field in fields.items() if field != defaults[key]}
    if isinstance(value, (list, tuple)):
        return [_fields(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


def replay(lines: list[Line]) -> Verdict:
    """Feed a machine exactly the recorded signals, and return the last verdict."""
    machine, verdict = SettleMachine(), None
    for now, signal in lines:
        for effect in machine.feed(now, signal):
            if isinstance(effect, Finish):
                verdict = effect.verdict
    assert verdict is not None, f"the machine asks at other times than when this was recorded: {RECORD_AGAIN}"
    return verdict


def rehearse(lines: list[Line], *, seed: int | None = None, delay_ms: float = 0.0) -> Verdict:
    """Simulate the page of a recording; with a seed, each source of signals is sometimes late by up to `delay_ms`."""
    return _Rehearsal(lines, seed, delay_ms).verdict_of_it()


class _Rehearsal(Simulation):
    """A simulated page whose realms answer as the recorded ones would have."""

    def __init__(self, lines: list[Line], seed: int | None, delay_ms: float) -> None:
        outside = [(now, signal) for now, signal in lines if not isinstance(signal, SHELL)]
        super().__init__(outside if seed is None else _delayed(outside, random.Random(seed), delay_ms))
        self._arms = [(now, signal) for now, signal in lines if isinstance(signal, s.Armed)]
        self._begins = [now for now, signal in lines if isinstance(signal, s.ActionsDone)]
        self._asked = [(now, signal.id, signal.realms) for now, signal in lines if isinstance(signal, s.FenceSent)]
        self._told = [(now, signal) for now, signal in lines if isinstance(signal, s.FenceDone)]
        self._changes = [now for now, signal in lines if isinstance(signal, s.Mutated)]
        self._changes += [now - done.report.quiet_ms for now, done in self._told if done.report.quiet_ms is not None]

    def verdict_of_it(self) -> Verdict:
        verdict = None
        for (armed, signal), begun in zip(self._arms, self._begins, strict=True):
            self.forget()
            self.run(armed)
            self.feed(signal)
            self.run(max(begun, self.now))
            self.feed(s.ActionsDone())
            while self.verdict is None:
                self._step()
            verdict = self.verdict
            self.feed(s.Disarmed())
        assert verdict is not None
        return verdict

    def _do(self, effect: s.Effect) -> None:
        if isinstance(effect, s.RunFence):
            before = [realms for now, _, realms in self._asked if now <= self.now]
            self.realms = before[-1] if before else self._asked[0][2] if self._asked else (MAIN,)
        super()._do(effect)

    def _answer_later(self, number: int, realm: Realm, min_ms: float) -> None:
        """Answer as soon as the recorded page would have: not while a recorded fence was unanswered."""
        answered = {(done.id, done.realm): now for now, done in self._told}
        free = [
            answered.get((sent, realm.key), float("inf"))
            for now, sent, realms in self._asked
            if now <= self.now + 5 and realm.key in {asked.key for asked in realms}
        ]
        if max(free, default=0.0) < float("inf"):
            super()._answer_later(number, realm, max(min_ms, max(free, default=0.0) - self.now))

    def _answer(self, number: int, realm: Realm) -> Signal:
        told = [(now, done.report) for now, done in self._told if done.realm == realm.key and not done.lost]
        return s.FenceDone(number, realm.key, self._report(realm, told))

    def _report(self, realm: Realm, told: list[tuple[float, Report]]) -> Report:
        armed = max((now for now, _ in self._arms if now <= self.now), default=0.0)
        changes = [now for now in self._changes if armed <= now <= self.now] if realm.kind == "main" else []
        nearest = min(told, key=lambda one: abs(one[0] - self.now), default=(0.0, Report()))[1]
        return Report(
            quiet_ms=self.now - max(changes) if changes else None,
            where=nearest.where,
            indicators=nearest.indicators,
            animated=self._animated(told),
            ignored=nearest.ignored,
            calls=tuple(self._calls(told)),
        )

    def _animated(self, told: list[tuple[float, Report]]) -> Animated | None:
        for now, report in told:
            if report.animated is not None and now - 100 <= self.now < now + report.animated.remaining_ms:
                return Animated(report.animated.what, now + report.animated.remaining_ms - self.now)
        return None

    def _calls(self, told: list[tuple[float, Report]]) -> list[Call]:
        found: dict[tuple[str, int], tuple[float, list[float], Call]] = {}
        for now, report in told:
            for call in report.calls:
                opened = now - call.age_ms
                due = now if call.due_ms is None else now + max(0.0, call.due_ms)
                known = found.setdefault((call.key, round(opened / CALL_TOLERANCE_MS)), (opened, [], call))
                known[1].append(due)
        calls = []
        for opened, dues, call in found.values():
            due = min((due for due in dues if self.now < due), default=None)
            if opened <= self.now and due is not None:
                due_ms = None if call.due_ms is None else due - self.now
                calls.append(msgspec.structs.replace(call, age_ms=self.now - opened, due_ms=due_ms))
        return calls


def _delayed(lines: list[Line], chance: random.Random, delay_ms: float) -> list[Line]:
    """Delay each source, and keep the order within it."""
    behind: dict[str, float] = {}
    moved = []
    for now, signal in lines:
        source = _source(signal)
        late = now + chance.random() * delay_ms * (chance.random() < 0.5)
        behind[source] = max(behind.get(source, 0.0), late)
        moved.append((behind[source], signal))
    return sorted(moved, key=lambda line: line[0])


def _source(signal: Signal) -> str:
    """Return the source whose order a signal belongs to: its worker, or the page."""
    realm = getattr(signal, "realm", "")
    return realm or ("network" if hasattr(signal, "id") else "page")
