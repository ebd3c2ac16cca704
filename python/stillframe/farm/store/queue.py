"""The queue's SQL: functions that run in the transaction of their caller, which has locked the crawl.

On a server, leases, completions and additions are `functions` of its own instead, called by `server`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, insert, select, update

from stillframe.farm.store import statements
from stillframe.farm.store.counting import OUTCOME, CrawlRow, count
from stillframe.farm.store.entries import AddedRequest, Lease, NewRequest, short
from stillframe.farm.store.functions import LOCKS
from stillframe.farm.store.positions import priority_of, start_of
from stillframe.farm.store.statements import DONE, LEASED, PENDING, WAITING
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


def lock(connection: Connection, crawl: int) -> CrawlRow:
    """Let no other transaction change the crawl until this one ends; return its row and the database's time.

    SQLite has no time but this machine's, and BEGIN IMMEDIATE has locked it.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(statements.LOCK, {"kind": LOCKS, "of_crawl": crawl})
    return look(connection, crawl)


def look(connection: Connection, crawl: int) -> CrawlRow:
    """Return the row of the crawl and the database's time, without a lock."""
    of_crawl = {"of_crawl": crawl}
    if connection.dialect.name == "sqlite":
        found, now = connection.execute(statements.CRAWL, of_crawl).one(), machine_time()
    else:
        found = connection.execute(statements.CRAWL_AND_CLOCK, of_crawl).one()
        now = float(found[5])
    return CrawlRow(
        id=found[0], max_pages=found[1], host_pages=found[2], host_interval_s=found[3], stopped=found[4], now=now
    )


# -- adding ------------------------------------------------------------------------------------------


def add(connection: Connection, crawl: int, new: Sequence[NewRequest], *, first: bool = False) -> list[AddedRequest]:
    """Add requests whose keys are new, in their order, behind all others or before them."""
    unique: dict[str, NewRequest] = {}
    for request in new:
        unique.setdefault(short(request.key), request)
    known = _states(connection, crawl, list(unique))
    fresh = [request for key, request in unique.items() if key not in known]
    if fresh:
        turns = _turns(connection, crawl, len(fresh), first=first)
        positions = [turn + start_of(request.priority) for turn, request in zip(turns, fresh, strict=True)]
        _insert(connection, crawl, fresh, positions)
    unseen = {request.key for request in fresh}
    answers = []
    for request in new:
        answers.append(
            AddedRequest(key=request.key, added=request.key in unseen, finished=known.get(short(request.key)) == DONE)
        )
        unseen.discard(request.key)
    return answers


