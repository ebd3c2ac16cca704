"""How well similar pages are told apart, and how fast they are found again, beside other Python packages.

Made-up sites (see pages) are rendered in Chromium. Thresholds are chosen on every other site and tried on the rest, for
the peers and for us; "as shipped" is what the tiers of the core say, without any choice. The manuals (see manuals) are
real pages, tried with the thresholds that the made-up ones gave. The gold set of NDStudy and other labelled crawls are
not in any package registry.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from bench.commands import installed
from bench.duplicates import manuals as real
from bench.duplicates.pages import Page, Truth, pages, truth
from bench.duplicates.peers import PEERS, Source, content, load, template
from bench.duplicates.score import held_out, score
from bench.made_up import card_grid, made_up_signatures
from bench.measure import Table, table
from stillframe import chrome
from stillframe.cdp_types import dom_snapshot, page, runtime, target
from stillframe.core import Signature, SignatureIndex, SimilarityLevel, Snapshot
from stillframe.tab.captures import STYLES

ROUNDS = 5
SHIPPED = "stillframe, as shipped"
CHOSEN = "stillframe, threshold chosen alike"
FAR_PAIRS = 10_000
"""Pairs of pages of different sites that are looked at in each half; within a site it is all."""
WANTED_F1 = 0.98
MILLION = 1_000_000
TEMPLATES = (MILLION, 20_000)
"""All different, and fifty pages of each template."""


class Rendered(NamedTuple):
    """A page as each contestant sees it."""

    signature: Signature
    source: Source


class Pair(NamedTuple):
    """Two pages and what they are to one another."""

    one: int
    other: int
    truth: Truth


async def _render(sources: Iterable[str]) -> list[Rendered]:
    found = []
    async with chrome.launched(chrome.LaunchOptions()) as process:
        root = process.connection.root
        session = await root.attach((await root.send(target.CreateTarget(url="about:blank"))).target_id)
        frame = (await session.send(page.GetFrameTree())).frame_tree.frame.id
        text = runtime.Evaluate(expression="document.body.innerText", return_by_value=True)
        capture = dom_snapshot.CaptureSnapshot(computed_styles=STYLES)
        for html in sources:
            await session.send(page.SetDocumentContent(frame_id=frame, html=html))
            raw = await session.send_raw(capture, timeout=60)
            source = Source(html, (await session.send(text)).result.value or "")
            found.append(Rendered(Snapshot.from_cdp(raw).signature, source))
    return found


def _halves(made: Sequence[Page]) -> tuple[list[Pair], list[Pair]]:
    """All pairs within the sites of each half, and some across."""
    halves = []
    for half in (0, 1):
        own = [at for at, one in enumerate(made) if one.site % 2 == half]
        every = list(itertools.combinations(own, 2))
        near = [(a, b) for a, b in every if made[a].site == made[b].site]
        far = random.Random(half).sample([(a, b) for a, b in every if made[a].site != made[b].site], FAR_PAIRS)
        halves.append([Pair(a, b, truth(made[a], made[b])) for a, b in near + far])
    return halves[0], halves[1]


# -- quality ---------------------------------------------------------------------------------------------------------

Distance = Callable[[int, int], float]


def _ours(rendered: Sequence[Rendered], level: Truth) -> Distance:
    """Structure for templates; for contents the text of those that have one template."""

    def distance(one: int, other: int) -> float:
        verdict = rendered[one].signature.compare(rendered[other].signature)
        if level == Truth.SAME_TEMPLATE:
            return 1 - verdict.structure
        return float(verdict.text_distance) if verdict.level >= SimilarityLevel.SAME_TEMPLATE else 64.0

    return distance


def _theirs(rendered: Sequence[Rendered], name: str, level: Truth) -> Distance:
    peer = PEERS[name]
    module, view = load(peer), template if level == Truth.SAME_TEMPLATE else content
    signed = [peer.sign(module, each.source, view(each.source)) for each in rendered]
    return lambda one, other: peer.distance(signed[one], signed[other])


def _tiers(rendered: Sequence[Rendered], rest: Sequence[Pair]) -> Table:
    """Score how well the core recognises each tier, or a closer one, on the held-out half."""
    tiers = {
        SimilarityLevel.DUPLICATE: Truth.DUPLICATE,
        SimilarityLevel.NEAR_DUPLICATE: Truth.NEAR_DUPLICATE,
        SimilarityLevel.SAME_TEMPLATE: Truth.SAME_TEMPLATE,
    }
    said = [rendered[pair.one].signature.compare(rendered[pair.other].signature).level for pair in rest]
    samples, notes = {}, {}
    for tier, level in tiers.items():
        found = score((got >= tier, pair.truth >= level) for got, pair in zip(said, rest, strict=True))
        samples[str(tier)], notes[str(tier)] = [found.f1], str(found)
        assert found.f1 >= WANTED_F1, (tier, found)
    return table(
        f"{len(rest)} held-out pairs, each tier or closer",
        "F1",
        str(SimilarityLevel.NEAR_DUPLICATE),
        samples,
        notes=notes,
    )


class Race:
    """All contestants on one question: made-up pages, and with the same thresholds the real ones."""

    def __init__(self, truth: Truth, level: SimilarityLevel, names: Sequence[str]) -> None:
        self.truth, self.level, self.names = truth, level, names
        self.chosen: dict[str, float] = {}

    def contestants(self, rendered: Sequence[Rendered]) -> dict[str, Distance]:
        ours = {CHOSEN: _ours(rendered, self.truth)}
        return ours | {name: _theirs(rendered, name, self.truth) for name in self.names}

    def made_up(self, rendered: Sequence[Rendered], training: Sequence[Pair], rest: Sequence[Pair]) -> Table:
        samples, notes = self._shipped(rendered, rest)
        for name, distance in self.contestants(rendered).items():
            self.chosen[name], found = held_out(self._asked(distance, training), self._asked(distance, rest))
            samples[name] = [found.f1]
            notes[name] = f"{found}; up to {self.chosen[name]:.3g}; {self._lacks(name)}"
        question = f"{self.level} or closer, {len(rest)} pairs of sites not seen in training"
        return table(question, "F1", SHIPPED, samples, notes=notes)

    def real(self, rendered: Sequence[Rendered], pairs: Sequence[Pair]) -> Table:
        samples, notes = self._shipped(rendered, pairs)
        for name, distance in self.contestants(rendered).items():
            found = score((far <= self.chosen[name], true) for far, true in self._asked(distance, pairs))
            samples[name], notes[name] = [found.f1], str(found)
        return table(f"{self.level} or closer, {len(pairs)} pairs of manual pages", "F1", SHIPPED, samples, notes=notes)

    def _shipped(
        self, rendered: Sequence[Rendered], pairs: Sequence[Pair]
    ) -> tuple[dict[str, list[float]], dict[str, str]]:
        told = (
            (
                rendered[pair.one].signature.compare(rendered[pair.other].signature).level >= self.level,
                pair.truth >= self.truth,
            )
            for pair in pairs
        )
        found = score(told)
        return {SHIPPED: [found.f1]}, {SHIPPED: str(found)}

    def _asked(self, distance: Distance, pairs: Sequence[Pair]) -> list[tuple[float, bool]]:
        return [(distance(pair.one, pair.other), pair.truth >= self.truth) for pair in pairs]

    def _lacks(self, name: str) -> str:
        return PEERS[name].lacks if name in PEERS else ""


def _manual_pairs(drawn: Sequence[real.Manual], rendered: Sequence[Rendered]) -> list[Pair]:
    """The truth about manuals; see manuals."""
    words = [frozenset(content(each.source)) for each in rendered]
    pairs = []
    for (one, first), (other, second) in itertools.combinations(enumerate(drawn), 2):
        same = first.name == second.name and first.path == second.path
        smaller, larger = sorted((words[one], words[other]), key=len)
        if not same and len(smaller) >= 0.95 * len(larger):
            same = len(smaller & larger) >= 0.95 * len(smaller | larger)
        pairs.append(Pair(one, other, Truth.NEAR_DUPLICATE if same else Truth.DIFFERENT))
    return pairs


# -- cost ------------------------------------------------------------------------------------------------------------


def _best(run: Callable[[], Any], rounds: int, times: int = 1) -> list[float]:
    """Microseconds of one of `times` runs, in each round."""
    samples = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            run()
        samples.append((time.perf_counter() - started) / times * 1e6)
    return samples


def _signing(rounds: int, names: Sequence[str], rendered: Sequence[Rendered]) -> list[Table]:
    raw = card_grid(10_000, False)
    nodes = Snapshot.from_cdp(raw).node_count
    largest = max(rendered, key=lambda each: len(each.source.html)).source
    repeated = Source(largest.html * 10, largest.text * 10)
    features = content(repeated)

    def fresh() -> list[float]:
        snapshot = Snapshot.from_cdp(raw)
        return _best(lambda: snapshot.signature, 1)

    samples = {"stillframe": [fresh()[0] for _ in range(rounds)]}
    notes = {"stillframe": f"{nodes} nodes, {len(raw) / 1e6:.1f} MB: all fields, the exact digest too, from a snapshot"}
    for name in names:
        peer = PEERS[name]
        module = load(peer)
        samples[name] = _best(lambda peer=peer, module=module: peer.sign(module, repeated, features), rounds)  # type: ignore[misc]
        notes[name] = f"{len(features)} shingles ready made" if name != "py-tlsh" else f"{len(repeated.html)} bytes"
    return [table("signing one page", "µs", "stillframe", samples, notes=notes)]


def _index(rounds: int) -> list[Table]:
    return [made for templates in TEMPLATES for made in _asking(rounds, templates)] + [_flooded(rounds)]


def _asking(rounds: int, templates: int) -> list[Table]:
    """Measure the cost of a query, and the memory, for a million pages of this many templates."""
    signatures = made_up_signatures(MILLION, templates)
    index = SignatureIndex()
    started = time.perf_counter()
    index.add_many((f"https://site.test/page/{at}", each) for at, each in enumerate(signatures))
    samples = {"add_many, with its keys": [(time.perf_counter() - started) / MILLION * 1e6]}
    wanted = random.Random(1).sample(signatures, 50 * 40 * rounds)
    answers = index.query_many(wanted)
    assert all(answer.level == SimilarityLevel.DUPLICATE for answer in answers)
    # Small batches, so that the lowest of them tells what it costs when nothing else runs.
    batches = [wanted[at : at + 50] for at in range(0, len(wanted), 50)]
    samples["query"] = [_best(lambda b=b: [index.query(one) for one in b], 1)[0] / 50 for b in batches]  # type: ignore[misc]
    samples["query_many"] = [_best(lambda b=b: index.query_many(b), 1)[0] / 50 for b in batches]  # type: ignore[misc]
    notes = {"query": "each finds the page it asks for"}
    each = MILLION // templates
    tables = [table(f"one million signatures, {each} of each template", "µs", "query", samples, notes=notes)]
    note = {"in all": "keys of about 30 bytes among it"}
    memory = {"in all": [index.memory / MILLION]}
    return [*tables, table("memory of that index", "bytes per signature", "in all", memory, notes=note)]


def _flooded(rounds: int) -> Table:
    """A million equal pages: a query must not look at all of them."""
    one = made_up_signatures(1, 1)[0]
    equal = SignatureIndex()
    equal.add_many((str(at), one) for at in range(MILLION))
    found = equal.query(one)
    assert found.truncated, found
    assert found.level == SimilarityLevel.DUPLICATE, found
    samples = {"query": _best(lambda: equal.query(one), 20 * rounds, times=20)}
    return table("one million equal signatures", "µs", "query", samples, notes={"query": "truncated"})


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Render, score and time; peers and manuals that are not there are named as missing."""
    missing = {name: f"pip install {name}" for name, peer in PEERS.items() if not installed(peer.module)}
    names = [name for name in PEERS if name not in missing]
    made = pages()
    rendered = await _render(one.html for one in made)
    training, rest = _halves(made)
    tables = [_tiers(rendered, rest)]
    contents = Race(Truth.NEAR_DUPLICATE, SimilarityLevel.NEAR_DUPLICATE, names)
    templates = Race(Truth.SAME_TEMPLATE, SimilarityLevel.SAME_TEMPLATE, names)
    tables += [race.made_up(rendered, training, rest) for race in (contents, templates)]
    drawn = await asyncio.to_thread(real.manuals)
    if drawn:
        shown = await _render(one.html for one in drawn)
        tables.append(contents.real(shown, _manual_pairs(drawn, shown)))
    else:
        missing["manuals"] = real.HOW
    tables += _signing(rounds, names, rendered) + _index(rounds)
    tables[1].missing = missing
    return tables
