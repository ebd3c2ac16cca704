"""One crawl in one database: its queue, its results, and how far they are exported."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, select, update

from stillframe.farm.errors import LeaseLost
from stillframe.farm.store import counting, file, queue, server, statements
from stillframe.farm.store import states as shared
from stillframe.farm.store.connect import check_folder, parse_url
from stillframe.farm.store.entries import (
    DATASET,
    AddedRequest,
    Completion,
    Counts,
    DatasetRow,
    ExportOffset,
    Lease,
    NewRequest,
    Return,
    StoredRow,
    WorkerStatus,
    numbered,
)
from stillframe.farm.store.measuring import Called, TriedAgain, named
from stillframe.farm.store.offsets import begin, read, write
from stillframe.farm.store.opening import Mode, Opening
from stillframe.farm.store.tables import crawls, requests, rows
from stillframe.farm.store.transactions import Transactions
from stillframe.farm.store.worker import is_dead

T = TypeVar("T")
LEASE_S = 60.0
"""How long a lease lasts without being renewed; a worker renews it three times as often. Our choice: a dead worker's
pages wait that long, and a stalled one has that long to come back."""
PATIENCE_S = 60.0
"""How long the database may be away before a call fails; a restart of PostgreSQL takes some seconds."""
SEEN_S = 2.0
"""How long a worker's life is not recorded again: else every lease would write it."""
OPEN_PATIENCE_S = 10.0
"""The same when a crawl is opened: then it is more likely that the URL is wrong."""
PUSHED = "pushed:"
"""How the keys of rows begin that belong to no page."""


