"""Pages that are loaded again, rows that are exported, old crawls: what leaves a store, and what an export then has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from databases import on_sqlite
from sqlalchemy import func, select, update
from store_cases import bodies, opened, page, row

from stillframe.errors import CrawlUnknown, OptionInvalid, OutputInvalid, StoreVersion
from stillframe.farm.output import Exporter, JsonLines, Warc
from stillframe.farm.store import (
    Completion,
    CrawlStore,
    DatasetRow,
    NewRequest,
    Vacuumed,
    requeue,
    retention,
    vacuum,
    vacuum_crawls,
)
from stillframe.farm.store.tables import crawls, metadata, rows

FAILED = ["failed:http_503", "failed:http_500", "failed:download"]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few pages take several transactions."""
    for name in ("AT_ONCE", "LOOKED_AT", "DELETED_AT_ONCE"):
        monkeypatch.setattr(retention, name, 2)


async def crawled(store: CrawlStore, amount: int = 9) -> None:
    """Crawl pages of two hosts, of which every second one fails."""
    await store.add([page(n, "ab"[n % 2]) for n in range(amount)])
    leases = await store.lease(amount)
    outcomes = {lease.key: FAILED[n % 3] if n % 2 else "done" for n, lease in enumerate(leases)}
    payloads = {"done": b"warc"}
    ended = [
        Completion(
            lease=lease,
            rows=[DatasetRow(dataset="pages", body=_body(lease.key, outcome), payload=payloads.get(outcome))],
            outcome=outcome,
            request='{"retry_count":3}',
        )
        for lease in leases
        for outcome in [outcomes[lease.key]]
    ]
    assert await store.complete_all(ended) == []


def _body(key: str, outcome: str) -> bytes:
    return json.dumps({"key": key, "outcome": outcome}).encode()


async def crawl_again(store: CrawlStore) -> None:
    """Load what is pending, with success."""
    for lease in await store.lease(99):
        await store.complete(lease, rows=[row(_body(lease.key, "again").decode())])


def lines(folder: Path) -> list[tuple[str, str]]:
    """Return key and outcome of each line of a file."""
    found = [json.loads(line) for line in (folder / "pages.jsonl").read_text().splitlines()]
    return [(each["key"], each["outcome"]) for each in found]


async def test_pages_of_some_outcomes_are_loaded_again(store_url: str) -> None:
    async with await opened(store_url, settings={"max_pages": 9}) as store:
        await crawled(store)
        before = (await store.counts()).outcomes
        assert before == {"done": 5, "failed:http_500": 2, "failed:download": 1, "failed:http_503": 1}
        assert await requeue(store, ["failed:http_5*"], body=lambda _: '{"retry_count":0}') == 3
        assert await requeue(store, ["failed:http_5*", "nothing"]) == 0
        counts = await store.counts()
        assert (counts.pending, counts.outcomes) == (3, {"done": 5, "failed:download": 1})
        assert await store.budget() == 3
        assert not await store.is_finished()
        leases = await store.lease(9)
        assert {(lease.attempts, lease.token, lease.body) for lease in leases} == {(1, 2, '{"retry_count":0}')}
        assert len(await bodies(store)) == 6
        for lease in leases:
            await store.complete(lease, rows=[row(lease.key)])
        assert len(await bodies(store)) == 9
        assert (await store.counts()).outcomes == {"done": 8, "failed:download": 1}
        assert await store.is_finished()


async def test_a_page_that_is_loaded_again_stands_once_in_the_files(store_url: str, tmp_path: Path) -> None:
    async with await opened(store_url) as store:
        await crawled(store)
        exporters = [Exporter(store, sink) for sink in (JsonLines(tmp_path), Warc(tmp_path))]
        for exporter in exporters:
            assert await exporter.pump(final=True) == 9
        assert await requeue(store, ["failed:*"]) == 4
        await crawl_again(store)
        for exporter in exporters:  # those that run notice it as well as new ones
            await exporter.pump(final=True)
        found = lines(tmp_path)
        assert len(found) == len(dict(found)) == 9
        assert {outcome for _, outcome in found} == {"done", "again"}
        assert exporters[1].offset is not None
        assert exporters[1].offset.generation == 0, "no failed page stands in it, so it is not written again"
        assert await requeue(store, ["done"]) == 9
        await crawl_again(store)
        await Exporter(store, JsonLines(tmp_path)).pump()
        assert sorted(dict(lines(tmp_path)).values()) == ["again"] * 9


