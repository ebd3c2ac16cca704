"""Leases, completions, releases and additions in a SQLite file: statements for many pages at once, in one transaction.

Its functions are those of `server`, which PostgreSQL runs by itself. The transaction of the caller has locked the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Any

from sqlalchemy import Connection

from stillframe.farm.store.counting import OUTCOME, USED, count
from stillframe.farm.store.entries import AddedRequest, Completion, Lease, NewRequest, Return, short
from stillframe.farm.store.positions import BITS, priority_of, start_of
from stillframe.farm.store.queue import change_hosts, machine_time
from stillframe.farm.store.server import answers_to, lease_of
from stillframe.farm.store.shared import NEVER, SEEN, as_json, filled, given, run
from stillframe.farm.store.statements import DONE, LEASED, PENDING, WAITING

_PARTS = {
    "BITS": BITS,
    "USED": USED,
    "NEVER": NEVER,
    "LEASED": "coalesce(long_key, key) AS key, url, host, body, depth, attempts, token, position",
    "CURRENT": "r.crawl = $p_crawl AND r.key = g.key AND r.token = g.token AND r.state = 'leased'"
    " AND r.worker = $p_worker",
    "ALLOWED": "coalesce(h.pages, $p_host_pages)",
    "INTERVAL": "coalesce(h.interval_s, $p_host_interval_s, 0)",
    "NEW": given("new", "key", "long_key", "url", "host", "body", "depth", "priority"),
    "KEYS": given("keys", "key"),
    "STARTED": given("started", "host", "amount"),
    "PAGES": given("pages", "key", "token", "outcome", "body"),
    "LEASES": given("leases", "key", "token"),
}


def _sql(text: str) -> str:
    return filled(text, **_PARTS)


INSERT = _sql("""
INSERT INTO stillframe_requests AS r
  (crawl, key, long_key, url, host, body, depth, position, state, attempts, token, batch)
SELECT $p_crawl, g.key, g.long_key, g.url, g.host, g.body, g.depth,
  CASE WHEN $p_first THEN c.first_position - $p_amount ELSE c.last_position + 1 END + g.n - (g.priority << @BITS@),
  'pending', 0, 0, $p_batch
FROM stillframe_crawls AS c
CROSS JOIN @NEW@
WHERE c.id = $p_crawl ORDER BY g.n
ON CONFLICT (crawl, key) DO NOTHING
RETURNING key, host, position""")
TAKE_TURNS = """
UPDATE stillframe_crawls SET
  first_position = first_position - CASE WHEN $p_first THEN $p_amount ELSE 0 END,
  last_position = last_position + CASE WHEN $p_first THEN 0 ELSE $p_amount END
WHERE id = $p_crawl RETURNING CASE WHEN $p_first THEN first_position ELSE last_position END"""
FOUND = _sql("""
SELECT r.key, r.state, r.batch, r.token, r.worker, r.host, r.position FROM @KEYS@
CROSS JOIN stillframe_requests AS r ON r.crawl = $p_crawl AND r.key = g.key""")

ASKED = _sql("""
SELECT c.host_pages, c.host_interval_s, c.stopped, c.max_pages
    - (SELECT coalesce(sum(t.count), 0) FROM stillframe_tallies AS t WHERE t.crawl = c.id AND @USED@) AS budget,
  EXISTS (SELECT 1 FROM stillframe_requests AS r
    WHERE r.crawl = c.id AND r.state = 'waiting' AND r.due_at <= $p_now) AS waiting,
  EXISTS (SELECT 1 FROM stillframe_requests AS r
    WHERE r.crawl = c.id AND r.state = 'leased' AND r.due_at <= $p_now) AS leased,
  EXISTS (SELECT 1 FROM stillframe_hosts AS h WHERE h.crawl = c.id AND h.sleeps_until > 0 AND h.head IS NOT NULL
    AND h.sleeps_until <= $p_now) AS asleep
