"""Sixteen named sessions at once for five minutes: does anything of one show in another, and does anything grow?

Every session has a marker of its own, in its cookie and in all it types. A round of a session fills in and sends a
form, whose answer the server makes of what was sent; has a list render again; and navigates. Each answer must hold
exactly what that session did, and no marker of another anywhere; the server looks too. Memory, tasks and descriptors
are looked at all the time, and compared between the first fifth and the last. The site is served by this process, so
its memory is in there as well.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import sys
import time
from collections.abc import Mapping, Sequence

import msgspec
import psutil
from aiohttp import web

from bench.measure import Table, table
from bench.site import html, serving
from stillframe import Sessions
from stillframe.cdp_types import heap_profiler, memory, runtime
from stillframe.model.actions import Action, Click, Navigate, SetValue, WaitFor
from stillframe.model.result import SequenceResult
from stillframe.sessions import Session

SECONDS = 300.0
COUNT = 16
LOOK_EVERY = 2.0
"""Seconds between two looks; one takes some 20 ms, of which Chrome's processes are most."""
FIFTHS = 5

NO_WAY_BACK = "--disable-features=BackForwardCache"
"""A tab keeps up to six former documents for the way back; how many it has depends on how far it got."""

MARKER = re.compile(r"mark-\d\d")
PAGE = """<!doctype html><title>page</title>
<form><input id=text><button id=send>Send</button></form><p id=answer></p>
<button id=turn>Turn</button><ul id=rows></ul>
<script>
const who = document.cookie.split("=")[1];
document.querySelector("form").onsubmit = async event => {
  event.preventDefault();
  answer.textContent = await (await fetch("/say?text=" + document.getElementById("text").value)).text();
};
let turned = 0;
turn.onclick = () => {
  turned++;
  rows.innerHTML = [1, 2, 3].map(row => `<li id=r${row}-${turned}>${who} row ${row} turn ${turned}</li>`).join("");
};
</script>"""


class Look(msgspec.Struct, frozen=True):
    """What there was at one moment; memory in megabytes."""

    own_mb: float
    chrome_mb: float
    tasks: int
    descriptors: int


class Kept(msgspec.Struct, frozen=True):
    """What one page holds on to once its garbage is collected: its scripts' memory in megabytes, and its nodes."""

    heap_mb: float
    nodes: int


class Finding(msgspec.Struct):
    """What a run brought: milliseconds per call by what it did, the moments looked at, and whatever was wrong."""

    calls: dict[str, list[float]] = {}
    looks: list[Look] = []
    kept: dict[str, list[Kept]] = {}
    rest: dict[str, list[Look]] = {}
    """The moments at which nobody acted and all garbage had been collected."""
    wrong: list[str] = []
    early: list[str] = []
    """Answers that did not hold yet what they should: settling took too little for the end."""
    unsettled: list[str] = []
    """Answers that said so themselves: on a machine with too much to do a horizon can pass."""
    rounds: int = 0


