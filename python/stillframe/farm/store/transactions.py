"""Transactions that are tried again while the database is down, slow or locked."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
from sqlalchemy import URL, event
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from stillframe.errors import DiskFull, FarmError, StoreError, StoreUnavailable
from stillframe.farm.store.connect import make_engine, safe
from stillframe.security.redaction import logger

_log = logger(__name__)
T = TypeVar("T")
Operation = Callable[[AsyncConnection], Awaitable[T]]

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 2.0
"""Pauses between two tries: they double from the first to the longest; our choice."""
FULL = ("database or disk is full", "no space left on device", "disk full")
REFUSED = (
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidPasswordError,
)
"""What a server answers that no waiting mends."""
SERVER_FAILURES = ("08", "53", "57P", "58", "40")
"""Classes of PostgreSQL's error codes that pass: connection, resources, shutdown, system, rollback for concurrency."""


class Transactions:
    """Runs operations, each in one transaction, on one database; `shown` is its URL without a password.

    An operation may run again after an error, also after a commit whose answer was lost, so it must recognise its own
    work. `patience_s` is how many seconds it is tried for.
    """

    def __init__(self, url: URL, *, patience_s: float) -> None:
        self.shown = safe(url)
        self.patience_s = patience_s
        self.is_sqlite = url.drivername.startswith("sqlite")
        self.engine: AsyncEngine = make_engine(url)

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()

    async def run(self, operation: Operation[T], *, patience_s: float | None = None) -> T:
        """Run an operation and commit it.

        Raises StoreUnavailable when the database cannot be used for `patience_s` seconds, or refuses this user;
        DiskFull when it has no more space, StoreError for its other errors, and what the operation raises.
        """
        patience = self.patience_s if patience_s is None else patience_s
        started, pause = time.monotonic(), FIRST_PAUSE_S
        while True:
            try:
                return await (self._uncut(operation) if self.is_sqlite else self._once(operation))
            except FarmError:
                raise
            except (DBAPIError, PoolTimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
                passing = self._translate(error)
                waited = time.monotonic() - started
                if waited + pause > patience:
                    raise StoreUnavailable(
                        f"The database {self.shown} could not be used for {waited:.0f} s: {_text(error)}; start it, or "
                        "check the URL, and run the crawl again with --resume",
                        url=self.shown,
                    ) from passing
                _log.info("the database %s does not answer (%s), next try in %.2f s", self.shown, _text(error), pause)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311
                pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _once(self, operation: Operation[T]) -> T:
        async with self.engine.begin() as connection:
            return await operation(connection)

    async def _uncut(self, operation: Operation[T]) -> T:
        """Run a transaction to its end even if the caller is cancelled: SQLite's thread could keep the file locked."""
        running = asyncio.ensure_future(self._once(operation))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait({running})
            if not running.cancelled():
                running.exception()  # it is known, so that asyncio does not report it
            raise

    def _translate(self, error: Exception) -> Exception:
        """Return an error that may pass; raise the fitting one for an error that stays."""
        cause, text = _cause(error), _text(error)
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
        if isinstance(error, IntegrityError | ProgrammingError) or not self._passes(error, cause):
            raise StoreError(f"The database {self.shown} failed: {text}", url=self.shown) from error
        return error

    def _passes(self, error: Exception, cause: BaseException) -> bool:
        state = getattr(cause, "sqlstate", None)
        if isinstance(state, str):
            return state.startswith(SERVER_FAILURES)
        if self.is_sqlite and isinstance(error, DBAPIError):
            return any(word in _text(error) for word in ("locked", "busy", "unable to open"))
        return True  # the connection broke, timed out, or was never made


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

    event.listen(transactions.engine.sync_engine, "before_cursor_execute", before)
