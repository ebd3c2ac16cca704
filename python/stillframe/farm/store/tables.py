"""The tables of a crawl. Any change here needs a new `VERSION`, and a step in `migrations`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

VERSION = 3
"""The version of the tables; older ones are brought to it when a crawl is opened, newer ones are refused."""

metadata = MetaData()
_BIG = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts up by itself in SQLite

_AWAKE = text("sleeps_until = 0 AND head IS NOT NULL")
_ASLEEP = text("sleeps_until > 0 AND head IS NOT NULL")

versions = Table("stillframe_versions", metadata, Column("version", Integer, primary_key=True))

crawls = Table(
    "stillframe_crawls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("settings", Text, nullable=False),
    Column("max_pages", Integer),
    Column("host_pages", Integer),
    Column("host_interval_s", Float),
    Column("stopped", Boolean, nullable=False, default=False),
    Column("last_position", _BIG, nullable=False, default=0),
    Column("first_position", _BIG, nullable=False, default=0),
)

requests = Table(
    "stillframe_requests",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("key", String, primary_key=True),
    Column("long_key", Text),
    Column("url", Text, nullable=False),
    Column("host", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("position", _BIG, nullable=False),
    Column("state", String(8), nullable=False),
    Column("outcome", String(40)),
    Column("attempts", Integer, nullable=False, default=0),
    Column("token", Integer, nullable=False, default=0),
    Column("worker", String),
    Column("leased_at", Float),
    Column("due_at", Float),
    Column("batch", BigInteger),
    Index("stillframe_requests_next", "crawl", "host", "state", "position"),
    Index("stillframe_requests_due", "crawl", "state", "due_at"),
)
"""`key` is shortened by `entries.short`; then `long_key` has it whole. `position` has the page's priority and turn, see
`positions`. `state` is pending, waiting (pending from `due_at` on), leased (until `due_at`) or done. Times are the
database's. `batch` is the call that added or leased the request last, so that a call whose answer was lost recognises
its work."""

hosts = Table(
    "stillframe_hosts",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("host", String, primary_key=True),
    Column("head", _BIG),
    Column("leased", Integer, nullable=False, default=0),
    Column("pages", Integer),
    Column("interval_s", Float),
    Column("held_until", Float, nullable=False, default=0.0),
    Column("next_start", Float, nullable=False, default=0.0),
    Column("sleeps_until", Float, nullable=False, default=0.0, server_default="0"),
    Index("stillframe_hosts_awake", "crawl", "head", sqlite_where=_AWAKE, postgresql_where=_AWAKE),
    Index("stillframe_hosts_asleep", "crawl", "sleeps_until", sqlite_where=_ASLEEP, postgresql_where=_ASLEEP),
)
"""`head` is the position of the host's next pending page, null without one: so a held host costs one row, not all.

`sleeps_until` is 0 for a host of which a page may start, and else the time from which it is looked at again: `NEVER`
while it has as many open pages as it may. So the next page is found without walking over the hosts that are held."""

tallies = Table(
    "stillframe_tallies",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("name", String(60), primary_key=True),
    Column("shard", Integer, primary_key=True, server_default="0"),
    Column("count", _BIG, nullable=False),
)
"""How many pages are in each state (`pending` includes waiting ones) and had each outcome (`outcome:…`).

The sum over the shards counts: one row would let all workers of a server wait for each other's commits."""

rows = Table(
    "stillframe_rows",
    metadata,
    Column("id", _BIG, primary_key=True, autoincrement=True),
    Column("crawl", Integer, nullable=False),
    Column("dataset", String(100), nullable=False),
    Column("key", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("payload", LargeBinary),
    UniqueConstraint("crawl", "dataset", "key", "ordinal"),
    Index("stillframe_rows_export", "crawl", "dataset", "id"),
    sqlite_autoincrement=True,
)

offsets = Table(
    "stillframe_offsets",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("row_id", _BIG, nullable=False),
    Column("size", _BIG, nullable=False),
    Column("file", Text, nullable=False),
    Column("dataset", String(100), nullable=False, server_default="pages"),
    Column("payloads", Boolean, nullable=False, server_default=text("false")),
    Column("generation", Integer, nullable=False, server_default="0"),
)
"""`payloads` says that the export writes these alone. `generation` grows when its files have to be written again."""

states = Table(
    "stillframe_states",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

workers = Table(
    "stillframe_workers",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("worker", String, primary_key=True),
    Column("seen_at", Float, nullable=False),
)

robots = Table(
    "stillframe_robots",
    metadata,
    Column("crawl", Integer, primary_key=True),
    Column("origin", String, primary_key=True),
    Column("kind", String(12), nullable=False),
    Column("body", LargeBinary),
    Column("tries", Integer, nullable=False, default=0),
    Column("failing_since", Float),
    Column("expires_at", Float, nullable=False),
    Column("claimed_until", Float, nullable=False, default=0.0),
    Column("claimed_by", String),
)
"""The robots.txt of each origin; it came after version 1, so that an older database gets it when it is opened."""
