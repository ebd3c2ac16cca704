"""How long a robots.txt holds, who fetches it, and what a crawl does while it cannot be read."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec

from stillframe.farm.reasons import ROBOTS_WAIT_S
from stillframe.farm.robots.fetching import Answer, RobotsClient
from stillframe.farm.robots.rules import ALLOW_ALL, Rules, parse
from stillframe.farm.store import CrawlStore
from stillframe.farm.store.robots import RobotsRow, read_robots, write_robots
from stillframe.security.redaction import logger
from stillframe.security.urls import origin_of

_log = logger(__name__)
LIFE_S = 24 * 3_600.0
"""How long an answer holds (section 2.4)."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 10.0, 600.0
"""Pauses between two tries: they double from the first to the longest; our choice."""
PATIENCE_S = 1.0
"""How long a page waits for a fetch before it goes back to the queue, so that slow hosts take no page from others."""
ASK_AGAIN_S = 1.0
"""How long such a page and its host wait then."""
CLAIM_S = 30.0
"""After this time another worker may fetch what one has begun to: it must be dead. A fetch takes 10 s at most."""
AT_ONCE = 64
"""Fetches of one worker at once."""
KNOWN_ORIGINS, KNOWN_BYTES = 10_000, 128 << 20
"""Origins, and bytes of their files and rules, that a worker keeps in memory; the others are in the database."""
RULE_BYTES = 200
"""What a rule takes in memory (220 measured, with half of the rules having wildcards): ten times what it takes in the
file."""
OFF_LOOP_BYTES = 65_536
"""Larger files are parsed on a thread."""

RULES, NONE, UNREACHABLE, GIVEN_UP = "rules", "none", "unreachable", "given_up"
OnDelay = Callable[[str, float], Awaitable[object]]


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a URL may be loaded; `wait_s` says when to ask again, and `gave_up` that nobody asks again, and why."""

    allowed: bool = False
    wait_s: float = 0.0
    gave_up: bool = False
    reason: str = ""


class _Known:
    """An origin's robots.txt in memory; `rules` is None without one that was read."""

    def __init__(self, row: RobotsRow, rules: Rules | None, reason: str) -> None:
        self.row = row
        self.rules = rules
        self.reason = reason
        self.until = time.monotonic() + row.expires_in_s

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return len(self.row.body) + RULE_BYTES * len(self.rules or ())

    def judge(self, url: str) -> Judgement:
        if self.rules is not None:
            return Judgement(allowed=self.rules.allows(url))
        if self.row.kind == GIVEN_UP:
            return Judgement(gave_up=True, reason=self.reason)
        return Judgement(wait_s=max(self.until - time.monotonic(), 0.1))


def after(old: RobotsRow, answer: Answer, wait_s: float) -> RobotsRow:
    """Return what is known after a fetch. Rules that were read hold on while their server fails (section 2.4)."""
    if answer.kind != UNREACHABLE:
        return RobotsRow(kind=answer.kind, body=answer.body, expires_in_s=LIFE_S)
    recent = old.expires_in_s > -LONGEST_PAUSE_S  # else the crawl was away, and not the server
    tries = old.tries + 1 if recent else 1
    failing_s = (old.failing_s or 0.0) if recent else 0.0
    pause = max(min(FIRST_PAUSE_S * 2.0 ** min(tries - 1, 30), LONGEST_PAUSE_S), min(answer.retry_after_s, wait_s))
    if old.kind in (RULES, NONE):
        return RobotsRow(kind=old.kind, body=old.body, tries=tries, failing_s=failing_s, expires_in_s=pause)
    if failing_s >= wait_s:
        return RobotsRow(kind=GIVEN_UP, tries=tries, failing_s=failing_s, expires_in_s=LIFE_S)
    pause = max(1.0, min(pause, wait_s - failing_s))
    return RobotsRow(kind=UNREACHABLE, tries=tries, failing_s=failing_s, expires_in_s=pause)


