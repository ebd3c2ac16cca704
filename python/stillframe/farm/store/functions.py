"""The functions that a PostgreSQL server has of a crawl: each is one round trip and one transaction.

A worker that is frozen holds no lock, because no answer of it is waited for while a function runs. Leases and
completions wait for a slot first. Then they, releases and additions share the crawl's lock and exclude each other by
rows, always in this order: leased requests, new keys, hosts, tallies. What excludes all others (a limit of pages, the
end of what may be exported) takes the crawl's lock alone.
"""

from __future__ import annotations

from stillframe.farm.store import shared
from stillframe.farm.store.counting import USED
from stillframe.farm.store.positions import BITS, HALF
from stillframe.farm.store.shared import NEVER

LOCKS = 1_937_009_260
"""The first key of our advisory locks in PostgreSQL: "stfl" in ASCII, so that other programs hardly take the same."""
SHARDS = 16
"""Over how many rows a tally is spread, so that workers seldom wait for each other's commits; our choice."""
SLOTS = LOCKS + 1
"""The first key of the advisory locks that are slots; the second is the crawl's, and the slot's."""
AT_ONCE = 16
"""How many leases and completions of a crawl run at once; our choice."""
_PLANS = (
    "SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off "
    "SET plan_cache_mode = force_generic_plan SET jit = off"
)
"""The plan that is right for a full queue: statistics of a queue that was empty a moment ago choose another.

The cost of what is switched off is above the limit from which a server compiles a plan, so `jit` is off as well.
"""

POSITIONS = "CREATE SEQUENCE stillframe_positions"

_COUNT = """
CREATE OR REPLACE FUNCTION stillframe_count(p_crawl integer, p_names text[], p_changes bigint[]) RETURNS void
LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  @COUNT@;
END $$"""

_ENTER = """
CREATE OR REPLACE FUNCTION stillframe_enter(p_crawl integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_own CONSTANT integer := pg_backend_pid() % @AT_ONCE@;
BEGIN
  FOR i IN v_own .. v_own + @AT_ONCE@ - 1 LOOP
    IF pg_try_advisory_xact_lock(@SLOTS@, p_crawl * @AT_ONCE@ + i % @AT_ONCE@) THEN
      RETURN;
    END IF;
  END LOOP;
  PERFORM pg_advisory_xact_lock(@SLOTS@, p_crawl * @AT_ONCE@ + v_own);
END $$"""
"""Takes a slot that is free, or waits for one until the call ends.

Hundreds of workers that have no slots wait for each other's hosts in chains, because a call keeps the hosts that it has
while it waits for the next. A call in a slot meets few others.
"""

_CHANGE_HOSTS = """
CREATE OR REPLACE FUNCTION stillframe_change_hosts(
  p_crawl integer, p_hosts text[], p_positions bigint[], p_ended text[]
) RETURNS void LANGUAGE plpgsql SET jit = off AS $$
BEGIN
  @CHANGE_HOSTS@;
END $$"""

