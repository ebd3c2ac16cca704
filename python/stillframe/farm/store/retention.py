"""What leaves a crawl's database: results of pages that are to be loaded again, exported rows, and old crawls."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, and_, bindparam, delete, func, select, update

from stillframe.farm.errors import CrawlUnknown
from stillframe.farm.store import counting
from stillframe.farm.store.connect import check_folder, parse_url
from stillframe.farm.store.counting import OUTCOME, CrawlRow, count
from stillframe.farm.store.crawl_store import PATIENCE_S, CrawlStore
from stillframe.farm.store.offsets import exported_up_to, rewind, set_vacuumed, vacuumed
from stillframe.farm.store.opening import TOMBSTONE, check_version
from stillframe.farm.store.queue import change_hosts, lock
from stillframe.farm.store.statements import DONE, LEASED, PENDING
from stillframe.farm.store.tables import crawls, hosts, offsets, requests, robots, rows, states, tallies, workers
from stillframe.farm.store.transactions import Transactions

AT_ONCE = 500
"""Pages that one transaction returns to the queue; our choice, some tens of milliseconds."""
LOOKED_AT = 20_000
"""Pages that one statement looks at for those: the time of a statement is limited."""
DELETED_AT_ONCE = 100
"""Rows that one transaction deletes: with the bodies of a WARC file, some tens of megabytes; our choice."""


class Vacuumed(msgspec.Struct, frozen=True, kw_only=True):
    """What a vacuum deleted: rows, their bytes, and whole crawls; `unexported` names old ones that it kept."""

    rows: int = 0
    bytes: int = 0
    crawls: tuple[str, ...] = ()
    unexported: tuple[str, ...] = ()


# -- pages that are to be loaded again ---------------------------------------------------------------


async def requeue(store: CrawlStore, outcomes: Sequence[str], *, body: Callable[[str], str] | None = None) -> int:
    """Let pages that are over be loaded again, as if they had never been tried, and return their number.

    Their rows are deleted in the same transaction. An export whose files have one of these begins again from the first
    row, so that no page stands in it twice; unless a vacuum has deleted rows: then the files keep the older record.

    Args:
        store: The store of the crawl; workers may run.
        outcomes: Patterns of outcomes, with `*` and `?`, such as `failed:http_5*`.
        body: Makes the body of an untried request from that of a tried one.

    Raises:
        StoreUnavailable: The database does not answer.
    """
    tally = await store._looking(lambda connection, crawl: counting.tally(connection, crawl.id))
    wanted = [name for name in counting.outcomes(tally) if any(fnmatchcase(name, pattern) for pattern in outcomes)]
    total, after = 0, ""
    while wanted:
        keys, last = await _over(store, wanted, after)
        for start in range(0, len(keys), AT_ONCE):
            total += await _requeue_some(store, wanted, keys[start : start + AT_ONCE], body)
        if last is None:
            break
        after = last
    return total


async def _over(store: CrawlStore, wanted: Sequence[str], after: str) -> tuple[list[str], str | None]:
    """Return the keys of the next pages with such an outcome, and the last key looked at; None at the end."""
    here = and_(requests.c.crawl == store._crawl, requests.c.key > after)
    bound = select(requests.c.key).where(here).order_by(requests.c.key).limit(1).offset(LOOKED_AT - 1)

    def operation(connection: Connection) -> tuple[list[str], str | None]:
        last = connection.scalar(bound)
        found = select(requests.c.key).where(here, requests.c.state == DONE, requests.c.outcome.in_(wanted))
        return list(connection.scalars(found if last is None else found.where(requests.c.key <= last))), last

    return await store._light(operation)


async def _requeue_some(
    store: CrawlStore, wanted: Sequence[str], keys: Sequence[str], body: Callable[[str], str] | None
) -> int:
    amount = 0

    def operation(connection: Connection, crawl: CrawlRow) -> int:
        nonlocal amount
        columns = (requests.c[name] for name in ("key", "host", "position", "outcome", "body"))
        over = and_(requests.c.state == DONE, requests.c.outcome.in_(wanted))
        found = connection.execute(
            select(*columns).where(requests.c.crawl == crawl.id, requests.c.key.in_(keys), over)
        ).all()
        if not found:
            return amount  # the commit of an earlier try was made, only its answer was lost
        amount = len(found)
        untried = {"state": PENDING, "outcome": None, "attempts": 0, "worker": None, "batch": None}
        pages = update(requests).where(requests.c.crawl == crawl.id, requests.c.key == bindparam("of_key"))
        new = [{"of_key": page.key, "new_body": body(page.body) if body else page.body} for page in found]
        connection.execute(pages.values(**untried, body=bindparam("new_body")), new)
        _delete_results(connection, crawl.id, [page.key for page in found])
        change_hosts(connection, crawl.id, [(page.host, page.position, 0) for page in found])
        ended = Counter(OUTCOME + page.outcome for page in found)
        count(connection, crawl.id, {PENDING: amount, **{name: -many for name, many in ended.items()}})
        return amount

    return await store._locked(operation)


def _delete_results(connection: Connection, crawl: int, keys: Sequence[str]) -> None:
    """Delete the rows of pages, and let the exports that have them begin again."""
    here = and_(rows.c.crawl == crawl, rows.c.key.in_(keys))
    first = select(rows.c.dataset, func.min(rows.c.id), func.count(rows.c.payload)).where(here).group_by(rows.c.dataset)
    for dataset, row_id, payloads in connection.execute(first).all():
        if not vacuumed(connection, crawl, dataset):
            rewind(connection, crawl, dataset, row_id, payloads=bool(payloads))
    connection.execute(delete(rows).where(here))


# -- rows that are exported --------------------------------------------------------------------------


async def vacuum(store: CrawlStore) -> Vacuumed:
    """Delete the rows that every export of their dataset has in its files, and return how much that was.

    A dataset that nothing exports is left as it is. Workers go on meanwhile: each transaction is short and touches no
    part of the queue. Raises StoreUnavailable.
    """

    def operation(connection: Connection, crawl: CrawlRow) -> dict[str, int]:
        found = exported_up_to(connection, crawl.id)
        for dataset, last in found.items():
            # Recorded before the rows go, so that no export begins in between.
            set_vacuumed(connection, crawl.id, dataset, last)
        return found

    total = Vacuumed()
    for dataset, last in (await store._locked(operation)).items():
        here = and_(rows.c.crawl == store._crawl, rows.c.dataset == dataset, rows.c.id <= last)
        total = _sum(total, await _delete_rows(store._transactions, here))
    return total


async def _delete_rows(transactions: Transactions, here: Any) -> Vacuumed:
    some = select(rows.c.id).where(here).order_by(rows.c.id).limit(DELETED_AT_ONCE)
    size = func.length(rows.c.body) + func.coalesce(func.length(rows.c.payload), 0)
    total = Vacuumed()
    async for sizes in _batches(transactions, delete(rows).where(rows.c.id.in_(some)).returning(size)):
        total = _sum(total, Vacuumed(rows=len(sizes), bytes=sum(sizes)))
    return total


async def _batches(transactions: Transactions, statement: Any) -> AsyncIterator[Sequence[int]]:
    """Run a statement again until it returns nothing, and rest each time as long as it took: others work as well."""
    while True:
        started = time.monotonic()
        found = await transactions.run(lambda connection: connection.scalars(statement).all())
        if not found:
            return
        yield found
        await asyncio.sleep(time.monotonic() - started)


def _sum(one: Vacuumed, other: Vacuumed) -> Vacuumed:
    return msgspec.structs.replace(one, rows=one.rows + other.rows, bytes=one.bytes + other.bytes)


# -- whole crawls ------------------------------------------------------------------------------------


async def vacuum_crawls(url: str, *, older_than_s: float, unexported: bool = False) -> Vacuumed:
    """Delete the crawls of a database that are finished, and of which no worker has been heard for so long.

    A crawl is finished when nothing is leased, and nothing pending that its `max_pages` admits. One that was stopped
    before is kept, and so is one of which no export has all rows, unless `unexported`.

    Args:
        url: The URL of the database.
        older_than_s: How many seconds ago a worker was heard last.
        unexported: Whether to delete also crawls with rows that no export has; otherwise they are named in the answer.

    Raises:
        StoreVersion: The tables are of another version.
        StoreUnavailable: The database does not answer.
    """
    parsed = parse_url(url)
    check_folder(parsed)
    transactions = Transactions(parsed, patience_s=PATIENCE_S)
    try:
        await transactions.run(lambda connection: check_version(connection, transactions.shown))
        kept: list[str] = []
        total, names = Vacuumed(), []
        numbers = select(crawls.c.id).order_by(crawls.c.id)
        for crawl in await transactions.run(lambda connection: connection.scalars(numbers).all()):
            name = await transactions.run(_Burial(crawl, older_than_s, unexported=unexported, kept=kept).run)
            if name is not None:
                names.append(name)
                total = _sum(total, await _delete_rows(transactions, rows.c.crawl == crawl))
                await _delete_crawl(transactions, crawl)
        return msgspec.structs.replace(total, crawls=tuple(names), unexported=tuple(dict.fromkeys(kept)))
    finally:
        await transactions.close()


class _Burial:
    """Marks a crawl as being deleted if it is old enough; so the next vacuum goes on with one that was interrupted."""

    def __init__(self, crawl: int, older_than_s: float, *, unexported: bool, kept: list[str]) -> None:
        self.crawl = crawl
        self.older_than_s = older_than_s
        self.unexported = unexported
        self.kept = kept

    def run(self, connection: Connection) -> str | None:
        """Return the name of the crawl if it is to be deleted."""
        try:
            row = lock(connection, self.crawl)
        except CrawlUnknown:
            return None  # another vacuum was faster
        name = str(connection.scalar(select(crawls.c.name).where(crawls.c.id == self.crawl)))
        tomb = f"{TOMBSTONE}{self.crawl}: "
        if name.startswith(tomb):
            return name.removeprefix(tomb)
        heard = connection.scalar(select(func.max(workers.c.seen_at)).where(workers.c.crawl == self.crawl))
        if heard is None or row.now - heard < self.older_than_s or not self._is_finished(connection, row):
            return None
        if not self.unexported and self._has_more(connection):
            self.kept.append(name)
            return None
        new = {"name": (tomb + name)[:200], "stopped": True}
        connection.execute(update(crawls).where(crawls.c.id == self.crawl).values(new))
        return name

    def _is_finished(self, connection: Connection, row: CrawlRow) -> bool:
        tally = counting.tally(connection, self.crawl)
        left = counting.budget(msgspec.structs.replace(row, stopped=False), tally)
        return not tally.get(LEASED) and not (tally.get(PENDING) and left)

    def _has_more(self, connection: Connection) -> bool:
        """Return whether there are rows that no export has."""
        last = select(rows.c.dataset, func.max(rows.c.id)).where(rows.c.crawl == self.crawl).group_by(rows.c.dataset)
        known = exported_up_to(connection, self.crawl)
        return any(row_id > known.get(dataset, 0) for dataset, row_id in connection.execute(last))


async def _delete_crawl(transactions: Transactions, crawl: int) -> None:
    """Delete what a crawl has in all tables, its own row last."""
    some = select(requests.c.key).where(requests.c.crawl == crawl).limit(10 * DELETED_AT_ONCE)
    pages = delete(requests).where(requests.c.crawl == crawl, requests.c.key.in_(some))
    async for _ in _batches(transactions, pages.returning(requests.c.depth)):
        pass
    # Pages and rows may have come meanwhile: SQLite gives the number to another crawl, which must not have them.
    of_crawl: Iterable[Table] = (requests, rows, hosts, tallies, offsets, states, workers, robots)

    def operation(connection: Connection) -> None:
        for table in of_crawl:
            connection.execute(delete(table).where(table.c.crawl == crawl))
        connection.execute(delete(crawls).where(crawls.c.id == crawl))

    await transactions.run(operation)
