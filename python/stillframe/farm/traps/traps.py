"""Which pages of a crawl are left out: those of traps that have ended, and those beyond the budgets of its operator.

A trap is a pattern of pages without end that bring nothing new. Which URLs may belong to one, `suspicion` says; what
their pages bring, `novelty`; and how much of that all workers have seen, the `ledger`. A trap ends after a number of
pages that brought nothing, so that a list, an archive or a catalogue that goes on to bring something is crawled whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from stillframe.farm.reasons import TRAP_PAGES
from stillframe.farm.store import CrawlStore
from stillframe.farm.traps.ledger import Ledger, Shard
from stillframe.farm.traps.loops import COPIES, Loops, Path, folder_of, path_of
from stillframe.farm.traps.novelty import Novelty
from stillframe.farm.traps.shapes import shape_of
from stillframe.farm.traps.sketches import Seen
from stillframe.farm.traps.suspicion import Suspect, Suspicion, without
from stillframe.farm.traps.varieties import Varieties
from stillframe.farm.traps.views import FirstViews, is_format, is_view
from stillframe.security.redaction import logger

_log = logger(__name__)
SHOWN = 100
"""How many traps, and how many budgets, a summary names."""
MAX_SESSIONS = 5
"""How many parameters of sessions one link may lose."""
VIEWS = frozenset({"facets", "query"})
"""The kinds whose pages are views of a page: what has ended leaves out all but the first one of each path."""
COPIES_END = 10
"""How many copies of pages in a path that grows end it: a handful, for they show more than pages that bring nothing."""
BUDGETS = frozenset({"host", "pattern", "budget"})
"""The kinds that are limits of the operator's, and not traps."""

Globs = tuple[tuple[str, re.Pattern[str], int], ...]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How many pages a crawl may have of a trap that bring nothing, of each pattern, of each host, and by globs.

    `globs` are regular expressions of whole URLs beside what they are called. `trap_pages` is 0 for no traps.
    """

    trap_pages: int = TRAP_PAGES
    per_pattern: int | None = None
    per_host: int | None = None
    globs: Globs = ()


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A trap, or a budget that was used up: its pages that were crawled, and the links that were not followed.

    Each worker counts a link once, so that several workers count some links more than once.
    """

    kind: str
    crawled: int
    left_out: int