_INSERT = """
CREATE OR REPLACE FUNCTION stillframe_insert(
  p_crawl integer, p_batch bigint, p_first boolean, p_pages integer[], p_wanted integer[], p_ended text[],
  p_keys text[], p_long_keys text[], p_urls text[], p_hosts text[], p_bodies text[], p_depths integer[],
  p_priorities integer[]
) RETURNS text[] LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_before bigint := 0;
  v_keys text[];
  v_hosts text[];
  v_positions bigint[];
BEGIN
  IF p_first THEN
    UPDATE stillframe_crawls SET first_position = first_position - cardinality(p_keys)
    WHERE id = p_crawl RETURNING first_position INTO v_before;
  END IF;
  WITH given AS (
    SELECT DISTINCT ON (key) *
    FROM unnest(p_pages, p_keys, p_long_keys, p_urls, p_hosts, p_bodies, p_depths, p_priorities) WITH ORDINALITY
      AS g(page, key, long_key, url, host, body, depth, priority, n)
    WHERE page = ANY (p_wanted) ORDER BY key, n
  ), fresh AS (
    SELECT * FROM given AS g
    WHERE (SELECT r.crawl FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = g.key) IS NULL
  ), placed AS (
    SELECT f.*, (CASE WHEN p_first THEN v_before + f.n - 1 ELSE nextval('stillframe_positions') END)
      - (f.priority::bigint << @BITS@) AS position
    FROM (SELECT * FROM fresh ORDER BY n) AS f
  ), added AS (
    INSERT INTO stillframe_requests AS r
      (crawl, key, long_key, url, host, body, depth, position, state, attempts, token, batch)
    SELECT p_crawl, key, long_key, url, host, body, depth, position, 'pending', 0, 0, p_batch FROM placed ORDER BY key
    ON CONFLICT (crawl, key) DO NOTHING
    RETURNING r.key, r.host, r.position
  )
  SELECT array_agg(key), array_agg(host), array_agg(position) INTO v_keys, v_hosts, v_positions FROM added;
  IF v_keys IS NOT NULL OR p_ended IS NOT NULL THEN
    PERFORM stillframe_change_hosts(p_crawl, v_hosts, v_positions, p_ended);
  END IF;
  RETURN coalesce(v_keys, ARRAY[]::text[]);
END $$"""

_ADD = """
CREATE OR REPLACE FUNCTION stillframe_add(
  p_crawl integer, p_batch bigint, p_first boolean, p_again boolean,
  p_keys text[], p_long_keys text[], p_urls text[], p_hosts text[], p_bodies text[], p_depths integer[],
  p_priorities integer[]
) RETURNS TABLE (o_key text, o_added boolean, o_finished boolean) LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_keys text[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(@LOCKS@, p_crawl);
  v_keys := stillframe_insert(
    p_crawl, p_batch, p_first, array_fill(1, ARRAY[cardinality(p_keys)]), ARRAY[1], NULL,
    p_keys, p_long_keys, p_urls, p_hosts, p_bodies, p_depths, p_priorities);
  PERFORM stillframe_count(p_crawl, ARRAY['pending'], ARRAY[cardinality(v_keys)]::bigint[]);
  RETURN QUERY
    SELECT g.key, g.key = ANY (v_keys) OR (p_again AND s.batch IS NOT DISTINCT FROM p_batch), s.state = 'done'
    FROM unnest(p_keys) AS g(key),
    LATERAL (SELECT r.state, r.batch FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = g.key) AS s;
END $$"""

