"""How long a crawl leaves pages and hosts alone, by what a server on loopback answers; without a browser."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
from operators.politeness import CASES, PolitenessCase
from operators.raw import RawServer, raw_server

from stillframe.farm.crawl import CrawlSettings
from stillframe.farm.loading.deferring import Deferred, Holds
from stillframe.farm.loading.judging import RobotsJudge
from stillframe.farm.loading.pressure import RESCHEDULED, Pressure, Wait
from stillframe.farm.retry_after import retry_after_s
from stillframe.farm.store import CrawlStore, NewRequest, worker_name

BOUND = 60
PASSED_S = 5.0
"""How much of a wait may be over when it is looked at, on a slow machine."""
HOSTS = {case.name: f"127.3.0.{n + 1}" for n, case in enumerate(CASES)}


async def before_the_first_page(store: CrawlStore, url: str) -> float:
    """Return for how long the host waits for its robots.txt; its Crawl-delay is in the store then."""
    judge = RobotsJudge({"user_agent": "shopbot"}, token=None, wait_s=900.0, store=store, holds=Holds())
    async with judge as robots:
        try:
            await robots.check(f"{url}/0")
        except Deferred as deferred:
            return deferred.hold_host_s
    return 0.0


async def after_the_last_page(case: PolitenessCase, url: str) -> Wait:
    """Return what the last answer costs, as a crawler hears them: status and header, one a second."""
    pressure, times, wait = Pressure(), Counter[str](), Wait(0.0)
    async with aiohttp.ClientSession() as client:
        for second, path in enumerate(case.asked):
            async with client.get(url + path) as answer:
                status, header = answer.status, answer.headers.get("Retry-After")
            wait = Wait(0.0)
            if status in RESCHEDULED:
                times[path] += 1
                after = retry_after_s(header, datetime.now(UTC))
                wait = pressure.asked("host", path, float(second), retry_after_s=after, times=times[path])
            else:
                pressure.answered("host", path, float(second))
    return wait


async def pace(store: CrawlStore) -> tuple[int, float]:
    """Return how many of two pages may be open at once, and how long the host waits when the first is done."""
    leases = await store.lease(2)
    for lease in leases:
        await store.complete(lease)
    return len(leases), await store.next_ready_s() or 0.0


async def outcome(case: PolitenessCase, site: RawServer, folder: Path) -> dict[str, float]:
    """Return the figures of a case."""
    host = HOSTS[case.name]
    url = f"http://{host}:{site.port}"
    site.answers |= {host + path: answer for path, answer in case.given.items()}
    settings = CrawlSettings(urls=(url,), user_agent="shopbot", **case.settings).check()
    store = await CrawlStore.open(
        f"sqlite:///{folder / host}.db", "c", worker=worker_name(), settings=settings.to_builtins()
    )
    async with store:
        pages = [f"{url}/{n}" for n in range(2)]
        await store.add([NewRequest(key=page, url=page, host=f"{host}:{site.port}") for page in pages])
        held = await before_the_first_page(store, url)
        at_once, between = await pace(store)
    wait = await after_the_last_page(case, url)
    return {"page_s": wait.page_s, "host_s": held or wait.host_s, "between_s": between, "at_once": at_once}


def is_left(found: float, expected: float) -> bool:
    """Return whether a figure is the expected one, but for time that has passed meanwhile."""
    return found == expected or max(0.0, expected - PASSED_S) < found < expected


async def test_politeness_of_operators(tmp_path: Path) -> None:
    """Each has a host and a crawl of its own."""
    async with asyncio.timeout(BOUND), raw_server({}) as site:
        found = [await outcome(case, site, tmp_path) for case in CASES]
    wrong = {}
    for case, each in zip(CASES, found, strict=True):
        expected = {name: getattr(case, name) for name in each}
        exact = all(each[name] == expected[name] for name in ("page_s", "at_once"))
        if not exact or not all(is_left(each[name], expected[name]) for name in ("host_s", "between_s")):
            wrong[case.name] = f"{each}, not {expected} ({case.why})"
    assert not wrong
