"""Fixtures of the farm's tests: the databases of crawls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import impit
import pytest
from postgres_server import PostgresServer


@pytest.fixture(scope="session", autouse=True)
async def http_client() -> None:
    """Let the HTTP client start its threads, which stay until the process ends, before a test looks for leaks."""
    with contextlib.suppress(impit.HTTPError):
        await impit.AsyncClient().get("http://127.0.0.1:9/")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL for all tests that leave it running."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def restarted(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """The PostgreSQL of all tests, for one that stops it: it runs again at the end, whatever happened."""
    yield postgres_server
    if postgres_server.pid() is None:
        postgres_server.start()
    postgres_server.thaw()


@pytest.fixture
async def postgres_url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """The URL of an empty PostgreSQL database."""
    name = await postgres_server.create()
    yield postgres_server.url(name)
    await postgres_server.drop(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of an SQLite database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'crawl.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database: each test that uses it runs on SQLite and on PostgreSQL."""
    return str(request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url"))