_LEASE = """
CREATE OR REPLACE FUNCTION stillframe_lease(
  p_crawl integer, p_worker text, p_lease_s float8, p_limit integer, p_batch bigint, p_again boolean, p_seen boolean
) RETURNS TABLE (
  o_key text, o_url text, o_host text, o_body text, o_depth integer, o_attempts integer, o_token integer,
  o_position bigint
) LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_crawl stillframe_crawls%ROWTYPE;
  v_now float8;
  v_left bigint := p_limit;
  v_leased integer := 0;
  v_none CONSTANT stillframe_requests[] := ARRAY[]::stillframe_requests[];
  v_started stillframe_requests[];
  v_pages stillframe_requests[] := v_none;
  v_keys text[];
  v_hosts text[];
  v_positions bigint[];
  v_ended text[];
BEGIN
  PERFORM stillframe_enter(p_crawl);
  IF EXISTS (SELECT FROM stillframe_crawls WHERE id = p_crawl AND max_pages IS NOT NULL) THEN
    PERFORM pg_advisory_xact_lock(@LOCKS@, p_crawl);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(@LOCKS@, p_crawl);
  END IF;
  SELECT * INTO v_crawl FROM stillframe_crawls WHERE id = p_crawl;
  v_now := extract(epoch FROM clock_timestamp());
  IF p_seen THEN
    @SEEN@;
  END IF;
  IF p_again THEN  -- an earlier try may have been committed, and only its answer lost
    RETURN QUERY
      WITH kept AS (
        UPDATE stillframe_requests AS r SET due_at = v_now + p_lease_s
        WHERE r.crawl = p_crawl AND r.state = 'leased' AND r.worker = p_worker AND r.batch = p_batch
        RETURNING r.*
      )
      SELECT coalesce(k.long_key, k.key)::text, k.url, k.host::text, k.body, k.depth, k.attempts, k.token,
        k.position
      FROM kept AS k ORDER BY k.position;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;

  -- What has waited long enough, and what was leased for longer than its lease.
  SELECT array_agg(d.key), array_agg(d.host), array_agg(d.position), array_agg(d.host) FILTER (WHERE d.state = 'leased')
  INTO v_keys, v_hosts, v_positions, v_ended
  FROM (
    SELECT r.key, r.host, r.position, r.state FROM stillframe_requests AS r
    WHERE r.crawl = p_crawl AND r.state IN ('waiting', 'leased') AND r.due_at <= v_now
    FOR UPDATE SKIP LOCKED
  ) AS d;
  v_ended := coalesce(v_ended, ARRAY[]::text[]);
  IF v_keys IS NOT NULL THEN
    UPDATE stillframe_requests AS r SET state = 'pending', due_at = NULL, worker = NULL
    WHERE r.crawl = p_crawl AND r.key = ANY (v_keys);
    PERFORM stillframe_change_hosts(p_crawl, v_hosts, v_positions, v_ended);
  END IF;
  UPDATE stillframe_hosts AS h SET sleeps_until = 0
  WHERE h.crawl = p_crawl AND h.host = ANY (ARRAY(
    SELECT w.host FROM stillframe_hosts AS w
    WHERE w.crawl = p_crawl AND w.sleeps_until > 0 AND w.head IS NOT NULL AND w.sleeps_until <= v_now
    LIMIT 1000 FOR UPDATE SKIP LOCKED
  ));

  IF v_crawl.stopped THEN
    v_left := 0;
  ELSIF v_crawl.max_pages IS NOT NULL THEN
    SELECT v_crawl.max_pages - coalesce(sum(t.count), 0) INTO v_left FROM stillframe_tallies AS t
    WHERE t.crawl = p_crawl AND @USED@;
    v_left := least(p_limit, v_left + cardinality(v_ended));
  END IF;
  WHILE v_leased < v_left LOOP
    -- Each of the first hosts has a page, so the first pages of all are among theirs.
    v_hosts := ARRAY(
      SELECT h.host FROM stillframe_hosts AS h WHERE @READY@
      ORDER BY h.head LIMIT v_left - v_leased FOR UPDATE SKIP LOCKED);
    IF cardinality(v_hosts) = 0 AND v_leased = 0 AND v_keys IS NULL THEN
      -- All may be locked for a moment: wait for one.
      v_hosts := ARRAY(SELECT h.host FROM stillframe_hosts AS h WHERE @READY@ ORDER BY h.head LIMIT 1 FOR UPDATE);
    END IF;
    EXIT WHEN cardinality(v_hosts) = 0;
    WITH started AS (
      UPDATE stillframe_requests AS r
      SET state = 'leased', attempts = r.attempts + 1, token = r.token + 1, worker = p_worker, leased_at = v_now,
          due_at = v_now + p_lease_s, batch = p_batch
      WHERE r.crawl = p_crawl AND (r.state = 'pending') IS TRUE AND r.key = ANY (ARRAY(
        SELECT q.key FROM stillframe_hosts AS h, LATERAL (
          SELECT p.key, p.position FROM stillframe_requests AS p
          WHERE p.crawl = p_crawl AND p.host = h.host AND p.state = 'pending' ORDER BY p.position
          LIMIT CASE WHEN @INTERVAL@ > 0 THEN 1 ELSE least(@ALLOWED@ - h.leased, v_left - v_leased) END
        ) AS q
        WHERE h.crawl = p_crawl AND h.host = ANY (v_hosts) ORDER BY q.position LIMIT v_left - v_leased))
      RETURNING r AS page
    )
    SELECT coalesce(array_agg(page), v_none) INTO v_started FROM started;
    WITH changed AS MATERIALIZED (
      SELECT o.host, (SELECT count(*) FROM unnest(v_started) AS s WHERE s.host = o.host) AS amount, (
          SELECT q.position FROM stillframe_requests AS q
          WHERE q.crawl = p_crawl AND q.host = o.host AND q.state = 'pending' ORDER BY q.position LIMIT 1
        ) AS head
      FROM unnest(v_hosts) AS o(host)
    )
    UPDATE stillframe_hosts AS h
    SET head = g.head,
        leased = h.leased + g.amount,
        next_start = CASE WHEN g.amount > 0 THEN v_now + @INTERVAL@ ELSE h.next_start END,
        sleeps_until = CASE
          WHEN h.leased + g.amount >= @ALLOWED@ THEN @NEVER@
          WHEN g.amount > 0 AND @INTERVAL@ > 0 THEN v_now + @INTERVAL@ ELSE 0 END
    FROM changed AS g
    WHERE h.crawl = p_crawl AND h.host = g.host AND (g.amount > 0 OR g.head IS NULL);
    v_leased := v_leased + cardinality(v_started);
    v_pages := v_pages || v_started;
  END LOOP;
  PERFORM stillframe_count(
    p_crawl, ARRAY['leased', 'pending'],
    ARRAY[v_leased - cardinality(v_ended), cardinality(v_ended) - v_leased]::bigint[]);
  RETURN QUERY
    SELECT coalesce(k.long_key, k.key)::text, k.url, k.host::text, k.body, k.depth, k.attempts, k.token, k.position
    FROM unnest(v_pages) AS k ORDER BY k.position;
END $$"""

