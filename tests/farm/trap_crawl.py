"""Crawls without a browser and without time: the traps of a site, met by several workers with one queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from stillframe.farm.loading.links import page_key
from stillframe.farm.traps.traps import LeftOut, Limits, Traps, left_out_of

PAGE_S = 0.5
"""How long a page takes one worker."""
Page = Callable[[str], tuple[str, str, list[str]]]
"""Returns the title, the text and the links of a URL."""


class Values:
    """The small values of a crawl, in memory."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.trips = 0

    async def get_states(self, keys: Sequence[str]) -> dict[str, bytes]:
        self.trips += 1
        return {key: self.values[key] for key in keys if key in self.values}

    async def states_from(self, prefix: str) -> dict[str, bytes]:
        return {key: value for key, value in self.values.items() if key.startswith(prefix)}

    async def swap_states(self, swaps: dict[str, tuple[bytes | None, bytes]]) -> set[str]:
        self.trips += 1
        done = {key for key, (old, _) in swaps.items() if self.values.get(key) == old}
        self.values |= {key: swaps[key][1] for key in done}
        return done


class Crawled:
    """A crawl that has ended: the URLs that were loaded, in their order, and what was left out."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.skipped = 0
        self.values = Values()

    @property
    def traps(self) -> dict[str, LeftOut]:
        """What a summary says of traps."""
        return left_out_of(self.values.values.values())[0]

    @property
    def budgets(self) -> dict[str, LeftOut]:
        """What a summary says of budgets."""
        return left_out_of(self.values.values.values())[1]

    @property
    def kinds(self) -> set[str]:
        """The kinds of the traps."""
        return {each.kind for each in self.traps.values()}


async def crawl(start: str, page: Page, *, workers: int = 1, most: int = 20_000, **limits: Any) -> Crawled:
    """Crawl what a function answers, as `PageHandler` does; stop after `most` URLs, which is a failure."""
    crawled = Crawled()
    values: Any = crawled.values
    team = [Traps(values, Limits(**limits)) for _ in range(workers)]
    queue, known, now = deque([start]), {page_key(start)}, 0.0
    for turn in range(most):
        if not queue:
            break
        url, traps = queue.popleft(), team[turn % workers]
        found = await visited(traps, url, page, crawled, trusted=url == start)
        for link in found:
            if (key := page_key(link)) not in known:
                known.add(key)
                queue.append(link)
        now += PAGE_S / workers
        await traps.sync(now)
    for traps in team:
        await traps.sync(now, last=True)
    assert not queue, f"{len(queue)} URLs are left; {crawled.traps}"
    return crawled


async def visited(traps: Traps, url: str, page: Page, crawled: Crawled, *, trusted: bool) -> list[str]:
    """Load a page unless it is left out, and return what is to be crawled because of it."""
    admitted = traps.admit(url, trusted=trusted)
    if admitted != url:
        crawled.skipped += 1
        return [] if admitted is None else [admitted]
    traps.open(url, url)
    crawled.urls.append(url)
    links = traps.visited(url, *page(url))
    traps.close(url, crawled=True)
    return links
