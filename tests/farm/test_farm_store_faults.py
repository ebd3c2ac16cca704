"""A store whose database fails: statements, commits, the disk, the server, and the worker itself."""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from databases import on_sqlite
from postgres_server import PASSWORD, PostgresServer
from sqlalchemy.exc import OperationalError
from store_cases import bodies, opened, page, row

from stillframe.errors import DiskFull, StoreError, StoreUnavailable
from stillframe.farm.store import CrawlStore, DatasetRow, Return, transactions, worker_name
from stillframe.farm.store.opening import Opening
from stillframe.farm.store.transactions import on_statement

pytestmark = pytest.mark.heavy

Operation = Callable[[CrawlStore], Awaitable[Any]]


async def one_page(store: CrawlStore) -> None:
    """Go through all that happens to a page."""
    added = await store.add([page(1), page(2), page(1)])
    assert [answer.added for answer in added] == [True, True, False]
    first, second = await store.lease(2)
    assert await store.renew([first]) == [first]
    await store.complete(first, rows=[row("1")], links=[page(3)])
    await store.release(Return(lease=second, attempt=False))
    await store.set_state("k", b"v")


async def check_one_page(store: CrawlStore) -> None:
    """Check that all of it happened once."""
    counts = await store.counts()
    assert (counts.pending, counts.leased, counts.outcomes) == (2, 0, {"done": 1})
    assert await bodies(store) == [b"1"]
    leases = await store.lease(9)
    assert [(lease.key, lease.attempts, lease.token) for lease in leases] == [("a/2", 1, 2), ("a/3", 1, 1)]


def broken() -> OperationalError:
    """Return the error of a database that is busy, or whose connection broke."""
    return OperationalError("", {}, ConnectionResetError("the database is locked, or the connection was lost"))


async def beside(store: CrawlStore, name: str) -> CrawlStore:
    """Create another crawl on the connections of a store: new ones prepare every statement again, for a second."""
    shared = store._transactions
    crawl, settings = await shared.run(Opening(shared, name, "create", {}).run)
    return CrawlStore(shared, name, "w", store.lease_s, crawl, settings)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction be tried again at once: these tests are not about how long a store waits."""
    monkeypatch.setattr(transactions, "FIRST_PAUSE_S", 0.001)


async def check_each_failure(first: CrawlStore, faults: Faults) -> int:
    """Let the first fault happen to a crawl, the second to another one, and so on; return how many there can be."""
    for fail_at in itertools.count(1):
        store = await beside(first, f"crawl {fail_at}")
        faults.count, faults.fail_at = 0, fail_at
        await one_page(store)
        used = faults.count
        await check_one_page(store)
        if used < fail_at:
            return used
    raise AssertionError


@on_sqlite
@pytest.mark.usefixtures("soon")
async def test_any_statement_may_fail(store_url: str) -> None:
    async with await opened(store_url) as store:
        faults = Faults()
        on_statement(store._transactions, faults.happen)
        assert await check_each_failure(store, faults) > (20 if store_url.startswith("sqlite") else 5)


@pytest.mark.usefixtures("soon")
async def test_the_answer_to_any_commit_may_be_lost(store_url: str) -> None:
    async with await opened(store_url) as store:
        assert await check_each_failure(store, LostCommits(store)) == 6


class Faults:
    """Lets the n-th of many calls fail; its owner sets `fail_at`, and `count` to 0."""

    def __init__(self) -> None:
        self.count = 0
        self.fail_at = 0

    def happen(self, _: object = None) -> None:
        """Count a call, and raise an error if it is the one to fail."""
        self.count += 1
        if self.count == self.fail_at:
            raise broken()


class LostCommits(Faults):
    """Lets the n-th commit of a store succeed and its answer be lost."""

    def __init__(self, store: CrawlStore) -> None:
        super().__init__()
        self._database = store._transactions.database
        self.engine = self._database.engine
        self.close = self._database.close
        store._transactions.database = self

    async def run(self, operation: Any, *, light: bool = False) -> Any:
        """Run an operation, and lose the answer if it is the n-th that was committed."""
        answer = await self._database.run(operation, light=light)
        self.happen()
        return answer


async def test_a_cancelled_call_leaves_the_store_usable(store_url: str) -> None:
    async with await opened(store_url) as store:
        await store.add([page(n) for n in range(20)])
        for turns in range(20):
            (lease,) = await store.lease()
            task = asyncio.create_task(store.complete(lease, rows=[row(lease.key)]))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await store.complete(lease, rows=[row(lease.key)])
        assert await bodies(store) == [b"a/%d" % n for n in range(20)]


@on_sqlite
@pytest.mark.parametrize("kills", [(4,), pytest.param((1, 4, 9), marks=pytest.mark.slow)])
async def test_a_killed_worker_loses_nothing_and_repeats_nothing(store_url: str, kills: tuple[int, ...]) -> None:
    script = str(Path(__file__).with_name("store_killed.py"))
    async with await opened(store_url, worker_name()) as store:
        await store.add([page(0)])
    for kill_after in kills:
        process = await asyncio.create_subprocess_exec(
            sys.executable, script, store_url, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        said = [int(await process.stdout.readline()) for _ in range(kill_after)]
        process.kill()
        said += [int(line) for line in (await process.stdout.read()).split()]
        await process.wait()
        async with await opened(store_url, worker_name(), "resume") as store:
            texts = await bodies(store)
            assert texts == [b"a/%d" % n for n in range(len(texts))]
            assert len(texts) > said[-1]
            counts = await store.counts()
            assert (counts.pending, counts.leased, counts.of("done")) == (1, 0, len(texts))


async def tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """Wait until a call has failed once and waits for its next try."""
    caplog.clear()
    while "does not answer" not in caplog.text:  # noqa: ASYNC110 - a log has no event
        await asyncio.sleep(0.01)


async def test_a_restart_of_postgresql_is_waited_for(
    restarted: PostgresServer, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "stillframe")
    async with await opened(postgres_url) as store:
        await store.add([page(n) for n in range(6)])
        for mode in ("fast", "immediate"):
            (lease,) = await store.lease()
            await asyncio.to_thread(restarted.stop, mode)
            completing = asyncio.create_task(store.complete(lease, rows=[row(lease.key)]))
            await tried_again(caplog)
            assert not completing.done()
            await asyncio.to_thread(restarted.start)
            await completing
        (lease,) = await store.lease()
        restarted.freeze()
        completing = asyncio.create_task(store.complete(lease, rows=[row(lease.key)]))
        assert not (await asyncio.wait({completing}, timeout=0.2))[0]
        restarted.thaw()
        await completing
        assert await bodies(store) == [b"a/0", b"a/1", b"a/2"]
        assert (await store.counts()).leased == 0


async def test_a_server_that_stays_away_is_reported_without_the_password(postgres_server: PostgresServer) -> None:
    away = f"postgresql://crawler:{PASSWORD}@127.0.0.1:9/none?password={PASSWORD}"
    urls = [
        away,
        postgres_server.url("postgres", password=f"{PASSWORD}-wrong"),
        postgres_server.url("missing"),
        f"mysql://crawler:{PASSWORD}@host/x",
        f"crawler:{PASSWORD}@host/x",
    ]
    with pytest.raises(StoreUnavailable, match="start it, or check the URL"):
        await opened(away, patience_s=0.2)
    for url in urls:
        with pytest.raises(StoreError) as caught:
            await opened(url, patience_s=0.2)
        shown = f"{caught.value} {caught.value.url} {caught.value!r}"
        assert PASSWORD not in shown, url


@pytest.mark.parametrize(
    ("file", "remedy"), [("", "check that it is a file that this user can write"), ("missing/crawl.db", "make it")]
)
async def test_a_file_that_cannot_be_a_database(tmp_path: Path, file: str, remedy: str) -> None:
    with pytest.raises(StoreUnavailable, match=remedy):
        await opened(f"sqlite:///{tmp_path / file}", patience_s=0.2)


async def test_another_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("These are notes, and not a database. " * 50)
    with pytest.raises(StoreError, match="not a database"):
        await opened(f"sqlite:///{other}")


async def test_a_full_disk_stores_nothing_of_a_page(sqlite_url: str) -> None:
    async with await opened(sqlite_url) as store:
        await store.add([page(1)])
        (lease,) = await store.lease()

        async def pragma(statement: str) -> int:
            return int(
                await store._transactions.run(
                    lambda connection: connection.exec_driver_sql(f"PRAGMA {statement}").scalar()
                )
            )

        await pragma(f"max_page_count={await pragma('page_count') + 2}")
        with pytest.raises(DiskFull, match="no space left"):
            await store.complete(lease, rows=[row("x" * 100_000)], links=[page(2)])
        assert (await store.counts()).pending == 0
        await pragma("max_page_count=1000000")
        await store.complete(lease, rows=[row("fits")])
        assert await bodies(store) == [b"fits"]


async def test_sqlite_survives_a_power_cut(sqlite_url: str) -> None:
    async with await opened(sqlite_url) as store:
        for name, value in {"journal_mode": "wal", "synchronous": 2}.items():
            found = await store._transactions.run(
                lambda connection, name=name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            )
            assert found == value


def is_frozen(pid: int) -> bool:
    """Return whether a process is stopped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return False