_COMPLETE = """
CREATE OR REPLACE FUNCTION stillframe_complete(
  p_crawl integer, p_worker text, p_keys text[], p_tokens integer[], p_outcomes text[], p_bodies text[],
  p_row_pages integer[], p_row_datasets text[], p_row_ordinals integer[], p_row_bodies bytea[], p_row_payloads bytea[],
  p_link_pages integer[], p_link_keys text[], p_link_long_keys text[], p_link_urls text[], p_link_hosts text[],
  p_link_bodies text[], p_link_depths integer[], p_link_priorities integer[]
) RETURNS text[] LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_answers text[] := ARRAY[]::text[];
  v_pages integer[] := ARRAY[]::integer[];
  v_hosts text[] := ARRAY[]::text[];
  v_names text[] := ARRAY[]::text[];
  v_host text;
  v_added text[] := ARRAY[]::text[];
BEGIN
  PERFORM stillframe_enter(p_crawl);
  PERFORM pg_advisory_xact_lock_shared(@LOCKS@, p_crawl);
  FOR i IN 1 .. cardinality(p_keys) LOOP
    UPDATE stillframe_requests AS r
    SET state = 'done', outcome = p_outcomes[i], due_at = NULL, body = coalesce(p_bodies[i], r.body)
    WHERE r.crawl = p_crawl AND r.key = p_keys[i] AND r.token = p_tokens[i] AND @LEASED@
      AND r.worker = p_worker
    RETURNING r.host INTO v_host;
    IF FOUND THEN
      v_answers := v_answers || 'completed'::text;
      v_pages := v_pages || i;
      v_hosts := v_hosts || v_host;
      v_names := v_names || ('outcome:' || p_outcomes[i]);
    ELSIF EXISTS (
      SELECT FROM stillframe_requests AS r
      WHERE r.crawl = p_crawl AND r.key = p_keys[i] AND r.token = p_tokens[i] AND r.state = 'done'
        AND r.worker = p_worker
    ) THEN
      v_answers := v_answers || 'repeated'::text;
    ELSE
      v_answers := v_answers || 'lost'::text;
    END IF;
  END LOOP;
  IF cardinality(v_pages) = 0 THEN
    RETURN v_answers;
  END IF;
  INSERT INTO stillframe_rows (crawl, dataset, key, ordinal, body, payload)
  SELECT p_crawl, g.dataset, p_keys[g.page], g.ordinal, g.body, g.payload
  FROM unnest(p_row_pages, p_row_datasets, p_row_ordinals, p_row_bodies, p_row_payloads) WITH ORDINALITY
    AS g(page, dataset, ordinal, body, payload, n)
  WHERE g.page = ANY (v_pages) ORDER BY g.n;
  IF cardinality(p_link_keys) > 0 THEN
    v_added := stillframe_insert(
      p_crawl, NULL, false, p_link_pages, v_pages, v_hosts,
      p_link_keys, p_link_long_keys, p_link_urls, p_link_hosts, p_link_bodies, p_link_depths, p_link_priorities);
  ELSE
    PERFORM stillframe_change_hosts(p_crawl, NULL, NULL, v_hosts);
  END IF;
  PERFORM stillframe_count(
    p_crawl, v_names || ARRAY['leased', 'pending'],
    array_fill(1, ARRAY[cardinality(v_pages)])::bigint[]
      || ARRAY[-cardinality(v_pages), cardinality(v_added)]::bigint[]);
  RETURN v_answers;
END $$"""