FROM stillframe_crawls AS c WHERE c.id = $p_crawl""")
"""The limits of a crawl, and whether there are pages that have waited, leases that ran out, and hosts to wake."""
DUE = """
UPDATE stillframe_requests AS r SET state = 'pending', due_at = NULL, worker = NULL
WHERE r.crawl = $p_crawl AND r.state = $p_state AND r.due_at <= $p_now
RETURNING host, position"""
WAKE = """
UPDATE stillframe_hosts SET sleeps_until = 0
WHERE crawl = $p_crawl AND sleeps_until > 0 AND head IS NOT NULL AND sleeps_until <= $p_now"""
LEASE = _sql("""
WITH ready AS (
  SELECT h.host, CASE WHEN @INTERVAL@ > 0 THEN 1 ELSE coalesce(@ALLOWED@ - h.leased, $p_limit) END AS room
  FROM stillframe_hosts AS h
  WHERE h.crawl = $p_crawl AND h.sleeps_until = 0 AND h.head IS NOT NULL AND h.held_until <= $p_now
    AND h.next_start <= $p_now AND (@ALLOWED@ IS NULL OR h.leased < @ALLOWED@)
  ORDER BY h.head LIMIT $p_limit
), oldest AS (
  SELECT q.rowid AS id, q.position, ready.room,
    row_number() OVER (PARTITION BY ready.host ORDER BY q.position) AS turn
  FROM ready CROSS JOIN stillframe_requests AS q ON q.rowid IN (
    SELECT p.rowid FROM stillframe_requests AS p
    WHERE p.crawl = $p_crawl AND p.host = ready.host AND p.state = 'pending' ORDER BY p.position LIMIT $p_limit)
)
UPDATE stillframe_requests AS r
SET state = 'leased', attempts = r.attempts + 1, token = r.token + 1, worker = $p_worker, leased_at = $p_now,
  due_at = $p_now + $p_lease_s, batch = $p_batch
WHERE r.rowid IN (SELECT id FROM oldest WHERE turn <= room ORDER BY position LIMIT $p_limit)
RETURNING @LEASED@""")
"""Takes the hosts with the first pages of those that may start some, and of each as many pages as it has room for."""
KEEP = _sql("""
UPDATE stillframe_requests AS r SET due_at = $p_now + $p_lease_s
WHERE r.crawl = $p_crawl AND r.state = 'leased' AND r.worker = $p_worker AND r.batch = $p_batch
RETURNING @LEASED@""")
START = _sql("""
UPDATE stillframe_hosts AS h
SET head = (
    SELECT q.position FROM stillframe_requests AS q
    WHERE q.crawl = $p_crawl AND q.host = h.host AND q.state = 'pending' ORDER BY q.position LIMIT 1),
  leased = h.leased + g.amount,
  next_start = $p_now + @INTERVAL@,
  sleeps_until = CASE
    WHEN h.leased + g.amount >= @ALLOWED@ THEN @NEVER@
    WHEN @INTERVAL@ > 0 THEN $p_now + @INTERVAL@ ELSE 0 END
FROM @STARTED@
WHERE h.crawl = $p_crawl AND h.host = g.host""")

FINISH = _sql("""
UPDATE stillframe_requests AS r
SET state = 'done', outcome = g.outcome, due_at = NULL, body = coalesce(g.body, r.body)
FROM @PAGES@ WHERE @CURRENT@
RETURNING key, token, host, outcome""")
ADD_ROW = "INSERT INTO stillframe_rows (crawl, dataset, key, ordinal, body, payload) VALUES (?, ?, ?, ?, ?, ?)"
RENEW = _sql("""
UPDATE stillframe_requests AS r SET due_at = $p_now + $p_lease_s FROM @LEASES@ WHERE @CURRENT@
RETURNING key""")
RELEASE = """
UPDATE stillframe_requests AS r
SET state = CASE WHEN $p_delay_s > 0 THEN 'waiting' ELSE 'pending' END,
  due_at = CASE WHEN $p_delay_s > 0 THEN $p_now + $p_delay_s END,
  position = $p_position, attempts = $p_attempts, body = coalesce($p_body, r.body)
