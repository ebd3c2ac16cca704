"""Databases that an older stillframe made: they are brought to today's tables, and the crawl goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import Connection, inspect
from store_cases import bodies, opened, page, row

from stillframe.errors import StoreError
from stillframe.farm.store import ExportOffset, migrations
from stillframe.farm.store.migrations import STEPS
from stillframe.farm.store.tables import VERSION, metadata

OLDER = range(1, VERSION)
each_older = pytest.mark.parametrize("version", OLDER)


async def restore(url: str, version: int) -> None:
    """Fill an empty database with what a version left: pages done, failed, leased, delayed, pending, on four hosts."""
    dumps = Path(__file__).with_name(f"databases_of_version_{version}")
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            file.executescript((dumps / "sqlite.sql").read_text())
        return
    connection = await asyncpg.connect(url)
    await connection.execute((dumps / "postgresql.sql").read_text())
    await connection.close()


def columns(connection: Connection) -> dict[str, set[str]]:
    """Return the columns and indexes of all tables."""
    look = inspect(connection)
    return {
        table: {column["name"] for column in look.get_columns(table)}
        | {str(index["name"]) for index in look.get_indexes(table) if not index["unique"]}
        | set(look.get_pk_constraint(table)["constrained_columns"])
        for table in metadata.tables
    }


@each_older
async def test_a_crawl_of_an_older_version_goes_on(store_url: str, version: int) -> None:
    await restore(store_url, version)
    async with await opened(store_url, mode="resume") as store, await opened(store_url, "v", "join") as other:
        assert store.settings == {"max_pages": 40, "pages_per_host": 3}
        leases = await store.lease(9)
        assert {lease.priority for lease in leases} == {0}
        assert [lease.key for lease in leases] == ["a/1", "a/2", "a/3", "b/1", "d/1"]
        assert [(lease.attempts, lease.token) for lease in leases] == [(2, 2), (2, 2), (1, 1), (1, 1), (1, 1)]
        await other.add([page(0), page(3, "d")])
        for lease in leases:
            await store.complete(lease, rows=[row(lease.key)], links=[page(8)])
        assert [lease.key for lease in await other.lease(9)] == ["a/4", "a/5", "b/2", "a/7", "d/3"]
        assert await bodies(store) == [b"one", b"two", b"a/1", b"a/2", b"a/3", b"b/1", b"d/1"]
        assert await store.get_state("k") == b"\x00v"
        assert await store.export_offset("jsonl") == ExportOffset(row_id=1, size=4, file="pages.jsonl")
        counts = await store.counts()
        assert (counts.pending, counts.leased, counts.outcomes) == (1, 5, {"done": 6, "failed": 1})


@each_older
async def test_migrated_tables_are_those_of_a_new_database(store_url: str, version: int, tmp_path: Path) -> None:
    await restore(store_url, version)
    async with await opened(store_url, mode="resume") as old:
        async with await opened(f"sqlite:///{tmp_path / 'new.db'}") as new:
            expected = await new._transactions.run(columns)
        assert await old._transactions.run(columns) == expected


async def test_a_migration_that_is_interrupted_leaves_the_old_tables(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await restore(store_url, OLDER[0])
    broken = type(STEPS[0])(version=VERSION + 1, both=["DROP TABLE stillframe_that_is_not_there"])
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, broken))
    with pytest.raises(StoreError, match="stillframe_that_is_not_there"):
        await opened(store_url, mode="resume", patience_s=0.0)
    monkeypatch.undo()
    async with await opened(store_url, mode="resume") as store:
        assert (await store.counts()).pending == 8


def test_each_version_has_its_step() -> None:
    assert [step.version for step in STEPS] == list(range(2, VERSION + 1))
