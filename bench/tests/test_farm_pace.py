"""What one troubled page costs its neighbours: how the times of a server become figures, without a browser."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from bench.farm import command, pace
from bench.farm.pace import HOSTS, PACE, PAGES, ROBOTS_S, SERIAL, SIDE, SLOW, TROUBLED, WHOLE, Site, right, served
from bench.measure import table

BOUND = 30


async def test_a_site_is_whole_with_all_pages_that_load() -> None:
    site = Site(busy=True)
    async with asyncio.timeout(BOUND), served(site) as url, aiohttp.ClientSession() as client:
        async with client.get(f"{url}/") as start:
            assert (await start.text()).count("<a href=/p/") == PAGES + 1
        for n in range(PAGES + 1):
            assert not site.whole.is_set()
            async with client.get(f"{url}/p/{n}") as answer:
                assert answer.status == (200 if n else 503)
        assert site.whole.is_set()
    assert site.seconds() > 0


async def test_hosts_are_on_addresses_of_their_own() -> None:
    site = Site(robots_s=0.01)
    async with asyncio.timeout(BOUND), served(site) as url, aiohttp.ClientSession() as client:
        async with client.get(f"{url}/hosts") as start:
            assert (await start.text()).count("/page") == HOSTS
        for n in range(HOSTS):
            async with client.get(f"http://127.0.0.{n + 2}:{site.port}/page"):
                pass
        assert site.whole.is_set()


@pytest.mark.parametrize(
    ("troubled", "slow_s", "good"), [(10.0, 4.0, True), (9.6, 9.0, True), (9.4, 4.0, False), (10.0, 20.0, False)]
)
def test_the_goals(troubled: float, slow_s: float, good: bool) -> None:
    paces = table(PACE, "pages/s", WHOLE, {WHOLE: [10.0], TROUBLED: [troubled]})
    slow = table(SLOW, "s", SERIAL, {SIDE: [slow_s], SERIAL: [HOSTS * ROBOTS_S]})
    assert right([paces, slow]) is good


def test_the_command_leads_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "main", lambda arguments: len(arguments))
    assert command.main(["pace", "--rounds", "3"]) == 2
