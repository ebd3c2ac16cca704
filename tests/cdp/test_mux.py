from __future__ import annotations

import os
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from stillframe import errors
from stillframe.cdp import mux, wire
from stillframe.cdp.mux import Mux, SessionOpened, SessionsLost, SessionState


@dataclass(eq=False)
class Call:
    session_id: str = ""
    method: str = "A.b"
    deadline: float = mux.NEVER
    since: float = 0.0
    id: int = 0
    endings: list[object] = field(default_factory=list)


def event(method: str, session_id: str = "", **params: object) -> wire.Message:
    return wire.Message(method=method, session_id=session_id, params=msgspec.Raw(msgspec.json.encode(params)))


def attached(session_id: str, target_id: str = "", waiting: bool = False, parent: str = "") -> wire.Message:
    info = {"targetId": target_id or f"T{session_id}", "type": "page"}
    return event("Target.attachedToTarget", parent, sessionId=session_id, targetInfo=info, waitingForDebugger=waiting)


def feed(m: Mux[Call], message: wire.Message) -> list[mux.Effect[Call]]:
    """Pass an event to the mux as a connection does, and return the effects."""
    session = m.session_of(message)
    if session is None or message.method not in mux.STATE_EVENTS:
        return []
    effects = m.apply(session, message)
    for effect in effects:
        if isinstance(effect, SessionsLost):
            for call, error in effect.calls:
                call.endings.append(error)
    return effects


def open_call(m: Mux[Call], session_id: str = "", method: str = "A.b", deadline: float = mux.NEVER) -> Call:
    call = Call(session_id, method, deadline)
    m.open(m.sessions[session_id], call)
    return call


def with_sessions(*parents: tuple[str, str]) -> Mux[Call]:
    m: Mux[Call] = Mux()
    for session_id, parent in parents:
        feed(m, attached(session_id, parent=parent))
    return m


IDS = st.sampled_from(["", "A", "B", "C", "D"])


class Legal(RuleBasedStateMachine):
    """Any order of commands, answers, cancellations, deadlines, crashes and losses."""

    def __init__(self) -> None:
        super().__init__()
        self.mux: Mux[Call] = Mux()
        self.calls: list[Call] = []
        self.now = 0.0
        self.closed = False

    @rule(session_id=IDS, timeout=st.floats(0, 5), method=st.sampled_from(["A.b", "Page.navigate", "Target.x"]))
    def command(self, session_id: str, timeout: float, method: str) -> None:
        session = self.mux.sessions.get(session_id)
        if session is None:
            return
        call = Call(session_id, method, self.now + timeout)
        try:
            self.mux.open(session, call)
        except errors.SessionLost as error:
            refused: type | None = type(error)
        else:
            refused = None
            self.calls.append(call)
        assert refused in (None, type(session.error))

    @rule(number=st.integers(1, 60))
    def answer(self, number: int) -> None:
        call = self.mux.take(number)
        if call is not None:
            call.endings.append("answer")

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if self.calls:
            call = data.draw(st.sampled_from(self.calls))
            if call.id in self.mux.pending:
                call.endings.append("cancelled")
            self.mux.forget(call)

    @rule(step=st.floats(0, 3))
    def time(self, step: float) -> None:
        self.now += step
        if self.mux.wake <= self.now:
            for call in self.mux.expire(self.now):
                call.endings.append("timeout")
        assert self.mux.wake > self.now

    @rule(session=IDS.filter(bool), parent=IDS)
    def attach(self, session: str, parent: str) -> None:
        feed(self.mux, attached(session, parent=parent))

    @rule(session=IDS.filter(bool), parent=IDS)
    def detach(self, session: str, parent: str) -> None:
        feed(self.mux, event("Target.detachedFromTarget", parent, sessionId=session))

    @rule(session=IDS, crash=st.sampled_from(["Inspector.targetCrashed", "Inspector.targetReloadedAfterCrash"]))
    def crash(self, session: str, crash: str) -> None:
        feed(self.mux, event(crash, session))

    @rule(whose=IDS, method=st.sampled_from(["Target.targetDestroyed", "Target.targetCrashed"]))
    def target_gone(self, whose: str, method: str) -> None:
        feed(self.mux, event(method, "", targetId=f"T{whose}"))

    @rule(session=IDS)
    def other(self, session: str) -> None:
        feed(self.mux, event("Page.loadEventFired", session))

    @rule()
    def lose(self) -> None:
        for call, error in self.mux.disconnect("gone").calls:
            assert type(error) is errors.ConnectionLost
            call.endings.append(error)

    @invariant()
    def nobody_is_notified_twice_or_forgotten(self) -> None:
        for call in self.calls:
            waiting = self.mux.pending.get(call.id) is call
            assert len(call.endings) + waiting == 1, call

    @invariant()
    def who_waits_can_be_answered(self) -> None:
        for number, call in self.mux.pending.items():
            assert 0 < number <= wire.MAX_ID
            session = self.mux.sessions[call.session_id]
            assert session.error is None or session.crashed
            assert self.mux.wake <= call.deadline

    @invariant()
    def the_tree_and_the_table_agree(self) -> None:
        table = set(self.mux.sessions.values())
        tree = set(self.mux.root.walk()) if "" in self.mux.sessions else set()
        assert tree == table

    def teardown(self) -> None:
        self.lose()
        assert not self.mux.pending
        self.nobody_is_notified_twice_or_forgotten()


