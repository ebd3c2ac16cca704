"""From the URL of a queue to its database: SQLite files and PostgreSQL servers."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from stillframe.errors import OptionInvalid
from stillframe.farm.errors import StoreError, StoreUnavailable
from stillframe.security.redaction import logger

_log = logger(__name__)
DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+aiosqlite": "sqlite",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}
BUSY_S = 10.0
"""How long a statement waits for another process that writes to the same SQLite file; our choice."""
COMMAND_S = 20.0
"""How long PostgreSQL may take to answer a statement before it counts as gone; hundreds of times its usual time."""
CONNECT_S = 10.0
CONNECT_OPTION = "connect_timeout"
"""libpq's option for the seconds that a connection may take."""
LIBPQ_ONLY = frozenset({
    "channel_binding", "client_encoding", "fallback_application_name", "gssdelegation", "gssencmode", "hostaddr",
    "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts", "require_auth",
    "requirepeer", "sslcompression", "sslsni", "tcp_user_timeout",
})  # fmt: skip
"""Options of libpq's URLs that asyncpg lacks and would send to the server as a setting, which refuses it
(https://www.postgresql.org/docs/current/libpq-connect.html)."""
SECURITY = frozenset({"channel_binding", "require_auth", "requirepeer"})
"""Those whose absence makes a connection less safe than its URL asks for."""
READS = "stillframe_reads"
"""The execution option of transactions that do not write, and so need not wait for one that does."""
SQLITE_OPTIONS = frozenset({"cache", "cached_statements", "immutable", "mode", "nolock", "timeout", "uri", "vfs"})
"""Options that the URL of a SQLite file may have: those of Python's sqlite3 and of SQLite's own URIs."""
SERVER_SETTINGS = {
    "idle_in_transaction_session_timeout": "5000",
    "lock_timeout": "8000",
    "statement_timeout": "18000",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "8000",
}
"""What the server does about a worker that is frozen, starved or cut off: it ends the worker's transaction in less than
10 s, and the other workers go on. Milliseconds, and seconds for the keepalives; an option of the URL wins. All are
below `COMMAND_S`, so that a wait for a lock is told apart from a server that is gone."""
OLDEST_SQLITE = (3, 35)
"""The first SQLite with RETURNING (https://www.sqlite.org/lang_returning.html)."""
SYNCHRONOUS = "FULL"
"""With the write-ahead log, the level at which a committed transaction survives a power cut (SQLite's manual)."""


def parse_url(url: str) -> URL:
    """Return the URL with its driver. Raises StoreError for one that names neither SQLite nor PostgreSQL."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            f"{hidden(url)!r} is not the URL of a database; give sqlite:///PATH or postgresql://USER@HOST:PORT/DATABASE",
            url=hidden(url),
        ) from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None:
        shown = safe(parsed)
        raise StoreError(
            f"{shown} names a database of the kind {parsed.drivername!r}; a crawl needs sqlite or postgresql", url=shown
        )
    return parsed.set(drivername=driver)


def safe(url: URL) -> str:
    """Return a URL as text without its password, and without its options, which may have one."""
    shown = url.set(drivername=url.drivername.partition("+")[0], query={})
    return shown.render_as_string(hide_password=True)


def hidden(text: str) -> str:
    """Return a text that could not be read as a URL without what stands before its last @, where a password may be."""
    before, at, after = text.partition("?")[0].rpartition("@")
    scheme, slashes, _ = before.partition("://")
    return f"{scheme if slashes else ''}{slashes}…@{after}" if at else after


def check_folder(url: URL) -> None:
    """Raise StoreUnavailable if the folder of an SQLite file is missing: waiting does not create it."""
    file = url.database if url.drivername.startswith("sqlite") else None
    if file and not file.startswith((":", "file:")) and not Path(file).parent.is_dir():
        raise StoreUnavailable(
            f"The database {safe(url)} cannot be made: there is no folder {Path(file).parent}; "
            "make it, or check the URL",
            url=safe(url),
        )


def postgresql_engine(url: URL) -> AsyncEngine:
    """Return the engine for a server; nothing connects before the first transaction.

    asyncpg reads the options of the URL, such as `sslmode`, as libpq does; what it does not know is a setting of the
    server, such as `application_name`. Raises OptionInvalid for a `connect_timeout` that is not a number.
    """
    query = dict(url.query)
    timeout = _connect_timeout(query.pop(CONNECT_OPTION, None), url)
    left_out = LIBPQ_ONLY & query.keys()
    if less_safe := sorted(SECURITY & left_out):
        _log.warning("the connection to %s goes without %s, which asyncpg lacks", safe(url), ", ".join(less_safe))
    kept = {name: value for name, value in query.items() if name not in left_out}
    dsn = url.set(drivername="postgresql", query=kept).render_as_string(hide_password=False)
    settings = {name: value for name, value in SERVER_SETTINGS.items() if name not in _given(query)}
    connect = partial(_connect, dsn, settings, timeout=timeout, command_timeout=COMMAND_S)
    return create_async_engine(url.set(query={}), async_creator=connect, **_options(4, {}))


async def _connect(dsn: str, settings: Mapping[str, str], **options: Any) -> Any:
    """Connect with settings, or without them through a pooler that knows none of them."""
    try:
        return await asyncpg.connect(dsn, server_settings=settings, **options)
    except asyncpg.ProtocolViolationError as error:
        if "startup parameter" not in str(error):
            raise
        _log.warning("the pooler of the database refuses time limits (%s): set them on the server itself", error)
        return await asyncpg.connect(dsn, **options)


def _given(query: Mapping[str, object]) -> str:
    """Return the names of the settings that a URL has, as text: those of its own, and those in its `options`."""
    return " ".join((*query, str(query.get("options", ""))))


def _connect_timeout(value: object, url: URL) -> float:
    """Return the seconds that a connection may take; 0 means libpq's "no limit", which we do not have."""
    if value is None:
        return CONNECT_S
    try:
        return float(str(value)) or CONNECT_S
    except ValueError:
        raise OptionInvalid(
            f"{CONNECT_OPTION} in the URL of {safe(url)} is {value!r}: it must be a number of seconds",
            option=CONNECT_OPTION,
        ) from None


def sqlite_engine(url: URL) -> Engine:
    """Return the engine for a file; nothing opens it before the first transaction.

    Raises OptionInvalid for an option of the URL that SQLite lacks, such as one of PostgreSQL's.
    """
    if unknown := sorted(url.query.keys() - SQLITE_OPTIONS):
        raise OptionInvalid(
            f"{safe(url)} is a SQLite file, which has no option {unknown[0]!r}; leave it out, or give the URL of a "
            "PostgreSQL server",
            option=unknown[0],
        )
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreError(
            f"{safe(url)} needs SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer, and this Python has "
            f"{sqlite3.sqlite_version}; use another build of Python, or a PostgreSQL server",
            url=safe(url),
        )
    engine = create_engine(url, **_options(1, {"timeout": BUSY_S}))
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def _options(connections: int, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "pool_size": connections,
        "max_overflow": 0,
        "pool_timeout": COMMAND_S,
        "pool_use_lifo": True,  # each connection makes plans of its own, so one that was needed once is left alone
        "connect_args": arguments,
        "hide_parameters": True,  # they are the texts of pages
    }


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # or the driver begins transactions itself, and too late
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
    cursor.close()


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get(READS) else "BEGIN IMMEDIATE")
