"""What both databases do alike, in the transaction of a caller that has locked the crawl.

Leases, completions, releases and additions are in `file` for SQLite, and in `functions` that `server` calls.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy import Connection, update

from stillframe.farm.errors import CrawlUnknown
from stillframe.farm.store import statements
from stillframe.farm.store.counting import CrawlRow, count
from stillframe.farm.store.entries import short
from stillframe.farm.store.functions import LOCKS
from stillframe.farm.store.shared import FILE_CHANGE_HOSTS, as_json, run
from stillframe.farm.store.statements import LEASED, PENDING
from stillframe.farm.store.tables import crawls, requests

# The clock of SQLite crawls: this machine's, without the steps of its wall clock.


def _since_boot() -> float:
    # CLOCK_BOOTTIME goes on while the machine sleeps, so that processes started before and after agree.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


_BOOT = time.time() - _since_boot()


def machine_time() -> float:
    """Return the seconds since 1970, by the wall clock at the start of this process; its later steps do not count."""
    return _BOOT + _since_boot()


BATCH = 500
"""How many keys one statement asks for; SQLite allows 32,766 values."""
ANY_HOST = "*"
CHANGE_HOSTS = "SELECT stillframe_change_hosts($1, $2, $3, $4)"


def lock(connection: Connection, crawl: int) -> CrawlRow:
    """Let no other transaction change the crawl until this one ends; return its row and the database's time.

    SQLite has no time but this machine's, and BEGIN IMMEDIATE has locked it.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(statements.LOCK, {"kind": LOCKS, "of_crawl": crawl})
    return look(connection, crawl)


def look(connection: Connection, crawl: int) -> CrawlRow:
    """Return the row of the crawl and the database's time, without a lock. Raises CrawlUnknown for a deleted one."""
    is_sqlite = connection.dialect.name == "sqlite"
    asked = statements.CRAWL if is_sqlite else statements.CRAWL_AND_CLOCK
    found = connection.execute(asked, {"of_crawl": crawl}).first()
    if found is None:
        raise CrawlUnknown(
            f"Crawl {crawl} is not in its database any more: a vacuum has deleted it meanwhile", name=str(crawl)
        )
    now = machine_time() if is_sqlite else float(found[5])
    return CrawlRow(
        id=found[0], max_pages=found[1], host_pages=found[2], host_interval_s=found[3], stopped=found[4], now=now
    )


# -- what both databases share -------------------------------------------------------------------------


def change_hosts(connection: Connection, crawl: int, changes: Sequence[tuple[str, int | None, int]]) -> None:
    """Record for each host that it has a pending page at a position, None for none, and how many leases have ended."""
    if not changes:
        return
    if connection.dialect.name == "sqlite":
        run(connection, FILE_CHANGE_HOSTS, {"p_crawl": crawl, "p_changes": as_json(changes)})
        return
    hosts, positions = [host for host, _, _ in changes], [position for _, position, _ in changes]
    over = [host for host, _, ended in changes for _ in range(ended)]
    connection.exec_driver_sql(CHANGE_HOSTS, (crawl, hosts, positions, over))


def return_to_queue(connection: Connection, crawl: int, found: Sequence[tuple[str, str, int]]) -> None:
    """Make leased pages, given as (key, host, position), pending."""
    for start in range(0, len(found), BATCH):
        some = requests.c.key.in_([key for key, _, _ in found[start : start + BATCH]])
        connection.execute(
            update(requests).where(requests.c.crawl == crawl, some).values(state=PENDING, due_at=None, worker=None)
        )
    change_hosts(connection, crawl, [(host, position, 1) for _, host, position in found])
    count(connection, crawl, {LEASED: -len(found), PENDING: len(found)})


def limit_host(connection: Connection, crawl: int, host: str, pages: int | None, interval_s: float | None) -> None:
    """Limit one host, or with `*` each host that has no limit of its own."""
    if host == ANY_HOST:
        connection.execute(
            update(crawls).where(crawls.c.id == crawl).values(host_pages=pages, host_interval_s=interval_s)
        )
        connection.execute(statements.WAKE_FULL, {"of_crawl": crawl})
        return
    values = {"crawl": crawl, "host": short(host), "pages": pages, "interval_s": interval_s}
    connection.execute(statements.limit_host(connection.dialect.name), values)


def next_ready_s(connection: Connection, crawl: CrawlRow, *, admits: bool) -> float | None:
    """Return the seconds until a page may be leased, as the queue is now; None if nothing is pending or leased.

    Unless the crawl `admits` more pages, only the end of a lease can let it.
    """
    found = connection.execute(statements.READY, {"of_crawl": crawl.id, "host_pages": crawl.host_pages}).one()
    known = [float(at) for at in (found if admits else found[:1]) if at is not None]
    return max(0.0, min(known) - crawl.now) if known else None


def is_overdue(connection: Connection, crawl: CrawlRow) -> bool:
    """Return whether a lease has run out that was not returned to the queue yet."""
    at = connection.execute(statements.READY, {"of_crawl": crawl.id, "host_pages": crawl.host_pages}).one()[0]
    return at is not None and at <= crawl.now
