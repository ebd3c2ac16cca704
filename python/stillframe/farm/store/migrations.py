"""Steps that bring the tables of an older stillframe to `tables.VERSION`, run by what opens a crawl."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection

from stillframe.farm.store.functions import FUNCTIONS, POSITIONS


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What leads to one version from the one before: statements for both databases, then those of each.

    A step must not use `tables`, which go on to change. Functions stand outside of the steps: all are
    made after the last one.
    """

    version: int
    both: Sequence[str] = ()
    sqlite: Sequence[str] = ()
    postgresql: Sequence[str] = ()


_ROBOTS = (
    "CREATE TABLE stillframe_robots (crawl INTEGER NOT NULL, origin VARCHAR NOT NULL, kind VARCHAR(12) NOT NULL, "
    "body {}, tries INTEGER NOT NULL, failing_since FLOAT, expires_at FLOAT NOT NULL, claimed_until FLOAT NOT NULL, "
    "claimed_by VARCHAR, PRIMARY KEY (crawl, origin))"
)
_PARTIAL = "ON stillframe_hosts (crawl, {}) WHERE sleeps_until {} 0 AND head IS NOT NULL"

STEPS = (
    Step(
        version=2,
        both=(
            "ALTER TABLE stillframe_requests ADD COLUMN batch BIGINT",
            "ALTER TABLE stillframe_hosts ADD COLUMN sleeps_until FLOAT DEFAULT 0 NOT NULL",
            # Hosts whose time is over by now are woken by the first lease.
            "UPDATE stillframe_hosts SET sleeps_until = CASE WHEN held_until > next_start THEN held_until "
            "ELSE next_start END WHERE held_until > 0 OR next_start > 0",
            "DROP INDEX stillframe_hosts_head",
            "CREATE INDEX stillframe_hosts_awake " + _PARTIAL.format("head", "="),
            "CREATE INDEX stillframe_hosts_asleep " + _PARTIAL.format("sleeps_until", ">"),
        ),
        sqlite=(
            "ALTER TABLE stillframe_tallies RENAME TO stillframe_tallies_1",
            "CREATE TABLE stillframe_tallies (crawl INTEGER NOT NULL, name VARCHAR(60) NOT NULL, "
            "shard INTEGER DEFAULT '0' NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (crawl, name, shard))",
            "INSERT INTO stillframe_tallies (crawl, name, count) SELECT crawl, name, count FROM stillframe_tallies_1",
            "DROP TABLE stillframe_tallies_1",
            _ROBOTS.format("BLOB"),
        ),
        postgresql=(
            "ALTER TABLE stillframe_tallies ADD COLUMN shard INTEGER DEFAULT 0 NOT NULL",
            "ALTER TABLE stillframe_tallies DROP CONSTRAINT stillframe_tallies_pkey",
            "ALTER TABLE stillframe_tallies ADD PRIMARY KEY (crawl, name, shard)",
            POSITIONS,
            "SELECT setval('stillframe_positions', coalesce(max(last_position), 0) + 1) FROM stillframe_crawls",
            _ROBOTS.format("BYTEA"),
        ),
    ),
    Step(
        version=3,
        both=(
            "ALTER TABLE stillframe_offsets ADD COLUMN dataset VARCHAR(100) DEFAULT 'pages' NOT NULL",
            "ALTER TABLE stillframe_offsets ADD COLUMN payloads BOOLEAN DEFAULT false NOT NULL",
            "ALTER TABLE stillframe_offsets ADD COLUMN generation INTEGER DEFAULT 0 NOT NULL",
        ),
    ),
)
"""All steps, oldest first; the last leads to `tables.VERSION`."""


def migrate(connection: Connection, found: int) -> None:
    """Bring tables of the version `found` to the newest one."""
    for step in STEPS:
        if step.version > found:
            for statement in (*step.both, *getattr(step, connection.dialect.name)):
                connection.exec_driver_sql(statement)
    _make_functions(connection)


def create_functions(connection: Connection) -> None:
    """Make what only a server has, in a new database."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(POSITIONS)
        _make_functions(connection)


def _make_functions(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        for statement in FUNCTIONS:
            connection.exec_driver_sql(statement)