class Server:
    """Answers what a session sent with it, and notes a cookie that is not that session's."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding

    async def say(self, request: web.Request) -> web.Response:
        text, who = request.query["text"], request.cookies.get("who")
        if MARKER.findall(text) != [who]:
            self.finding.wrong.append(f"the server got {text!r} with the cookie of {who!r}")
        return web.Response(text=f"{text} received")


class Visitor:
    """One session, and the rounds it makes."""

    def __init__(self, session: Session, marker: str, url: str, finding: Finding) -> None:
        self.session = session
        self.marker = marker
        self.url = url
        self.finding = finding
        self.turns = 0
        self.number = 0

    async def visit(self, until: float) -> None:
        """Make rounds until the time has come."""
        while time.monotonic() < until:
            self.number += 1
            text = f"{self.marker} {self.number}"
            self.turns += 1
            await self._call("send a form", f"{text} received", [SetValue("#text", text), Click("#send")])
            await self._call("render a list", f"row 3 turn {self.turns}", [Click("#turn")])
            if self.number % 4 == 0:
                self.turns = 0
                await self._call("navigate", f"?{self.number}", [Navigate(f"{self.url}?{self.number}")])
            self.finding.rounds += 1

    async def kept(self) -> Kept:
        """Load the page again, have it collect its garbage, and see what is left."""
        page = self.session.page
        await page.goto(self.url)
        self.turns = 0
        await page.cdp_session.send(heap_profiler.CollectGarbage())
        usage = await page.cdp_session.send(runtime.GetHeapUsage())
        counters = await page.cdp_session.send(memory.GetDOMCounters())
        return Kept(heap_mb=usage.used_size / 1e6, nodes=counters.nodes)

    async def _call(self, what: str, expected: str, actions: list[Action]) -> None:
        began = time.perf_counter()
        result = await self.session.execute_sequence(actions, timeout_ms=30_000, action_timeout_ms=30_000)
        self.finding.calls.setdefault(what, []).append((time.perf_counter() - began) * 1000)
        told = result.to_json().decode()
        if problem := _problem(result, told, self.marker):
            self.finding.wrong.append(f"{self.session.id}, {what}: {problem}: {told[:500]}")
        elif not result.stable:
            self.finding.unsettled.append(f"{self.session.id}, {what}: {result.outcome}")
        elif expected not in told:
            later = await self.session.execute_sequence([WaitFor(text=expected)], action_timeout_ms=10_000)
            when = "never came" if later.failed else f"came later, {later.late}"
            self.finding.early.append(f"{self.session.id}, {what}: {expected!r} {when}: {told[:500]}")


def _problem(result: SequenceResult, told: str, marker: str) -> str:
    if strangers := set(MARKER.findall(told)) - {marker}:
        return f"shows {', '.join(sorted(strangers))}"
    return "" if result.failed is None else "did not succeed"


async def look_on(finding: Finding, chrome: int) -> None:
    """Look at what there is, again and again."""
    while True:
        finding.looks.append(await asyncio.to_thread(_look, chrome, len(asyncio.all_tasks())))
        await asyncio.sleep(LOOK_EVERY)


def _look(chrome: int, tasks: int) -> Look:
    own = psutil.Process()
    root = psutil.Process(chrome)
    return Look(
        own_mb=own.memory_info().rss / 1e6,
        chrome_mb=sum(_memory(process) for process in (root, *root.children(recursive=True))) / 1e6,
        tasks=tasks,
        descriptors=own.num_fds(),
    )


def _memory(process: psutil.Process) -> int:
    """The resident bytes of a process, shared ones divided by those who share them."""
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0  # it has ended meanwhile


async def run(*, seconds: float = SECONDS, sessions: int = COUNT) -> list[Table]:
    """Let them visit for so long; raises AssertionError naming the first things that were wrong, if any were."""
    finding = Finding()
    server = Server(finding)
    async with (
        serving({"/": html(PAGE), "/say": server.say}) as port,
        Sessions(soft_limit=None, args=(NO_WAY_BACK,)) as named,
    ):
        visitors = await asyncio.gather(*(_arrive(named, number, port, finding) for number in range(sessions)))
        chrome = visitors[0].session.browser.info.pid or 0
        looking = asyncio.create_task(look_on(finding, chrome))
        for part, share in (("first fifth", 1 / FIFTHS), ("last fifth", 1 - 1 / FIFTHS)):
            until = time.monotonic() + seconds * share
            await asyncio.gather(*(visitor.visit(until) for visitor in visitors))
            finding.kept[part] = [await visitor.kept() for visitor in visitors]
            finding.rest[part] = [await asyncio.to_thread(_look, chrome, len(asyncio.all_tasks()))]
        looking.cancel()
        await asyncio.wait([looking])
    assert not finding.wrong, f"{len(finding.wrong)} answers were wrong, the first:\n" + "\n".join(finding.wrong[:5])
    return [_calls(finding, seconds, sessions), *_growth(finding)]


async def _arrive(named: Sessions, number: int, port: int, finding: Finding) -> Visitor:
    marker, url = f"mark-{number:02}", f"http://127.0.0.1:{port}/"
    cookie = {"name": "who", "value": marker, "domain": "127.0.0.1", "path": "/"}
    session = await named.open(marker, storage_state={"cookies": [cookie], "origins": []})
    await session.page.goto(url)
    return Visitor(session, marker, url, finding)


def _calls(finding: Finding, seconds: float, sessions: int) -> Table:
    count = sum(map(len, finding.calls.values()))
    for answer in (*finding.early, *finding.unsettled):
        sys.stderr.write(f"{answer}\n")
    notes = {what: f"p95 {_p95(times):.0f} ms" for what, times in finding.calls.items()}
    question = (
        f"a call, {sessions} sessions at once for {seconds:g} s: {count} calls, {count / seconds:.1f} a second, "
        f"{finding.rounds} rounds, none wrong, {len(finding.early)} too early, {len(finding.unsettled)} unsettled"
    )
    return table(question, "ms", "send a form", finding.calls, notes=notes)


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


QUESTIONS = {
    "own_mb": ("resident memory of this process, the site included", "MB"),
    "chrome_mb": ("memory of Chrome (PSS of all its processes), garbage included", "MB"),
    "tasks": ("asyncio tasks", "tasks"),
    "descriptors": ("open file descriptors", "descriptors"),
}
REST = {"chrome_mb": ("memory of Chrome without that, at the end of the fifth", "MB")}
KEPT = {
    "heap_mb": ("what a page's scripts hold then", "MB"),
    "nodes": ("nodes that a page holds then", "nodes"),
}


def _growth(finding: Finding) -> list[Table]:
    fifth = max(1, len(finding.looks) // FIFTHS)
    looks: Mapping[str, Sequence[Look | Kept]] = {
        "first fifth": finding.looks[:fifth],
        "last fifth": finding.looks[-fifth:],
    }
    return [
        table(question, unit, "first fifth", {part: _figures(seen, name) for part, seen in parts.items()})
        for parts, questions in ((looks, QUESTIONS), (finding.rest, REST), (finding.kept, KEPT))
        for name, (question, unit) in questions.items()
    ]


def _figures(seen: Sequence[Look | Kept], name: str) -> list[float]:
    return [float(getattr(one, name)) for one in seen]
