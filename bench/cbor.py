"""What one capture costs the browser's own process, which all tabs share, by how browser and client talk.

The same page in one Chromium over a WebSocket and over a pipe in JSON, and in another Chromium over a pipe in CBOR. CPU
of the browser process is read from the kernel per thread in nanoseconds; what renderers use is not in it. Each goes on
to a parsed snapshot, and all must say the same of the page.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from bench.measure import ClientCpu, Table, interleaved, table
from bench.snapshots import FILL
from stillframe import chrome
from stillframe.cdp import CDPSession, Connection
from stillframe.cdp_types import runtime, target
from stillframe.chrome.connect import connect
from stillframe.core import Snapshot
from stillframe.tab.captures import CAPTURE

ROUNDS = 7
BASELINE = "pipe, JSON"
SIZES = {"1k": (100, 20), "10k": (1_000, 5), "100k": (10_000, 1)}
"""Cards on the page (10 nodes each), and captures per sample."""
CARDS = FILL.split("length: ")[1].split("}")[0]


class Sample(NamedTuple):
    """One capture: milliseconds of CPU and of wall time, and bytes of its result."""

    browser: float
    client: float
    wall: float
    size: float


FIGURES = {
    "browser": ("CPU of the browser process per capture of {} nodes", "ms"),
    "client": ("CPU of the client per capture of {} nodes, parsed", "ms"),
    "wall": ("wall time per capture of {} nodes, parsed", "ms"),
    "size": ("bytes per capture of {} nodes", "B"),
}


def process_cpu(pid: int) -> float:
    """Return the CPU seconds of all threads that a process has."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


class Contestant:
    """A page in a browser, asked over one connection."""

    def __init__(self, connection: Connection, session: CDPSession, pid: int, captures: int) -> None:
        self.connection = connection
        self.session = session
        self.pid = pid
        self.captures = captures
        self.size = 0
        self.samples: list[Sample] = []

    async def capture(self) -> Snapshot:
        """Capture the page once."""
        raw = await self.session.send_raw(CAPTURE, any_encoding=True)
        self.size = memoryview(raw).nbytes
        return Snapshot.from_cdp(raw)

    async def sample(self) -> float:
        """Capture some times, and note what one took."""
        before, client, began = process_cpu(self.pid), ClientCpu(), time.perf_counter()
        for _ in range(self.captures):
            await self.capture()
        wall = time.perf_counter() - began
        spent = (process_cpu(self.pid) - before, client.seconds(), wall)
        browser, own, passed = (1000 * seconds / self.captures for seconds in spent)
        self.samples.append(Sample(browser, own, passed, self.size))
        return browser


async def _contestant(process: chrome.BrowserProcess, connection: Connection, cards: int, captures: int) -> Contestant:
    created = await connection.root.send(target.CreateTarget(url="about:blank"))
    session = await connection.root.attach(created.target_id)
    await session.send(runtime.Evaluate(expression=FILL.replace(CARDS, str(cards))))
    return Contestant(connection, session, process.pid, captures)


def _tables(size: str, contestants: dict[str, Contestant], nodes: dict[str, int]) -> list[Table]:
    tables = []
    for figure, (question, unit) in FIGURES.items():
        samples = {name: [getattr(s, figure) for s in found.samples] for name, found in contestants.items()}
        notes = {name: f"{nodes[name]} nodes" for name in contestants}
        tables.append(table(question.format(size), unit, BASELINE, samples, notes=notes))
    return tables


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure three sizes of page over the three ways to talk."""
    tables: list[Table] = []
    async with AsyncExitStack() as stack:
        json = await stack.enter_async_context(chrome.launched(port=0))
        cbor = await stack.enter_async_context(chrome.launched(pipe="cbor"))
        attached = await connect(json.info.endpoint or "")
        socket = await stack.enter_async_context(attached.connection)
        ways = {
            "WebSocket, JSON": (json, socket),
            BASELINE: (json, json.connection),
            "pipe, CBOR": (cbor, cbor.connection),
        }
        for size, (cards, captures) in SIZES.items():
            contestants = {name: await _contestant(*way, cards, captures) for name, way in ways.items()}
            taken = {name: await contestant.capture() for name, contestant in contestants.items()}
            assert len({snapshot.digests.exact for snapshot in taken.values()}) == 1, "captures differ"
            asked: dict[str, Callable[[], Awaitable[float]]] = {n: c.sample for n, c in contestants.items()}
            await interleaved(asked, rounds)
            tables += _tables(size, contestants, {name: len(snapshot) for name, snapshot in taken.items()})
            for contestant in contestants.values():
                await contestant.connection.root.send(target.CloseTarget(target_id=contestant.session.target_id))
    return tables