TestLegal = Legal.TestCase
# In `make test` the cases are always the same ones, so a third of them; `make test-all` has others each time.
EXAMPLES = 150 if "STILLFRAME_CASES" in os.environ else 50
TestLegal.settings = settings(max_examples=EXAMPLES, stateful_step_count=40, deadline=None)


def test_the_browser_is_the_session_with_the_empty_id() -> None:
    m: Mux[Call] = Mux()
    assert m.session_of(event("A.b")) is m.root


def test_ids_wrap_below_2_to_the_31_and_skip_the_living() -> None:
    m: Mux[Call] = Mux()
    first = open_call(m)
    m.last_id = wire.MAX_ID - 1
    assert open_call(m).id == 2**31 - 1
    assert (first.id, open_call(m).id) == (1, 2)


def test_what_comes_late_is_told_apart_from_what_nobody_asked_for() -> None:
    m: Mux[Call] = Mux()
    call = open_call(m)
    m.forget(call)
    assert m.take(call.id) is None
    assert m.take(call.id) is None
    assert m.take(99) is None
    assert (m.counters.late, m.counters.unsolicited) == (1, 2)


def test_an_answer_comes_to_its_call_whatever_session_it_names() -> None:
    # Chrome's -32001 answers carry no session id.
    m = with_sessions(("A", ""))
    call = open_call(m, "A")
    assert m.take(call.id) is call


@pytest.mark.parametrize(
    ("gone", "kind"),
    [
        (event("Target.detachedFromTarget", sessionId="A"), errors.TargetClosed),
        (event("Target.targetDestroyed", targetId="TA"), errors.TargetClosed),
    ],
)
def test_the_end_of_a_session_is_the_end_of_its_children(gone: wire.Message, kind: type[Exception]) -> None:
    m = with_sessions(("A", ""), ("B", "A"), ("C", "B"), ("X", ""))
    calls = [open_call(m, s) for s in ("A", "B", "C")]
    other = open_call(m, "X")
    feed(m, gone)
    assert [type(call.endings[0]) for call in calls] == [kind] * 3
    assert m.pending == {other.id: other}
    assert set(m.sessions) == {"", "X"}


def test_a_detach_we_asked_for_is_told_apart_from_a_closed_target() -> None:
    m = with_sessions(("A", ""))
    call = open_call(m, "A")
    m.sessions["A"].detaching = True
    feed(m, event("Target.detachedFromTarget", sessionId="A"))
    assert isinstance(call.endings[0], errors.SessionDetached)


def test_the_reason_chrome_gave_is_in_the_message() -> None:
    m = with_sessions(("A", ""))
    call = open_call(m, "A", "Page.enable")
    feed(m, event("Inspector.detached", "A", reason="Render process gone."))
    feed(m, event("Target.detachedFromTarget", sessionId="A"))
    assert "Page.enable: the target was closed (TA): Render process gone." in str(call.endings[0])


