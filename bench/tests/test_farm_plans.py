"""The hot statements of the queue: both databases find their rows by an index, however long the queue is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from postgres_server import PostgresServer

from bench.farm.plans import FILE_STATEMENTS, SHOWN, file_plans, server_plans

pytestmark = pytest.mark.heavy

DOCUMENT = Path(__file__).parents[2] / "docs/design/queue-plans.md"
SERVER = {
    "leases that ran out, pages that have waited": ["stillframe_requests_due"],
    "hosts to wake": ["stillframe_hosts_asleep", "stillframe_hosts_pkey"],
    "the next hosts": ["stillframe_hosts_awake"],
    "their oldest pages": ["stillframe_hosts_pkey", "stillframe_requests_next", "stillframe_requests_pkey"],
    "their next heads": ["stillframe_requests_next", "stillframe_hosts_pkey"],
    "a page that ends": ["stillframe_requests_pkey"],
    "links that are new": ["stillframe_requests_pkey"],
}
"""The indexes of PostgreSQL's statements, in their order."""
FILE = {
    "what the crawl admits, what is due": [
        "stillframe_requests_due",
        "stillframe_requests_due",
        "stillframe_hosts_asleep",
    ],
    "a lease": ["stillframe_hosts_awake", "stillframe_requests_next"],
    "its hosts": ["sqlite_autoindex_stillframe_hosts_1", "stillframe_requests_next"],
    "pages that end": ["sqlite_autoindex_stillframe_requests_1"],
}
"""The same of SQLite's."""


@pytest.fixture
async def postgres_url() -> AsyncIterator[str]:
    """The URL of an empty database of a server of its own."""
    with PostgresServer() as server:
        yield server.url(await server.create())


def named(plan: str, table: str) -> list[str]:
    """Return the indexes that a plan names, in their order."""
    return re.findall(table, plan)


async def test_a_server_finds_by_an_index_what_a_lease_and_a_completion_need(postgres_url: str) -> None:
    plans = await server_plans(postgres_url)
    assert plans.keys() == SHOWN.keys()
    assert {name: named(plans[name], r"(?:Scan|Only Scan) using (\w+)") for name in SERVER} == SERVER
    assert "Seq Scan" not in str(plans)
    buffers = [int(number) for plan in plans.values() for number in re.findall(r"shared hit=(\d+)", plan)]
    assert max(buffers) < 60, "a statement looks at more than its own pages"


def test_sqlite_finds_by_an_index_what_a_lease_and_a_completion_need(tmp_path: Path) -> None:
    plans = file_plans(tmp_path / "plans.db")
    found = {name: named(plans[name], r"USING (?:COVERING )?INDEX (\w+)") for name in FILE}
    assert found == FILE
    assert not named(str(plans), r"SCAN [rhqp]\b"), "a table whose rows grow with the queue is read as a whole"


def test_the_page_of_the_documentation_has_all_statements() -> None:
    text = DOCUMENT.read_text().casefold()
    assert [name for name in (*SHOWN, *FILE_STATEMENTS) if f"**{name.casefold()}**" not in text] == []
    assert [index for names in (*SERVER.values(), *FILE.values()) for index in names if index not in text] == []
