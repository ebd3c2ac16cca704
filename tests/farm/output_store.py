"""A crawl's rows and export offsets in memory, and a disk that fails at its n-th call."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import pytest

from stillframe.errors import DiskFull
from stillframe.farm.output import Exporter, durable
from stillframe.farm.store import DATASET, ExportOffset


class FakeRow:
    """One row of a crawl."""

    def __init__(self, number: int, body: bytes, payload: bytes | None = None) -> None:
        self.id = number
        self.body = body
        self.payload = payload


class FakeStore:
    """Keeps rows and offsets; `fail_before` and `fail_after` make the next record fail, the latter once it is kept."""

    def __init__(self, rows: Sequence[FakeRow] = ()) -> None:
        self.all = list(rows)
        self.offsets: dict[str, ExportOffset] = {}
        self.fail_before = False
        self.fail_after = False

    async def rows(self, after: int, limit: int, dataset: str = DATASET) -> Sequence[FakeRow]:
        return [row for row in self.all if row.id > after][:limit]

    async def export_offset(self, file: str) -> ExportOffset | None:
        return self.offsets.get(file)

    async def begin_export(self, file: str, **_: Any) -> tuple[ExportOffset, int]:
        return await self.export_offset(file) or ExportOffset(), 0

    async def set_export_offset(self, file: str, offset: ExportOffset, **_: Any) -> bool:
        if self.fail_before:
            self.fail_before = False
            raise ConnectionError("the database is gone")
        self.offsets[file] = offset
        if self.fail_after:
            self.fail_after = False
            raise ConnectionError("the answer was lost")
        return True


def rows_of(count: int, *, start: int = 1) -> list[FakeRow]:
    """Return rows with a gap in their numbers after each third one."""
    return [
        FakeRow(n + n // 3, b'{"url":"http://a/%d","text":"%s"}' % (n, b"x" * (n * 7 % 50)))
        for n in range(start, start + count)
    ]


class FailingDisk:
    """Stands for `os` in the module `durable`: the n-th call that changes the disk fails, a write after half of it."""

    CHANGES = frozenset({"open", "write", "ftruncate", "fsync", "replace", "unlink"})

    def __init__(self, fail_at: int, number: int = errno.ENOSPC) -> None:
        self.calls = 0
        self.fail_at = fail_at
        self._number = number

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self._counted(name, real) if name in self.CHANGES else real

    def _counted(self, name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            self.calls += 1
            if self.calls != self.fail_at:
                return real(*arguments)
            if name == "write":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
            raise OSError(self._number, os.strerror(self._number))

        return call


def failing_disks(monkeypatch: pytest.MonkeyPatch, number: int = errno.ENOSPC) -> Iterator[FailingDisk]:
    """Give the module `durable` a disk whose first call fails, then one whose second does, until all calls have."""
    for fail_at in count(1):
        disk = FailingDisk(fail_at, number)
        monkeypatch.setattr(durable, "os", disk)
        yield disk
        if disk.calls < fail_at:
            return


async def export_again(
    disk: FailingDisk,
    rows: Sequence[FakeRow],
    sink: Callable[[], Any],
    *,
    error: type[Exception] = DiskFull,
    final: bool = True,
) -> None:
    """Export rows; after the error go on with the same exporter, or with that of a new process."""
    store = FakeStore(rows)
    exporter = Exporter(store, sink())
    try:
        await exporter.pump(final=final)
    except error:
        await (exporter if disk.fail_at % 2 else Exporter(store, sink())).pump(final=final)
