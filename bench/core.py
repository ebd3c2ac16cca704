"""From snapshot bytes to the summary of what changed, beside what one would otherwise use in Python.

Pages of 1k, 10k and 100k nodes are captured in Chromium before and after the same four edits (a text, a removal, a
move and an insertion); the page of 1M nodes is made up, because a browser takes a minute over it. stillframe parses
the second capture, diffs it against the first and returns ranked rows. A peer gets the first capture ready made, and
the second as bytes or, where it wants that, as XML that the browser wrote at its own cost. What a peer does is less,
and the notes say what is missing; all answers are checked. Beyond the size at which one comparison takes ten seconds a
peer is left out.
"""

from __future__ import annotations

import time
from typing import Any

from bench.commands import installed
from bench.made_up import card_grid
from bench.measure import Table, table
from bench.peers import PEERS, Case, Peer
from stillframe import chrome
from stillframe.cdp_types import dom_snapshot, runtime, target
from stillframe.core import Snapshot
from stillframe.tab.captures import STYLES

SIZES = {"tiny": 8, "1k": 90, "10k": 900, "100k": 9000}
"""Cards of a page; one card is 11 nodes of the snapshot."""
MADE_UP = 1_000_000
ROUNDS = 15
SECONDS = 2.0
"""A contestant is not asked again once its samples took this long."""
OURS = "stillframe, bytes to ranked rows"
FILL = """
document.title = 'Cards'; document.body.innerHTML = Array.from({length: %d}, (_, i) => `
  <article class="card product" data-id="${i}"><h3 class="title">Product ${i}</h3><p>Some words about ${i}.</p><a
  href="/p/${i}" class="more link">More</a><button type="button" aria-label="Add ${i}">Add</button></article>`).join('')
"""
EDIT = """
const cards = document.querySelectorAll('article');
cards[3].querySelector('h3').textContent = 'Renamed'; cards[5].remove();
cards[0].before(cards[6]); cards[2].insertAdjacentHTML('afterend', '<div role=alert id=new>Sold out</div>'); 0
"""
AS_XML = "new XMLSerializer().serializeToString(document)"


async def _captured(process: Any, cards: int) -> Case:
    root = process.connection.root
    session = await root.attach((await root.send(target.CreateTarget(url="about:blank"))).target_id)

    async def evaluate(expression: str) -> Any:
        return (await session.send(runtime.Evaluate(expression=expression, return_by_value=True))).result.value

    async def capture() -> bytes:
        return bytes(await session.send_raw(dom_snapshot.CaptureSnapshot(computed_styles=STYLES), timeout=120))

    await evaluate(FILL % cards)
    before, xml_before = await capture(), await evaluate(AS_XML)
    await evaluate(EDIT)
    return Case(before, await capture(), xml_before, await evaluate(AS_XML))


def _made_up(nodes: int) -> Case:
    return Case(card_grid(nodes, False), card_grid(nodes, True), None, None)


def _ours(case: Case) -> list[float]:
    before = Snapshot.from_cdp(case.before)
    samples: list[float] = []
    while len(samples) < ROUNDS and sum(samples) < SECONDS * 1000:
        started = time.perf_counter()
        delta = before.diff(Snapshot.from_cdp(case.after))
        rows = delta.appeared, delta.disappeared, delta.changed
        samples.append((time.perf_counter() - started) * 1000)
        assert [len(found) for found in rows] == [1, 1, 2], rows
        del delta
    return samples


def _samples(peer: Peer, case: Case, rounds: int) -> list[float]:
    """Wall milliseconds of each round."""
    ask = peer.prepare(case)
    samples: list[float] = []
    while len(samples) < rounds and sum(samples) < SECONDS * 1000:
        started = time.perf_counter()
        answer = ask()
        samples.append((time.perf_counter() - started) * 1000)
        assert answer, "the edits were not seen"
    return samples


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure every size; peers that are not installed are named as missing."""
    missing = {peer.name: f"pip install {peer.package}" for peer in PEERS if not all(map(installed, peer.modules))}
    tables = []
    async with chrome.launched(chrome.LaunchOptions()) as process:
        for size, cards in SIZES.items():
            tables.append(_table(size, await _captured(process, cards), rounds, missing))
    tables.append(_table("1M", _made_up(MADE_UP), rounds, missing))
    return tables


def _table(size: str, case: Case, rounds: int, missing: dict[str, str]) -> Table:
    nodes = Snapshot.from_cdp(case.after).node_count
    samples = {OURS: _ours(case)}
    notes = {}
    for peer in PEERS:
        has_input = case.xml_before is not None or not peer.needs_xml
        if peer.name not in missing and nodes <= peer.up_to and has_input:
            samples[peer.name] = _samples(peer, case, rounds)
            notes[peer.name] = peer.lacks
    question = f"bytes to summary, {size} ({nodes} nodes, {len(case.after) / 1e6:.1f} MB), four edits"
    found = table(question, "ms", OURS, samples, missing=missing, notes=notes)
    _name_the_best(found)
    return found


def _name_the_best(found: Table) -> None:
    """Mark the quickest peer that tells what changed in the tree, and not only whether or in which line."""
    real = {peer.name for peer in PEERS if peer.tells == "what"}
    best = next((row for row in found.rows if row.name in real), None)
    if best is not None:
        best.note = f"best peer that tells what changed; {best.note}"
