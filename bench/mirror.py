"""What it takes to know the state of a large page that is polled often, and what a mirror of DOM events would add.

A page of articles is polled; between two polls it does nothing, changes a text, changes and changes back, renders its
list again, or animates a hundred elements without end. Figures are CPU milliseconds of browser and client for one poll,
less what the same page takes when nobody polls. Every contestant must find a new state when and only when there is one.

- `capture`: captureSnapshot, parsed and digested, at every poll
- `counter`: a MutationObserver's counter is read, and a capture taken when it has moved
- `events`: the DOM domain is on and its events come, but nobody reads them: what no mirror can cost less than

There was a mirror: events to a Merkle root in Rust, getDocument again when too much changed at once, 700 lines. The
rule, set before it was measured: it stays if at 10k and 70k nodes it takes at most half of what the counter takes when
a text changes between polls, counting what users get (rows); or at most half for the root alone, without taking more
than 1.2 times as much on any page when the list is rendered again or elements move. It went; the figures are in
results/2026-11-22-2-cores-mirror.json:

- Rows need layout, which no event tells, so a capture follows every change: 0.9 to 1.0 times the counter's cost.
- The root alone was nearly free when a text changed (10k nodes: 7 ms a poll against 112) and when changes cancelled
  out, but took 1.3 to 3 times as much when the list rendered again: an event for every node that comes or goes, then
  all of the document once more. So it did on a page of 1k nodes when elements moved (1.4 to 3 times): the event of a
  changed style does not say to what it changed.
- It begins with the whole document: 9.3 MB and half a second of CPU at 70k nodes, 1.6 times the bytes of a capture.

The machine was busy, so single figures are rough; the ratios held in two or three runs.

It would be worth another look for a user who needs the identity of states, and no rows, of pages of 10k nodes and more
that change a little many times a second; or if the browser sent subtrees and styles along with its events.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from bench.measure import Table, table
from stillframe import chrome
from stillframe.cdp import CDPSession
from stillframe.cdp_types import dom_snapshot, runtime, target
from stillframe.core import Snapshot
from stillframe.tab.captures import STYLES
from stillframe.testing import tap

SIZES = {"1k": 90, "10k": 900, "70k": 6400}
ROUNDS = 2
POLLS = {"idle": 10, "text": 10, "back": 10, "list": 3, "animation": 10}
STORM_POLL_SECONDS = 0.1
FILL = """
document.title = 'Cards'; globalThis.cards = (from, n, mark) => Array.from({length: n}, (_, i) => `
  <article class="card product" data-id="${from + i}"><h3 class="title">Product ${from + i} ${mark}</h3><p>Some words
  about ${i}.</p><a href="/p/${i}" class="more link">More</a><button>Add ${i}</button></article>`).join('');
document.body.innerHTML = cards(0, %d, ''); globalThis.n = 0;
globalThis.step = {
  idle() {},
  text() { document.querySelectorAll('h3')[7].firstChild.data = 'Changed ' + ++n; },
  back() { const h = document.querySelector('h3'); h.className = 'other'; h.className = 'title'; },
  list() { document.body.innerHTML = cards(0, %d, ++n); },
  animation() {},
};
globalThis.animate = () => {
  const moving = [...document.querySelectorAll('article')].slice(0, 100);
  const text = document.querySelector('h3').firstChild;
  const frame = (now) => {
    if (!globalThis.animating) return;
    moving.forEach((one, i) => { one.style.transform = `translateX(${(now + i) %% 50}px)`; });
    text.data = 'Frame ' + ++n;
    requestAnimationFrame(frame);
  };
  globalThis.animating = true; requestAnimationFrame(frame);
};
0"""
RENDERED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))"
OBSERVE = """globalThis.counted = 0; new MutationObserver((records) => { counted += records.length; })
.observe(document, {subtree: true, childList: true, attributes: true, characterData: true}); 0"""
COUNT = "counted"
CHANGES = {"idle": False, "text": True, "back": False, "list": True, "animation": True}


def cpu_of(pid: int | None) -> dict[str, float]:
    """CPU seconds of the browser process, its renderers, the rest, and this process, by the scheduler's clock."""
    found = {"browser": 0.0, "renderer": 0.0, "other": 0.0, "client": time.process_time()}
    root = psutil.Process(pid)
    for process in (root, *root.children(recursive=True)):
        kind = "browser" if process.pid == root.pid else "other"
        with suppress(psutil.NoSuchProcess, OSError):
            if "--type=renderer" in process.cmdline():
                kind = "renderer"
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                found[kind] += int((task / "schedstat").read_text().split()[0]) / 1e9
    return found


class Watcher:
    """Knows nothing and asks nothing: the page alone."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session

    async def start(self) -> None:
        """Do what is needed once."""

    async def state(self) -> object:
        """Return what stands for the page's state now."""
        return None

    def close(self) -> None:
        """Leave the connection as it was."""

    async def evaluate(self, expression: str) -> Any:
        """Run JavaScript in the page."""
        answer = await self.session.send(
            runtime.Evaluate(expression=expression, return_by_value=True, await_promise=True), timeout=120
        )
        assert answer.exception_details is None, answer
        return answer.result.value

    async def capture(self) -> bytes:
        """Capture, parse, digest."""
        raw = await self.session.send_raw(dom_snapshot.CaptureSnapshot(computed_styles=STYLES), timeout=120)
        return Snapshot.from_cdp(raw).digests.exact


