"""The queue's SQL: functions that run in the transaction of their caller, which has locked the crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import String, and_, bindparam, case, func, insert, literal, or_, select, text, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from stillframe.farm.store.clock import machine_time
from stillframe.farm.store.counting import DONE, LEASED, OUTCOME, PENDING, WAITING, CrawlRow, count, inserting
from stillframe.farm.store.entries import AddedRequest, Lease, NewRequest, short
from stillframe.farm.store.tables import crawls, hosts, requests

BATCH = 500
"""How many keys one statement asks for; SQLite allows 32,766 values."""
ANY_HOST = "*"
LOCKS = 1_937_009_260
"""The first key of our advisory locks in PostgreSQL: "stfl" in ASCII, so that other programs hardly take the same."""


async def lock(connection: AsyncConnection, crawl: int) -> CrawlRow:
    """Let no other transaction change the crawl until this one ends; return its row and the database's time."""
    is_sqlite = connection.dialect.name == "sqlite"
    if not is_sqlite:  # BEGIN IMMEDIATE has locked SQLite
        await connection.execute(text("SELECT pg_advisory_xact_lock(:kind, :crawl)"), {"kind": LOCKS, "crawl": crawl})
    columns = [crawls.c[name] for name in ("id", "max_pages", "host_pages", "host_interval_s", "stopped")]
    found = (await connection.execute(select(*columns, clock(is_sqlite)).where(crawls.c.id == crawl))).one()
    return CrawlRow(
        id=found[0],
        max_pages=found[1],
        host_pages=found[2],
        host_interval_s=found[3],
        stopped=found[4],
        now=float(found[5]),
    )


def clock(is_sqlite: bool) -> Any:
    """Return the SQL for the database's time, in seconds since 1970; SQLite has none but this machine's."""
    if is_sqlite:
        return literal(machine_time())
    return text("extract(epoch FROM clock_timestamp()) AS now")


# -- adding ------------------------------------------------------------------------------------------


async def add(
    connection: AsyncConnection, crawl: int, new: Sequence[NewRequest], *, first: bool = False
) -> list[AddedRequest]:
    """Add requests whose keys are new, in their order, behind all others or before them."""
    unique: dict[str, NewRequest] = {}
    for request in new:
        unique.setdefault(short(request.key), request)
    known = await _states(connection, crawl, list(unique))
    fresh = [request for key, request in unique.items() if key not in known]
    if fresh:
        await _insert(connection, crawl, fresh, await _positions(connection, crawl, len(fresh), first=first))
    unseen = {request.key for request in fresh}
    answers = []
    for request in new:
        answers.append(
            AddedRequest(key=request.key, added=request.key in unseen, finished=known.get(short(request.key)) == DONE)
        )
        unseen.discard(request.key)
    return answers


# One look at the primary key for each: with IN (…), PostgreSQL scans a table that it has no statistics of yet.
STATES = text(
    "SELECT k, (SELECT state FROM stillframe_requests WHERE crawl = :crawl AND key = k) FROM unnest(:keys) AS k"
).bindparams(bindparam("keys", type_=postgresql.ARRAY(String)))


async def _states(connection: AsyncConnection, crawl: int, keys: Sequence[str]) -> dict[str, str]:
    if connection.dialect.name == "postgresql":
        answers = await connection.execute(STATES, {"crawl": crawl, "keys": list(keys)})
        return {key: state for key, state in answers if state is not None}
    found: dict[str, str] = {}
    for start in range(0, len(keys), BATCH):
        some = requests.c.key.in_(keys[start : start + BATCH])
        asked = select(requests.c.key, requests.c.state).where(requests.c.crawl == crawl, some)
        found |= {row.key: row.state for row in await connection.execute(asked)}
    return found


async def _positions(connection: AsyncConnection, crawl: int, amount: int, *, first: bool) -> range:
    """Take positions: growing ones behind the last, or those before the first."""
    column = crawls.c.first_position if first else crawls.c.last_position
    changed = update(crawls).where(crawls.c.id == crawl).values({column: column + (-amount if first else amount)})
    at = int((await connection.execute(changed.returning(column))).scalar_one())
    return range(at, at + amount) if first else range(at - amount + 1, at + 1)


async def first_position(connection: AsyncConnection, crawl: int) -> int:
    """Take the position before all others."""
    return (await _positions(connection, crawl, 1, first=True))[0]


async def _insert(connection: AsyncConnection, crawl: int, new: Sequence[NewRequest], positions: range) -> None:
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
    await connection.execute(insert(requests), values)
    heads: dict[str, int] = {}
    for request, position in zip(new, positions, strict=True):
        host = short(request.host)
        heads[host] = min(position, heads.get(host, position))
    await _lower_heads(connection, crawl, heads)
    await count(connection, crawl, {PENDING: len(new)})


