"""The book of names, without a browser and without a clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from stillframe.errors import OptionInvalid, SessionExists, SessionUnknown
from stillframe.sessions.book import NAME, Book


def opened(book: Book, name: str | None, now: float = 0.0) -> str:
    taken = book.reserve(name, "context", now)
    book.opened(taken, now)
    return taken


def test_automatic_names_count_by_kind() -> None:
    book = Book()
    assert [book.reserve(None, "context", 0), book.reserve(None, "browser", 0)] == ["context-1", "browser-1"]
    assert book.reserve(None, "context", 0) == "context-2"


def test_an_automatic_name_is_never_given_twice_and_never_one_that_was_given() -> None:
    book = Book()
    opened(book, "context-2")
    first = opened(book, None)
    book.close(first, "by request")
    book.free(first)
    assert opened(book, None) == "context-3"


@pytest.mark.parametrize("name", ["", " a", "a b", "a/b", "-a", ".a", "é", "a\n", "x" * 65, 7, None.__class__, b"a"])
def test_w37_a_name_that_is_none_is_refused(name: object) -> None:
    with pytest.raises(OptionInvalid, match="session id") as caught:
        Book().reserve(name, "context", 0)  # type: ignore[arg-type]
    assert caught.value.option == "session_id"


@given(st.text(max_size=200))
def test_whatever_name_is_asked_for_it_is_taken_or_refused_in_few_words(name: str) -> None:
    book = Book()
    if NAME.fullmatch(name):
        assert book.reserve(name, "context", 0) == name
        return
    with pytest.raises(OptionInvalid) as caught:
        book.reserve(name, "context", 0)
    assert len(str(caught.value)) < 300


def test_w37_a_duplicate_is_an_error_at_every_stage() -> None:
    book = Book()
    book.reserve("a", "context", 0)
    with pytest.raises(SessionExists, match="being opened already"):
        book.reserve("a", "context", 0)
    book.opened("a", 0)
    with pytest.raises(SessionExists, match="is open already: use it, close it first") as caught:
        book.reserve("a", "context", 0)
    assert caught.value.session_id == "a"
    book.close("a", "by request")
    with pytest.raises(SessionExists, match="still being closed"):
        book.reserve("a", "context", 0)
    book.free("a")
    assert book.reserve("a", "context", 0) == "a"


def test_w37_an_unknown_name_is_answered_with_the_nearest_and_the_list() -> None:
    book = Book()
    opened(book, "checkout")
    opened(book, "search")
    with pytest.raises(SessionUnknown, match=r"did you mean 'checkout'\?\); open are: checkout, search") as caught:
        book.find("chekout")
    assert caught.value.session_id == "chekout"


def test_an_unknown_name_without_any_session_says_so() -> None:
    with pytest.raises(SessionUnknown, match="none is open"):
        Book().find("a")


@pytest.mark.parametrize("name", [None, 7, ["a"], {"a": 1}])
def test_a_name_of_a_wrong_type_is_unknown(name: object) -> None:
    with pytest.raises(SessionUnknown):
        Book().find(name)  # type: ignore[arg-type]
    with pytest.raises(SessionUnknown):
        Book().close(name, "by request")  # type: ignore[arg-type]


def test_a_session_that_was_closed_is_told_from_one_that_never_was() -> None:
    book = Book()
    opened(book, "a")
    book.close("a", "after 1800 s without a call")
    book.free("a")
    with pytest.raises(SessionUnknown, match="was closed after 1800 s without a call; open it anew"):
        book.find("a")
    assert book.close("a", "by request") is False


def test_w38_what_is_idle_for_too_long_is_due_and_what_is_used_is_not() -> None:
    book = Book(idle_s=1800)
    idle, used = opened(book, "idle", 0), opened(book, "used", 0)
    book.find(used).idle.begin()
    assert (book.wake(), book.due(1799.9)) == (1800, [])
    assert book.due(1800) == [idle]
    assert book.due(1e9) == [idle]
    book.find(used).idle.end(5000)
    book.close(idle, "idle")
    assert (book.wake(), book.due(6799), book.due(6800)) == (6800, [], [used])


def test_nothing_is_due_without_a_limit() -> None:
    book = Book(idle_s=None)
    opened(book, "a", 0)
    assert (book.wake(), book.due(1e12)) == (None, [])


def test_w38_the_sixth_session_is_warned_of() -> None:
    book = Book(soft_limit=5)
    for _ in range(5):
        opened(book, None)
    assert book.crowd() is None
    opened(book, None)
    crowd = book.crowd()
    assert crowd is not None
    assert (crowd.open, crowd.limit) == (6, 5)
    assert "close those that are done with" in crowd.advice


class Machine(RuleBasedStateMachine):
    """Any order of opening, using and closing: names are unique, and who is in use is never due."""

    names = Bundle("names")

    def __init__(self) -> None:
        super().__init__()
        self.book = Book(idle_s=10, soft_limit=3)
        self.now = 0.0
        self.since: dict[str, float] = {}
        self.users: dict[str, int] = {}

    @rule(target=names, name=st.one_of(st.none(), st.sampled_from(["a", "b", "context-1", "context-2"])))
    def open(self, name: str | None) -> str:
        try:
            taken = opened(self.book, name, self.now)
        except SessionExists:
            assert name in self.since
            return str(name)
        assert taken not in self.since
        self.since[taken], self.users[taken] = self.now, 0
        return taken

    @rule(name=names)
    def begin(self, name: str) -> None:
        if name in self.since:
            self.book.find(name).idle.begin()
            self.users[name] += 1

    @rule(name=names)
    def end(self, name: str) -> None:
        if name in self.since and self.users[name]:
            self.book.find(name).idle.end(self.now)
            self.users[name] -= 1
            self.since[name] = self.now

    @rule(name=consumes(names))
    def close(self, name: str) -> None:
        assert self.book.close(name, "by request") is (name in self.since)
        self.book.free(name)
        self.since.pop(name, None)

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def due_is_who_has_been_idle(self) -> None:
        idle = {name for name, since in self.since.items() if not self.users[name] and since + 10 <= self.now}
        assert set(self.book.due(self.now)) == idle
        assert self.book.open == list(self.since)
        assert (self.book.crowd() is not None) is (len(self.since) > 3)


TestMachine = Machine.TestCase
