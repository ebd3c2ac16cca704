"""Pages of a crawl that are nearly equal to earlier ones: the index of signatures, bounded and kept with the crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import takewhile

import msgspec

from stillframe import Page
from stillframe.core import Signature, SignatureIndex, Similarity, SimilarityLevel

STATE = "near-duplicates"
"""Under this key, an earlier version kept a whole index; under `near-duplicates:N` stands the N-th part of one."""
MAX_PAGES = 50_000
"""How many pages the index holds (40 MB in memory, 18 MB stored); beyond them, new pages are only looked up."""
SAVE_EVERY = 200
"""After how many new pages they are kept, and those of other workers are read; a crash loses as many at most."""
LOADED_AT_ONCE = 20

Load = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
Save = Callable[[str, bytes], Awaitable[bool]]
Part = list[tuple[str, bytes]]
"""Pages by URL, with their signatures."""


class NearDuplicate(msgspec.Struct, frozen=True, kw_only=True):
    """The earlier page that a page is nearly equal to, and by what."""

    url: str
    level: str
    similarity: dict[str, float]


def evidence(similarity: Similarity) -> dict[str, float]:
    """Return the measures of a similarity."""
    names = ("exact", "template", "structure", "text_distance", "url_pattern")
    return {name: float(getattr(similarity, name)) for name in names}


class NearDuplicates:
    """Finds pages that are nearly equal to one that this crawl had; `load` and `save` keep the index with the crawl.

    A crawler enters it for each run, which loads the index. New pages are kept now and then, and at the end, as one
    more part of it, and what other workers have kept is read then: so all workers of a crawl have one index, a little
    late.

    Args:
        load: A function that returns the values of those keys that have one.
        save: A function that keeps a value under a key, unless there is one; it returns whether it did.
        max_pages: How many pages the index remembers at most.
    """

    def __init__(self, *, load: Load | None = None, save: Save | None = None, max_pages: int = MAX_PAGES) -> None:
        self._load = load
        self._save = save
        self._max_pages = max_pages
        self._index = SignatureIndex()
        self._unsaved: Part = []
        self._parts = 0
        self._saving = asyncio.Lock()
        """Two at once would each count the part of the other, and leave a gap, where all readers stop."""

    async def __aenter__(self) -> NearDuplicates:
        if self._load is not None and (kept := await self._load([STATE])):
            self._index = SignatureIndex.from_bytes(kept[STATE])
        await self._read()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.save(now=True)

    async def of_page(self, url: str, page: Page) -> NearDuplicate | None:
        """Return the earlier page that one is nearly equal to as it is now, as `find` does, and keep new ones in time.

        Args:
            url: The URL of the page.
            page: The page.
        """
        found = self.find(url, (await page.snapshot()).signature)
        await self.save()
        return found

    def find(self, url: str, signature: Signature) -> NearDuplicate | None:
        """Return the earlier page that this one is nearly equal to; if there is none, remember this one.

        Args:
            url: The URL of the page.
            signature: Its signature.
        """
        for match in self._index.query(signature).matches:
            if match.level >= SimilarityLevel.NEAR_DUPLICATE and match.key != url:
                return NearDuplicate(url=match.key, level=str(match.level), similarity=evidence(match.similarity))
        if len(self._index) < self._max_pages:
            if url not in self._index and self._save is not None:
                self._unsaved.append((url, signature.to_bytes()))
            self._index.add(url, signature)
        return None

    async def save(self, *, now: bool = False) -> None:
        """Keep the new pages if there are enough, or with `now` if there are any, and read those of other workers."""
        least = 1 if now else SAVE_EVERY
        if self._save is None or len(self._unsaved) < least:
            return
        async with self._saving:
            if len(self._unsaved) >= least:
                await self._keep(self._save)

    async def _keep(self, save: Save) -> None:
        part, self._unsaved = self._unsaved, []
        data = msgspec.msgpack.encode(part)
        try:
            await self._read()
            while not await save(_key(self._parts), data):
                await self._read()
        except BaseException:
            self._unsaved[:0] = part
            raise
        self._parts += 1

    async def _read(self) -> None:
        """Add the parts that others have kept since."""
        while self._load is not None:
            keys = [_key(self._parts + number) for number in range(LOADED_AT_ONCE)]
            found = await self._load(keys)
            parts = list(takewhile(lambda raw: raw is not None, map(found.get, keys)))
            for raw in parts:
                self._add(msgspec.msgpack.decode(raw or b"", type=Part))
            self._parts += len(parts)
            if len(parts) < len(keys):
                return

    def _add(self, part: Part) -> None:
        room = max(0, self._max_pages - len(self._index))
        new = [(url, Signature.from_bytes(raw)) for url, raw in part if url not in self._index]
        self._index.add_many(new[:room])


def _key(part: int) -> str:
    return f"{STATE}:{part}"
