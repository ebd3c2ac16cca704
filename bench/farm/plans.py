"""How the databases run the hot statements of a queue: the source of docs/design/queue-plans.md.

`python -m bench.farm.plans POSTGRESQL_URL > docs/design/queue-plans.md` needs an empty database, and a superuser of it
for auto_explain, which shows the statements within functions.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import Connection

from bench.farm.lease_cost import fill, fill_hosts
from stillframe.farm.store import Completion, CrawlStore, DatasetRow, NewRequest, file
from stillframe.farm.store.shared import FILE_CHANGE_HOSTS, FILE_COUNT

PAGES, HELD = 20_000, 2_000
"""Pages that may start, and hosts that are held: enough for the plans of a long queue."""
SETTINGS = {
    "log_min_duration": "0",
    "log_nested_statements": "on",
    "log_analyze": "on",
    "log_timing": "off",
    "log_buffers": "on",
}
SHOWN = {
    "crawl": re.compile(r"^SELECT \*\s+FROM stillframe_crawls"),
    "leases that ran out, pages that have waited": re.compile(r"FOR UPDATE SKIP LOCKED\s+\) AS d"),
    "hosts to wake": re.compile(r"^UPDATE stillframe_hosts AS h SET sleeps_until = 0"),
    "the next hosts": re.compile(r"SELECT h\.host FROM stillframe_hosts AS h WHERE[^;]+SKIP LOCKED"),
    "their oldest pages": re.compile(r"^WITH started AS"),
    "their next heads": re.compile(r"^WITH changed AS"),
    "the tallies": re.compile(r"^INSERT INTO stillframe_tallies"),
    "a page that ends": re.compile(r"^UPDATE stillframe_requests AS r\s+SET state = 'done'"),
    "its rows": re.compile(r"^INSERT INTO stillframe_rows"),
    "links that are new": re.compile(r"^WITH given AS"),
    "hosts that change": re.compile(r"^INSERT INTO stillframe_hosts AS h"),
}
"""What the statements of a lease and a completion are, by how they begin."""
FILE_STATEMENTS = {
    "what the crawl admits, what is due": file.ASKED,
    "a lease": file.LEASE,
    "its hosts": file.START,
    "pages that end": file.FINISH,
    "links that are new": file.INSERT,
    "hosts that change": FILE_CHANGE_HOSTS,
    "the tallies": FILE_COUNT,
}


async def server_plans(url: str) -> dict[str, str]:
    """Return the plans of PostgreSQL, by what the statements are for."""
    async with await CrawlStore.open(url, "plans", worker="w") as store:
        await store._transactions.run(lambda connection: _fill(connection, store._crawl))
        found: list[str] = []
        async with _Explained(store, found):
            for number in range(3):
                (lease,) = await store.lease()
                row = DatasetRow(dataset="pages", body=b"x" * 2_000)
                links = [NewRequest(key=f"new{number}", url="http://x/", host="host1"), _known()]
                await store.complete_all([Completion(lease=lease, rows=[row], links=links)])
    return {name: plan for name, pattern in SHOWN.items() for plan in _last(found, pattern)}


def _known() -> NewRequest:
    return NewRequest(key="k5000", url="http://x/5000", host="host0")


def _last(messages: Iterable[str], pattern: re.Pattern[str]) -> Iterable[str]:
    """Return the last plan of a statement: those before fill the caches."""
    plans = [plan for text, plan in map(_parts, messages) if pattern.search(text)]
    return plans[-1:]


def _parts(message: str) -> tuple[str, str]:
    """Return the statement and the plan of a message of auto_explain."""
    lines = message.partition("Query Text: ")[2].splitlines()
    start = next((n for n, line in enumerate(lines) if n and re.search(r"\(cost=|^(Limit|Insert|Update)", line)), 1)
    plan = [re.sub(r"\s+\(cost=[^)]*\)( \(actual [^)]*\)| \(never executed\))?", "", line) for line in lines[start:]]
    kept = [line for line in plan if re.search(r"->|Buffers|Index Cond|^\w", line)]
    return "\n".join(lines[:start]).strip(), "\n".join(line.rstrip() for line in kept)


class _Explained:
    """Lets the server explain each statement on the connections of a store."""

    def __init__(self, store: CrawlStore, messages: list[str]) -> None:
        self._store = store
        self._messages = messages

    async def __aenter__(self) -> None:
        statements = [
            "LOAD 'auto_explain'",
            *(f"SET auto_explain.{name} = {value}" for name, value in SETTINGS.items()),
            "SET client_min_messages = log",
        ]

        def set_up(connection: Connection) -> None:
            driver: Any = connection.connection.dbapi_connection
            raw: asyncpg.Connection = driver.driver_connection
            raw.add_log_listener(lambda _, message: self._messages.append(str(message.message)))
            for statement in statements:
                connection.exec_driver_sql(statement)

        await self._store._transactions.run(set_up)

    async def __aexit__(self, *_: object) -> None:
        """Leave the settings: the store is closed next."""


def file_plans(path: Path) -> dict[str, str]:
    """Return the plans of SQLite, by what the statements are for."""

    async def plans() -> dict[str, str]:
        async with await CrawlStore.open(f"sqlite:///{path}", "plans", worker="w") as store:
            await store._transactions.run(lambda connection: _fill(connection, store._crawl))
            return await store._transactions.run(
                lambda connection: {name: _file_plan(connection, text) for name, text in FILE_STATEMENTS.items()}
            )

    return asyncio.run(plans())


def _file_plan(connection: Connection, statement: str) -> str:
    values = dict.fromkeys(re.findall(r"\$(p_\w+)", statement))
    depth: dict[int, int] = {}
    lines = []
    for number, parent, _, text in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values):
        depth[number] = depth.get(parent, -1) + 1
        lines.append("  " * depth[number] + text)
    return "\n".join(lines)


def _fill(connection: Connection, crawl: int) -> None:
    fill(connection, crawl, 1, PAGES + HELD, HELD)
    fill_hosts(connection, crawl, PAGES + HELD)


def document(server: dict[str, str], file: dict[str, str]) -> str:
    """Return the page of the documentation."""
    parts = [
        "# Plans of the queue's hot statements",
        f"Made by `python -m bench.farm.plans`, in a queue of {PAGES:,} pages behind {HELD:,} hosts that are held. "
        "[Crawls](../farm.md#the-database) says what a lease costs.",
        "## PostgreSQL",
        "A lease of one page runs the first seven statements, a completion the others, each in one function.",
    ]
    for title, plans in ((None, server), ("## SQLite", file)):
        parts += [title] if title else []
        for name, plan in plans.items():
            parts += [f"**{name[0].upper()}{name[1:]}**", f"```text\n{plan}\n```"]
    return "\n\n".join(parts)


def main() -> None:
    """Print the page."""
    server = asyncio.run(server_plans(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        print(document(server, file_plans(Path(folder) / "plans.db")))


if __name__ == "__main__":
    main()
