"""URLs of databases: options as libpq and hosted PostgreSQL services write them."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from postgres_server import PostgresServer

from stillframe.errors import OptionInvalid, StoreError, StoreUnavailable
from stillframe.farm.store import transactions
from stillframe.farm.store.connect import parse_url, postgresql_engine, sqlite_engine
from stillframe.farm.store.transactions import Transactions


async def answer(url: str, sql: str = "SELECT current_setting('application_name')") -> Any:
    """Return what the server answers over a connection with this URL."""
    transactions = Transactions(parse_url(url), patience_s=0.0)
    try:
        return await transactions.run(lambda connection: connection.exec_driver_sql(sql).scalar())
    finally:
        await transactions.close()


@pytest.mark.parametrize(
    ("options", "sql", "result"),
    [
        ("sslmode=disable", "SELECT 1", 1),
        ("sslmode=prefer&connect_timeout=3&keepalives=1&gssencmode=prefer", "SELECT 1", 1),
        ("application_name=night%20crawl", "SELECT current_setting('application_name')", "night crawl"),
        ("lock_timeout=1234", "SELECT current_setting('lock_timeout')", "1234ms"),
        ("sslmode=disable", "SELECT current_setting('idle_in_transaction_session_timeout')", "5s"),
        ("options=-c%20statement_timeout%3D5000", "SELECT current_setting('statement_timeout')", "5s"),
    ],
)
async def test_options_of_libpq_work(postgres_server: PostgresServer, options: str, sql: str, result: object) -> None:
    assert await answer(f"{postgres_server.url('postgres')}?{options}", sql) == result


def test_an_old_sqlite_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreError, match=r"needs SQLite 3\.35 or newer"):
        sqlite_engine(parse_url(f"sqlite:///{tmp_path / 'crawl.db'}"))


async def test_a_server_without_tls_is_refused_where_it_is_required(postgres_server: PostgresServer) -> None:
    with pytest.raises(StoreUnavailable, match="rejected SSL upgrade"):
        await answer(f"{postgres_server.url('postgres')}?sslmode=require")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("sslmode=maybe", "`sslmode` parameter must be one of"),
        ("nonsense=1", 'unrecognized configuration parameter "nonsense"'),
    ],
)
async def test_an_option_that_means_nothing_is_named_at_once(
    postgres_server: PostgresServer, options: str, words: str
) -> None:
    with pytest.raises(OptionInvalid, match=words) as raised:
        await answer(f"{postgres_server.url('postgres')}?{options}")
    assert raised.value.option == options.partition("=")[0]
    assert "hidden" not in str(raised.value)


def test_a_time_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(OptionInvalid, match=r"connect_timeout in the URL .* is 'soon': it must be a number of seconds"):
        postgresql_engine(parse_url("postgresql://ann@127.0.0.1/crawl?connect_timeout=soon"))


def test_an_option_that_makes_a_connection_safer_is_not_left_out_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        postgresql_engine(parse_url("postgresql://ann@db.test/crawl?sslmode=require&channel_binding=require"))
    assert "goes without channel_binding, which asyncpg lacks" in caplog.text


def test_a_file_has_no_options_of_a_server() -> None:
    with pytest.raises(OptionInvalid, match="SQLite file, which has no option 'sslmode'") as raised:
        Transactions(parse_url("sqlite:///crawl.db?sslmode=require"), patience_s=0.0)
    assert raised.value.option == "sslmode"


async def test_a_wait_for_a_lock_is_told_apart_from_a_server_that_is_gone(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "LOCK_PATIENCE_S", 0.5)
    holder = await asyncpg.connect(postgres_url)
    waiting = Transactions(parse_url(f"{postgres_url}?lock_timeout=100"), patience_s=0.0)
    try:
        async with holder.transaction():
            await holder.execute("SELECT pg_advisory_xact_lock(1)")
            with pytest.raises(StoreUnavailable, match="answers, but another connection has kept a lock"):
                await waiting.run(lambda connection: connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1)"))
    finally:
        await waiting.close()
        await holder.close()
