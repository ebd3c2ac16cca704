"""The statements that every page runs, built once: to build one takes longer than to run it.

Values are bound by the names `of_…` for what a statement looks for, and by what they mean otherwise.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Float, Integer, Text, and_, bindparam, case, func, insert, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from stillframe.farm.store.functions import NEVER
from stillframe.farm.store.tables import crawls, hosts, requests, rows, tallies

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

DUE = select(requests.c.key, requests.c.host, requests.c.state, requests.c.position).where(
    requests.c.crawl == OF_CRAWL, requests.c.state.in_((WAITING, LEASED)), requests.c.due_at <= NOW
)
ALLOWED: Any = func.coalesce(hosts.c.pages, bindparam("host_pages", type_=Integer))
"""How many pages of a host may be open at once, NULL for any number."""
HAS_ROOM = or_(ALLOWED.is_(None), hosts.c.leased < ALLOWED)
AWAKE = text("sleeps_until = 0 AND head IS NOT NULL")
ASLEEP = text("sleeps_until > 0 AND head IS NOT NULL")
"""The conditions of the hosts' two indexes, word for word, or SQLite does not take them."""
_READY_AT: Any = case((hosts.c.held_until > hosts.c.next_start, hosts.c.held_until), else_=hosts.c.next_start)
WAKE = update(hosts).where(hosts.c.crawl == OF_CRAWL, ASLEEP, hosts.c.sleeps_until <= NOW).values(sleeps_until=0.0)
NEXT_HOST = (
    select(hosts.c.host, hosts.c.interval_s)
    .where(
        hosts.c.crawl == OF_CRAWL,
        AWAKE,
        hosts.c.held_until <= NOW,
        hosts.c.next_start <= NOW,
        HAS_ROOM,
    )
    .order_by(hosts.c.head)
    .limit(1)
)
_PENDING_OF_HOST = and_(
    requests.c.crawl == OF_CRAWL, requests.c.host == bindparam("of_host"), requests.c.state == PENDING
)
_LEASED = ("key", "long_key", "url", "host", "body", "depth", "attempts", "token", "position")
OLDEST_OF_HOST = (
    select(*(requests.c[name] for name in _LEASED)).where(_PENDING_OF_HOST).order_by(requests.c.position).limit(1)
)
LEASE = (
    update(requests)
    .where(requests.c.crawl == OF_CRAWL, requests.c.key == bindparam("of_key"))
    .values(
        state=LEASED,
        attempts=requests.c.attempts + 1,
        token=requests.c.token + 1,
        worker=bindparam("by_worker"),
        leased_at=NOW,
        due_at=UNTIL,
    )
)
START_ON_HOST = (
    update(hosts)
    .where(hosts.c.crawl == OF_CRAWL, hosts.c.host == bindparam("of_host"))
    .values(
        head=select(func.min(requests.c.position)).where(_PENDING_OF_HOST).scalar_subquery(),
        leased=hosts.c.leased + 1,
        next_start=UNTIL,
        sleeps_until=case((hosts.c.leased + 1 >= ALLOWED, NEVER), (UNTIL > NOW, UNTIL), else_=0.0),
    )
)
CHANGE_LEASED = (
    update(hosts)
    .where(hosts.c.crawl == OF_CRAWL, hosts.c.host == bindparam("of_host"))
    .values(
        leased=hosts.c.leased + bindparam("change", type_=Integer),
        sleeps_until=case((hosts.c.sleeps_until >= NEVER, _READY_AT), else_=hosts.c.sleeps_until),
    )
)
HOLD_HOST = (
    update(hosts)
    .where(hosts.c.crawl == OF_CRAWL, hosts.c.host == bindparam("of_host"))
    .values(
        held_until=case((hosts.c.held_until > UNTIL, hosts.c.held_until), else_=UNTIL),
        sleeps_until=case((hosts.c.sleeps_until > UNTIL, hosts.c.sleeps_until), else_=UNTIL),
    )
)
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

# -- a lease ----------------------------------------------------------------------------------------

HELD = select(*(requests.c[name] for name in ("state", "token", "position", "worker"))).where(
    requests.c.crawl == OF_CRAWL, requests.c.key == bindparam("of_key")
)
_CURRENT = (
    requests.c.crawl == OF_CRAWL,
    requests.c.key == bindparam("of_key"),
    requests.c.token == bindparam("of_token"),
    requests.c.state == LEASED,
    requests.c.worker == bindparam("of_worker"),
)
"""The conditions of a lease that its worker still holds."""
RENEW = update(requests).where(*_CURRENT).values(due_at=UNTIL)
RENEW_MADE_AT = RENEW.where(requests.c.leased_at == bindparam("made_at"))
FINISH = (
    update(requests)
    .where(*_CURRENT)
    .values(
        state=DONE,
        outcome=bindparam("new_outcome"),
        due_at=None,
        body=func.coalesce(bindparam("new_body", type_=Text), requests.c.body),
    )
)
ADD_ROW = insert(rows)

# -- INSERT … ON CONFLICT, which each database has of its own -----------------------------------------


def inserting(dialect: str, table: Any) -> Any:
    """Return the database's own INSERT, which knows ON CONFLICT."""
    return (sqlite if dialect == "sqlite" else postgresql).insert(table)


@cache
def count(dialect: str) -> Any:
    """Return the statement that adds `count` to the tally `name` of `crawl`."""
    new = inserting(dialect, tallies)
    total = {"count": tallies.c.count + new.excluded.count}
    return new.on_conflict_do_update(index_elements=["crawl", "name", "shard"], set_=total)


@cache
def lower_head(dialect: str) -> Any:
    """Return the statement that records that `host` of `crawl` has a pending page at the position `head`."""
    new = inserting(dialect, hosts)
    lowers = or_(hosts.c.head.is_(None), hosts.c.head > new.excluded.head)
    return new.on_conflict_do_update(index_elements=["crawl", "host"], set_={"head": new.excluded.head}, where=lowers)


@cache
def limit_host(dialect: str) -> Any:
    """Return the statement that limits `host` of `crawl` to `pages` and `interval_s`."""
    new = inserting(dialect, hosts)
    values = {"pages": new.excluded.pages, "interval_s": new.excluded.interval_s, "sleeps_until": _READY_AT}
    return new.on_conflict_do_update(index_elements=["crawl", "host"], set_=values)
