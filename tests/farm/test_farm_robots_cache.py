"""How long robots.txt holds, who fetches it, and what pages do while it cannot be read; without a browser."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from databases import on_sqlite

from stillframe.farm.fetching import Fetcher
from stillframe.farm.robots import cache
from stillframe.farm.robots.cache import LIFE_S, Robots, after
from stillframe.farm.robots.fetching import Answer, RobotsClient
from stillframe.farm.store import CrawlStore
from stillframe.farm.store.robots import RobotsRow, read_robots, write_robots

RULES = Answer(kind="rules", body=b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\n")
NONE, BROKEN = Answer(kind="none"), Answer(kind="unreachable", reason="reset")
BOUND = 30
A, B = "http://a.example", "http://b.example"


class Client(RobotsClient):
    """Answers without a network: each host with the next of its answers, and the last for ever."""

    def __init__(self, *answers: Answer, latency_s: float = 0.0) -> None:
        super().__init__(Fetcher(user_agent="test"))
        self.answers = list(answers)
        self.latency_s = latency_s
        self.asked: Counter[str] = Counter()
        self.open = self.most = 0
        self.answering = asyncio.Event()
        self.answering.set()

    async def fetch(self, origin: str) -> Answer:
        self.asked[origin] += 1
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await asyncio.sleep(self.latency_s)
            await self.answering.wait()
        finally:
            self.open -= 1
        return self.answers[min(self.asked[origin], len(self.answers)) - 1]


async def until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not is_true():  # noqa: ASYNC110  nothing tells
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(cache, "LONGEST_PAUSE_S", 600.0)


@asynccontextmanager
async def stores(url: str, *workers: str) -> AsyncIterator[list[CrawlStore]]:
    opened: list[CrawlStore] = []
    try:
        for worker in workers:
            mode: Any = "join" if opened else "create"
            opened.append(await CrawlStore.open(url, "c", worker=worker, mode=mode))
        yield opened
    finally:
        for store in opened:
            await store.close()


async def test_pages_of_one_host_ask_once_and_hosts_side_by_side() -> None:
    client = Client(RULES, latency_s=0.2)
    async with Robots(client, token="shopbot") as robots:
        hosts = [f"http://h{n}.example" for n in range(11)]
        asked = [robots.judge(f"{host}/private/{n}", patience_s=30) for host in hosts for n in range(3)]
        found = await asyncio.gather(*asked)
        assert not any(each.allowed or each.wait_s for each in found)
        assert (await robots.judge(f"{hosts[0]}/public")).allowed
    assert set(client.asked.values()) == {1}
    assert client.most == len(hosts)


async def test_a_slow_host_sends_its_page_back_and_is_fetched_meanwhile() -> None:
    client = Client(RULES)
    client.answering.clear()
    async with Robots(client, token="shopbot") as robots:
        assert (await robots.judge(f"{A}/private", patience_s=0.01)).wait_s > 0
        assert not robots.forbids(f"{A}/private")
        client.answering.set()
        await until(lambda: robots.forbids(f"{A}/private"))
        assert (await robots.judge(f"{A}/public", patience_s=0.01)).allowed
    assert client.asked[A] == 1


async def test_a_fetch_that_runs_ends_with_the_crawl() -> None:
    async with Robots(Client(RULES, latency_s=60), token="shopbot") as robots:
        await robots.judge(A, patience_s=0.01)


async def test_what_is_not_known_forbids_no_link() -> None:
    async with Robots(Client(RULES), token="shopbot") as robots:
        assert not robots.forbids(f"{A}/private")
        await robots.judge(A)
        assert robots.forbids(f"{A}/private")
        assert not robots.forbids(f"{B}/private")


async def test_5xx_once_is_no_verdict() -> None:
    client = Client(BROKEN, BROKEN, RULES)
    async with Robots(client, token="shopbot") as robots:
        found = await robots.judge(f"{A}/public")
        assert found.wait_s > 0
        rules = await robots.rules_of(A, patience_s=30)
        assert rules is not None
        assert (await robots.judge(f"{A}/public")).allowed
        assert not (await robots.judge(f"{A}/private")).allowed
    assert client.asked[A] == 3


async def test_rules_of_a_host_that_stays_away_are_none() -> None:
    async with Robots(Client(BROKEN), token="shopbot") as robots:
        assert await robots.rules_of(A, patience_s=0.3) is None


async def test_pages_fail_in_the_end() -> None:
    async with Robots(Client(BROKEN), token="shopbot", wait_s=0) as robots:
        found = await robots.judge(A)
        assert (found.gave_up, found.reason, found.allowed) == (True, "reset", False)


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KNOWN_ORIGINS", 5)
    monkeypatch.setattr(cache, "KNOWN_BYTES", 3 * (len(RULES.body) + cache.RULE_BYTES))
    client = Client(RULES)
    async with Robots(client, token="shopbot") as robots:
        for n in range(10):
            await robots.judge(f"http://h{n}.example/")
        assert robots.forbids("http://h9.example/private")
        assert not robots.forbids("http://h6.example/private")  # forgotten
        assert not (await robots.judge("http://h0.example/private")).allowed
    assert client.asked["http://h0.example"] == 2


def test_the_states_follow_each_other() -> None:
    row, pauses, waited = RobotsRow(), [], 0.0
    while row.kind != "given_up":
        row = after(RobotsRow(**{**_fields(row), "failing_s": waited, "expires_in_s": 0.0}), BROKEN, 10.0)
        pauses.append(row.expires_in_s)
        waited += row.expires_in_s
    assert pauses[-1] == LIFE_S
    assert sum(pauses[:-1]) == pytest.approx(10.0, abs=1.0)
    assert after(row, RULES, 10.0) == RobotsRow(kind="rules", body=RULES.body, expires_in_s=LIFE_S)


def test_what_was_read_holds_while_the_server_fails() -> None:
    read = after(RobotsRow(), RULES, 10.0)
    old = RobotsRow(**{**_fields(read), "expires_in_s": -1.0})
    kept = after(old, BROKEN, 10.0)
    assert (kept.kind, kept.body, kept.tries) == ("rules", RULES.body, 1)
    assert kept.expires_in_s < 1


def test_the_server_may_ask_for_time() -> None:
    asked = Answer(kind="unreachable", retry_after_s=120.0)
    assert after(RobotsRow(), asked, 3_600.0).expires_in_s == 120
    assert after(RobotsRow(), Answer(kind="unreachable", retry_after_s=1e9), 3_600.0).expires_in_s == 3_600


def test_the_time_while_the_crawl_was_away_does_not_count() -> None:
    old = RobotsRow(kind="unreachable", tries=9, failing_s=90_000.0, expires_in_s=-80_000.0)
    row = after(old, BROKEN, 3_600.0)
    assert (row.kind, row.tries, row.failing_s) == ("unreachable", 1, 0.0)


@on_sqlite
async def test_workers_share_what_one_has_fetched(store_url: str) -> None:
    async with stores(store_url, "one", "two") as (one, two):
        client, other, delays = Client(RULES), Client(RULES), []
        client.answering.clear()

        async def delay(origin: str, delay_s: float) -> None:
            delays.append((origin, delay_s))

        async with Robots(client, token="shopbot", store=one, on_delay=delay) as first:
            first_asks = asyncio.create_task(first.judge(f"{A}/private", patience_s=30))
            await until(lambda: client.open > 0)
            async with Robots(other, token="shopbot", store=two, on_delay=delay) as second:
                assert (await second.judge(f"{A}/private")).wait_s > 0  # the other one fetches
                client.answering.set()
                assert not (await first_asks).allowed
                assert await second.judge(f"{A}/private") == await first.judge(f"{A}/private")
                assert (await second.judge(f"{A}/public")).allowed
        assert (client.asked[A], other.asked[A]) == (1, 0)
        assert delays == [(A, 2.0), (A, 2.0)]  # the one that fetched it may have ended before


@on_sqlite
async def test_a_later_run_knows_it_for_its_life(store_url: str) -> None:
    client = Client(RULES)
    for mode in ("create", "resume"):
        store = await CrawlStore.open(store_url, "c", worker=mode, mode=mode)
        async with store, Robots(client, token="shopbot", store=store) as robots:
            assert not (await robots.judge(f"{A}/private")).allowed
    assert client.asked[A] == 1


@on_sqlite
async def test_a_claim_of_a_dead_worker_runs_out(store_url: str) -> None:
    async with stores(store_url, "one", "two") as (one, two):
        assert (await read_robots(one, A, claim_s=30)).mine
        assert not (await read_robots(two, A, claim_s=30)).mine
        assert (await read_robots(two, B, claim_s=30)).mine
        assert (await read_robots(one, A, claim_s=0)).mine  # again, as if its answer was lost; this claim is over
        assert (await read_robots(two, A, claim_s=30)).mine
        await write_robots(two, A, RobotsRow(kind="unreachable", tries=1, failing_s=5.0, expires_in_s=60.0))
        found = await read_robots(one, A, claim_s=30)
        assert (found.mine, found.row.kind, found.row.tries) == (False, "unreachable", 1)
        assert found.row.failing_s == pytest.approx(5.0, abs=2.0)
        await write_robots(two, A, RobotsRow(kind="unreachable", tries=1, failing_s=5.0))
        assert (await read_robots(one, A, claim_s=30)).mine


def _fields(row: RobotsRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__struct_fields__}
