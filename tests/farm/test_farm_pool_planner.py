"""The planner of the pool: what holds whatever happens, and each of its rules by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import OptionInvalid
from stillframe.farm.pool import PoolSettings
from stillframe.farm.pool.planner import MB, Close, Launch, Planner, Shed

SETTINGS = PoolSettings(browsers=3, pages_per_browser=2, recycle_pages=5, recycle_pss_mb=100, recycle_age_s=50)


def serving(settings: PoolSettings = SETTINGS, count: int | None = None) -> tuple[Planner, float]:
    """Return a planner whose browsers all run, and the time then."""
    planner, now = Planner(settings), 0.0
    while len(planner.slots) < (count or settings.browsers):
        for decision in planner.decide(now):
            assert isinstance(decision, Launch)
            planner.started(now, decision.number)
        now += settings.launch_stagger_s
    return planner, now


class World:
    """A pool without browsers: each method is an event, and `decide` checks what the planner may decide then."""

    def __init__(self) -> None:
        self.planner, self.now = Planner(SETTINGS), 0.0
        self.starting: list[int] = []
        self.pages: list[int] = []
        self.last = {Launch: -1000.0, Shed: -1000.0}

    @property
    def running(self) -> list[int]:
        return [number for number, slot in self.planner.slots.items() if slot.state in ("serving", "draining")]

    def wait(self, amount: int) -> None:
        self.now += amount / 10

    def start(self, _: int) -> None:
        if self.starting:
            self.planner.started(self.now, self.starting.pop())

    def fail(self, _: int) -> None:
        if self.starting:
            self.planner.gone(self.now, self.starting.pop())

    def die(self, amount: int) -> None:
        if self.running:
            number = self.running[amount % len(self.running)]
            self.planner.gone(self.now, number)
            self.pages = [each for each in self.pages if each != number]

    def take(self, amount: int) -> None:
        chosen = self.planner.choose(avoid=amount)
        if isinstance(chosen, int):
            assert self.planner.slots[chosen].state == "serving"
            assert self.planner.slots[chosen].open < SETTINGS.pages_per_browser
            assert not self.planner.closed
            self.planner.taken(chosen)
            self.pages.append(chosen)

    def give_back(self, amount: int) -> None:
        if self.pages:
            self.planner.returned(self.pages.pop(amount % len(self.pages)))

    def memory(self, amount: int) -> None:
        self.planner.measured(amount / 20, self.planner.free_disk_bytes, {})

    def disk(self, amount: int) -> None:
        self.planner.measured(self.planner.memory_share, amount * 100 * MB, {})

    def pss(self, amount: int) -> None:
        sizes = dict.fromkeys(self.running[:1], amount * 20 * MB)
        self.planner.measured(self.planner.memory_share, self.planner.free_disk_bytes, sizes)

    def drain(self, _: int) -> None:
        self.planner.drain()

    def decide(self) -> None:
        pauses = {Launch: SETTINGS.launch_stagger_s, Shed: SETTINGS.shed_interval_s}
        for decision in self.planner.decide(self.now):
            kind = type(decision)
            if kind in pauses:
                assert self.now >= self.last[kind] + pauses[kind]
                self.last[kind] = self.now
            if isinstance(decision, Launch):
                assert not self.planner.closed
                self.starting.append(decision.number)
            if isinstance(decision, Close):
                assert decision.number not in self.pages

    def check(self) -> None:
        states = [slot.state for slot in self.planner.slots.values()]
        assert states.count("starting") + states.count("serving") <= SETTINGS.browsers
        assert self.planner.closed or states.count("draining") <= 1
        open_pages = {number: slot.open for number, slot in self.planner.slots.items() if slot.open}
        assert open_pages == {number: self.pages.count(number) for number in self.pages}


EVENTS = [World.wait, World.start, World.fail, World.die, World.take, World.give_back, World.memory, World.disk]


@given(st.lists(st.tuples(st.sampled_from([*EVENTS, World.pss, World.drain]), st.integers(0, 20)), max_size=80))
def test_whatever_happens_the_rules_hold(events: list[tuple[Callable[[World, int], None], int]]) -> None:
    world = World()
    for event, amount in events:
        event(world, amount)
        world.decide()
        world.check()


def test_launches_are_staggered() -> None:
    planner = Planner(SETTINGS)
    assert planner.decide(0.0) == [Launch(1)]
    assert planner.decide(SETTINGS.launch_stagger_s / 2) == []
    assert planner.next_change(0.0) == SETTINGS.launch_stagger_s
    assert planner.decide(SETTINGS.launch_stagger_s) == [Launch(2)]


def test_failed_launches_wait_longer_and_longer() -> None:
    planner, now, pauses = Planner(PoolSettings()), 0.0, []
    for _ in range(12):
        (launch,) = planner.decide(now)
        planner.gone(now, launch.number)  # type: ignore[union-attr]
        later = planner.next_change(now)
        assert later is not None
        pauses.append(later - now)
        now = later
    assert pauses[0] <= 1.0
    assert pauses[3] > 2 * pauses[0]
    assert max(pauses) <= PoolSettings().longest_backoff_s
    assert planner.failures == 12


def test_the_pages_go_to_the_browser_with_the_fewest_and_avoid_one_if_they_can() -> None:
    planner, _ = serving()
    assert planner.choose() == 1
    planner.taken(1)
    assert planner.choose() == 2
    assert planner.choose(avoid=2) == 3
    single, _ = serving(replace_settings(browsers=1))
    assert single.choose(avoid=1) == 1


@pytest.mark.parametrize("cause", ["pages", "memory", "age"])
def test_an_old_browser_is_drained_and_closed_when_its_pages_are_back(cause: str) -> None:
    planner, now = serving(replace_settings(browsers=1))
    planner.taken(1)
    if cause == "pages":
        planner.slots[1].served = 100
    elif cause == "memory":
        planner.measured(0.1, float("inf"), {1: 101 * MB})
    else:
        now += SETTINGS.recycle_age_s + 1
    assert planner.decide(now) == [Launch(2)]  # its successor starts beside it
    assert planner.slots[1].state == "draining"
    assert planner.choose() == "browsers"
    planner.returned(1)
    assert planner.decide(now) == [Close(1)]
    planner.gone(now, 1)
    assert planner.restarts == 0


def test_above_a_share_of_memory_no_page_opens_but_the_only_one() -> None:
    planner, _ = serving()
    planner.measured(0.85, float("inf"), {})
    assert planner.choose() == 1
    planner.taken(1)
    assert planner.choose() == "memory"


def test_with_little_memory_the_newest_page_is_shed_and_the_next_one_later() -> None:
    planner, now = serving()
    for number in (1, 2, 3):
        planner.taken(number)
    planner.measured(0.96, float("inf"), {})
    assert planner.decide(now) == [Shed()]
    assert planner.decide(now + 1) == []
    assert planner.decide(now + SETTINGS.shed_interval_s) == [Shed()]
    planner.measured(0.5, float("inf"), {})
    assert planner.decide(now + 10) == []


def test_on_a_full_disk_no_page_opens() -> None:
    planner, _ = serving()
    planner.measured(0.1, 199 * MB, {})
    assert planner.choose() == "disk"


@pytest.mark.parametrize(
    ("option", "value"), [("browsers", 0), ("pages_per_browser", 0), ("admit_below", 0.99), ("shed_above", 1.5)]
)
def test_wrong_settings_are_refused(option: str, value: float) -> None:
    with pytest.raises(OptionInvalid):
        PoolSettings(**{option: value})


def replace_settings(**changes: int) -> PoolSettings:
    fields = {name: getattr(SETTINGS, name) for name in SETTINGS.__struct_fields__}
    return PoolSettings(**{**fields, **changes})
