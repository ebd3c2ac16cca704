"""How often the reply to one step names the target of the next one, with a ref that leads to it.

A reader takes each target by role and name from the last reply; where it is not there, from a snapshot that costs one
more call. The steps are on pages of `flows.py`. A flow is right if the page says so in the end, so a ref that led
elsewhere makes it wrong.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.mcp.servers import started
from bench.measure import Table, table
from bench.next.flows import FLOWS, PAGES, Flow
from bench.next.reading import Finder, find
from bench.next.servers import SERVERS, Reading
from bench.settle.server import served

OURS = "stillframe"


class Walked(NamedTuple):
    """What became of one flow: the lengths of the replies, and the steps whose target no reply named."""

    lengths: tuple[int, ...]
    looked: tuple[str, ...]
    is_right: bool
    calls: int


async def run(only: Sequence[str] = ()) -> list[Table]:
    """Walk all flows, or those of `only`, with each server that is installed."""
    flows = [each for each in FLOWS if not only or each.name in only]
    walked: dict[str, dict[str, Walked]] = defaultdict(dict)
    async with _stage() as (base, servers, missing):
        for each in flows:
            for server in servers:
                walked[server.name][each.name] = await walk(server, f"{base}/next/{each.page}", each)
    tables = tables_of(walked)
    for found in tables:
        found.missing = missing
    return tables


async def walk(server: Reading, url: str, what: Flow, finder: Finder = find) -> Walked:
    """Walk one flow."""
    server.calls = 0
    lengths: list[int] = []
    looked: list[str] = []
    text = await server.show(url)
    for at, step in enumerate(what.steps):
        ref = finder(server.read, text, step.role, step.name)
        if ref is None:
            text = (await server.look()).text
            if at > 0:  # at first the page may still be loading, which is not a reply to a step
                looked.append(f"{what.name}: {step.role} {step.name!r}")
                lengths[-1] += len(text)
            ref = finder(server.read, text, step.role, step.name)
        if ref is None:
            return Walked(tuple(lengths), tuple(looked), is_right=False, calls=server.calls)
        text = await server.act(step, ref)
        lengths.append(len(text))
    is_right = what.says in text or what.says in (await server.look()).text
    return Walked(tuple(lengths), tuple(looked), is_right, server.calls)


@asynccontextmanager
async def _stage() -> AsyncIterator[tuple[str, list[Reading], dict[str, str]]]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-next-")))
        base = await stack.enter_async_context(served({"next": PAGES}))
        servers, missing = await started(SERVERS, folder, stack)
        yield base, servers, missing


def tables_of(walked: dict[str, dict[str, Walked]]) -> list[Table]:
    """Return the table of what a model reads, with what no reply named, and that of the calls."""
    lengths: dict[str, list[float]] = {}
    calls: dict[str, list[float]] = {}
    notes: dict[str, str] = {}
    for name, flows in walked.items():
        steps = sum(len(each.lengths) - 1 for each in flows.values())
        looked = [step for each in flows.values() for step in each.looked]
        wrong = [flow for flow, each in flows.items() if not each.is_right]
        lengths[name] = [float(length) for each in flows.values() for length in each.lengths]
        calls[name] = [float(sum(each.calls for each in flows.values()))]
        notes[name] = (
            f"{steps - len(looked)} of {steps} next targets named"
            f"; {len(flows) - len(wrong)} of {len(flows)} flows right"
            + (f"; not named: {', '.join(looked)}" if looked else "")
            + (f"; wrong: {', '.join(wrong)}" if wrong else "")
        )
    question = "what a model reads after a step, with a look where the reply does not name the next target"
    return [table(question, "characters", OURS, lengths, notes=notes), table("all flows", "calls", OURS, calls)]
