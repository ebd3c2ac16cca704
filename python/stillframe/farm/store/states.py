"""Small values of a crawl that several workers change: read together, and replaced only while they are as expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, func, select, update

from stillframe.farm.store import statements
from stillframe.farm.store.tables import states

Swaps = Mapping[str, tuple[bytes | None, bytes]]
"""By key: what a value has to be, None for no value, and what it becomes."""
AT_ONCE = 500
"""How many keys one statement asks for."""

SWAP = """
WITH given AS (SELECT * FROM unnest($2::text[], $3::bytea[], $4::bytea[]) AS g(key, old, new)),
locked AS (
  SELECT s.key FROM stillframe_states AS s JOIN given AS g ON s.crawl = $1 AND s.key = g.key AND s.value = g.old
  ORDER BY s.key FOR UPDATE OF s
), replaced AS (
  UPDATE stillframe_states AS s SET value = g.new FROM given AS g, locked AS l
  WHERE s.crawl = $1 AND s.key = l.key AND g.key = l.key AND s.value = g.old RETURNING s.key
), added AS (
  INSERT INTO stillframe_states (crawl, key, value) SELECT $1, key, new FROM given WHERE old IS NULL ORDER BY key
  ON CONFLICT (crawl, key) DO NOTHING RETURNING key
)
SELECT key FROM replaced UNION ALL SELECT key FROM added"""
"""All of it is one statement, so that no lock waits for a worker; rows are locked in the order of their keys."""


def read(connection: Connection, crawl: int, keys: Sequence[str]) -> dict[str, bytes]:
    """Return the values of those keys that have one."""
    found: dict[str, bytes] = {}
    for start in range(0, len(keys), AT_ONCE):
        some = states.c.key.in_(keys[start : start + AT_ONCE])
        asked = select(states.c.key, states.c.value).where(states.c.crawl == crawl, some)
        found |= {row.key: row.value for row in connection.execute(asked)}
    return found


def read_from(connection: Connection, crawl: int, prefix: str) -> dict[str, bytes]:
    """Return the values of all keys that begin so."""
    begins = func.substr(states.c.key, 1, len(prefix)) == prefix  # LIKE of SQLite takes A for a
    asked = select(states.c.key, states.c.value).where(states.c.crawl == crawl, begins)
    return {row.key: row.value for row in connection.execute(asked)}


def write(connection: Connection, crawl: int, key: str, value: bytes) -> None:
    """Record a value under a key, whatever stands there."""
    new = statements.inserting(connection.dialect.name, states).values(crawl=crawl, key=key, value=value)
    connection.execute(new.on_conflict_do_update(index_elements=["crawl", "key"], set_={"value": value}))


def swap(connection: Connection, crawl: int, swaps: Swaps) -> set[str]:
    """Replace those values that are as expected, and return their keys."""
    if connection.dialect.name == "sqlite":
        return {key for key, (old, new) in swaps.items() if _swap_one(connection, crawl, key, old, new)}
    keys = sorted(swaps)
    olds, news = [swaps[key][0] for key in keys], [swaps[key][1] for key in keys]
    return set(connection.exec_driver_sql(SWAP, (crawl, keys, olds, news)).scalars())


def _swap_one(connection: Connection, crawl: int, key: str, old: bytes | None, new: bytes) -> bool:
    if old is None:
        added = statements.inserting(connection.dialect.name, states).values(crawl=crawl, key=key, value=new)
        return connection.execute(added.on_conflict_do_nothing()).rowcount > 0
    same = (states.c.crawl == crawl, states.c.key == key, states.c.value == old)
    return connection.execute(update(states).where(*same).values(value=new)).rowcount > 0
