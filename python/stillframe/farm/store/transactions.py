"""Transactions that are tried again while the database is down, slow or locked."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import asyncpg
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from stillframe.errors import OptionInvalid
from stillframe.farm.errors import DiskFull, FarmError, StoreError, StoreUnavailable
from stillframe.farm.store.connect import READS, postgresql_engine, safe, sqlite_engine
from stillframe.farm.store.measuring import LOCK, POOL, RUNS_FOR, SERVER, UNREACHABLE, Called, TriedAgain
from stillframe.security.redaction import logger

_log = logger(__name__)
T = TypeVar("T")
Operation = Callable[[Connection], T]

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0
"""Pauses between two tries: they double from the first to the longest; our choice."""
FULL = ("database or disk is full", "no space left on device", "disk full")
REFUSED = (
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidPasswordError,
)
"""Answers of a server that stay the same however long one waits."""
MISTAKEN = (
    asyncpg.UndefinedObjectError,
    asyncpg.InvalidParameterValueError,
    asyncpg.CantChangeRuntimeParamError,
    asyncpg.exceptions.ClientConfigurationError,
)
"""Answers to an option of the URL that means nothing."""
LOCKED, IDLE, CANCELED = "55P03", "25P03", "57014"
"""What a server answers when a wait for a lock, a pause within a transaction, or a statement took too long."""
SERVER_FAILURES = ("08", "53", "57P", "58", "40", LOCKED, IDLE, CANCELED)
"""Classes of PostgreSQL's error codes that pass: connection, resources, shutdown, system, rollback for concurrency."""
GONE = ("08", "57P")
"""Those of them that stand for a server that is not there: connections that break, and its start and end."""
LOCK_PATIENCE_S = 600.0
"""How long a call waits for locks of other connections, at least: the server answers, and others are at work."""
OPTION = re.compile(
    r'(?:unrecognized configuration parameter|parameter) [`"](?P<name>[^`"]+)[`"]|`(?P<other>\w+)` param'
)
"""How PostgreSQL and asyncpg name the option of a URL that they refuse."""


class Database(Protocol):
    """Runs operations, each in one transaction that ends with it."""

    engine: Engine
    """The engine, for its events."""

    async def run(self, operation: Operation[T], *, light: bool = False) -> T:
        """Run an operation and commit it; see `Transactions.run`."""

    async def close(self) -> None:
        """Close all connections."""


class SqliteDatabase:
    """A file with a thread of its own, on which a whole transaction runs.

    SQLite has no asynchronous driver: one that sends each call of a cursor to a thread takes some 60 turns for a page.
    """

    def __init__(self, url: URL) -> None:
        self.engine = sqlite_engine(url)
        self._reading = self.engine.execution_options(**{READS: True})
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="stillframe-sqlite")

    async def run(self, operation: Operation[T], *, light: bool = False) -> T:
        """Run an operation to its end, even if the caller is cancelled: its thread could keep the file locked."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, self._run, operation, light)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait({running})
            if not running.cancelled():
                running.exception()  # it is known, so that asyncio does not report it
            raise

    def _run(self, operation: Operation[T], light: bool) -> T:
        with (self._reading if light else self.engine).begin() as connection:
            return operation(connection)

    async def close(self) -> None:
        """Close the file, after what still runs."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self.engine.dispose)
        self._thread.shutdown()


class PostgresDatabase:
    """A server; SQLAlchemy runs an operation in a greenlet that waits for asyncpg."""

    def __init__(self, url: URL) -> None:
        self._engine = postgresql_engine(url)
        self.engine = self._engine.sync_engine
        self._light = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def run(self, operation: Operation[T], *, light: bool = False) -> T:
        """Run an operation and commit it."""
        async with self._light.connect() if light else self._engine.begin() as connection:
            return await connection.run_sync(operation)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()


SERVER_REMEDY = "start it, or check the URL"
SQLITE_REMEDY = "check that it is a file that this user can write and that no other program has locked it"


