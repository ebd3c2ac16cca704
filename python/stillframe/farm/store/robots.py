"""The robots.txt of each origin in the crawl's database: one worker fetches it, and all read it."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, and_, or_, select, text, update

from stillframe.farm.store import statements
from stillframe.farm.store.crawl_store import CrawlStore
from stillframe.farm.store.entries import short
from stillframe.farm.store.measuring import operation as named_operation
from stillframe.farm.store.queue import machine_time
from stillframe.farm.store.tables import robots


class RobotsRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one origin: `kind` and `body` are the caller's, times are relative to the database's now.

    `failing_s` is how long its fetches have failed, None if the last one did not.
    """

    kind: str = ""
    body: bytes = b""
    tries: int = 0
    failing_s: float | None = None
    expires_in_s: float = 0.0


class RobotsClaim(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to `read_robots`: `mine` if this worker is to fetch it, else when another worker's claim ends."""

    row: RobotsRow
    mine: bool = False
    claimed_for_s: float = 0.0


async def read_robots(store: CrawlStore, origin: str, *, claim_s: float) -> RobotsClaim:
    """Return what is known of an origin; if that has expired, claim its fetch for some seconds. One worker gets it."""
    here = and_(robots.c.crawl == store._crawl, robots.c.origin == short(origin))

    def operation(connection: Connection) -> RobotsClaim:
        now = _now(connection)
        found = connection.execute(select(robots).where(here)).first()
        if found is None or found.expires_at <= now:
            claim = {"claimed_until": now + claim_s, "claimed_by": store.worker}
            new = statements.inserting(connection.dialect.name, robots).values(
                crawl=store._crawl, origin=short(origin), kind="", tries=0, expires_at=now, **claim
            )
            free = or_(robots.c.claimed_until <= now, robots.c.claimed_by == store.worker)
            connection.execute(
                new.on_conflict_do_update(
                    index_elements=["crawl", "origin"], set_=claim, where=and_(free, robots.c.expires_at <= now)
                )
            )
            found = connection.execute(select(robots).where(here)).one()
        expired = found.expires_at <= now
        return RobotsClaim(
            row=RobotsRow(
                kind=found.kind,
                body=found.body or b"",
                tries=found.tries,
                failing_s=None if found.failing_since is None else max(0.0, now - found.failing_since),
                expires_in_s=found.expires_at - now,
            ),
            mine=expired and found.claimed_by == store.worker,
            claimed_for_s=max(0.0, found.claimed_until - now) if expired else 0.0,
        )

    with named_operation("read_robots"):
        return await store._transactions.run(operation)


async def write_robots(store: CrawlStore, origin: str, row: RobotsRow) -> None:
    """Record what was fetched, and end the claim."""

    def operation(connection: Connection) -> None:
        now = _now(connection)
        values = {
            "kind": row.kind,
            "body": row.body,
            "tries": row.tries,
            "failing_since": None if row.failing_s is None else now - row.failing_s,
            "expires_at": now + row.expires_in_s,
            "claimed_until": 0.0,
            "claimed_by": None,
        }
        here = and_(robots.c.crawl == store._crawl, robots.c.origin == short(origin))
        connection.execute(update(robots).where(here).values(**values))

    with named_operation("write_robots"):
        await store._transactions.run(operation)


def _now(connection: Connection) -> float:
    if connection.dialect.name == "sqlite":
        return machine_time()
    return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())