def _states(connection: Connection, crawl: int, keys: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for start in range(0, len(keys), BATCH):
        some = requests.c.key.in_(keys[start : start + BATCH])
        asked = select(requests.c.key, requests.c.state).where(requests.c.crawl == crawl, some)
        found |= {row.key: row.state for row in connection.execute(asked)}
    return found


def _turns(connection: Connection, crawl: int, amount: int, *, first: bool) -> range:
    """Take turns: growing ones behind the last, or those before the first."""
    column = crawls.c.first_position if first else crawls.c.last_position
    changed = update(crawls).where(crawls.c.id == crawl).values({column: column + (-amount if first else amount)})
    at = int(connection.execute(changed.returning(column)).scalar_one())
    return range(at, at + amount) if first else range(at - amount + 1, at + 1)


def new_position(connection: Connection, crawl: int, old: int, *, first: bool) -> int:
    """Take the position before all others of the same priority, or behind them."""
    return _turns(connection, crawl, 1, first=first)[0] + start_of(priority_of(old))


def _insert(connection: Connection, crawl: int, new: Sequence[NewRequest], positions: Sequence[int]) -> None:
    values = [
        {
            "crawl": crawl,
            "key": (key := short(request.key)),
            "long_key": None if key == request.key else request.key,
            "url": request.url,
            "host": short(request.host),
            "body": request.body,
            "depth": request.depth,
            "position": position,
            "state": PENDING,
        }
        for request, position in zip(new, positions, strict=True)
    ]
    connection.execute(insert(requests), values)
    heads: dict[str, int] = {}
    for request, position in zip(new, positions, strict=True):
        host = short(request.host)
        heads[host] = min(position, heads.get(host, position))
    _lower_heads(connection, crawl, heads)
    count(connection, crawl, {PENDING: len(new)})


def _lower_heads(connection: Connection, crawl: int, heads: dict[str, int]) -> None:
    """Record that hosts have pending pages at these positions."""
    values = [{"crawl": crawl, "host": host, "head": head} for host, head in sorted(heads.items())]
    connection.execute(statements.lower_head(connection.dialect.name), values)


# -- leasing -----------------------------------------------------------------------------------------


def make_due(connection: Connection, crawl: CrawlRow) -> None:
    """Make pending what has waited long enough, and what was leased for longer than its lease."""
    found = connection.execute(statements.DUE, {"of_crawl": crawl.id, "now": crawl.now})
    return_to_queue(connection, crawl.id, [tuple(row) for row in found])
    connection.execute(statements.WAKE, {"of_crawl": crawl.id, "now": crawl.now})


def return_to_queue(connection: Connection, crawl: int, found: Sequence[tuple[str, str, str, int]]) -> None:
    """Make requests pending, given as (key, host, state, position)."""
    if not found:
        return
    for start in range(0, len(found), BATCH):
        some = requests.c.key.in_([row[0] for row in found[start : start + BATCH]])
        connection.execute(
            update(requests).where(requests.c.crawl == crawl, some).values(state=PENDING, due_at=None, worker=None)
        )
    heads: dict[str, int] = {}
    for _, host, _, position in found:
        heads[host] = min(position, heads.get(host, position))
    _lower_heads(connection, crawl, heads)
    leased = Counter(host for _, host, state, _ in found if state == LEASED)
    for host, amount in sorted(leased.items()):
        _change_leased(connection, crawl, host, -amount)
    count(connection, crawl, {LEASED: -leased.total(), PENDING: leased.total()})


def _change_leased(connection: Connection, crawl: int, host: str, change: int) -> None:
    connection.execute(statements.CHANGE_LEASED, {"of_crawl": crawl, "of_host": short(host), "change": change})


def lease_one(connection: Connection, crawl: CrawlRow, worker: str, lease_s: float) -> Lease | None:
    """Lease the oldest page of the hosts that may start one now; None if there is none."""
    now = {"of_crawl": crawl.id, "now": crawl.now}
    host = connection.execute(statements.NEXT_HOST, {**now, "host_pages": crawl.host_pages}).first()
    if host is None:
        return None
    of_host = {"of_crawl": crawl.id, "of_host": host.host}
    found = connection.execute(statements.OLDEST_OF_HOST, of_host).one()
    connection.execute(
        statements.LEASE, {**now, "of_key": found.key, "by_worker": worker, "until": crawl.now + lease_s}
    )
    interval = crawl.host_interval_s if host.interval_s is None else host.interval_s
    until = crawl.now + (interval or 0.0)
    connection.execute(statements.START_ON_HOST, {**now, **of_host, "until": until, "host_pages": crawl.host_pages})
    return Lease(
        key=found.long_key or found.key,
        url=found.url,
        host=found.host,
        body=found.body,
        depth=found.depth,
        attempts=found.attempts + 1,
        token=found.token + 1,
        priority=priority_of(found.position),
        expires_in_s=lease_s,
    )


def renew(connection: Connection, crawl: CrawlRow, lease: Lease, worker: str, lease_s: float, *made_at: float) -> bool:
    """Let a lease last `lease_s` seconds from now, if the worker holds it still and, if given, made it at `made_at`."""
    values = {**_current(crawl.id, lease, worker), "until": crawl.now + lease_s}
    if made_at:
        return connection.execute(statements.RENEW_MADE_AT, {**values, "made_at": made_at[0]}).rowcount > 0
    return connection.execute(statements.RENEW, values).rowcount > 0


def _current(crawl: int, lease: Lease, worker: str) -> dict[str, Any]:
    return {"of_crawl": crawl, "of_key": short(lease.key), "of_token": lease.token, "of_worker": worker}


# -- ending a lease ----------------------------------------------------------------------------------


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What the database says of a lease: `mine` if it is current, `completed` or `released` if this worker did that."""

    mine: bool = False
    completed: bool = False
    released: bool = False
    position: int = 0


def held(connection: Connection, crawl: int, lease: Lease, worker: str) -> Held:
    """Return whether a lease is still the worker's."""
    found = connection.execute(statements.HELD, {"of_crawl": crawl, "of_key": short(lease.key)}).first()
    if found is None or found.token != lease.token or found.worker != worker:
        return Held()
    return Held(
        mine=found.state == LEASED,
        completed=found.state == DONE,
        released=found.state in (PENDING, WAITING),
        position=found.position,
    )


def finish(connection: Connection, crawl: int, lease: Lease, worker: str, outcome: str, body: str | None) -> bool:
    """Record that a leased page is over; return False, and change nothing, if the lease is not current."""
    over = {**_current(crawl, lease, worker), "new_outcome": outcome, "new_body": body}
    changed = connection.execute(statements.FINISH, over)
    if not changed.rowcount:
        return False
    _change_leased(connection, crawl, lease.host, -1)
    count(connection, crawl, {LEASED: -1, OUTCOME + outcome: 1})
    return True


def put_back(
    connection: Connection,
    crawl: CrawlRow,
    lease: Lease,
    *,
    delay_s: float,
    position: int,
    attempt: bool,
    body: str | None,
) -> None:
    """Return a leased page to the queue. Its worker stays recorded, so that a repetition is recognised."""
    more: dict[str, Any] = {} if body is None else {"body": body}
    if not attempt:
        more["attempts"] = lease.attempts - 1
    state = WAITING if delay_s > 0 else PENDING
    due_at = crawl.now + delay_s if delay_s > 0 else None
    here = and_(requests.c.crawl == crawl.id, requests.c.key == short(lease.key))
    connection.execute(update(requests).where(here).values(state=state, due_at=due_at, position=position, **more))
    _change_leased(connection, crawl.id, lease.host, -1)
    if state == PENDING:
        _lower_heads(connection, crawl.id, {short(lease.host): position})
    count(connection, crawl.id, {LEASED: -1, PENDING: 1})


def hold_host(connection: Connection, crawl: CrawlRow, host: str, hold_s: float) -> None:
    """Start no page of a host for this many seconds."""
    until = {"of_crawl": crawl.id, "of_host": short(host), "until": crawl.now + hold_s}
    connection.execute(statements.HOLD_HOST, until)


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
