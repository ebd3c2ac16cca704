"""A process that exports rows one by one, to be killed; offsets are in SQLite. Arguments: folder, database, rows."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path
from typing import Any

from output_store import FakeStore, rows_of

from stillframe.farm.output import Exporter, JsonLines
from stillframe.farm.store import ExportOffset


class SqliteOffsets(FakeStore):
    """Keeps the offsets in a database, and prints a line before and after each record."""

    def __init__(self, database: str, count: int) -> None:
        super().__init__(rows_of(count))
        self._connection = sqlite3.connect(database, isolation_level=None)
        self._connection.execute("CREATE TABLE IF NOT EXISTS offsets (name PRIMARY KEY, row_id, size, file)")

    async def export_offset(self, file: str) -> ExportOffset | None:
        query = "SELECT row_id, size, file FROM offsets WHERE name = ?"
        found = self._connection.execute(query, (file,)).fetchone()
        return None if found is None else ExportOffset(row_id=found[0], size=found[1], file=found[2])

    async def set_export_offset(self, file: str, offset: ExportOffset, **_: Any) -> bool:
        sys.stdout.write("written\n")
        sys.stdout.flush()
        values = (file, offset.row_id, offset.size, offset.file)
        self._connection.execute("INSERT OR REPLACE INTO offsets VALUES (?, ?, ?, ?)", values)
        sys.stdout.write("recorded\n")
        sys.stdout.flush()
        return True


async def main(folder: str, database: str, count: str) -> None:
    """Export all rows in small batches."""
    await Exporter(SqliteOffsets(database, int(count)), JsonLines(Path(folder), batch=2)).pump()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