@on_sqlite
async def test_an_export_begins_again_while_it_writes(store_url: str, tmp_path: Path) -> None:
    async with await opened(store_url) as store:
        await crawled(store)
        exporter = Exporter(store, JsonLines(tmp_path))
        await exporter.pump()
        await store.add([page(99)])
        await crawl_again(store)
        kept = store.set_export_offset
        requeued: list[int] = []

        async def late(*arguments: Any, **options: Any) -> bool:
            if not requeued:
                requeued.append(await requeue(store, ["failed:*"]))
            return await kept(*arguments, **options)

        store.set_export_offset = late  # type: ignore[method-assign]
        await exporter.pump()
        assert requeued == [4]
        assert [outcome for _, outcome in lines(tmp_path)] == ["done"] * 5 + ["again"]


async def test_rows_that_an_export_has_read_and_not_recorded_stand_once(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await opened(store_url) as store:
        await crawled(store)
        exporter, kept, requeued = Exporter(store, JsonLines(tmp_path)), store.set_export_offset, list[int]()

        async def late(*arguments: Any, **options: Any) -> bool:
            if not requeued:
                requeued.append(await requeue(store, ["failed:*"]))
                await crawl_again(store)
            return await kept(*arguments, **options)

        monkeypatch.setattr(store, "set_export_offset", late)
        await exporter.pump(final=True)
        assert requeued == [4]
        found = lines(tmp_path)
        assert len(found) == len(dict(found)) == 9
        assert {outcome for _, outcome in found} == {"done", "again"}


async def test_exported_rows_are_deleted(store_url: str, tmp_path: Path) -> None:
    async with await opened(store_url) as store:
        await crawled(store)
        await store.push([DatasetRow(dataset="own", body=b"kept")])
        assert await vacuum(store) == Vacuumed(), "nothing is exported"
        files, warc = Exporter(store, JsonLines(tmp_path)), Exporter(store, Warc(tmp_path, batch=3))
        await warc.open()
        await files.pump()
        assert await vacuum(store) == Vacuumed(), "one export has none of them"
        await warc._step(final=True)
        size = sum(len(body) for body in (await bodies(store))[:3])
        assert await vacuum(store) == Vacuumed(rows=3, bytes=size + 2 * len(b"warc"))
        await warc.pump()
        assert (await vacuum(store)).rows == 6
        assert (await bodies(store), await bodies(store, "own")) == ([], [b"kept"])
        await store.add([page(20)])
        await crawl_again(store)
        assert await files.pump() == 1
        assert len(lines(tmp_path)) == 10
        assert not (await store.add([page(1, "b")]))[0].added, "a page is known though its row is gone"


@on_sqlite
async def test_what_a_vacuum_deleted_cannot_be_exported_again(store_url: str, tmp_path: Path) -> None:
    async with await opened(store_url) as store:
        await crawled(store)
        exporter = Exporter(store, JsonLines(tmp_path))
        await exporter.pump()
        await vacuum(store)
        with pytest.raises(OutputInvalid, match="a vacuum has deleted rows"):
            await Exporter(store, Warc(tmp_path)).open()
        assert await requeue(store, ["failed:*"]) == 4
        await crawl_again(store)
        assert await exporter.pump() == 4, "the files keep the older records"
        assert dict(lines(tmp_path))["b/1"] == "again"
        (tmp_path / "pages.jsonl").write_bytes(b"")
        with pytest.raises(OutputInvalid, match="a vacuum has deleted rows"):
            await Exporter(store, JsonLines(tmp_path)).open()
        assert (await vacuum(store)).rows == 4, "an export that was refused is not waited for"


async def named(url: str, name: str, **options: Any) -> CrawlStore:
    """Open another crawl of the same database."""
    return await CrawlStore.open(url, name, worker="w", **options)


@on_sqlite
async def test_old_crawls_that_are_finished_are_deleted(store_url: str, tmp_path: Path) -> None:
    stores = {name: await named(store_url, name) for name in ("exported", "unexported", "pending", "leased", "unused")}
    for name in ("exported", "unexported"):
        await crawled(stores[name])
    await Exporter(stores["exported"], JsonLines(tmp_path)).pump()
    for name in ("pending", "leased"):
        await stores[name].add([page(1)])
        await stores[name].lease(name == "leased")
    try:
        assert await vacuum_crawls(store_url, older_than_s=3600) == Vacuumed()
        found = await vacuum_crawls(store_url, older_than_s=0)
        assert (found.rows, found.crawls, found.unexported) == (9, ("exported",), ("unexported",))
        found = await vacuum_crawls(store_url, older_than_s=0, unexported=True)
        assert (found.rows, found.crawls, found.unexported) == (9, ("unexported",), ())
        counts = [(await stores[name].counts()).pending for name in ("pending", "leased", "unused")]
        assert counts == [1, 0, 0]
    finally:
        for store in stores.values():
            await store.close()
    async with await named(store_url, "exported") as again:
        assert (await again.counts()).finished == 0


@on_sqlite
async def test_a_vacuum_that_was_interrupted_goes_on(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with await named(store_url, "old") as store:
        await crawled(store)

    async def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(retention, "_delete_crawl", interrupted)
    with pytest.raises(KeyboardInterrupt):
        await vacuum_crawls(store_url, older_than_s=0, unexported=True)
    monkeypatch.undo()
    async with await named(store_url, "old") as store:
        await store.add([NewRequest(key="k", url="http://k/", host="k")])
        assert (await vacuum_crawls(store_url, older_than_s=0)).crawls == ("old",)
        assert (await store.counts()).pending == 1


@on_sqlite
async def test_a_vacuum_makes_no_tables(store_url: str) -> None:
    with pytest.raises(StoreVersion, match="has tables of version 0"):
        await vacuum_crawls(store_url, older_than_s=0)


@on_sqlite
async def test_a_crawl_whose_name_looks_like_that_of_a_deleted_one_is_not_taken_for_one(store_url: str) -> None:
    with pytest.raises(OptionInvalid, match="'deleted: '"):
        await named(store_url, "deleted: last week")
    async with await named(store_url, "old") as store:  # an earlier stillframe took such a name
        await store.add([page(1)])
        renamed = update(crawls).values(name="deleted: last week")
        await store._transactions.run(lambda connection: connection.execute(renamed))
        assert await vacuum_crawls(store_url, older_than_s=0) == Vacuumed()
        assert (await store.counts()).pending == 1


@on_sqlite
async def test_two_vacuums_at_once_delete_each_crawl_and_all_that_came_late(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_rows, stores = retention._delete_rows, [await named(store_url, name) for name in ("one", "two")]
    other = list[Vacuumed]()

    async def meanwhile(*arguments: Any) -> Vacuumed:
        found = await delete_rows(*arguments)
        if not other:
            other.append(Vacuumed())
            await stores[0].push([DatasetRow(dataset="late", body=b"x")])
            other[0] = await vacuum_crawls(store_url, older_than_s=0, unexported=True)
        return found

    monkeypatch.setattr(retention, "_delete_rows", meanwhile)
    try:
        for store in stores:
            await crawled(store)
        found = await vacuum_crawls(store_url, older_than_s=0, unexported=True)
        assert (found.crawls, other[0].crawls) == (("one",), ("one", "two"))
        with pytest.raises(CrawlUnknown, match="deleted"):
            await stores[1].counts()
        async with await opened(store_url) as store:
            for table in metadata.tables.values():
                left = select(func.count()).select_from(table)
                counted = await store._transactions.run(lambda connection, left=left: connection.scalar(left))
                assert counted == (table.name in ("stillframe_versions", "stillframe_crawls")), table.name
    finally:
        for store in stores:
            await store.close()


@on_sqlite
async def test_what_comes_while_a_crawl_is_deleted_is_deleted_with_it(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_rows = retention._delete_rows
    async with await named(store_url, "old") as store:
        await crawled(store)

        async def late(*arguments: Any) -> Vacuumed:
            found = await delete_rows(*arguments)
            await store.push([DatasetRow(dataset="late", body=b"x")])
            return found

        monkeypatch.setattr(retention, "_delete_rows", late)
        await vacuum_crawls(store_url, older_than_s=0, unexported=True)
    async with await named(store_url, "new") as store:
        found = await store._transactions.run(lambda connection: connection.scalar(select(func.count(rows.c.id))))
        assert found == 0
