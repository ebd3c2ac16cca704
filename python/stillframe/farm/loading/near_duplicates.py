"""Pages of a crawl that are nearly equal to earlier ones: the index of signatures, bounded and kept with the crawl."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from stillframe.core import Signature, SignatureIndex, Similarity, SimilarityLevel

STATE = "near-duplicates"
MAX_PAGES = 50_000
"""How many pages the index holds (40 MB in memory, 18 MB stored); beyond them, new pages are only looked up."""
SAVE_EVERY = 500
"""Keep the index once at least this many pages, and a tenth of all, are new; after a crash, those may be missing."""

Load = Callable[[str], Awaitable[bytes | None]]
Save = Callable[[str, bytes], Awaitable[None]]


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

    A crawler enters it for each run, which loads the index, and keeps it at the end and now and then before.

    Args:
        load: A function that returns the index.
        save: A function that keeps it.
        max_pages: How many pages the index remembers at most.
    """

    def __init__(self, *, load: Load | None = None, save: Save | None = None, max_pages: int = MAX_PAGES) -> None:
        self._load = load
        self._save = save
        self._max_pages = max_pages
        self._index = SignatureIndex()
        self._unsaved = 0

    async def __aenter__(self) -> NearDuplicates:
        kept = await self._load(STATE) if self._load else None
        if kept:
            self._index = SignatureIndex.from_bytes(kept)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.save(now=True)

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
            self._unsaved += url not in self._index
            self._index.add(url, signature)
        return None

    async def save(self, *, now: bool = False) -> None:
        """Keep the index if enough pages are new, or with `now` if any is."""
        if self._save is not None and self._unsaved >= (1 if now else max(SAVE_EVERY, len(self._index) // 10)):
            self._unsaved = 0
            await self._save(STATE, self._index.to_bytes())
