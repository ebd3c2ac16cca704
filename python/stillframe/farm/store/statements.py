"""The statements that every page runs, built once: to build one takes longer than to run it.

Values are bound by the names `of_…` for what a statement looks for, and by what they mean otherwise.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Float, Integer, bindparam, case, func, insert, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from stillframe.farm.store.shared import NEVER
from stillframe.farm.store.tables import crawls, hosts, requests, rows

PENDING, WAITING, LEASED, DONE = "pending", "waiting", "leased", "done"

OF_CRAWL: Any = bindparam("of_crawl", type_=Integer)
NOW: Any = bindparam("now", type_=Float)
UNTIL: Any = bindparam("until", type_=Float)

CRAWL = select(*(crawls.c[name] for name in ("id", "max_pages", "host_pages", "host_interval_s", "stopped"))).where(
    crawls.c.id == OF_CRAWL
)
CRAWL_AND_CLOCK = CRAWL.add_columns(text("extract(epoch FROM clock_timestamp()) AS now"))
"""The same with the time of a server, in seconds since 1970."""
LOCK = text("SELECT pg_advisory_xact_lock(:kind, :of_crawl)")

# -- leasing -----------------------------------------------------------------------------------------

ALLOWED: Any = func.coalesce(hosts.c.pages, bindparam("host_pages", type_=Integer))
"""How many pages of a host may be open at once, NULL for any number."""
HAS_ROOM = or_(ALLOWED.is_(None), hosts.c.leased < ALLOWED)
AWAKE = text("sleeps_until = 0 AND head IS NOT NULL")
ASLEEP = text("sleeps_until > 0 AND head IS NOT NULL")
"""The conditions of the hosts' two indexes, word for word, or SQLite does not take them."""
_READY_AT: Any = case((hosts.c.held_until > hosts.c.next_start, hosts.c.held_until), else_=hosts.c.next_start)
WAKE_FULL = update(hosts).where(hosts.c.crawl == OF_CRAWL, hosts.c.sleeps_until >= NEVER).values(sleeps_until=_READY_AT)
"""Looks again at the hosts that have as many open pages as they may, after that limit has changed."""
READY = select(
    select(func.min(requests.c.due_at))
    .where(requests.c.crawl == OF_CRAWL, requests.c.state == LEASED)
    .scalar_subquery(),
    select(func.min(requests.c.due_at))
    .where(requests.c.crawl == OF_CRAWL, requests.c.state == WAITING)
    .scalar_subquery(),
    select(func.min(hosts.c.sleeps_until))
    .where(hosts.c.crawl == OF_CRAWL, ASLEEP, hosts.c.sleeps_until < NEVER)
    .scalar_subquery(),
    select(_READY_AT).where(hosts.c.crawl == OF_CRAWL, AWAKE, HAS_ROOM).limit(1).scalar_subquery(),
)
"""When the first lease ends, when the first page has waited, and when the first host is awake."""


# -- rows --------------------------------------------------------------------------------------------

ADD_ROW = insert(rows)

# -- INSERT … ON CONFLICT, which each database has of its own -----------------------------------------


def inserting(dialect: str, table: Any) -> Any:
    """Return the database's own INSERT, which knows ON CONFLICT."""
    return (sqlite if dialect == "sqlite" else postgresql).insert(table)


@cache
def limit_host(dialect: str) -> Any:
    """Return the statement that limits `host` of `crawl` to `pages` and `interval_s`."""
    new = inserting(dialect, hosts)
    values = {"pages": new.excluded.pages, "interval_s": new.excluded.interval_s, "sleeps_until": _READY_AT}
    return new.on_conflict_do_update(index_elements=["crawl", "host"], set_=values)
