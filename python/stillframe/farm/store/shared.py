"""SQL of the queue that both databases run: in SQLite as it stands, on a server within its functions.

`$p_…` is a parameter, `@NAME@` the rows or the constant that each database has for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row

NEVER = 1e18
"""When a host wakes that is full: as soon as a page of it ends."""
COUNT = """
INSERT INTO stillframe_tallies AS t (crawl, name, shard, count)
SELECT $p_crawl, name, @SHARD@, sum(change)
FROM @COUNTED@ GROUP BY name HAVING sum(change) <> 0 ORDER BY name
ON CONFLICT (crawl, name, shard) DO UPDATE SET count = t.count + excluded.count"""
"""Adds `change` to the tally of each `name`."""

CHANGE_HOSTS = """
INSERT INTO stillframe_hosts AS h (crawl, host, head, leased, held_until, next_start, sleeps_until)
SELECT $p_crawl, host, min(position), -sum(ended), 0, 0, 0
FROM @CHANGED@ GROUP BY host ORDER BY host
ON CONFLICT (crawl, host) DO UPDATE SET
  head = CASE WHEN h.head IS NULL OR h.head > excluded.head THEN excluded.head ELSE h.head END,
  leased = h.leased + excluded.leased,
  sleeps_until = CASE
    WHEN excluded.leased = 0 OR h.sleeps_until < @NEVER@ THEN h.sleeps_until
    WHEN h.held_until > h.next_start THEN h.held_until ELSE h.next_start END
WHERE excluded.leased <> 0 OR h.head IS NULL OR h.head > excluded.head"""
"""Records that each `host` has a pending page at `position`, NULL for none, and that `ended` leases of it are over."""

SEEN = """
INSERT INTO stillframe_workers (crawl, worker, seen_at) VALUES ($p_crawl, $p_worker, $p_now)
ON CONFLICT (crawl, worker) DO UPDATE SET seen_at = excluded.seen_at"""


def filled(text: str, **values: object) -> str:
    """Return SQL with what the database has for each name."""
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def in_function(text: str, **values: object) -> str:
    """Return SQL as it stands in a function of a server, whose parameters have no sign."""
    return re.sub(r"\$(?=p_)", "", filled(text, **values)).strip()


# -- SQLite: lists of values are one parameter, as JSON ------------------------------------------------


def given(parameter: str, *names: str) -> str:
    """Return the rows of a parameter that is a JSON list of lists, with the number `n` of each."""
    columns = "".join(f", json_extract(e.value, '$[{at}]') AS {name}" for at, name in enumerate(names))
    return filled("(SELECT e.key AS n@COLUMNS@ FROM json_each($p_@NAME@) AS e) AS g", COLUMNS=columns, NAME=parameter)


def as_json(values: Iterable[object]) -> str:
    """Return the value of such a parameter."""
    return json.dumps(list(values), ensure_ascii=False)


def run(connection: Connection, statement: str, values: Mapping[str, Any]) -> list[Row[Any]]:
    """Run a statement of SQLite's and return its rows."""
    result = connection.exec_driver_sql(statement, dict(values))
    return list(result) if result.returns_rows else []


FILE_COUNT = filled(COUNT, SHARD=0, COUNTED=given("changes", "name", "change"))
FILE_CHANGE_HOSTS = filled(CHANGE_HOSTS, NEVER=NEVER, CHANGED=given("changes", "host", "position", "ended"))