async def _lower_heads(connection: AsyncConnection, crawl: int, heads: dict[str, int]) -> None:
    """Record that hosts have pending pages at these positions."""
    statement = inserting(connection, hosts)
    lower = case(
        (or_(hosts.c.head.is_(None), hosts.c.head > statement.excluded.head), statement.excluded.head),
        else_=hosts.c.head,
    )
    statement = statement.on_conflict_do_update(index_elements=["crawl", "host"], set_={"head": lower})
    values = [{"crawl": crawl, "host": host, "head": head} for host, head in sorted(heads.items())]
    await connection.execute(statement, values)


# -- leasing -----------------------------------------------------------------------------------------


async def make_due(connection: AsyncConnection, crawl: CrawlRow) -> None:
    """Make pending what has waited long enough, and what was leased for longer than its lease."""
    due = select(requests.c.key, requests.c.host, requests.c.state, requests.c.position).where(
        requests.c.crawl == crawl.id, requests.c.state.in_((WAITING, LEASED)), requests.c.due_at <= crawl.now
    )
    await return_to_queue(connection, crawl.id, [tuple(row) for row in await connection.execute(due)])


async def return_to_queue(connection: AsyncConnection, crawl: int, found: Sequence[tuple[str, str, str, int]]) -> None:
    """Make requests pending, given as (key, host, state, position)."""
    if not found:
        return
    for start in range(0, len(found), BATCH):
        some = requests.c.key.in_([row[0] for row in found[start : start + BATCH]])
        await connection.execute(
            update(requests).where(requests.c.crawl == crawl, some).values(state=PENDING, due_at=None, worker=None)
        )
    heads: dict[str, int] = {}
    for _, host, _, position in found:
        heads[host] = min(position, heads.get(host, position))
    await _lower_heads(connection, crawl, heads)
    leased = Counter(host for _, host, state, _ in found if state == LEASED)
    for host, amount in sorted(leased.items()):
        await _change_leased(connection, crawl, host, -amount)
    await count(connection, crawl, {LEASED: -leased.total(), PENDING: leased.total()})


async def _change_leased(connection: AsyncConnection, crawl: int, host: str, change: int) -> None:
    here = and_(hosts.c.crawl == crawl, hosts.c.host == short(host))
    await connection.execute(update(hosts).where(here).values(leased=hosts.c.leased + change))


async def lease_one(connection: AsyncConnection, crawl: CrawlRow, worker: str, lease_s: float) -> Lease | None:
    """Lease the oldest page of the hosts that may start one now; None if there is none."""
    host = (await connection.execute(_next_host(crawl))).first()
    if host is None:
        return None
    columns = [requests.c[name] for name in ("key", "long_key", "url", "host", "body", "depth", "attempts", "token")]
    here = and_(requests.c.crawl == crawl.id, requests.c.host == host.host, requests.c.state == PENDING)
    found = (await connection.execute(select(*columns).where(here).order_by(requests.c.position).limit(1))).one()
    await _set_state(
        connection,
        crawl.id,
        found.key,
        state=LEASED,
        attempts=found.attempts + 1,
        token=found.token + 1,
        worker=worker,
        leased_at=crawl.now,
        due_at=crawl.now + lease_s,
    )
    head = select(func.min(requests.c.position)).where(here).scalar_subquery()
    interval = crawl.host_interval_s if host.interval_s is None else host.interval_s
    await connection.execute(
        update(hosts)
        .where(hosts.c.crawl == crawl.id, hosts.c.host == host.host)
        .values(head=head, leased=hosts.c.leased + 1, next_start=crawl.now + (interval or 0.0))
    )
    return Lease(
        key=found.long_key or found.key,
        url=found.url,
        host=found.host,
        body=found.body,
        depth=found.depth,
        attempts=found.attempts + 1,
        token=found.token + 1,
        expires_in_s=lease_s,
    )


def _next_host(crawl: CrawlRow) -> Any:
    allowed: Any = func.coalesce(hosts.c.pages, literal(crawl.host_pages, crawls.c.host_pages.type))
    return (
        select(hosts.c.host, hosts.c.interval_s)
        .where(
            hosts.c.crawl == crawl.id,
            hosts.c.head.is_not(None),
            hosts.c.held_until <= crawl.now,
            hosts.c.next_start <= crawl.now,
            or_(allowed.is_(None), hosts.c.leased < allowed),
        )
        .order_by(hosts.c.head)
        .limit(1)
    )


async def renew(
    connection: AsyncConnection, crawl: CrawlRow, lease: Lease, worker: str, lease_s: float, *made_at: float
) -> bool:
    """Let a lease last `lease_s` seconds from now, if the worker holds it still and, if given, made it at `made_at`."""
    renewed = update(requests).where(
        *_current(crawl.id, lease, worker), *(requests.c.leased_at == at for at in made_at)
    )
    return (await connection.execute(renewed.values(due_at=crawl.now + lease_s))).rowcount > 0