_RENEW = """
CREATE OR REPLACE FUNCTION stillframe_renew(
  p_crawl integer, p_worker text, p_lease_s float8, p_keys text[], p_tokens integer[]
) RETURNS boolean[] LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_now float8;
  v_held boolean[] := ARRAY[]::boolean[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(@LOCKS@, p_crawl);
  v_now := extract(epoch FROM clock_timestamp());
  @SEEN@;
  FOR i IN 1 .. cardinality(p_keys) LOOP
    UPDATE stillframe_requests AS r SET due_at = v_now + p_lease_s
    WHERE r.crawl = p_crawl AND r.key = p_keys[i] AND r.token = p_tokens[i] AND @LEASED@
      AND r.worker = p_worker;
    v_held := v_held || FOUND;
  END LOOP;
  RETURN v_held;
END $$"""

_RELEASE = """
CREATE OR REPLACE FUNCTION stillframe_release(
  p_crawl integer, p_worker text, p_key text, p_token integer, p_attempts integer, p_delay_s float8, p_hold_s float8,
  p_first boolean, p_last boolean, p_body text
) RETURNS text LANGUAGE plpgsql @PLANS@ AS $$
DECLARE
  v_now float8;
  v_page stillframe_requests%ROWTYPE;
  v_band bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(@LOCKS@, p_crawl);
  v_now := extract(epoch FROM clock_timestamp());
  SELECT * INTO v_page FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = p_key FOR UPDATE;
  IF NOT FOUND OR v_page.token <> p_token OR v_page.worker IS DISTINCT FROM p_worker OR v_page.state = 'done' THEN
    RETURN 'lost';
  ELSIF v_page.state <> 'leased' THEN
    RETURN 'repeated';
  END IF;
  v_band := (v_page.position + @HALF@) >> @BITS@ << @BITS@;
  IF p_first THEN
    UPDATE stillframe_crawls SET first_position = first_position - 1
    WHERE id = p_crawl RETURNING first_position + v_band INTO v_page.position;
  ELSIF p_last THEN
    v_page.position := nextval('stillframe_positions') + v_band;
  END IF;
  UPDATE stillframe_requests AS r
  SET state = CASE WHEN p_delay_s > 0 THEN 'waiting' ELSE 'pending' END,
      due_at = CASE WHEN p_delay_s > 0 THEN v_now + p_delay_s END,
      position = v_page.position, attempts = p_attempts, body = coalesce(p_body, r.body)
  WHERE r.crawl = p_crawl AND r.key = p_key;
  IF p_hold_s > 0 THEN
    UPDATE stillframe_hosts AS h
    SET held_until = greatest(h.held_until, v_now + p_hold_s), sleeps_until = greatest(h.sleeps_until, v_now + p_hold_s)
    WHERE h.crawl = p_crawl AND h.host = v_page.host;
  END IF;
  PERFORM stillframe_change_hosts(
    p_crawl, ARRAY[v_page.host]::text[], ARRAY[CASE WHEN p_delay_s > 0 THEN NULL ELSE v_page.position END]::bigint[],
    ARRAY[v_page.host]::text[]);
  PERFORM stillframe_count(p_crawl, ARRAY['leased', 'pending'], ARRAY[-1, 1]::bigint[]);
  RETURN 'released';
END $$"""

