"""MCP servers as agents use them, each through the SDK's own client over stdio and with a Chromium of its own.

Beside `stillframe mcp` run `@playwright/mcp` and `chrome-devtools-mcp` of bench/settle/rivals/package.json. Answers are
checked: a click is right if what its page shows in the end is in what the agent then reads.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bench.mcp.questions import clicks, login, sizes
from bench.mcp.servers import SERVERS, Served, started
from bench.measure import Table, table
from bench.settle.cases import PAGES
from bench.settle.server import served

ROW = "<li><a href='#{n}'>Row {n}</a><button>Buy {n}</button><span>{n} in stock</span></li>"
BIG = (4_000, 20_000)
OURS = "stillframe"


async def run(rounds: int = 3) -> list[Table]:
    """Ask all questions of all servers that are installed, in interleaved rounds."""
    async with _stage() as (base, servers, missing):
        tables = [_schemas(servers), _taken(servers)]
        tables += await login(servers, rounds)
        tables += await clicks(servers, base, rounds)
        tables += await sizes(servers, base, BIG)
    for each in tables:
        each.missing = missing
    return tables


@asynccontextmanager
async def _stage() -> AsyncIterator[tuple[str, list[Served], dict[str, str]]]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-mcp-")))
        for elements in BIG:
            rows = "".join(ROW.format(n=number) for number in range(elements // 4))
            script = "document.querySelector('li>span').textContent='sold out'"
            page = f'<!doctype html><meta charset=utf-8><title>Rows</title><button id=go onclick="{script}">Go</button>'
            (folder / f"{elements}.html").write_text(f"{page}<ul>{rows}</ul>")
        base = await stack.enter_async_context(served({"base": PAGES / "base", "big": folder}))
        servers, missing = await started(SERVERS, folder, stack)
        yield base, servers, missing


def _schemas(servers: list[Served]) -> Table:
    samples = {server.name: [float(server.schema_chars)] for server in servers}
    notes = {server.name: f"{server.version}, {len(server.tools)} tools" for server in servers}
    return table("tools/list as JSON", "characters", OURS, samples, notes=notes)


def _taken(servers: list[Served]) -> Table:
    samples = {server.name: [float(server.taken_chars)] for server in servers}
    notes = {server.name: f"{len(server.tools)} tools" for server in servers}
    return table("names, descriptions and input schemas", "characters", OURS, samples, notes=notes)