def _current(crawl: int, lease: Lease, worker: str) -> tuple[Any, ...]:
    """Return the conditions of a lease that its worker still holds."""
    return (
        requests.c.crawl == crawl,
        requests.c.key == short(lease.key),
        requests.c.token == lease.token,
        requests.c.state == LEASED,
        requests.c.worker == worker,
    )


async def _set_state(connection: AsyncConnection, crawl: int, key: str, **values: Any) -> None:
    await connection.execute(update(requests).where(requests.c.crawl == crawl, requests.c.key == key).values(**values))


# -- ending a lease ----------------------------------------------------------------------------------


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What the database says of a lease: `mine` if it is current, `completed` or `released` if this worker did that."""

    mine: bool = False
    completed: bool = False
    released: bool = False
    position: int = 0


async def held(connection: AsyncConnection, crawl: int, lease: Lease, worker: str) -> Held:
    """Return whether a lease is still the worker's."""
    columns = [requests.c[name] for name in ("state", "token", "position", "worker")]
    found = (
        await connection.execute(select(*columns).where(requests.c.crawl == crawl, requests.c.key == short(lease.key)))
    ).first()
    if found is None or found.token != lease.token or found.worker != worker:
        return Held()
    return Held(
        mine=found.state == LEASED,
        completed=found.state == DONE,
        released=found.state in (PENDING, WAITING),
        position=found.position,
    )


async def finish(
    connection: AsyncConnection, crawl: int, lease: Lease, worker: str, outcome: str, body: str | None
) -> bool:
    """Record that a leased page is over; return False, and change nothing, if the lease is not current."""
    more = {} if body is None else {"body": body}
    over = update(requests).where(*_current(crawl, lease, worker))
    changed = await connection.execute(over.values(state=DONE, outcome=outcome, due_at=None, **more))
    if not changed.rowcount:
        return False
    await _change_leased(connection, crawl, lease.host, -1)
    await count(connection, crawl, {LEASED: -1, OUTCOME + outcome: 1})
    return True


async def put_back(
    connection: AsyncConnection,
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
    await _set_state(connection, crawl.id, short(lease.key), state=state, due_at=due_at, position=position, **more)
    await _change_leased(connection, crawl.id, lease.host, -1)
    if state == PENDING:
        await _lower_heads(connection, crawl.id, {short(lease.host): position})
    await count(connection, crawl.id, {LEASED: -1, PENDING: 1})


async def hold_host(connection: AsyncConnection, crawl: CrawlRow, host: str, hold_s: float) -> None:
    """Start no page of a host for so many seconds."""
    until = crawl.now + hold_s
    longer = case((hosts.c.held_until > until, hosts.c.held_until), else_=until)
    here = and_(hosts.c.crawl == crawl.id, hosts.c.host == short(host))
    await connection.execute(update(hosts).where(here).values(held_until=longer))


async def limit_host(
    connection: AsyncConnection, crawl: int, host: str, pages: int | None, interval_s: float | None
) -> None:
    """Limit one host, or with `*` each host that has no limit of its own."""
    if host == ANY_HOST:
        await connection.execute(
            update(crawls).where(crawls.c.id == crawl).values(host_pages=pages, host_interval_s=interval_s)
        )
        return
    values = {"pages": pages, "interval_s": interval_s}
    new = inserting(connection, hosts).values(crawl=crawl, host=short(host), **values)
    await connection.execute(new.on_conflict_do_update(index_elements=["crawl", "host"], set_=values))


async def next_ready_s(connection: AsyncConnection, crawl: CrawlRow, *, admits: bool) -> float | None:
    """Return the seconds until a page may be leased, as the queue is now; None if nothing is pending or leased.

    Unless the crawl `admits` more pages, only the end of a lease can let it.
    """
    allowed: Any = func.coalesce(hosts.c.pages, literal(crawl.host_pages, crawls.c.host_pages.type))
    later = case((hosts.c.held_until > hosts.c.next_start, hosts.c.held_until), else_=hosts.c.next_start)
    of_hosts = select(func.min(later)).where(
        hosts.c.crawl == crawl.id, hosts.c.head.is_not(None), or_(allowed.is_(None), hosts.c.leased < allowed)
    )
    of_due = select(func.min(requests.c.due_at)).where(
        requests.c.crawl == crawl.id, requests.c.state.in_((WAITING, LEASED) if admits else (LEASED,))
    )
    times = [await connection.scalar(each) for each in ((of_hosts, of_due) if admits else (of_due,))]
    known = [float(at) for at in times if at is not None]
    return max(0.0, min(known) - crawl.now) if known else None