@named
class CrawlStore:
    """A crawl in SQLite or PostgreSQL, as one worker sees it; made by `open`, ended by `close` or `async with`.

    Each method is one transaction. Those that change the queue exclude each other on a page and on a host, on all
    machines; those that only read wait for none of them. A
    database that is down or slow is tried again for `patience_s` seconds; then each method raises StoreUnavailable.
    `settings` are those recorded when the crawl was created.
    """

    def __init__(
        self, transactions: Transactions, name: str, worker: str, lease_s: float, crawl: int, settings: dict[str, Any]
    ) -> None:
        self.name = name
        self.worker = worker
        self.lease_s = lease_s
        self.settings = settings
        self._transactions = transactions
        self._crawl = crawl
        self._seen_at = -SEEN_S
        self._horizons: dict[str, int] = {}
        self._queue: Any = file if transactions.is_sqlite else server

    @classmethod
    async def open(
        cls,
        url: str,
        name: str,
        *,
        worker: str,
        mode: Mode = "create",
        settings: Mapping[str, Any] | None = None,
        lease_s: float = LEASE_S,
        patience_s: float = PATIENCE_S,
    ) -> CrawlStore:
        """Create a crawl, resume one, or join one that runs.

        Resuming ends a stop. Resuming and joining free the leases of workers of this machine whose process is gone.
        The store itself reads the settings `max_pages`, `pages_per_host` and `host_interval_s`. Raises CrawlExists,
        CrawlUnknown, OptionInvalid for a name that is not free for crawls, StoreVersion for tables of another version,
        and StoreUnavailable.
        """
        parsed = parse_url(url)
        check_folder(parsed)
        transactions = Transactions(parsed, patience_s=patience_s)
        try:
            opening = Opening(transactions, name, mode, dict(settings or {}))
            crawl, known = await transactions.run(opening.run, patience_s=min(patience_s, OPEN_PATIENCE_S))
            store = cls(transactions, name, worker, lease_s, crawl, known)
            if mode != "create":
                await store._free_dead_workers()
        except BaseException:
            await transactions.close()
            raise
        return store

    async def close(self) -> None:
        """Close the connections; leases that are still held run out."""
        await self._transactions.close()

    async def __aenter__(self) -> CrawlStore:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def url(self) -> str:
        """The URL of the database without its password."""
        return self._transactions.shown

    def measure(self, called: Called, tried_again: TriedAgain) -> None:
        """Call these for each operation from now on."""
        self._transactions.measure(called, tried_again)

    # -- the queue ---------------------------------------------------------------------------------

    async def add(self, new: Sequence[NewRequest], *, first: bool = False) -> list[AddedRequest]:
        """Add requests whose keys are new, and say which were.

        They go behind all others of their priority, or with `first` before them.
        """
        if not new:
            return []
        tries, batch = count(), secrets.randbits(62)
        return await self._called(
            lambda connection: self._queue.add(
                connection, self._crawl, new, first=first, batch=batch, again=next(tries) > 0
            )
        )

    async def lease(self, limit: int = 1) -> list[Lease]:
        """Lease up to `limit` pages of hosts that may start one, by priority, then by age; none beyond `budget`."""
        tries, batch, now = count(), secrets.randbits(62), time.monotonic()
        seen = not 0 <= now - self._seen_at < SEEN_S
        leases: list[Lease] = await self._called(
            lambda connection: self._queue.lease(
                connection,
                self._crawl,
                self.worker,
                self.lease_s,
                limit,
                batch=batch,
                again=next(tries) > 0,
                seen=seen,
            )
        )
        self._seen_at = now if seen else self._seen_at
        return leases

    async def budget(self) -> int | None:
        """Return how many more pages the crawl may lease now: 0 after `stop`, None if `max_pages` does not limit it."""
        left = await self._looking(self._budget)
        return None if left == counting.UNLIMITED else left

    def _budget(self, connection: Connection, crawl: counting.CrawlRow) -> int:
        limited = crawl.max_pages is not None and not crawl.stopped
        return counting.budget(crawl, counting.tally(connection, crawl.id) if limited else {})

    async def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        """Let leases last `lease_s` seconds from now, and return those that were still held; the others are lost."""
        if not leases:
            return []
        return await self._called(
            lambda connection: self._queue.renew(connection, self._crawl, self.worker, self.lease_s, leases)
        )

    async def complete(
        self,
        lease: Lease,
        *,
        rows: Sequence[DatasetRow] = (),
        links: Sequence[NewRequest] = (),
        outcome: str = "done",
        request: str | None = None,
    ) -> None:
        """End a lease: store its rows, add its links, and record the outcome, all or nothing.

        `request` replaces the request's body. Raises LeaseLost if another worker has the page by now.
        """
        page = Completion(lease=lease, rows=rows, links=links, outcome=outcome, request=request)
        if await self.complete_all([page]):
            raise self._lost(lease)

    async def complete_all(self, pages: Sequence[Completion]) -> list[Lease]:
        """End several leases in one transaction, and return those that another worker has by now.

        Of those nothing is stored; the others are ended as by `complete`.
        """
        if not pages:
            return []
        answers = await self._called(
            lambda connection: self._queue.complete(connection, self._crawl, self.worker, pages)
        )
        return [page.lease for page, answer in zip(pages, answers, strict=True) if answer == "lost"]

    async def release(self, page: Return) -> None:
        """Return a page to the queue. Raises LeaseLost if another worker has it by now."""
        answer = await self._called(lambda connection: self._queue.release(connection, self._crawl, self.worker, page))
        if answer == "lost":
            raise self._lost(page.lease)

    def _lost(self, lease: Lease) -> LeaseLost:
        return LeaseLost(
            f"The lease of {lease.url} ran out and the page belongs to another worker now; nothing was stored. "
            "If this happens often, the machine is overloaded: use fewer pages at once",
            key=lease.key,
            worker=self.worker,
        )

    async def limit_host(self, host: str, *, pages: int | None = None, interval_s: float | None = None) -> None:
        """Limit the pages of a host that are open at once and the seconds between two starts, across all workers.

        `*` stands for each host that has no limit of its own; None for no limit.
        """
        await self._locked(lambda connection, crawl: queue.limit_host(connection, crawl.id, host, pages, interval_s))

    async def next_ready_s(self) -> float | None:
        """Return the seconds until a page may be leased, as the queue is now; None if nothing is pending or leased.

        After `stop`, or when all of `max_pages` are taken, that is when a lease runs out, and None without leases.
        """

        def operation(connection: Connection, crawl: counting.CrawlRow) -> float | None:
            admits = self._budget(connection, crawl) > 0
            return queue.next_ready_s(connection, crawl, admits=admits)

        return await self._looking(operation)

    async def is_finished(self) -> bool:
        """Return whether nothing is leased, and nothing pending that `stop` and `max_pages` let a worker take."""

        def operation(connection: Connection, crawl: counting.CrawlRow) -> tuple[bool, bool]:
            tally = counting.tally(connection, crawl.id)
            leased = tally.get(statements.LEASED, 0)
            over = not tally.get(statements.PENDING) or not counting.budget(crawl, tally)
            return over and not leased, bool(leased) and queue.is_overdue(connection, crawl)

        finished, overdue = await self._looking(operation)
        if overdue:
            await self.lease(0)  # returns to the queue what was leased for longer than its lease
            finished, _ = await self._looking(operation)
        return finished

    async def counts(self) -> Counts:
        """Return how far the crawl is."""
        return await self._looking(counting.counts)

    async def workers(self) -> list[WorkerStatus]:
        """Return all workers that have ever asked for pages, the last heard first."""
        return await self._looking(counting.worker_statuses)

    # -- stopping ----------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Ask all workers of the crawl, on every machine, to finish the pages they have and to take no more."""
        await self._set_stopped(True)

    async def stopped(self) -> bool:
        """Return whether the crawl was asked to stop."""
        asked = select(crawls.c.stopped).where(crawls.c.id == self._crawl)
        return bool(await self._light(lambda connection: connection.scalar(asked)))

    async def _set_stopped(self, stopped: bool) -> None:
        changed = update(crawls).where(crawls.c.id == self._crawl).values(stopped=stopped)
        await self._transactions.run(lambda connection: connection.execute(changed))

    # -- rows, the export, small values ------------------------------------------------------------

    async def rows(self, after: int, limit: int, dataset: str = DATASET) -> list[StoredRow]:
        """Return up to `limit` rows with greater ids than `after`, in order; no later commit adds one before them."""
        if self._transactions.is_sqlite:  # whose writers exclude each other
            return await self._rows(after, None, limit, dataset)
        known = self._horizons.get(dataset, 0)
        found = await self._rows(after, known, limit, dataset) if known > after else []
        if len(found) < limit:
            last = await self._light(lambda connection: server.horizon(connection, self._crawl, dataset))
            if last > known:
                self._horizons[dataset] = last
                found += await self._rows(max(after, known), last, limit - len(found), dataset)
        return found

    async def _rows(self, after: int, last: int | None, limit: int, dataset: str) -> list[StoredRow]:
        columns = (rows.c.id, rows.c.key, rows.c.ordinal, rows.c.body, rows.c.payload)
        asked = (
            select(*columns)
            .where(rows.c.crawl == self._crawl, rows.c.dataset == dataset, rows.c.id > after)
            .order_by(rows.c.id)
            .limit(limit)
        )
        if last is not None:
            asked = asked.where(rows.c.id <= last)
        found = await self._light(lambda connection: connection.execute(asked).all())
        return [
            StoredRow(id=row.id, key=row.key, ordinal=row.ordinal, body=row.body, payload=row.payload) for row in found
        ]

    async def push(self, new: Sequence[DatasetRow]) -> None:
        """Add rows that belong to no page. A commit whose answer was lost is recognised."""
        key = f"{PUSHED}{uuid4().hex}"

        def operation(connection: Connection, crawl: counting.CrawlRow) -> None:
            known = select(rows.c.id).where(rows.c.crawl == crawl.id, rows.c.key == key).limit(1)
            if connection.execute(known).first() is None:
                self._store(connection, crawl.id, key, new)

        await self._locked(operation)

    def _store(self, connection: Connection, crawl: int, key: str, new: Sequence[DatasetRow]) -> None:
        for ordinal, row in numbered(new):
            values = {"dataset": row.dataset, "ordinal": ordinal, "body": row.body, "payload": row.payload}
            connection.execute(statements.ADD_ROW, {"crawl": crawl, "key": key, **values})

    async def begin_export(
        self, file: str, *, dataset: str = DATASET, payloads: bool = False
    ) -> tuple[ExportOffset, int]:
        """Return how far an export is, and the last row of its dataset that a vacuum may have deleted, 0 for none.

        From now on a vacuum waits for this export. `payloads` says that it writes those alone.
        """
        return await self._locked(
            lambda connection, crawl: begin(connection, crawl.id, file, dataset, payloads=payloads)
        )

    async def export_offset(self, file: str) -> ExportOffset | None:
        """Return what `set_export_offset` recorded last for this export, None if nothing."""
        return await self._light(lambda connection: read(connection, self._crawl, file))

    async def set_export_offset(
        self, file: str, offset: ExportOffset, *, dataset: str = DATASET, payloads: bool = False
    ) -> bool:
        """Record an offset, durably; return False, and do nothing, if the export has to begin again meanwhile."""
        return await self._transactions.run(
            lambda connection: write(connection, self._crawl, file, offset, dataset, payloads=payloads)
        )

    async def get_state(self, key: str) -> bytes | None:
        """Return what `set_state` recorded under a key, None if nothing."""
        return (await self.get_states([key])).get(key)

    async def set_state(self, key: str, value: bytes) -> None:
        """Record a small value under a key."""
        await self._transactions.run(lambda connection: shared.write(connection, self._crawl, key, value))

    async def get_states(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return what `set_state` and `swap_states` recorded under keys, those that have something."""
        return await self._light(lambda connection: shared.read(connection, self._crawl, keys))

    async def states_from(self, prefix: str) -> dict[str, bytes]:
        """Return all small values whose keys begin so."""
        return await self._light(lambda connection: shared.read_from(connection, self._crawl, prefix))

    async def add_state(self, key: str, value: bytes) -> bool:
        """Record a small value under a key that has none; return whether it had none."""
        return bool(await self.swap_states({key: (None, value)}))

    async def swap_states(self, swaps: shared.Swaps) -> set[str]:
        """Replace small values that are still as expected, None for none yet, and return the keys of those.

        After an answer that was lost, they may be replaced and not be among them.
        """
        return await self._called(lambda connection: shared.swap(connection, self._crawl, swaps))

    # -- workers -----------------------------------------------------------------------------------

    async def _free_dead_workers(self) -> None:
        columns = [requests.c[name] for name in ("key", "host", "position", "worker")]

        def operation(connection: Connection, crawl: counting.CrawlRow) -> None:
            leased = select(*columns).where(requests.c.crawl == crawl.id, requests.c.state == statements.LEASED)
            found = [row for row in connection.execute(leased) if is_dead(row.worker)]
            queue.return_to_queue(connection, crawl.id, [(row.key, row.host, row.position) for row in found])

        await self._locked(operation)

    async def _looking(self, operation: Callable[[Connection, counting.CrawlRow], T]) -> T:
        """Run an operation that only reads, without the crawl's lock."""
        return await self._light(lambda connection: operation(connection, queue.look(connection, self._crawl)))

    async def _called(self, operation: Callable[[Connection], T]) -> T:
        """Run one call of `file` or `server`: a transaction that locks the file, or one statement of a server."""
        return await self._transactions.run(operation, light=not self._transactions.is_sqlite)

    async def _light(self, operation: Callable[[Connection], T]) -> T:
        return await self._transactions.run(operation, light=True)

    async def _locked(self, operation: Callable[[Connection, counting.CrawlRow], T]) -> T:
        def run(connection: Connection) -> T:
            return operation(connection, queue.lock(connection, self._crawl))

        return await self._transactions.run(run)
