"""Calls of a server's functions: leases, completions, releases and additions, each one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from stillframe.farm.store.entries import AddedRequest, Completion, Lease, NewRequest, Return, short
from stillframe.farm.store.positions import priority_of

LEASE = "SELECT * FROM stillframe_lease($1, $2, $3, $4, $5, $6, $7)"
ADD = "SELECT * FROM stillframe_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
COMPLETE = f"SELECT stillframe_complete({', '.join(f'${number}' for number in range(1, 20))})"
RENEW = "SELECT stillframe_renew($1, $2, $3, $4, $5)"
RELEASE = "SELECT stillframe_release($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
HORIZON = "SELECT stillframe_horizon($1, $2)"


def lease(  # noqa: PLR0913  the function's own
    connection: Connection, crawl: int, worker: str, lease_s: float, limit: int, *, batch: int, again: bool, seen: bool
) -> list[Lease]:
    """Lease up to `limit` pages; with `again`, return those that an earlier try of the call `batch` leased."""
    found = connection.exec_driver_sql(LEASE, (crawl, worker, lease_s, limit, batch, again, seen)).all()
    return [lease_of(row, lease_s) for row in found]


def lease_of(row: Sequence[Any], lease_s: float) -> Lease:
    """Return the lease of a row."""
    return Lease(
        key=row[0],
        url=row[1],
        host=row[2],
        body=row[3],
        depth=row[4],
        attempts=row[5],
        token=row[6],
        priority=priority_of(row[7]),
        expires_in_s=lease_s,
    )


def add(
    connection: Connection, crawl: int, new: Sequence[NewRequest], *, first: bool, batch: int, again: bool
) -> list[AddedRequest]:
    """Add requests; with `again`, those that an earlier try of the call `batch` added count as added."""
    given = _columns(new)
    rows = connection.exec_driver_sql(ADD, (crawl, batch, first, again, *given)).all()
    found: dict[str, tuple[bool, bool]] = {row[0]: (row[1], row[2]) for row in rows}
    return answers_to(new, found)


def answers_to(new: Sequence[NewRequest], found: dict[str, tuple[bool, bool]]) -> list[AddedRequest]:
    """Return for each request what `found` has of its key; of several with one key, the first was added."""
    answers: list[AddedRequest] = []
    for request in new:
        key = short(request.key)
        added, finished = found[key]
        answers.append(AddedRequest(key=request.key, added=added, finished=finished))
        found[key] = (False, finished)
    return answers


def complete(connection: Connection, crawl: int, worker: str, pages: Sequence[Completion]) -> list[str]:
    """End leases, and return for each what became of it: completed, repeated or lost."""
    keys = [short(page.lease.key) for page in pages]
    rows: list[tuple[Any, ...]] = []
    links: list[NewRequest] = []
    link_pages: list[int] = []
    for number, page in enumerate(pages, 1):
        rows += [(number, row.dataset, ordinal, row.body, row.payload) for ordinal, row in page.numbered_rows()]
        links += page.links
        link_pages += [number] * len(page.links)
    arguments = (
        keys,
        [page.lease.token for page in pages],
        [page.outcome for page in pages],
        [page.request for page in pages],
        *([row[column] for row in rows] for column in range(5)),
        link_pages,
        *_columns(links),
    )
    return list(connection.exec_driver_sql(COMPLETE, (crawl, worker, *arguments)).scalar_one())


def renew(connection: Connection, crawl: int, worker: str, lease_s: float, leases: Sequence[Lease]) -> list[Lease]:
    """Renew leases, and return those that were still held."""
    keys, tokens = [short(lease.key) for lease in leases], [lease.token for lease in leases]
    held = connection.exec_driver_sql(RENEW, (crawl, worker, lease_s, keys, tokens)).scalar_one()
    return [lease for lease, is_held in zip(leases, held, strict=True) if is_held]


def release(connection: Connection, crawl: int, worker: str, page: Return) -> str:
    """Return a page to the queue, and say what became of it: released, repeated or lost."""
    arguments = (
        *(short(page.lease.key), page.lease.token, page.attempts),
        *(float(page.delay_s), float(page.hold_host_s), page.first, page.last, page.request),
    )
    return str(connection.exec_driver_sql(RELEASE, (crawl, worker, *arguments)).scalar_one())


def horizon(connection: Connection, crawl: int, dataset: str) -> int:
    """Return the greatest id of a dataset's rows before which no later commit adds one."""
    return int(connection.exec_driver_sql(HORIZON, (crawl, dataset)).scalar_one())


def _columns(new: Sequence[NewRequest]) -> tuple[list[Any], ...]:
    keys = [short(request.key) for request in new]
    return (
        keys,
        [None if key == request.key else request.key for key, request in zip(keys, new, strict=True)],
        [request.url for request in new],
        [short(request.host) for request in new],
        [request.body for request in new],
        [request.depth for request in new],
        [request.priority for request in new],
    )
