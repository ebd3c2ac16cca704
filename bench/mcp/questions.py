"""What is asked of each server, and how the answers are checked."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from statistics import median

from bench.mcp.servers import Said, Served
from bench.measure import Table, table
from bench.settle.cases import read_cases
from bench.settle.lanes import Case
from stillframe.demo.shop import PASSWORD, USER, Shop

OURS = "stillframe"
Samples = dict[str, list[float]]


async def login(servers: list[Served], rounds: int) -> list[Table]:
    """The login form of the demo shop, from the loaded page to the answer: time, characters read, calls."""
    times: Samples = defaultdict(list)
    chars: Samples = defaultdict(list)
    calls: Samples = defaultdict(list)
    right: dict[str, int] = defaultdict(int)
    async with Shop() as shop:
        for round_ in range(rounds):
            for server in shuffled(servers, round_):
                await server.open(shop.url("/login"))
                server.calls = server.chars = 0
                began = asyncio.get_running_loop().time()
                last = await server.login(USER, PASSWORD)
                times[server.name].append((asyncio.get_running_loop().time() - began) * 1000)
                chars[server.name].append(server.chars)
                calls[server.name].append(server.calls)
                right[server.name] += "Welcome back!" in last
    notes = {name: f"{median(calls[name]):.0f} calls, {right[name]} of {rounds} right" for name in times}
    return [
        table("a login form, from the loaded page to the answer", "ms", OURS, times, notes=notes),
        table("what the model reads for it", "characters", OURS, chars, notes=notes),
    ]


async def clicks(servers: list[Served], base: str, rounds: int) -> list[Table]:
    """The 13 click-then-look pages: milliseconds of the click call, and whether what was read then is right."""
    cases = [case for case in read_cases("base") if case.click13]
    times: Samples = defaultdict(list)
    by_case: dict[str, Samples] = {case.name: defaultdict(list) for case in cases}
    right: dict[str, int] = defaultdict(int)
    wrong: dict[str, set[str]] = defaultdict(set)
    for round_ in range(rounds):
        for case in cases:
            for server in shuffled(servers, round_):
                reply, read = await _click(server, base, case)
                times[server.name].append(reply.ms)
                by_case[case.name][server.name].append(reply.ms)
                is_right = all(mark in read.text for mark in case.marks)
                right[server.name] += is_right
                if not is_right:
                    wrong[server.name].add(case.name)
    total = rounds * len(cases)
    notes = {
        name: f"{right[name]} of {total} right" + (f"; wrong: {', '.join(sorted(wrong[name]))}" if wrong[name] else "")
        for name in times
    }
    tables = [table("click and look, 13 pages: the click call", "ms", OURS, times, notes=notes)]
    tables += [
        table(f"click and look: {case.name}, true end {case.ends_ms:.0f} ms", "ms", OURS, by_case[case.name])
        for case in cases
    ]
    return tables


async def _click(server: Served, base: str, case: Case) -> tuple[Said, Said]:
    await server.open(f"{base}{case.page}")
    await server.ready(case.action.selector)
    # What changes by itself is learned from what it has done before; all wait alike.
    await asyncio.sleep(case.warm_ms / 1000)
    reply = await server.click(case.action.selector)
    return reply, await server.settled_reply(reply)


async def sizes(servers: list[Served], base: str, counts: tuple[int, ...]) -> list[Table]:
    """How much a model reads of large pages: a look, and a click that changes one row."""
    tables = []
    for elements in counts:
        looks: Samples = {}
        clicked: Samples = {}
        notes: dict[str, str] = {}
        for server in servers:
            await server.open(f"{base}/big/{elements}.html")
            await server.ready("#go")
            look = await server.look()
            looks[server.name] = [len(look.text)]
            reply = await server.click("#go")
            read = await server.settled_reply(reply)
            clicked[server.name] = [len(read.text)]
            told = "right" if "sold out" in read.text else "WRONG"
            notes[server.name] = f"{told}; the click took {reply.ms:.0f} ms, the look {look.ms:.0f} ms"
        tables.append(table(f"a look at {elements} elements", "characters", OURS, looks, notes=notes))
        tables.append(table(f"one row changed among {elements} elements", "characters", OURS, clicked, notes=notes))
    return tables


def shuffled(servers: list[Served], seed: int) -> list[Served]:
    """Return the servers in another order for each round, so that a drifting machine treats all alike."""
    order = list(servers)
    random.Random(seed).shuffle(order)
    return order