class Capture(Watcher):
    """A capture at every poll."""

    async def state(self) -> object:
        return await self.capture()


class Counter(Watcher):
    """A capture when a counter has moved."""

    seen, known = -1, b""

    async def start(self) -> None:
        await self.evaluate(OBSERVE)

    async def state(self) -> object:
        count = await self.evaluate(COUNT)
        if count != self.seen:
            self.seen, self.known = count, await self.capture()
        return self.known


class Events(Watcher):
    """DOM events come and are left as they are."""

    def __init__(self, session: CDPSession) -> None:
        super().__init__(session)
        self.frames: list[bytes] = []
        self.transport: Any = session.channel.transport
        self.receive = receive = self.transport._on_frame

        def receive_on(frame: bytes) -> None:
            if frame.startswith(b'{"method":"DOM.'):
                self.frames.append(frame)
            else:
                receive(frame)

        self.transport._on_frame = receive_on

    def close(self) -> None:
        self.transport._on_frame = self.receive

    async def start(self) -> None:
        await self.session.call("DOM.enable")
        await self.session.send_raw("DOM.getDocument", {"depth": -1, "pierce": True}, timeout=120)

    async def state(self) -> object:
        self.frames.clear()
        return None


WATCHERS: dict[str, type[Watcher]] = {
    "nobody": Watcher,
    "capture": Capture,
    "counter": Counter,
    "events": Events,
}


@asynccontextmanager
async def opened(process: Any, cards: int) -> AsyncIterator[CDPSession]:
    """A page of its own, gone afterwards."""
    root = process.connection.root
    made = await root.send(target.CreateTarget(url="about:blank"))
    session = await root.attach(made.target_id)
    try:
        await session.send(runtime.Evaluate(expression=FILL % (cards, cards)), timeout=60)
        # The page's first rendering is nobody's poll.
        await session.send(runtime.Evaluate(expression=RENDERED, await_promise=True), timeout=60)
        yield session
    finally:
        await root.send(target.CloseTarget(target_id=made.target_id))


class Sample(dict[str, float]):
    """CPU by process, wire and latency of one poll, and of the start."""


async def sample(process: Any, kind: type[Watcher], cards: int, case: str) -> Sample:
    """Poll one page with one contestant; milliseconds and kilobytes per poll."""
    size = 0

    def count(frame: bytes) -> None:
        nonlocal size
        size += len(frame)

    async with opened(process, cards) as session:
        watcher = kind(session)
        with tap(process.connection, count, count):
            before = cpu_of(process.info.pid)
            await watcher.start()
            first = await watcher.state()
            begun = cpu_of(process.info.pid)
            start = 1000 * sum(begun[name] - before[name] for name in begun)
            start_size, size = size, 0
            if case == "animation":
                await watcher.evaluate("animate()")
                await watcher.state()
            cpu = cpu_of(process.info.pid)
            waits, states = [], [first]
            for _ in range(POLLS[case]):
                if case == "animation":
                    await asyncio.sleep(STORM_POLL_SECONDS)
                began = time.perf_counter()
                await watcher.evaluate(f"step.{case}()")
                states.append(await watcher.state())
                waits.append((time.perf_counter() - began) * 1000)
            after, polled = cpu_of(process.info.pid), size
        watcher.close()
    if first is not None:
        moved = [one != other for one, other in pairwise(states)]
        assert all(move == CHANGES[case] for move in moved), (kind, case, moved)
    polls = POLLS[case]
    result = Sample({name: 1000 * (after[name] - cpu[name]) / polls for name in cpu})
    result["total"] = sum(result.values())
    result |= {"wait": sorted(waits)[len(waits) // 2], "kB": polled / 1000 / polls, "start": start}
    result["start kB"] = start_size / 1000
    return result


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure all contestants on every page in every case."""
    tables = []
    async with chrome.launched(chrome.LaunchOptions()) as process:
        for size, cards in SIZES.items():
            for case in POLLS:
                found: dict[str, list[Sample]] = {name: [] for name in WATCHERS}
                for _ in range(rounds):
                    for name, kind in WATCHERS.items():
                        found[name].append(await sample(process, kind, cards, case))
                tables.append(_table(f"{size} nodes, {case}: CPU per poll", found))
    return tables


def _table(question: str, found: dict[str, list[Sample]]) -> Table:
    def median(samples: list[Sample], key: str) -> float:
        return sorted(one[key] for one in samples)[len(samples) // 2]

    alone = median(found["nobody"], "total")
    keys = ("browser", "renderer", "client", "wait", "kB", "start", "start kB")
    notes = {name: ", ".join(f"{key} {median(samples, key):.4g}" for key in keys) for name, samples in found.items()}
    samples = {name: [one["total"] - alone for one in samples] for name, samples in found.items()}
    return table(question, "ms", "counter", samples, notes=notes)
