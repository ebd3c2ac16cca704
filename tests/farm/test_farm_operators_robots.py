"""robots.txt of operators, from the bytes of the server to what becomes of a page; without a browser."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace
from operators.raw import RawServer, raw_server
from operators.robots import CASES, Fate, RobotsCase

from stillframe.farm.fetching import Fetcher
from stillframe.farm.loading.robots import token_of
from stillframe.farm.robots.cache import Robots
from stillframe.farm.robots.fetching import LIMITS, RobotsClient

BOUND = 60
FETCH_S = 2.0
HOSTS = {case.name: f"127.1.{n // 250}.{n % 250 + 1}" for n, case in enumerate(CASES)}
"""A host of its own for each case: a robots.txt is that of its host."""


async def fate_of(case: RobotsCase, site: RawServer) -> Fate:
    """Return what becomes of the page of a case."""
    client = RobotsClient(Fetcher(user_agent=f"{case.token}/1.0"), limits=replace(LIMITS, seconds=FETCH_S))
    token = token_of(f"{case.token}/1.0 (+http://shop.example)")
    async with Robots(client, token=token, wait_s=900.0 if case.patient else 0.0) as robots:
        found = await robots.judge(f"http://{HOSTS[case.name]}:{site.port}{case.path}", patience_s=2 * FETCH_S)
    if found.gave_up:
        return "fails"
    if found.wait_s:
        return "waits"
    return "loaded" if found.allowed else "forbidden"


async def test_robots_of_operators() -> None:
    """All of them at once: each has a host of its own, and the slowest one decides how long it takes."""
    answers = {f"{HOSTS[case.name]}/robots.txt": case.given for case in CASES}
    for case in CASES:
        answers |= {
            path if "/" in path[1:] and path[0] != "/" else HOSTS[case.name] + path: at for path, at in case.more
        }
    async with asyncio.timeout(BOUND), raw_server(answers) as site:
        found = await asyncio.gather(*(fate_of(case, site) for case in CASES))
    wrong = {
        case.name: f"{fate}, not {case.expected} ({case.why})"
        for case, fate in zip(CASES, found, strict=True)
        if fate != case.expected
    }
    assert not wrong

    assert {site.agents[HOSTS[case.name]] for case in CASES} == {f"{case.token}/1.0".lower() for case in CASES}
