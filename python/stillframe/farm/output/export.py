"""Export a crawl's rows from its database to files, each row exactly once whatever fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, Protocol, TypeVar

from msgspec import structs

from stillframe.farm.errors import OutputInvalid
from stillframe.farm.store import DATASET, CrawlStore, ExportOffset, StoredRow
from stillframe.security.redaction import logger

_log = logger(__name__)
P = ParamSpec("P")
R = TypeVar("R")


START = ExportOffset()
"""Nothing was exported."""


class Sink(Protocol):
    """The files of one format. Its methods block; what they have returned from survives a power cut."""

    @property
    def name(self) -> str:
        """The key of the export in the database; unique in a crawl."""

    @property
    def batch(self) -> int:
        """How many rows to append at once, at most."""

    @property
    def whole(self) -> bool:
        """Whether only whole batches are written before the end of the crawl."""

    @property
    def payloads(self) -> bool:
        """Whether the files have the payloads of rows alone, so that a row without one leaves nothing in them."""

    @property
    def folder(self) -> str:
        """The folder of the files."""

    def repair(self, offset: ExportOffset) -> bool:
        """Remove what is beyond the offset; return False if the files have less than it says. Safe to repeat."""

    def append(self, rows: Sequence[StoredRow], at: ExportOffset) -> ExportOffset:
        """Write rows, at least the first of them, and return the offset behind the last one written.

        What is beyond `at` is overwritten, so that a call that failed may be repeated.
        """


class Exporter:
    """Appends the rows of one dataset to the files of one sink: write, fsync, then record the offset.

    A call that fails loses nothing: the next one begins by repairing the files to the recorded offset.
    """

    def __init__(self, store: CrawlStore, sink: Sink, *, dataset: str = DATASET) -> None:
        self.sink = sink
        """Where the rows go."""
        self._store = store
        self._dataset = dataset
        self._offset: ExportOffset | None = None
        self._busy = asyncio.Lock()

    @property
    def offset(self) -> ExportOffset | None:
        """What the files have; None before the first call and after one that failed."""
        return self._offset

    async def open(self) -> ExportOffset:
        """Cut the files to the recorded offset; start again from the first row if they have less than that.

        Raises OutputInvalid for files that cannot be repaired, DiskFull, and the errors of the store.
        """
        async with self._busy:
            return await self._opened()

    async def pump(self, *, final: bool = False) -> int:
        """Export all rows that the database has now and return their number.

        `final` also writes the last rows of a sink that otherwise waits for a whole batch. Raises as `open` does; call
        it again when the reason is gone.
        """
        async with self._busy:
            total = 0
            while count := await self._step(final):
                total += count
            return total

    async def _step(self, final: bool) -> int:
        offset = await self._opened()
        batch = self.sink.batch
        rows = await self._store.rows(offset.row_id, batch, self._dataset)
        if not rows or (self.sink.whole and not final and len(rows) < batch):
            return 0
        # Until the database has the new offset, nobody knows what the files have: a failed call opens them again.
        self._offset = None
        written = structs.replace(await _in_thread(self.sink.append, rows, offset), generation=offset.generation)
        if not await self._record(written):
            return await self._step(final)  # pages are loaded again: the files are written from the start
        self._offset = written
        return sum(1 for row in rows if row.id <= written.row_id)

    async def _opened(self) -> ExportOffset:
        if self._offset is None:
            offset, deleted = await self._store.begin_export(
                self.sink.name, dataset=self._dataset, payloads=self.sink.payloads
            )
            self._check(offset, deleted)
            self._offset = await self._repaired(offset, deleted)
        return self._offset

    async def _record(self, offset: ExportOffset) -> bool:
        return await self._store.set_export_offset(
            self.sink.name, offset, dataset=self._dataset, payloads=self.sink.payloads
        )

    def _check(self, offset: ExportOffset, deleted: int) -> None:
        """Raise OutputInvalid if rows that the files lack are gone."""
        if offset.row_id < deleted:
            raise OutputInvalid(
                f"the export {self.sink.name} in {self.sink.folder} cannot be complete: a vacuum has deleted rows that "
                "its files lack; use the files that were written before",
                path=self.sink.folder,
            )

    async def _repaired(self, offset: ExportOffset, deleted: int) -> ExportOffset:
        if await _in_thread(self.sink.repair, offset):
            return offset
        _log.warning(
            "the files of the export %s in %s have less than the crawl recorded; they are written again from the start",
            self.sink.name,
            self.sink.folder,
        )
        start = ExportOffset(generation=offset.generation)
        self._check(start, deleted)
        # First the record: a crash between the two must not leave an offset beyond the end of the files.
        await self._record(start)
        if not await _in_thread(self.sink.repair, START):
            raise OutputInvalid(
                f"the export {self.sink.name} in {self.sink.folder} cannot be repaired: use another folder",
                path=self.sink.folder,
            )
        return start


async def _in_thread(function: Callable[P, R], /, *arguments: P.args, **options: P.kwargs) -> R:
    """Call a function in a thread; if the caller is cancelled, wait for its end, since it writes to the files."""
    task = asyncio.ensure_future(asyncio.to_thread(function, *arguments, **options))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
