"""What an operator asks of a crawl's database: hosts that wait, locks, and rows that no file has yet.

A look takes no lock. It costs an index scan over the hosts that wait, and for each export one over the rows that it
lacks, up to `MOST_ROWS`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from sqlalchemy import Connection, and_, func, literal_column, select, text

from stillframe.farm.store import counting
from stillframe.farm.store.crawl_store import PUSHED, CrawlStore
from stillframe.farm.store.entries import DATASET
from stillframe.farm.store.measuring import operation
from stillframe.farm.store.shared import NEVER
from stillframe.farm.store.statements import ASLEEP
from stillframe.farm.store.tables import hosts, offsets, requests, robots, rows, states

NAMED_HOSTS = 10
"""How many held hosts are named; the others are only counted."""
MOST_ROWS = 100_000
"""Rows beyond that are not counted."""
STATE = "health"
"""Key of the crawl's state: what was found last, and when."""
NO_EXPORT = "none"
"""Stands for an export where none has begun."""
HELD, PACED, FULL = "held", "interval", "full"
"""Why a host with pending pages may start none: it has asked for time, its interval is not over, or it has as many
open pages as it may."""
WAITS = (HELD, PACED, FULL)
_WAITING = text("""
    SELECT count(*), max(extract(epoch FROM clock_timestamp() - (to_jsonb(l) ->> 'waitstart')::timestamptz))
    FROM pg_locks AS l
    WHERE NOT l.granted
      AND (l.database IS NULL OR l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
""")
"""`waitstart` came with PostgreSQL 14; older servers have NULL for it."""


class HeldHost(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A host of which no page starts for `for_s` seconds."""

    host: str
    for_s: float


class ExportLag(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What an export lacks: rows that are committed and in no file (100,000 at most), and the age of the oldest.

    The age is counted from when the work on the page of that row began; rows that belong to no page have none.
    """

    export: str
    rows: int
    oldest_s: float


class Health(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a crawl's database is: see `health_of`."""

    hosts: Mapping[str, int] = {}
    held: tuple[HeldHost, ...] = ()
    robots_refused: int = 0
    robots_unreachable: int = 0
    exports: tuple[ExportLag, ...] = ()
    lock_waits: int = 0
    lock_wait_s: float = 0.0


class _Recorded(msgspec.Struct, frozen=True):
    at: float
    health: Health


async def health_of(store: CrawlStore) -> Health:
    """Return how the database of a crawl is.

    `hosts` counts the hosts that have pending pages and may start none, by one of `WAITS`; `held` names those that are
    held longest. `robots_refused` are pages, `robots_unreachable` hosts whose robots.txt cannot be read now.
    `lock_waits` are connections of the whole database that wait for a lock now (PostgreSQL), and `lock_wait_s` is how
    long the first of them has waited.
    """
    with operation("health"):
        return await store._looking(_look)


async def shared_health(store: CrawlStore, *, age_s: float) -> Health:
    """Return what some worker has found at most `age_s` seconds ago, or look: hundreds of workers cost as few looks."""

    def recorded(connection: Connection, crawl: counting.CrawlRow) -> Health | None:
        value = connection.scalar(select(states.c.value).where(states.c.crawl == crawl.id, states.c.key == STATE))
        try:
            known = None if value is None else msgspec.json.decode(value, type=_Recorded)
        except msgspec.MsgspecError:
            return None  # another version of stillframe has recorded it
        return known.health if known is not None and 0 <= crawl.now - known.at < age_s else None

    with operation("health"):
        known = await store._looking(recorded)
        if known is not None:
            return known
        found = await store._looking(lambda connection, crawl: _Recorded(at=crawl.now, health=_look(connection, crawl)))
        await store.set_state(STATE, msgspec.json.encode(found))
        return found.health


def _look(connection: Connection, crawl: counting.CrawlRow) -> Health:
    waiting, waited_s = _locks(connection)
    return Health(
        hosts=_hosts(connection, crawl),
        held=_held(connection, crawl),
        robots_refused=counting.outcomes(counting.tally(connection, crawl.id)).get(counting.ROBOTS_REFUSED, 0),
        robots_unreachable=_unreachable(connection, crawl),
        exports=_exports(connection, crawl),
        lock_waits=waiting,
        lock_wait_s=waited_s,
    )


def _hosts(connection: Connection, crawl: counting.CrawlRow) -> dict[str, int]:
    full = hosts.c.sleeps_until >= NEVER
    held = and_(~full, hosts.c.held_until > crawl.now)
    paced = and_(~full, hosts.c.held_until <= crawl.now, hosts.c.sleeps_until > crawl.now)
    counted = [func.count().filter(condition) for condition in (held, paced, full)]
    found = connection.execute(select(*counted).where(hosts.c.crawl == crawl.id, ASLEEP)).one()
    return dict(zip(WAITS, map(int, found), strict=True))


def _held(connection: Connection, crawl: counting.CrawlRow) -> tuple[HeldHost, ...]:
    asked = (
        select(hosts.c.host, hosts.c.held_until)
        .where(hosts.c.crawl == crawl.id, ASLEEP, hosts.c.sleeps_until < NEVER, hosts.c.held_until > crawl.now)
        .order_by(hosts.c.sleeps_until.desc(), hosts.c.host)
        .limit(NAMED_HOSTS)
    )
    return tuple(HeldHost(host=host, for_s=round(until - crawl.now, 1)) for host, until in connection.execute(asked))


def _unreachable(connection: Connection, crawl: counting.CrawlRow) -> int:
    asked = select(func.count()).where(robots.c.crawl == crawl.id, robots.c.failing_since.is_not(None))
    return int(connection.execute(asked).scalar_one())


def _exports(connection: Connection, crawl: counting.CrawlRow) -> tuple[ExportLag, ...]:
    columns = (offsets.c.name, offsets.c.dataset, offsets.c.row_id)
    asked = select(*columns).where(offsets.c.crawl == crawl.id).order_by(offsets.c.name)
    known = [tuple(row) for row in connection.execute(asked)] or [(NO_EXPORT, DATASET, 0)]
    return tuple(_lag(connection, crawl, *each) for each in known)


def _lag(connection: Connection, crawl: counting.CrawlRow, export: str, dataset: str, after: int) -> ExportLag:
    missing = (rows.c.crawl == crawl.id, rows.c.dataset == dataset, rows.c.id > after)
    some = select(literal_column("1")).where(*missing).limit(MOST_ROWS).subquery()
    of_page = rows.c.key.not_like(PUSHED + "%")
    oldest = select(rows.c.key).where(*missing, of_page).order_by(rows.c.id).limit(1).scalar_subquery()
    began = select(requests.c.leased_at).where(requests.c.crawl == crawl.id, requests.c.key == oldest)
    at = connection.execute(began).scalar()
    return ExportLag(
        export=export,
        rows=int(connection.execute(select(func.count()).select_from(some)).scalar_one()),
        oldest_s=0.0 if at is None else max(0.0, round(crawl.now - float(at), 1)),
    )


def _locks(connection: Connection) -> tuple[int, float]:
    if connection.dialect.name == "sqlite":
        return 0, 0.0
    waiting, waited_s = connection.execute(_WAITING).one()
    return int(waiting), max(0.0, float(waited_s or 0.0))
