"""JSON Lines: one row of the crawl per line, in the order of the database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stillframe.farm.output import durable
from stillframe.farm.store import ExportOffset, StoredRow

BATCH = 200
"""Rows per append: some megabytes, so that an fsync costs little and memory stays small; our choice."""


class JsonLines:
    """A sink that writes one file, `pages.jsonl`."""

    whole = False
    payloads = False

    def __init__(self, folder: str | os.PathLike[str], *, stem: str = "pages", batch: int = BATCH) -> None:
        self.path = Path(folder) / f"{stem}.jsonl"
        """The file."""
        self.name = f"{stem}.jsonl"
        self.folder = str(folder)
        self.batch = batch

    def repair(self, offset: ExportOffset) -> bool:
        """Cut the file to the offset; return False if it is shorter, or does not end with a line there."""
        present = durable.size_of(self.path)
        if present < offset.size or not self._ends_line(offset.size):
            return False
        if present > offset.size:
            durable.write_from(self.path, offset.size, b"")
        return True

    def append(self, rows: Sequence[StoredRow], at: ExportOffset) -> ExportOffset:
        """Append one line per row and return the offset behind the last one; raises DiskFull and OutputInvalid."""
        content = b"".join(_line(row.body) for row in rows)
        durable.write_from(self.path, at.size, content)
        return ExportOffset(row_id=rows[-1].id, size=at.size + len(content), file=self.path.name)

    def _ends_line(self, size: int) -> bool:
        if size == 0:
            return True
        with durable.translated(self.path), self.path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"


def _line(body: bytes) -> bytes:
    # JSON has line breaks only between its tokens, where a space means the same.
    return body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