async def frozen_or_over(process: asyncio.subprocess.Process) -> bool:
    """Wait until a worker has frozen itself, or ended; return whether it is frozen."""
    while process.returncode is None:
        if is_frozen(process.pid):
            return True
        await asyncio.sleep(0.02)
    return False


@pytest.mark.slow
async def test_a_worker_frozen_at_any_statement_stops_no_other(postgres_url: str) -> None:
    script = str(Path(__file__).with_name("store_frozen.py"))
    async with await opened(postgres_url) as store:
        for freeze_at in itertools.count(1):
            await store.add([page(2 * freeze_at), page(2 * freeze_at + 1)])
            process = await asyncio.create_subprocess_exec(
                sys.executable, script, postgres_url, str(freeze_at), stdout=asyncio.subprocess.PIPE
            )
            is_over = not await frozen_or_over(process)
            try:
                async with asyncio.timeout(10):
                    await store.push([DatasetRow(dataset="pushed", body=b"0")])
                    while not await store.is_finished():
                        for lease in await store.lease(9):
                            await store.complete(lease, rows=[row(lease.key)])
                        await asyncio.sleep(0.05)
            finally:
                if not is_over:
                    process.send_signal(signal.SIGCONT)
            assert await process.wait() == 0
            if is_over:
                break
        while not await store.is_finished():
            for lease in await store.lease(9):
                await store.complete(lease, rows=[row(lease.key)])
        expected = {f"a/{n}" for n in range(2, 2 * freeze_at + 2)}
        stored = [text.decode() for text in await bodies(store)]
        assert sorted(set(stored)) == sorted(stored)
        assert {key for key in stored if not key.startswith("linked")} == expected
        pushed = [text for text in await bodies(store, "pushed") if text != b"0"]
        assert sorted(pushed) == sorted(b"%d" % n for n in range(1, freeze_at + 1))
        assert freeze_at >= 8