def test_a_crash_ends_what_waits_and_refuses_what_chrome_would_not_answer() -> None:
    m = with_sessions(("A", ""), ("B", "A"))
    waiting = [open_call(m, "A"), open_call(m, "B"), open_call(m, "A", "Page.navigate")]
    feed(m, event("Inspector.targetCrashed", "A"))
    assert all(isinstance(call.endings[0], errors.TargetCrashed) for call in waiting)
    with pytest.raises(errors.TargetCrashed, match=r"Runtime\.evaluate: .*reload"):
        open_call(m, "A", "Runtime.evaluate")
    for method in ("Page.navigate", "Page.reload", "Page.close", "Target.setAutoAttach"):
        open_call(m, "A", method)


def test_a_reload_brings_a_crashed_session_back() -> None:
    m = with_sessions(("A", ""))
    feed(m, event("Target.targetCrashed", targetId="TA", status="killed", errorCode=9))
    assert "killed" in str(m.sessions["A"].error)
    feed(m, event("Inspector.targetReloadedAfterCrash", "A"))
    assert m.sessions["A"].error is None
    open_call(m, "A", "Runtime.evaluate")


def test_a_crash_is_reported_once_though_chrome_says_it_twice() -> None:
    m = with_sessions(("A", ""))
    assert len(feed(m, event("Inspector.targetCrashed", "A"))) == 1
    assert feed(m, event("Target.targetCrashed", targetId="TA")) == []


def test_events_before_the_attach_message_are_kept_in_order() -> None:
    m: Mux[Call] = Mux()
    early = [event("A.b", "S", n=n) for n in range(3)]
    for message in early:
        assert m.session_of(message) is None
    (opened,) = feed(m, attached("S"))
    assert isinstance(opened, SessionOpened)
    assert opened.early == early


def test_events_of_unknown_sessions_are_bounded() -> None:
    m: Mux[Call] = Mux()
    for n in range(mux.MAX_EARLY_SESSIONS + 5):
        for _ in range(mux.MAX_EARLY_EVENTS + 3):
            m.session_of(event("A.b", f"S{n}"))
    (opened,) = feed(m, attached("S0"))
    assert isinstance(opened, SessionOpened)
    assert len(opened.early) == mux.MAX_EARLY_EVENTS
    assert m.counters.early_dropped == 3 * mux.MAX_EARLY_SESSIONS + 5 * (mux.MAX_EARLY_EVENTS + 3)


def test_events_of_ended_sessions_are_counted_not_kept() -> None:
    m = with_sessions(("A", ""))
    feed(m, event("Target.detachedFromTarget", sessionId="A"))
    assert m.session_of(event("A.b", "A")) is None
    assert m.counters.orphaned == 1


def test_an_attach_answer_before_its_event_registers_once() -> None:
    m: Mux[Call] = Mux()
    assert len(m.adopt("S", m.root, "T")) == 1
    assert feed(m, attached("S", "T")) == []
    assert m.adopt("S", m.root, "T") == []
    assert m.sessions["S"].target_type == "page"


def test_malformed_events_about_sessions_are_counted() -> None:
    m: Mux[Call] = Mux()
    assert feed(m, event("Target.attachedToTarget", sessionId=5)) == []
    assert m.counters.malformed == 1


def test_memory_of_ids_is_bounded() -> None:
    m: Mux[Call] = Mux()
    for _ in range(mux.MAX_REMEMBERED + 100):
        m.forget(open_call(m))
    assert len(m._abandoned) == mux.MAX_REMEMBERED


def test_deadlines_are_met_in_order_and_not_before() -> None:
    m: Mux[Call] = Mux()
    late, soon = open_call(m, deadline=9.0), open_call(m, deadline=2.0)
    assert m.wake == 2.0
    assert m.expire(1.9) == []
    assert m.expire(2.0) == [soon]
    assert m.wake == 9.0
    assert m.take(late.id) is late
    assert m.expire(9.0) == []
    assert m.wake == mux.NEVER


def test_walking_is_not_recursive() -> None:
    top = session = SessionState("0", None)
    for n in range(5_000):
        child = SessionState(str(n + 1), session)
        session.children[child.id] = child
        session = child
    assert sum(1 for _ in top.walk()) == 5_001


def test_a_call_may_end_before_its_deadline_where_stalls_do_not_count_any_more() -> None:
    m: Mux[Call] = Mux()
    first, second = open_call(m, deadline=9.0), open_call(m, deadline=9.0)
    second.since = 5.0
    assert m.expire(5.0, lambda since: 4.0 - since if since < 4.0 else 0.0) == [first]
    assert m.wake == 9.0
