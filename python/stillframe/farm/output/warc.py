"""WARC files: the gzip members that pages recorded, appended in the order of the database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stillframe.farm.output import durable
from stillframe.farm.output.numbered import NumberedFiles
from stillframe.farm.output.warc_records import warcinfo
from stillframe.farm.output.warc_revisits import Revisits
from stillframe.farm.store import ExportOffset, StoredRow

ROTATE_BYTES = 1_000_000_000
"""The size from which a new file begins; the guidelines of WARC 1.1 (annex C) recommend 1 GB."""
BATCH = 20
"""Rows per append: a page with its images has some megabytes, and a batch is held in memory; our choice."""


class Warc:
    """A sink that writes `pages-00001.warc.gz` and so on; rows without a payload are left out.

    A payload that the files have already becomes a revisit. A later process knows the payloads of the last file.
    """

    whole = False
    payloads = True

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        stem: str = "pages",
        crawl: str = "",
        rotate_bytes: int = ROTATE_BYTES,
        batch: int = BATCH,
    ) -> None:
        self.files = NumberedFiles(Path(folder), stem, ".warc.gz")
        """The files."""
        self.name = f"{stem}.warc.gz"
        self.folder = str(folder)
        self.batch = batch
        self._revisits: Revisits | None = None
        self._crawl = crawl
        self._rotate = rotate_bytes

    def repair(self, offset: ExportOffset) -> bool:
        """Cut the last file to the offset and remove later ones; return False if a file is missing or too short."""
        is_good = self.files.repair(offset, cut=True)
        if is_good:
            self._known_at(self.files.number(offset.file), offset.size)
        return is_good

    def _known_at(self, number: int, size: int) -> Revisits:
        """Return the payloads that the files have up to a place: what this process wrote, and the file there."""
        if self._revisits is None:
            self._revisits = Revisits()
            if size:
                with durable.translated(self.files.folder), self.files.path(number).open("rb") as file:
                    self._revisits.recall(file, number)
        self._revisits.forget_from((number, size))
        return self._revisits

    def append(self, rows: Sequence[StoredRow], at: ExportOffset) -> ExportOffset:
        """Append the payloads of rows up to the end of the file; raises DiskFull and OutputInvalid."""
        number, size = max(1, self.files.number(at.file)), at.size
        if size >= self._rotate:
            number, size = number + 1, 0
        path, revisits = self.files.path(number), self._known_at(number, size)
        content = bytearray(warcinfo(path.name, crawl=self._crawl, version=_version()) if size == 0 else b"")
        last = at.row_id
        for row in rows:
            content += revisits.rewritten(row.payload or b"", (number, size + len(content)))
            last = row.id
            if size + len(content) >= self._rotate:
                break
        durable.write_from(path, size, bytes(content))
        return ExportOffset(row_id=last, size=size + len(content), file=path.name)


def _version() -> str:
    try:
        return version("stillframe")
    except PackageNotFoundError:
        return ""