class Traps:
    """The traps and the budgets of one crawl, as one worker knows them; times are seconds of one clock."""

    def __init__(self, store: CrawlStore, limits: Limits) -> None:
        self._limits = limits
        self._ledger = Ledger(store, trap_pages=limits.trap_pages)
        self._suspicion = Suspicion()
        self._novelty = Novelty()
        self._varieties = Varieties()
        self._loops = Loops()
        self._first = FirstViews()
        self._left = Seen(1 << 20)
        self._open: dict[str, list[tuple[str, str, int]]] = {}
        """The budgets of each page that is open, by its key."""
        self._opened: Counter[str] = Counter()
        self._told: set[str] = set()

    # -- links -------------------------------------------------------------------------------------

    def admit(self, link: str, *, trusted: bool = False) -> str | None:
        """Return a link as it is to be loaded, None if it is left out.

        It loses the parameter of a session that is known for one. With `trusted`, only budgets can leave it out.
        """
        for _ in range(0 if trusted or not self._limits.trap_pages else MAX_SESSIONS):
            suspect = self._suspicion.suspect(link)
            if suspect.kind is None or not self._ledger.ended(suspect.name):
                break
            if suspect.kind in VIEWS and self._first.admits(link):
                break
            self._leave_out(suspect.name, suspect.kind, link)
            if suspect.kind != "session":
                return None
            link = without(link, suspect.parameter).removesuffix("?")
        if not trusted and (loop := self._ended_loop(link)):
            self._leave_out(loop, "path", link)
            return None
        for name, kind, limit in self._budgets(link):
            if self._ledger.crawled(name) + self._opened[name] >= limit:
                self._leave_out(name, kind, link)
                return None
        return link

    def _ended_loop(self, link: str) -> str | None:
        """Return the trap of copies that has ended and that a link belongs to.

        Copies that this worker has seen have linked to it, or it has a segment twice that copies of any worker had.
        """
        is_below = self._loops.is_below(link)
        if not self._limits.trap_pages or not (is_below or self._suspicion.suspect(link).shape.loop):
            return None
        path = path_of(link)
        found = list(path.traps) if is_below else []
        if (again := path.again) is not None and self._ledger.crawled(f"copies {path.trap(again)} {again}"):
            found.append(path.trap(again))
        return next((f"path {trap}" for trap in found if self._ledger.ended(f"path {trap}")), None)

    def _budgets(self, url: str) -> list[tuple[str, str, int]]:
        """Return the name, the kind and the limit of each budget that a page counts against."""
        limits, found = self._limits, []
        if not (limits.per_host or limits.per_pattern or limits.globs):
            return []
        shape = shape_of(url)
        if limits.per_host:
            found.append((f"host {shape.host}", "host", limits.per_host))
        if limits.per_pattern:
            pattern = msgspec.structs.replace(shape, base=self._varieties.pattern(shape.base)).pattern
            found.append((f"pattern {pattern}", "pattern", limits.per_pattern))
        plain = url.partition("#")[0]
        return found + [
            (f"budget {glob}", "budget", pages) for glob, regex, pages in limits.globs if regex.match(plain)
        ]

    def _leave_out(self, name: str, kind: str, link: str) -> None:
        if self._left.add((name, link)):
            self._ledger.leave_out(name, kind)
        self._tell(name, kind)

    def _tell(self, name: str, kind: str) -> None:
        """Say once that something has ended."""
        if name in self._told or len(self._told) >= SHOWN:
            return
        self._told.add(name)
        if kind in BUDGETS:
            _log.warning("%s: the budget is used up, so no more of its pages are crawled", name)
        elif kind == "session":
            _log.warning("%s names a session: it is left out of links from now on, as --ignore-parameter does", name)
        elif name.endswith(COPIES):
            _log.warning("trap: %s: its pages are the same at every depth, so none below them are crawled", name)
        else:
            tries = self._ledger.tries(name)
            _log.warning("trap: %s: %d of its pages brought nothing new, so no more are crawled", name, tries)

    # -- pages -------------------------------------------------------------------------------------

    def open(self, key: str, url: str) -> None:
        """Count a page that is about to be loaded against its budgets, until `close`."""
        if budgets := self._budgets(url):
            self.close(key)
            self._open[key] = budgets
            self._opened.update(name for name, _, _ in budgets)

    def close(self, key: str, *, crawled: bool = False) -> None:
        """End that; with `crawled` the page counts for good."""
        for name, kind, _ in self._open.pop(key, ()):
            self._opened[name] -= 1
            if not self._opened[name]:
                del self._opened[name]
            if crawled:
                self._ledger.count(name, kind)

    def visited(self, url: str, title: str, text: str, links: Iterable[str]) -> list[str]:
        """Take in what a page brought, and return its links that are followed."""
        links = list(links)
        if not self._limits.trap_pages:
            return self._admitted(links)
        self._first.add(url)
        suspect = self._suspicion.suspect(url)
        if suspect.kind is not None:
            self._judge(suspect, url, text, links)
        if self._loops.visited(url, title, text, links):
            self._copied(path_of(folder_of(url)))
        return self._admitted(links)

    def _admitted(self, links: Iterable[str]) -> list[str]:
        return [found for link in links if (found := self.admit(link)) is not None]

    def _copied(self, path: Path) -> None:
        """Count a copy, if its path shows that it grows."""
        if (again := path.again) is not None:
            trap = path.trap(again)
            self._ledger.count(f"copies {trap} {again}", "copies")
            weight = max(1, self._limits.trap_pages // COPIES_END)
            self._count(f"path {trap}", "path", brings=False, weight=weight)

    def _judge(self, suspect: Suspect, url: str, text: str, links: Iterable[str]) -> None:
        """Count a page of a trap by what it brings: itself, or by links to pages of other traps that do."""
        ordinary, others = list[str](), list[str]()
        for link in links:
            other = self._suspicion.suspect(link)
            if other.kind is None:
                if not is_format(url, link):
                    ordinary.append(link)
            elif _may_lead(suspect, other) and not is_view(url, link) and self._ledger.brings(other.name):
                others.append(link)
        assert suspect.kind is not None
        calendar = suspect.kind == "calendar"
        brings = self._novelty.brings(suspect.trap, url, text, ordinary, calendar=calendar)
        leads = self._novelty.leads(suspect.trap, others)
        self._count(suspect.name, suspect.kind, brings=brings, leads=leads)

    def _count(self, name: str, kind: str, *, brings: bool, leads: bool = False, weight: int = 1) -> None:
        self._ledger.judge(name, kind, brings=brings, leads=leads, weight=weight)
        if self._ledger.ended(name):
            self._tell(name, kind)

    # -- the database ------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read what the workers of the crawl have counted."""
        await self._ledger.load()

    async def sync(self, now: float, *, last: bool = False) -> None:
        """Share what was counted with the other workers, now and then, and for the last time at the end."""
        if last or self._ledger.is_due(now):
            await self._ledger.sync(now)


def _may_lead(suspect: Suspect, other: Suspect) -> bool:
    """Return whether pages of a trap may go on for what another trap brings: views do not for other views."""
    if other.kind == "session" or other.name == suspect.name:
        return False
    return not (suspect.kind in VIEWS and other.kind in VIEWS)


def left_out_of(recorded: Iterable[bytes]) -> tuple[dict[str, LeftOut], dict[str, LeftOut]]:
    """Return the traps that have ended, and the budgets that were used up, for what a crawl has recorded.

    The first `SHOWN` of each, those with the most links that were not followed first.
    """
    found: dict[str, LeftOut] = {}
    for raw in recorded:
        for name, each in msgspec.msgpack.decode(raw, type=Shard).named.items():
            if each.ended or (each.kind in BUDGETS and each.left_out):
                found[name] = LeftOut(kind=each.kind, crawled=each.crawled, left_out=each.left_out)
    ranked = sorted(found.items(), key=lambda item: (-item[1].left_out, item[0]))
    return _some(ranked, budgets=False), _some(ranked, budgets=True)


def _some(ranked: Iterable[tuple[str, LeftOut]], *, budgets: bool) -> dict[str, LeftOut]:
    return dict([(name, each) for name, each in ranked if (each.kind in BUDGETS) == budgets][:SHOWN])


def described(found: Mapping[str, LeftOut]) -> list[str]:
    """Return a line for each trap or budget."""
    return [f"{name}: {each.crawled} pages, {each.left_out} links left out" for name, each in found.items()]