class Robots:
    """What the robots.txt files of all origins allow; a context manager that ends the fetches that still run.

    With a store, the workers of a crawl share what they have read, and one of them fetches a file. Each origin is
    fetched once at a time, and the origins side by side.

    Args:
        client: What fetches them.
        token: The product token of the crawler, whose groups count.
        store: The crawl's database; without one, files are kept in memory.
        wait_s: How long to wait for one that cannot be read.
        on_delay: Called with the origin and its Crawl-delay in seconds when its file was read, by each worker.
    """

    def __init__(
        self,
        client: RobotsClient,
        *,
        token: str,
        store: CrawlStore | None = None,
        wait_s: float = ROBOTS_WAIT_S,
        on_delay: OnDelay | None = None,
    ) -> None:
        self._client = client
        self._token = token
        self._store = store
        self._wait_s = wait_s
        self._on_delay = on_delay
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._bytes = 0
        self._asking: dict[str, asyncio.Task[_Known | float]] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def __aenter__(self) -> Robots:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.__aexit__(None, None, None)

    def forbids(self, url: str) -> bool:
        """Return whether rules that are in memory forbid a URL; what is not known yet is judged when it is loaded."""
        known = self._fresh(origin_of(url))
        return known is not None and known.rules is not None and not known.rules.allows(url)

    async def judge(self, url: str, *, patience_s: float = PATIENCE_S) -> Judgement:
        """Return whether a URL may be loaded, fetching the robots.txt of its origin if it is not known.

        Args:
            url: The URL.
            patience_s: How long to wait for that; it goes on meanwhile.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        known = await self._ask(origin_of(url), patience_s)
        return Judgement(wait_s=known) if isinstance(known, float) else known.judge(url)

    async def rules_of(self, url: str, *, patience_s: float) -> Rules | None:
        """Return the rules of a URL's origin, None if they cannot be read in time; tries again until then."""
        ends = time.monotonic() + patience_s
        while True:
            left = ends - time.monotonic()
            known = await self._ask(origin_of(url), max(0.0, left))
            if isinstance(known, _Known) and (known.rules is not None or known.row.kind == GIVEN_UP):
                return known.rules
            wait = known if isinstance(known, float) else known.judge(url).wait_s
            if wait >= ends - time.monotonic():
                return None
            await asyncio.sleep(wait)

    async def _ask(self, origin: str, patience_s: float) -> _Known | float:
        """Return what is known of an origin, or in how many seconds to ask again."""
        if (known := self._fresh(origin)) is not None:
            return known
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.create_task(self._find(origin), name=f"robots.txt of {origin}")
            task.add_done_callback(lambda task: self._over(origin, task))
        done, _ = await asyncio.wait({task}, timeout=patience_s)
        return task.result() if done else ASK_AGAIN_S

    def _over(self, origin: str, task: asyncio.Task[_Known | float]) -> None:
        self._asking.pop(origin, None)
        if not task.cancelled():
            task.exception()  # it is known, so that asyncio does not report it where no page waits any more

    def _fresh(self, origin: str) -> _Known | None:
        known = self._known.get(origin)
        if known is None or known.until <= time.monotonic():
            return None
        self._known.move_to_end(origin)
        return known

    async def _find(self, origin: str) -> _Known | float:
        """Read or fetch the robots.txt of an origin."""
        async with self._slots:
            if self._store is None:
                before = self._known.get(origin)
                return await self._fetch(origin, RobotsRow() if before is None else _aged(before))
            claim = await read_robots(self._store, origin, claim_s=CLAIM_S)
            if claim.mine:
                return await self._fetch(origin, claim.row)
            if claim.row.expires_in_s > 0:
                return await self._keep(origin, claim.row, "")
            return min(claim.claimed_for_s, ASK_AGAIN_S)

    async def _fetch(self, origin: str, old: RobotsRow) -> _Known:
        answer = await self._client.fetch(origin)
        row = after(old, answer, self._wait_s)
        if answer.kind == UNREACHABLE:
            _log.warning("%s/robots.txt cannot be read (%s): %s", origin, answer.reason, _consequence(row))
        if self._store is not None:
            await write_robots(self._store, origin, row)
        return await self._keep(origin, row, answer.reason)

    async def _keep(self, origin: str, row: RobotsRow, reason: str) -> _Known:
        known = _Known(row, await self._parsed(row), reason)
        self._drop(origin)
        self._known[origin] = known
        self._bytes += known.size
        while len(self._known) > KNOWN_ORIGINS or (self._bytes > KNOWN_BYTES and len(self._known) > 1):
            self._drop(next(iter(self._known)))
        if known.rules is not None and known.rules.crawl_delay_s and self._on_delay is not None:
            await self._on_delay(
                origin, known.rules.crawl_delay_s
            )  # the worker that fetched it may have ended before that
        return known

    def _drop(self, origin: str) -> None:
        before = self._known.pop(origin, None)
        self._bytes -= 0 if before is None else before.size

    async def _parsed(self, row: RobotsRow) -> Rules | None:
        if row.kind == NONE:
            return ALLOW_ALL
        if row.kind != RULES:
            return None
        if len(row.body) > OFF_LOOP_BYTES:
            return await asyncio.to_thread(parse, row.body, self._token)
        return parse(row.body, self._token)


def _aged(known: _Known) -> RobotsRow:
    """Return a row as it is now, as a database would."""
    row, over_s = known.row, time.monotonic() - known.until
    failing = None if row.failing_s is None else row.failing_s + row.expires_in_s + over_s
    return msgspec.structs.replace(row, failing_s=failing, expires_in_s=-over_s)


def _consequence(row: RobotsRow) -> str:
    if row.kind == GIVEN_UP:
        return "its pages fail"
    if row.kind == UNREACHABLE:
        return f"its pages wait, next try in {row.expires_in_s:.0f} s"
    return f"what it said before holds, next try in {row.expires_in_s:.0f} s"
