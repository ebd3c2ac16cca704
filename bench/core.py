"""From snapshot bytes to the summary of what changed, beside what one would otherwise use in Python.

Pages of three sizes are captured in Chromium before and after the same four edits: a text, a removal, a move and an
insertion. stillframe parses the second capture, digests it, diffs it against the first and returns ranked rows. What
the rivals do is less and is said in the notes; each is given its own input ready made, which flatters it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from bench.commands import installed
from bench.measure import Table, table
from stillframe import chrome
from stillframe.cdp_types import dom_snapshot, runtime, target
from stillframe.dom import Snapshot

SIZES = {"1k": 90, "10k": 900, "100k": 9000}
"""Cards of a page; one card is 11 nodes of the snapshot."""
ROUNDS = 15
SMALL, MEDIUM = SIZES["1k"], SIZES["10k"]
"""Cards up to which the tree and the path differ take part: beyond, one comparison takes minutes."""
OURS = "stillframe, bytes to ranked rows"
FILL = """
document.title = 'Cards'; document.body.innerHTML = Array.from({length: %d}, (_, i) => `
  <article class="card product" data-id="${i}"><h3 class="title">Product ${i}</h3><p>Some words about ${i}.</p><a
  href="/p/${i}" class="more link">More</a><button type="button" aria-label="Add ${i}">Add</button></article>`).join('')
"""
EDIT = """
const cards = document.querySelectorAll('article');
cards[3].querySelector('h3').textContent = 'Renamed'; cards[10].remove();
cards[0].before(cards[20]); cards[30].insertAdjacentHTML('afterend', '<div role=alert id=new>Sold out</div>'); 0
"""
AS_XML = "new XMLSerializer().serializeToString(document)"


class Case(NamedTuple):
    """One page before and after the edits, as a snapshot and as XML."""

    before: bytes
    after: bytes
    xml_before: str
    xml_after: str


async def _case(process: Any, cards: int) -> Case:
    root = process.connection.root
    session = await root.attach((await root.send(target.CreateTarget(url="about:blank"))).target_id)

    async def evaluate(expression: str) -> Any:
        return (await session.send(runtime.Evaluate(expression=expression, return_by_value=True))).result.value

    async def capture() -> bytes:
        return bytes(await session.send_raw(dom_snapshot.CaptureSnapshot(computed_styles=["visibility"]), timeout=120))

    await evaluate(FILL % cards)
    before, xml_before = await capture(), await evaluate(AS_XML)
    await evaluate(EDIT)
    return Case(before, await capture(), xml_before, await evaluate(AS_XML))


def _ours(case: Case) -> Callable[[], object]:
    before = Snapshot.from_cdp(case.before)

    def run() -> object:
        delta = before.diff(Snapshot.from_cdp(case.after))
        selectors = [row["selector"] for row in delta.appeared]
        assert selectors == ["#new"], selectors
        assert len(delta.disappeared) == 1, delta.disappeared
        return delta

    return run


def _orjson(case: Case) -> Callable[[], object]:
    orjson, xxhash = importlib.import_module("orjson"), importlib.import_module("xxhash")
    before = orjson.dumps(orjson.loads(case.before), option=orjson.OPT_SORT_KEYS)

    def run() -> object:
        after = orjson.dumps(orjson.loads(case.after), option=orjson.OPT_SORT_KEYS)
        assert xxhash.xxh3_128_digest(before) != xxhash.xxh3_128_digest(after)
        return after

    return run


def _xmldiff(case: Case) -> Callable[[], object]:
    main = importlib.import_module("xmldiff.main")

    def run() -> object:
        edits = main.diff_texts(case.xml_before, case.xml_after, diff_options={"fast_match": True})
        assert edits
        return edits

    return run


def _deepdiff(case: Case) -> Callable[[], object]:
    orjson, deepdiff = importlib.import_module("orjson"), importlib.import_module("deepdiff")
    before, after = orjson.loads(case.before), orjson.loads(case.after)

    def run() -> object:
        edits = deepdiff.DeepDiff(before["documents"], after["documents"])
        assert edits
        return edits

    return run


class Rival(NamedTuple):
    """A rival: the module it needs, how to set it up, up to which size, and what it does not do."""

    module: str
    prepare: Callable[[Case], Callable[[], object]]
    up_to: int
    lacks: str


RIVALS = {
    "orjson + xxhash": Rival("xxhash", _orjson, max(SIZES.values()), "says only whether anything changed"),
    "xmldiff, fast": Rival("xmldiff", _xmldiff, MEDIUM, "an edit script by position; no ranking, no state of fields"),
    "deepdiff": Rival("deepdiff", _deepdiff, SMALL, "paths into the columns; one insertion shifts all that follow"),
}


def _samples(run: Callable[[], object], rounds: int) -> list[float]:
    """Wall milliseconds of each round; a contestant that takes over a second is asked once."""
    samples: list[float] = []
    while len(samples) < rounds:
        started = time.perf_counter()
        run()
        samples.append((time.perf_counter() - started) * 1000)
        if samples[0] > 1000:
            break
    return samples


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure every size; rivals that are not installed are named as missing."""
    missing = {name: f"pip install {rival.module}" for name, rival in RIVALS.items() if not installed(rival.module)}
    tables = []
    async with chrome.launched(chrome.LaunchOptions()) as process:
        for size, cards in SIZES.items():
            case = await _case(process, cards)
            tables.append(_table(size, cards, case, rounds, missing))
    return tables


def _table(size: str, cards: int, case: Case, rounds: int, missing: dict[str, str]) -> Table:
    nodes = Snapshot.from_cdp(case.after).node_count
    samples = {OURS: _samples(_ours(case), rounds)}
    for name, rival in RIVALS.items():
        if name not in missing and cards <= rival.up_to:
            samples[name] = _samples(rival.prepare(case), rounds)
    notes = {name: rival.lacks for name, rival in RIVALS.items()}
    question = f"bytes to summary, {size} ({nodes} nodes, {len(case.after) / 1e6:.1f} MB), four edits"
    return table(question, "ms", OURS, samples, missing=missing, notes=notes)
