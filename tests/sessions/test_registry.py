"""The session registry, without a browser and without a clock; W38 is a case of docs/design/acceptance-cases.md."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from stillframe.errors import OptionInvalid, SessionExists, SessionUnknown
from stillframe.sessions.registry import NAME, SessionRegistry


def opened(registry: SessionRegistry, name: str | None, now: float = 0.0) -> str:
    taken = registry.reserve(name, "context", now)
    registry.mark_open(taken, now)
    return taken


def test_automatic_names_count_by_kind() -> None:
    registry = SessionRegistry()
    assert [registry.reserve(None, "context", 0), registry.reserve(None, "browser", 0)] == ["context-1", "browser-1"]
    assert registry.reserve(None, "context", 0) == "context-2"


def test_an_automatic_name_is_never_given_twice_and_never_one_that_was_given() -> None:
    registry = SessionRegistry()
    opened(registry, "context-2")
    first = opened(registry, None)
    registry.begin_close(first, "by request")
    registry.free(first)
    assert opened(registry, None) == "context-3"


@pytest.mark.parametrize("name", ["", " a", "a b", "a/b", "-a", ".a", "é", "a\n", "x" * 65, 7, None.__class__, b"a"])
def test_w37_a_name_that_is_none_is_refused(name: object) -> None:
    with pytest.raises(OptionInvalid, match="session id") as caught:
        SessionRegistry().reserve(name, "context", 0)  # type: ignore[arg-type]
    assert caught.value.option == "session_id"


@given(st.text(max_size=200))
def test_whatever_name_is_asked_for_it_is_taken_or_refused_in_few_words(name: str) -> None:
    registry = SessionRegistry()
    if NAME.fullmatch(name):
        assert registry.reserve(name, "context", 0) == name
        return
    with pytest.raises(OptionInvalid) as caught:
        registry.reserve(name, "context", 0)
    assert len(str(caught.value)) < 300


def test_w37_a_duplicate_is_an_error_at_every_stage() -> None:
    registry = SessionRegistry()
    registry.reserve("a", "context", 0)
    with pytest.raises(SessionExists, match="is already opening"):
        registry.reserve("a", "context", 0)
    registry.mark_open("a", 0)
    with pytest.raises(SessionExists, match="is already open: use it, close it first") as caught:
        registry.reserve("a", "context", 0)
    assert caught.value.session_id == "a"
    registry.begin_close("a", "by request")
    with pytest.raises(SessionExists, match="still closing"):
        registry.reserve("a", "context", 0)
    registry.free("a")
    assert registry.reserve("a", "context", 0) == "a"


def test_w37_an_unknown_name_is_answered_with_the_nearest_and_the_list() -> None:
    registry = SessionRegistry()
    opened(registry, "checkout")
    opened(registry, "search")
    with pytest.raises(SessionUnknown, match=r"did you mean 'checkout'\?\); open sessions: checkout, search") as caught:
        registry.find("chekout")
    assert caught.value.session_id == "chekout"


def test_an_unknown_name_without_any_session_says_so() -> None:
    with pytest.raises(SessionUnknown, match="no session is open"):
        SessionRegistry().find("a")


@pytest.mark.parametrize("name", [None, 7, ["a"], {"a": 1}])
def test_a_name_of_a_wrong_type_is_unknown(name: object) -> None:
    with pytest.raises(SessionUnknown):
        SessionRegistry().find(name)  # type: ignore[arg-type]
    with pytest.raises(SessionUnknown):
        SessionRegistry().begin_close(name, "by request")  # type: ignore[arg-type]


def test_a_session_that_was_closed_is_told_apart_from_one_that_never_was() -> None:
    registry = SessionRegistry()
    opened(registry, "a")
    registry.begin_close("a", "after 1800 s without a call")
    registry.free("a")
    with pytest.raises(SessionUnknown, match="was closed after 1800 s without a call; open it again"):
        registry.find("a")
    assert registry.begin_close("a", "by request") is False


def test_w38_what_is_idle_for_too_long_is_due_and_what_is_used_is_not() -> None:
    registry = SessionRegistry(idle_s=1800)
    idle, used = opened(registry, "idle", 0), opened(registry, "used", 0)
    registry.find(used).idle.begin()
    assert (registry.next_deadline(), registry.expired(1799.9)) == (1800, [])
    assert registry.expired(1800) == [idle]
    assert registry.expired(1e9) == [idle]
    registry.find(used).idle.end(5000)
    registry.begin_close(idle, "idle")
    assert (registry.next_deadline(), registry.expired(6799), registry.expired(6800)) == (6800, [], [used])


def test_nothing_is_due_without_a_limit() -> None:
    registry = SessionRegistry(idle_s=None)
    opened(registry, "a", 0)
    assert (registry.next_deadline(), registry.expired(1e12)) == (None, [])


def test_w38_the_sixth_session_is_warned_of() -> None:
    registry = SessionRegistry(soft_limit=5)
    for _ in range(5):
        opened(registry, None)
    assert registry.warning() is None
    opened(registry, None)
    warning = registry.warning()
    assert warning is not None
    assert (warning.open, warning.limit) == (6, 5)
    assert "close the ones that you no longer need" in warning.advice


class Machine(RuleBasedStateMachine):
    """Opens, uses and closes sessions in any order: names are unique, and a session in use never expires."""

    names = Bundle("names")

    def __init__(self) -> None:
        super().__init__()
        self.registry = SessionRegistry(idle_s=10, soft_limit=3)
        self.now = 0.0
        self.since: dict[str, float] = {}
        self.users: dict[str, int] = {}

    @rule(target=names, name=st.one_of(st.none(), st.sampled_from(["a", "b", "context-1", "context-2"])))
    def open(self, name: str | None) -> str:
        try:
            taken = opened(self.registry, name, self.now)
        except SessionExists:
            assert name in self.since
            return str(name)
        assert taken not in self.since
        self.since[taken], self.users[taken] = self.now, 0
        return taken

    @rule(name=names)
    def begin(self, name: str) -> None:
        if name in self.since:
            self.registry.find(name).idle.begin()
            self.users[name] += 1

    @rule(name=names)
    def end(self, name: str) -> None:
        if name in self.since and self.users[name]:
            self.registry.find(name).idle.end(self.now)
            self.users[name] -= 1
            self.since[name] = self.now

    @rule(name=consumes(names))
    def close(self, name: str) -> None:
        assert self.registry.begin_close(name, "by request") is (name in self.since)
        self.registry.free(name)
        self.since.pop(name, None)

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def due_is_who_has_been_idle(self) -> None:
        idle = {name for name, since in self.since.items() if not self.users[name] and since + 10 <= self.now}
        assert set(self.registry.expired(self.now)) == idle
        assert self.registry.open == list(self.since)
        assert (self.registry.warning() is not None) is (len(self.since) > 3)


TestMachine = Machine.TestCase
TestMachine.settings = settings() if "STILLFRAME_CASES" in os.environ else settings(max_examples=15)