WHERE r.crawl = $p_crawl AND r.key = $p_key"""
HOLD = """
UPDATE stillframe_hosts SET held_until = max(held_until, $p_until), sleeps_until = max(sleeps_until, $p_until)
WHERE crawl = $p_crawl AND host = $p_host"""


# -- adding ------------------------------------------------------------------------------------------


def add(
    connection: Connection, crawl: int, new: Sequence[NewRequest], *, first: bool, batch: int, again: bool
) -> list[AddedRequest]:
    """Add requests; with `again`, those that an earlier try of the call `batch` added count as added."""
    added = _insert(connection, crawl, new, first=first, batch=batch)
    change_hosts(connection, crawl, [(host, position, 0) for host, position in added.values()])
    count(connection, crawl, {PENDING: len(added)})
    others = {short(request.key) for request in new} - added.keys()
    found = dict.fromkeys(added, (True, False))
    for row in _found(connection, crawl, sorted(others)) if others else ():
        found[row.key] = (again and row.batch == batch, row.state == DONE)
    return answers_to(new, found)


def _insert(
    connection: Connection, crawl: int, new: Sequence[NewRequest], *, first: bool = False, batch: int | None = None
) -> dict[str, tuple[str, int]]:
    """Add requests whose keys are new; return their keys with host and position."""
    if not new:
        return {}
    rows = []
    for request in new:
        key, host = short(request.key), short(request.host)
        long_key = None if key == request.key else request.key
        rows.append((key, long_key, request.url, host, request.body, request.depth, request.priority))
    values = {"p_crawl": crawl, "p_new": as_json(rows), "p_first": first, "p_amount": len(rows), "p_batch": batch}
    added = {row.key: (row.host, row.position) for row in run(connection, INSERT, values)}
    if added:
        run(connection, TAKE_TURNS, values)
    return added


def _found(connection: Connection, crawl: int, keys: Sequence[str]) -> list[Any]:
    return run(connection, FOUND, {"p_crawl": crawl, "p_keys": as_json((key,) for key in keys)})


# -- leasing -----------------------------------------------------------------------------------------


def lease(  # noqa: PLR0913  as `server.lease`
    connection: Connection, crawl: int, worker: str, lease_s: float, limit: int, *, batch: int, again: bool, seen: bool
) -> list[Lease]:
    """Lease up to `limit` pages; with `again`, return those that an earlier try of the call `batch` leased."""
    values: dict[str, Any] = {"p_crawl": crawl, "p_worker": worker, "p_now": machine_time(), "p_lease_s": lease_s}
    values |= {"p_limit": limit, "p_batch": batch}
    if seen:
        run(connection, SEEN, values)
    if again and (kept := run(connection, KEEP, values)):
        return _in_order(kept, lease_s)
    asked = run(connection, ASKED, values)[0]
    values |= {"p_host_pages": asked.host_pages, "p_host_interval_s": asked.host_interval_s}
    if asked.waiting:
        _make_due(connection, values, WAITING)
    ended = _make_due(connection, values, LEASED) if asked.leased else 0
    if asked.asleep:
        run(connection, WAKE, values)
    left = 0 if asked.stopped else limit if asked.budget is None else min(limit, asked.budget + ended)
    found = run(connection, LEASE, values | {"p_limit": left}) if left > 0 else []
    if found:
        started = Counter(row.host for row in found)
        run(connection, START, values | {"p_started": as_json(started.items())})
    count(connection, crawl, {LEASED: len(found) - ended, PENDING: ended - len(found)})
    return _in_order(found, lease_s)


def _make_due(connection: Connection, values: dict[str, Any], state: str) -> int:
    """Make pending what has waited, or been leased, long enough; return how many leases have ended."""
    ended = int(state == LEASED)
    found = run(connection, DUE, values | {"p_state": state})
    change_hosts(connection, values["p_crawl"], [(host, position, ended) for host, position in map(tuple, found)])
    return ended * len(found)


def _in_order(rows: Sequence[Any], lease_s: float) -> list[Lease]:
    return [lease_of(row, lease_s) for row in sorted(rows, key=lambda row: row.position)]


def renew(connection: Connection, crawl: int, worker: str, lease_s: float, leases: Sequence[Lease]) -> list[Lease]:
    """Renew leases, and return those that were still held."""
    values: dict[str, Any] = {"p_crawl": crawl, "p_worker": worker, "p_now": machine_time(), "p_lease_s": lease_s}
    run(connection, SEEN, values)
    given_leases = as_json((short(lease.key), lease.token) for lease in leases)
    held = {row.key for row in run(connection, RENEW, values | {"p_leases": given_leases})}
    return [lease for lease in leases if short(lease.key) in held]


# -- ending a lease ----------------------------------------------------------------------------------


def complete(connection: Connection, crawl: int, worker: str, pages: Sequence[Completion]) -> list[str]:
    """End leases, and return for each what became of it: completed, repeated or lost."""
    asked: dict[tuple[str, int], Completion] = {}
    for page in pages:
        asked.setdefault(_lease_key(page.lease), page)
    given_pages = as_json((*held, page.outcome, page.request) for held, page in asked.items())
    over = run(connection, FINISH, {"p_crawl": crawl, "p_worker": worker, "p_pages": given_pages})
    finished = {(row.key, row.token) for row in over}
    ended = {held: page for held, page in asked.items() if held in finished}
    _store(connection, crawl, ended)
    added = _insert(connection, crawl, [link for page in ended.values() for link in page.links])
    hosts = [(row.host, None, 1) for row in over] + [(host, position, 0) for host, position in added.values()]
    change_hosts(connection, crawl, hosts)
    outcomes = Counter(OUTCOME + row.outcome for row in over)
    count(connection, crawl, {**outcomes, LEASED: -len(over), PENDING: len(added)})
    others = asked.keys() - finished
    found = _found(connection, crawl, sorted(key for key, _ in others)) if others else ()
    repeated = finished | {(row.key, row.token) for row in found if row.state == DONE and row.worker == worker}
    return [_answer(page, ended, repeated) for page in pages]


def _answer(page: Completion, ended: Mapping[tuple[str, int], Completion], repeated: Set[tuple[str, int]]) -> str:
    held = _lease_key(page.lease)
    if ended.get(held) is page:
        return "completed"
    return "repeated" if held in repeated else "lost"


def _lease_key(lease: Lease) -> tuple[str, int]:
    return short(lease.key), lease.token


def _store(connection: Connection, crawl: int, pages: Mapping[tuple[str, int], Completion]) -> None:
    rows = [
        (crawl, row.dataset, key, ordinal, row.body, row.payload)
        for (key, _), page in pages.items()
        for ordinal, row in page.numbered_rows()
    ]
    if rows:
        connection.exec_driver_sql(ADD_ROW, rows)


def release(connection: Connection, crawl: int, worker: str, page: Return) -> str:
    """Return a page to the queue, and say what became of it: released, repeated or lost."""
    lease, key = page.lease, short(page.lease.key)
    found = _found(connection, crawl, [key])
    if not found or (found[0].token, found[0].worker) != (lease.token, worker) or found[0].state == DONE:
        return "lost"
    if found[0].state != LEASED:
        return "repeated"
    host, position, now = found[0].host, found[0].position, machine_time()
    if page.first or page.last:
        turn = run(connection, TAKE_TURNS, {"p_crawl": crawl, "p_first": page.first, "p_amount": 1})[0][0]
        position = turn + start_of(priority_of(position))
    waits = page.delay_s > 0
    values = {"p_crawl": crawl, "p_key": key, "p_now": now, "p_delay_s": page.delay_s, "p_position": position}
    run(connection, RELEASE, values | {"p_attempts": page.attempts, "p_body": page.request})
    if page.hold_host_s > 0:
        run(connection, HOLD, {"p_crawl": crawl, "p_host": host, "p_until": now + page.hold_host_s})
    change_hosts(connection, crawl, [(host, None if waits else position, 1)])
    count(connection, crawl, {LEASED: -1, PENDING: 1})
    return "released"
