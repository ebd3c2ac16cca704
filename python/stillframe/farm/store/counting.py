"""How many pages of a crawl are in each state and had each outcome: kept in step with the queue, never counted."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from sqlalchemy import Connection, func, select

from stillframe.farm.store.entries import Counts, WorkerStatus
from stillframe.farm.store.shared import FILE_COUNT, as_json, run
from stillframe.farm.store.statements import LEASED, PENDING
from stillframe.farm.store.tables import requests, tallies, workers

OUTCOME = "outcome:"
SKIPPED = "skipped"
ROBOTS_REFUSED = "skipped:robots"
"""Outcomes of pages that count against no limit: those that lead elsewhere, and those that robots.txt forbids."""
USED = (
    f"(t.name = '{LEASED}' OR t.name LIKE '{OUTCOME}%' "
    f"AND t.name NOT IN ('{OUTCOME}{SKIPPED}', '{OUTCOME}{ROBOTS_REFUSED}'))"
)
"""The condition of the tallies that count against `max_pages`, as in `budget`."""
UNLIMITED = 1 << 30
COUNT = "SELECT stillframe_count($1, $2, $3)"


class CrawlRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a transaction needs of its crawl, and the database's time."""

    id: int
    max_pages: int | None
    host_pages: int | None
    host_interval_s: float | None
    stopped: bool
    now: float


def count(connection: Connection, crawl: int, changes: Mapping[str, int]) -> None:
    """Add to the tallies of a crawl."""
    some = {name: change for name, change in changes.items() if change}
    if not some:
        return
    if connection.dialect.name == "sqlite":
        run(connection, FILE_COUNT, {"p_crawl": crawl, "p_changes": as_json(some.items())})
    else:
        connection.exec_driver_sql(COUNT, (crawl, list(some), list(some.values())))


def tally(connection: Connection, crawl: int) -> dict[str, int]:
    """Return the tallies of a crawl."""
    total = func.sum(tallies.c.count)
    found = connection.execute(select(tallies.c.name, total).where(tallies.c.crawl == crawl).group_by(tallies.c.name))
    return {name: int(count) for name, count in found if count}


def budget(crawl: CrawlRow, tally: Mapping[str, int]) -> int:
    """Return how many more pages may be leased: none after a stop; skipped pages do not count against `max_pages`."""
    if crawl.stopped:
        return 0
    if crawl.max_pages is None:
        return UNLIMITED
    skipped = (OUTCOME + SKIPPED, OUTCOME + ROBOTS_REFUSED)
    used = sum(count for name, count in tally.items() if name.startswith(OUTCOME) and name not in skipped)
    return max(0, crawl.max_pages - used - tally.get(LEASED, 0))


def outcomes(tally: Mapping[str, int]) -> dict[str, int]:
    """Return how many finished pages had each outcome."""
    return {name.removeprefix(OUTCOME): count for name, count in tally.items() if name.startswith(OUTCOME)}


def counts(connection: Connection, crawl: CrawlRow) -> Counts:
    """Return how far a crawl is."""
    known = tally(connection, crawl.id)
    return Counts(
        pending=known.get(PENDING, 0),
        leased=known.get(LEASED, 0),
        outcomes=outcomes(known),
        oldest_lease_s=oldest_lease_s(connection, crawl),
    )


def oldest_lease_s(connection: Connection, crawl: CrawlRow) -> float:
    """Return the age of the oldest lease in seconds, 0 without one."""
    oldest = select(func.min(requests.c.leased_at)).where(requests.c.crawl == crawl.id, requests.c.state == LEASED)
    at = connection.execute(oldest).scalar()
    return 0.0 if at is None else max(0.0, crawl.now - float(at))


def worker_statuses(connection: Connection, crawl: CrawlRow) -> list[WorkerStatus]:
    """Return all workers that have ever asked for pages, the last heard first."""
    leased = (
        select(requests.c.worker, func.count().label("leased"))
        .where(requests.c.crawl == crawl.id, requests.c.state == LEASED)
        .group_by(requests.c.worker)
        .subquery()
    )
    asked = (
        select(workers.c.worker, workers.c.seen_at, func.coalesce(leased.c.leased, 0))
        .join(leased, leased.c.worker == workers.c.worker, isouter=True)
        .where(workers.c.crawl == crawl.id)
        .order_by(workers.c.seen_at.desc())
    )
    return [
        WorkerStatus(worker=worker, leased=amount, seen_s=max(0.0, crawl.now - seen_at))
        for worker, seen_at, amount in connection.execute(asked)
    ]