_HORIZON = """
CREATE OR REPLACE FUNCTION stillframe_horizon(p_crawl integer, p_dataset text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN  -- with the lock, each row that a transaction has begun to add stands or is gone, so none comes before the last
  PERFORM pg_advisory_xact_lock(@LOCKS@, p_crawl);
  RETURN (SELECT coalesce(max(id), 0) FROM stillframe_rows WHERE crawl = p_crawl AND dataset = p_dataset);
END $$"""


_COUNTED = "unnest(p_names, p_changes) AS given(name, change)"
_CHANGED = """(
    SELECT host, position, 0 AS ended FROM unnest(p_hosts, p_positions) AS given(host, position)
    UNION ALL SELECT host, NULL, 1 FROM unnest(p_ended) AS over(host)
  ) AS changes"""
_PARTS = {
    "COUNT": shared.in_function(shared.COUNT, SHARD=f"pg_backend_pid() % {SHARDS}", COUNTED=_COUNTED),
    "CHANGE_HOSTS": shared.in_function(shared.CHANGE_HOSTS, NEVER=NEVER, CHANGED=_CHANGED),
    "SEEN": shared.in_function(shared.SEEN).replace("p_now", "v_now"),
    "USED": USED,
    "READY": "h.crawl = p_crawl AND h.sleeps_until = 0 AND h.head IS NOT NULL AND h.held_until <= v_now\n"
    "        AND h.next_start <= v_now AND (@ALLOWED@ IS NULL OR h.leased < @ALLOWED@)",
    "ALLOWED": "coalesce(h.pages, v_crawl.host_pages)",
    "INTERVAL": "coalesce(h.interval_s, v_crawl.host_interval_s, 0)",
    # The index of what is due has each leased page: read for one of them, it costs more the more are leased.
    "LEASED": "(r.state = 'leased') IS TRUE",
    "LOCKS": LOCKS,
    "SLOTS": SLOTS,
    "AT_ONCE": AT_ONCE,
    "NEVER": NEVER,
    "PLANS": _PLANS,
    "BITS": BITS,
    "HALF": HALF,
}


def _filled(template: str) -> str:
    """Return a function with what is the same in several places, or in SQLite."""
    return shared.filled(template, **_PARTS)


_DROP = """
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN SELECT oid::regprocedure FROM pg_proc
    WHERE proname LIKE 'stillframe\\_%' AND pronamespace = current_schema()::regnamespace
  LOOP
    EXECUTE 'DROP FUNCTION ' || v_function;
  END LOOP;
END $$"""
"""A function with other parameters would stand beside the new one."""

FUNCTIONS = tuple(
    map(_filled, (_DROP, _COUNT, _ENTER, _CHANGE_HOSTS, _INSERT, _ADD, _LEASE, _COMPLETE, _RENEW, _RELEASE, _HORIZON))
)
"""What makes all functions afresh, in the order in which they need each other."""
