"""Exports have each row exactly once, whatever call fails and whenever the process ends."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from output_store import FakeStore, export_again, failing_disks, rows_of

from stillframe.errors import DiskFull, OutputInvalid
from stillframe.farm.output import Exporter, JsonLines
from stillframe.farm.store import ExportOffset

ROWS = rows_of(23)
WANTED = b"".join(row.body + b"\n" for row in ROWS)


def _sink(folder: Path) -> JsonLines:
    return JsonLines(folder, batch=5)


async def test_all_rows_are_written_in_order(tmp_path: Path) -> None:
    store = FakeStore(ROWS[:7])
    exporter = Exporter(store, _sink(tmp_path))
    assert await exporter.pump() == 7
    store.all = ROWS
    assert await exporter.pump() == 16
    assert await exporter.pump() == 0
    assert (tmp_path / "pages.jsonl").read_bytes() == WANTED
    assert exporter.offset == ExportOffset(row_id=ROWS[-1].id, size=len(WANTED), file="pages.jsonl")


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EIO, OutputInvalid)])
async def test_any_failing_call_of_the_disk_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    for disk in failing_disks(monkeypatch, number):
        folder = tmp_path / str(disk.fail_at)
        folder.mkdir()
        await export_again(disk, ROWS, partial(_sink, folder), error=kind, final=False)
        assert (folder / "pages.jsonl").read_bytes() == WANTED, disk.fail_at
    assert disk.fail_at > 15


@pytest.mark.parametrize("flag", ["fail_before", "fail_after"])
async def test_an_offset_that_is_not_recorded_or_whose_answer_is_lost(tmp_path: Path, flag: str) -> None:
    store = FakeStore(ROWS)
    exporter = Exporter(store, _sink(tmp_path))
    setattr(store, flag, True)
    with pytest.raises(ConnectionError):
        await exporter.pump()
    await exporter.pump()
    assert (tmp_path / "pages.jsonl").read_bytes() == WANTED


async def test_a_torn_last_record_is_cut(tmp_path: Path) -> None:
    store = FakeStore(ROWS[:9])
    await Exporter(store, _sink(tmp_path)).pump()
    with (tmp_path / "pages.jsonl").open("ab") as file:
        file.write(b'{"url":"http://a/torn')
    store.all = ROWS
    await Exporter(store, _sink(tmp_path)).pump()
    assert (tmp_path / "pages.jsonl").read_bytes() == WANTED


@pytest.mark.parametrize("damage", ["shorter", "gone", "other bytes"])
async def test_files_that_have_too_little_are_written_again(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "pages.jsonl"
    store = FakeStore(ROWS[:9])
    await Exporter(store, _sink(tmp_path)).pump()
    size = path.stat().st_size
    {
        "shorter": lambda: os.truncate(path, size - 3),
        "gone": path.unlink,
        "other bytes": lambda: path.write_bytes(b"\0" * size),
    }[damage]()
    store.all = ROWS
    await Exporter(store, _sink(tmp_path)).pump()
    assert path.read_bytes() == WANTED
    assert "written again from the start" in caplog.text


async def test_a_cancelled_export_leaves_no_thread_writing(tmp_path: Path) -> None:
    store = FakeStore(ROWS)
    exporter = Exporter(store, _sink(tmp_path))
    for turns in range(12):
        task = asyncio.ensure_future(exporter.pump())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled() or task.exception() is None
    await exporter.pump()
    assert (tmp_path / "pages.jsonl").read_bytes() == WANTED


async def test_a_folder_that_is_gone_is_a_typed_error(tmp_path: Path) -> None:
    exporter = Exporter(FakeStore(ROWS), _sink(tmp_path / "absent"))
    with pytest.raises(OutputInvalid, match="cannot be written"):
        await exporter.pump()


LOOP = Path(__file__).parent / "output_killed.py"


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("kills", "count"), [((0, 4), 150), pytest.param((0, 1, 2, 3, 4, 5), 400, marks=pytest.mark.slow)]
)
async def test_a_killed_process_loses_and_repeats_nothing(tmp_path: Path, kills: tuple[int, ...], count: int) -> None:
    database = tmp_path / "offsets.db"
    for kill in kills:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(LOOP), str(tmp_path), str(database), str(count), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        async with asyncio.timeout(60):
            # Killed in the middle of its work, at another place each time.
            for _ in range(3 + kill * 7):
                await process.stdout.readline()
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
    await _finished(tmp_path, database, count)
    expected = b"".join(row.body + b"\n" for row in rows_of(count))
    assert (tmp_path / "pages.jsonl").read_bytes() == expected


async def _finished(folder: Path, database: Path, count: int) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(LOOP), str(folder), str(database), str(count), stdout=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(60):
        assert await process.wait() == 0
    with sqlite3.connect(database) as connection:
        (last,) = connection.execute("SELECT row_id FROM offsets").fetchone()
    connection.close()
    assert last == rows_of(count)[-1].id