class Transactions:
    """Runs operations, each in one transaction, on one database; `shown` is its URL without a password.

    An operation blocks, on a thread or in a greenlet. It may run again after an error, also after a commit whose answer
    was lost, so it must recognise its own work. `patience_s` is how many seconds it is tried for.
    """

    def __init__(self, url: URL, *, patience_s: float) -> None:
        self.shown = safe(url)
        self.patience_s = patience_s
        self.is_sqlite = url.drivername.startswith("sqlite")
        self._called: Called | None = None
        self._tried_again: TriedAgain | None = None
        self.remedy = SQLITE_REMEDY if self.is_sqlite else SERVER_REMEDY
        self.database: Database = SqliteDatabase(url) if self.is_sqlite else PostgresDatabase(url)

    def measure(self, called: Called, tried_again: TriedAgain) -> None:
        """Call these for each operation from now on."""
        self._called, self._tried_again = called, tried_again

    async def close(self) -> None:
        """Close all connections."""
        await self.database.close()

    async def run(self, operation: Operation[T], *, patience_s: float | None = None, light: bool = False) -> T:
        """Run an operation and commit it.

        A `light` one only reads, or is one call of a server's function: on a server, each of its statements is a
        transaction of its own, without further round trips; in SQLite, it does not wait for those that write.
        Raises StoreUnavailable when the database cannot be used for `patience_s` seconds, or refuses this user;
        DiskFull when it has no more space, StoreError for its other errors, and what the operation raises.
        """
        started = time.monotonic()
        try:
            return await self._run(operation, self.patience_s if patience_s is None else patience_s, light)
        finally:
            if self._called is not None:
                self._called(RUNS_FOR.get(), time.monotonic() - started)

    async def _run(self, operation: Operation[T], patience: float, light: bool) -> T:
        started, pause = time.monotonic(), FIRST_PAUSE_S
        while True:
            try:
                return await self.database.run(operation, light=light)
            except FarmError:
                raise
            except (DBAPIError, PoolTimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
                if self._tried_again is not None:
                    self._tried_again(RUNS_FOR.get(), _why(error))
                passing = self._translate(error)
                waited = time.monotonic() - started
                locked = _state(error) == LOCKED
                if waited + pause > (max(patience, LOCK_PATIENCE_S) if locked else patience):
                    raise self._unavailable(error, waited, locked=locked) from passing
                what = "waits for another connection" if locked else "does not answer"
                _log.info("the database %s %s (%s), next try in %.2f s", self.shown, what, _text(error), pause)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _unavailable(self, error: Exception, waited: float, *, locked: bool) -> StoreUnavailable:
        if locked:
            text = (
                f"The database {self.shown} answers, but another connection has kept a lock for {waited:.0f} s: "
                "look for a transaction that stays open in pg_stat_activity"
            )
        else:
            text = f"The database {self.shown} could not be used for {waited:.0f} s: {_text(error)}; {self.remedy}"
        return StoreUnavailable(f"{text}, and run the crawl again with --resume", url=self.shown)

    def _translate(self, error: Exception) -> Exception:
        """Return an error that may pass; raise the fitting one for an error that stays."""
        cause, text = _cause(error), _text(error)
        if isinstance(cause, MISTAKEN) and (found := OPTION.search(text)):
            name = found["name"] or found["other"]
            raise OptionInvalid(
                f"the URL of {self.shown} has an option {name!r} that cannot be used: {text}; correct it",
                option=name,
            ) from error
        if any(phrase in text.lower() for phrase in FULL):
            raise DiskFull(
                f"The database {self.shown} has no space left: {text}; free some and run the crawl again with --resume",
                path=self.shown,
                free_bytes=0,
                needed_bytes=0,
            ) from error
        if isinstance(cause, REFUSED):
            raise StoreUnavailable(
                f"The database {self.shown} refuses the connection: {text}; check user, password and database",
                url=self.shown,
            ) from error
        mistaken = isinstance(cause, asyncpg.exceptions.ClientConfigurationError)
        if mistaken or isinstance(error, IntegrityError | ProgrammingError) or not self._passes(error, cause):
            raise StoreError(f"The database {self.shown} failed: {text}", url=self.shown) from error
        return error

    def _passes(self, error: Exception, cause: BaseException) -> bool:
        if state := _state(cause):
            return state.startswith(SERVER_FAILURES)
        if self.is_sqlite and isinstance(error, DBAPIError):
            return any(word in _text(error) for word in ("locked", "busy", "unable to open"))
        return True  # the connection broke, timed out, or was never made


def _why(error: Exception) -> str:
    """Return why a transaction is tried again, one of `measuring.WHYS`."""
    state, text = _state(error), _text(error).lower()
    if state == LOCKED or "database is locked" in text:
        return LOCK
    if isinstance(error, PoolTimeoutError):
        return POOL
    return SERVER if state and not state.startswith(GONE) else UNREACHABLE


def _state(error: BaseException) -> str:
    """Return a server's code of an error, empty for others."""
    state = getattr(_cause(error), "sqlstate", None)
    return state if isinstance(state, str) else ""


def _cause(error: BaseException) -> BaseException:
    """Return the driver's error behind SQLAlchemy's."""
    inner = getattr(error, "orig", None) or error
    return getattr(inner, "__cause__", None) or inner


def _text(error: BaseException) -> str:
    cause = _cause(error)
    return str(cause) or type(cause).__name__


def on_statement(transactions: Transactions, hook: Callable[[str], Any]) -> None:
    """Call `hook` with each SQL statement before it runs; tests let the n-th one fail this way."""

    def before(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        hook(statement)

    event.listen(transactions.database.engine, "before_cursor_execute", before)
