SET check_function_bodies = false;
CREATE FUNCTION public.stillframe_add(p_crawl integer, p_batch bigint, p_first boolean, p_again boolean, p_keys text[], p_long_keys text[], p_urls text[], p_hosts text[], p_bodies text[], p_depths integer[]) RETURNS TABLE(o_key text, o_added boolean, o_finished boolean)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  v_keys text[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1937009260, p_crawl);
  v_keys := stillframe_insert(
    p_crawl, p_batch, p_first, array_fill(1, ARRAY[cardinality(p_keys)]), ARRAY[1], NULL,
    p_keys, p_long_keys, p_urls, p_hosts, p_bodies, p_depths);
  PERFORM stillframe_count(p_crawl, ARRAY['pending'], ARRAY[cardinality(v_keys)]::bigint[]);
  RETURN QUERY
    SELECT g.key, g.key = ANY (v_keys) OR (p_again AND s.batch IS NOT DISTINCT FROM p_batch), s.state = 'done'
    FROM unnest(p_keys) AS g(key),
    LATERAL (SELECT r.state, r.batch FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = g.key) AS s;
END $$;
CREATE FUNCTION public.stillframe_change_hosts(p_crawl integer, p_hosts text[], p_positions bigint[], p_ended text[]) RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS $$
BEGIN
  INSERT INTO stillframe_hosts AS h (crawl, host, head, leased, held_until, next_start, sleeps_until)
  SELECT p_crawl, host, min(position), -sum(ended), 0, 0, 0
  FROM (
    SELECT host, position, 0 AS ended FROM unnest(p_hosts, p_positions) AS given(host, position)
    UNION ALL SELECT host, NULL, 1 FROM unnest(p_ended) AS over(host)
  ) AS changes
  GROUP BY host ORDER BY host
  ON CONFLICT (crawl, host) DO UPDATE SET
    head = least(h.head, excluded.head),
    leased = h.leased + excluded.leased,
    sleeps_until = CASE
      WHEN excluded.leased < 0 AND h.sleeps_until >= 1e+18 THEN greatest(h.held_until, h.next_start)
      ELSE h.sleeps_until END
  WHERE excluded.leased <> 0 OR h.head IS NULL OR h.head > excluded.head;
END $$;
CREATE FUNCTION public.stillframe_complete(p_crawl integer, p_worker text, p_keys text[], p_tokens integer[], p_outcomes text[], p_bodies text[], p_row_pages integer[], p_row_datasets text[], p_row_ordinals integer[], p_row_bodies bytea[], p_row_payloads bytea[], p_link_pages integer[], p_link_keys text[], p_link_long_keys text[], p_link_urls text[], p_link_hosts text[], p_link_bodies text[], p_link_depths integer[]) RETURNS text[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  v_answers text[] := ARRAY[]::text[];
  v_pages integer[] := ARRAY[]::integer[];
  v_hosts text[] := ARRAY[]::text[];
  v_names text[] := ARRAY[]::text[];
  v_host text;
  v_added text[] := ARRAY[]::text[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1937009260, p_crawl);
  FOR i IN 1 .. cardinality(p_keys) LOOP
    UPDATE stillframe_requests AS r
    SET state = 'done', outcome = p_outcomes[i], due_at = NULL, body = coalesce(p_bodies[i], r.body)
    WHERE r.crawl = p_crawl AND r.key = p_keys[i] AND r.token = p_tokens[i] AND r.state = 'leased'
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
      p_link_keys, p_link_long_keys, p_link_urls, p_link_hosts, p_link_bodies, p_link_depths);
  ELSE
    PERFORM stillframe_change_hosts(p_crawl, NULL, NULL, v_hosts);
  END IF;
  PERFORM stillframe_count(
    p_crawl, v_names || ARRAY['leased', 'pending'],
    array_fill(1, ARRAY[cardinality(v_pages)])::bigint[]
      || ARRAY[-cardinality(v_pages), cardinality(v_added)]::bigint[]);
  RETURN v_answers;
END $$;
CREATE FUNCTION public.stillframe_count(p_crawl integer, p_names text[], p_changes bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS $$
BEGIN
  INSERT INTO stillframe_tallies AS t (crawl, name, shard, count)
  SELECT p_crawl, name, pg_backend_pid() % 16, sum(change)
  FROM unnest(p_names, p_changes) AS given(name, change) GROUP BY name HAVING sum(change) <> 0 ORDER BY name
  ON CONFLICT (crawl, name, shard) DO UPDATE SET count = t.count + excluded.count;
END $$;
CREATE FUNCTION public.stillframe_horizon(p_crawl integer, p_dataset text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
BEGIN  -- with the lock, each row that a transaction has begun to add stands or is gone, so none comes before the last
  PERFORM pg_advisory_xact_lock(1937009260, p_crawl);
  RETURN (SELECT coalesce(max(id), 0) FROM stillframe_rows WHERE crawl = p_crawl AND dataset = p_dataset);
END $$;
CREATE FUNCTION public.stillframe_insert(p_crawl integer, p_batch bigint, p_first boolean, p_pages integer[], p_wanted integer[], p_ended text[], p_keys text[], p_long_keys text[], p_urls text[], p_hosts text[], p_bodies text[], p_depths integer[]) RETURNS text[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
    FROM unnest(p_pages, p_keys, p_long_keys, p_urls, p_hosts, p_bodies, p_depths) WITH ORDINALITY
      AS g(page, key, long_key, url, host, body, depth, n)
    WHERE page = ANY (p_wanted) ORDER BY key, n
  ), fresh AS (
    SELECT * FROM given AS g
    WHERE (SELECT r.crawl FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = g.key) IS NULL
  ), placed AS (
    SELECT f.*, CASE WHEN p_first THEN v_before + f.n - 1 ELSE nextval('stillframe_positions') END AS position
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
END $$;
CREATE FUNCTION public.stillframe_lease(p_crawl integer, p_worker text, p_lease_s double precision, p_limit integer, p_batch bigint, p_again boolean, p_seen boolean) RETURNS TABLE(o_key text, o_url text, o_host text, o_body text, o_depth integer, o_attempts integer, o_token integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  v_crawl stillframe_crawls%ROWTYPE;
  v_now float8;
  v_left bigint := p_limit;
  v_leased integer := 0;
  v_allowed integer;
  v_host stillframe_hosts%ROWTYPE;
  v_page stillframe_requests%ROWTYPE;
  v_keys text[];
  v_hosts text[];
  v_positions bigint[];
  v_ended text[];
BEGIN
  IF EXISTS (SELECT FROM stillframe_crawls WHERE id = p_crawl AND max_pages IS NOT NULL) THEN
    PERFORM pg_advisory_xact_lock(1937009260, p_crawl);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(1937009260, p_crawl);
  END IF;
  SELECT * INTO v_crawl FROM stillframe_crawls WHERE id = p_crawl;
  v_now := extract(epoch FROM clock_timestamp());
  IF p_seen THEN
    INSERT INTO stillframe_workers (crawl, worker, seen_at) VALUES (p_crawl, p_worker, v_now)
    ON CONFLICT (crawl, worker) DO UPDATE SET seen_at = excluded.seen_at;
  END IF;
  IF p_again THEN  -- an earlier try may have been committed, and only its answer lost
    RETURN QUERY
      WITH kept AS (
        UPDATE stillframe_requests AS r SET due_at = v_now + p_lease_s
        WHERE r.crawl = p_crawl AND r.state = 'leased' AND r.worker = p_worker AND r.batch = p_batch
        RETURNING r.*
      )
      SELECT coalesce(k.long_key, k.key)::text, k.url, k.host::text, k.body, k.depth, k.attempts, k.token
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
    WHERE t.crawl = p_crawl AND (t.name = 'leased' OR t.name LIKE 'outcome:%'
      AND t.name NOT IN ('outcome:skipped', 'outcome:skipped:robots'));
    v_left := least(p_limit, v_left + cardinality(v_ended));
  END IF;
  WHILE v_leased < v_left LOOP
    SELECT * INTO v_host FROM stillframe_hosts AS h
    WHERE h.crawl = p_crawl AND h.sleeps_until = 0 AND h.head IS NOT NULL AND h.held_until <= v_now
      AND h.next_start <= v_now
      AND (coalesce(h.pages, v_crawl.host_pages) IS NULL OR h.leased < coalesce(h.pages, v_crawl.host_pages))
    ORDER BY h.head LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND v_leased = 0 AND v_keys IS NULL THEN  -- all may be locked for a moment: wait for one
      SELECT * INTO v_host FROM stillframe_hosts AS h
      WHERE h.crawl = p_crawl AND h.sleeps_until = 0 AND h.head IS NOT NULL AND h.held_until <= v_now
        AND h.next_start <= v_now
        AND (coalesce(h.pages, v_crawl.host_pages) IS NULL OR h.leased < coalesce(h.pages, v_crawl.host_pages))
      ORDER BY h.head LIMIT 1 FOR UPDATE;
    END IF;
    EXIT WHEN NOT FOUND;
    UPDATE stillframe_requests AS r
    SET state = 'leased', attempts = r.attempts + 1, token = r.token + 1, worker = p_worker, leased_at = v_now,
        due_at = v_now + p_lease_s, batch = p_batch
    WHERE r.crawl = p_crawl AND r.key = (
      SELECT q.key FROM stillframe_requests AS q
      WHERE q.crawl = p_crawl AND q.host = v_host.host AND q.state = 'pending' ORDER BY q.position LIMIT 1
    )
    RETURNING * INTO v_page;
    IF NOT FOUND THEN
      UPDATE stillframe_hosts AS h SET head = NULL WHERE h.crawl = p_crawl AND h.host = v_host.host;
      CONTINUE;
    END IF;
    v_allowed := coalesce(v_host.pages, v_crawl.host_pages);
    v_host.next_start := v_now + coalesce(v_host.interval_s, v_crawl.host_interval_s, 0);
    UPDATE stillframe_hosts AS h
    SET head = (
          SELECT q.position FROM stillframe_requests AS q
          WHERE q.crawl = p_crawl AND q.host = v_host.host AND q.state = 'pending' ORDER BY q.position LIMIT 1
        ),
        leased = h.leased + 1,
        next_start = v_host.next_start,
        sleeps_until = CASE
          WHEN h.leased + 1 >= v_allowed THEN 1e+18 WHEN v_host.next_start > v_now THEN v_host.next_start ELSE 0 END
    WHERE h.crawl = p_crawl AND h.host = v_host.host;
    v_leased := v_leased + 1;
    o_key := coalesce(v_page.long_key, v_page.key);
    o_url := v_page.url;
    o_host := v_page.host;
    o_body := v_page.body;
    o_depth := v_page.depth;
    o_attempts := v_page.attempts;
    o_token := v_page.token;
    RETURN NEXT;
  END LOOP;
  PERFORM stillframe_count(
    p_crawl, ARRAY['leased', 'pending'],
    ARRAY[v_leased - cardinality(v_ended), cardinality(v_ended) - v_leased]::bigint[]);
END $$;
CREATE FUNCTION public.stillframe_release(p_crawl integer, p_worker text, p_key text, p_token integer, p_attempts integer, p_delay_s double precision, p_hold_s double precision, p_first boolean, p_last boolean, p_body text) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  v_now float8;
  v_page stillframe_requests%ROWTYPE;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1937009260, p_crawl);
  v_now := extract(epoch FROM clock_timestamp());
  SELECT * INTO v_page FROM stillframe_requests AS r WHERE r.crawl = p_crawl AND r.key = p_key FOR UPDATE;
  IF NOT FOUND OR v_page.token <> p_token OR v_page.worker IS DISTINCT FROM p_worker OR v_page.state = 'done' THEN
    RETURN 'lost';
  ELSIF v_page.state <> 'leased' THEN
    RETURN 'repeated';
  END IF;
  IF p_first THEN
    UPDATE stillframe_crawls SET first_position = first_position - 1
    WHERE id = p_crawl RETURNING first_position INTO v_page.position;
  ELSIF p_last THEN
    v_page.position := nextval('stillframe_positions');
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
END $$;
CREATE FUNCTION public.stillframe_renew(p_crawl integer, p_worker text, p_lease_s double precision, p_keys text[], p_tokens integer[]) RETURNS boolean[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  v_now float8;
  v_held boolean[] := ARRAY[]::boolean[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1937009260, p_crawl);
  v_now := extract(epoch FROM clock_timestamp());
  INSERT INTO stillframe_workers (crawl, worker, seen_at) VALUES (p_crawl, p_worker, v_now)
  ON CONFLICT (crawl, worker) DO UPDATE SET seen_at = excluded.seen_at;
  FOR i IN 1 .. cardinality(p_keys) LOOP
    UPDATE stillframe_requests AS r SET due_at = v_now + p_lease_s
    WHERE r.crawl = p_crawl AND r.key = p_keys[i] AND r.token = p_tokens[i] AND r.state = 'leased'
      AND r.worker = p_worker;
    v_held := v_held || FOUND;
  END LOOP;
  RETURN v_held;
END $$;
CREATE TABLE public.stillframe_crawls (
    id integer NOT NULL,
    name character varying(200) NOT NULL,
    settings text NOT NULL,
    max_pages integer,
    host_pages integer,
    host_interval_s double precision,
    stopped boolean NOT NULL,
    last_position bigint NOT NULL,
    first_position bigint NOT NULL
);
CREATE SEQUENCE public.stillframe_crawls_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.stillframe_crawls_id_seq OWNED BY public.stillframe_crawls.id;
CREATE TABLE public.stillframe_hosts (
    crawl integer NOT NULL,
    host character varying NOT NULL,
    head bigint,
    leased integer NOT NULL,
    pages integer,
    interval_s double precision,
    held_until double precision NOT NULL,
    next_start double precision NOT NULL,
    sleeps_until double precision DEFAULT 0 NOT NULL
);
CREATE TABLE public.stillframe_offsets (
    crawl integer NOT NULL,
    name character varying(100) NOT NULL,
    row_id bigint NOT NULL,
    size bigint NOT NULL,
    file text NOT NULL
);
CREATE SEQUENCE public.stillframe_positions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.stillframe_requests (
    crawl integer NOT NULL,
    key character varying NOT NULL,
    long_key text,
    url text NOT NULL,
    host character varying NOT NULL,
    body text NOT NULL,
    depth integer NOT NULL,
    "position" bigint NOT NULL,
    state character varying(8) NOT NULL,
    outcome character varying(40),
    attempts integer NOT NULL,
    token integer NOT NULL,
    worker character varying,
    leased_at double precision,
    due_at double precision,
    batch bigint
);
CREATE TABLE public.stillframe_robots (
    crawl integer NOT NULL,
    origin character varying NOT NULL,
    kind character varying(12) NOT NULL,
    body bytea,
    tries integer NOT NULL,
    failing_since double precision,
    expires_at double precision NOT NULL,
    claimed_until double precision NOT NULL,
    claimed_by character varying
);
CREATE TABLE public.stillframe_rows (
    id bigint NOT NULL,
    crawl integer NOT NULL,
    dataset character varying(100) NOT NULL,
    key character varying NOT NULL,
    ordinal integer NOT NULL,
    body bytea NOT NULL,
    payload bytea
);
CREATE SEQUENCE public.stillframe_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.stillframe_rows_id_seq OWNED BY public.stillframe_rows.id;
CREATE TABLE public.stillframe_states (
    crawl integer NOT NULL,
    key character varying(200) NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE public.stillframe_tallies (
    crawl integer NOT NULL,
    name character varying(60) NOT NULL,
    count bigint NOT NULL,
    shard integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.stillframe_versions (
    version integer NOT NULL
);
CREATE SEQUENCE public.stillframe_versions_version_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.stillframe_versions_version_seq OWNED BY public.stillframe_versions.version;
CREATE TABLE public.stillframe_workers (
    crawl integer NOT NULL,
    worker character varying NOT NULL,
    seen_at double precision NOT NULL
);
ALTER TABLE ONLY public.stillframe_crawls ALTER COLUMN id SET DEFAULT nextval('public.stillframe_crawls_id_seq'::regclass);
ALTER TABLE ONLY public.stillframe_rows ALTER COLUMN id SET DEFAULT nextval('public.stillframe_rows_id_seq'::regclass);
ALTER TABLE ONLY public.stillframe_versions ALTER COLUMN version SET DEFAULT nextval('public.stillframe_versions_version_seq'::regclass);
INSERT INTO public.stillframe_crawls VALUES (1, 'crawl', '{"settings": {"max_pages": 40, "pages_per_host": 3}, "made_by": "8f3e3ccfa0f2079e"}', 40, 3, NULL, false, 10, -1);
INSERT INTO public.stillframe_hosts VALUES (1, 'b', 7, 0, 1, 0, 0, 0, 0);
INSERT INTO public.stillframe_hosts VALUES (1, 'd', 10, 0, NULL, NULL, 0, 0, 0);
INSERT INTO public.stillframe_hosts VALUES (1, 'a', 4, 1, NULL, NULL, 0, 1795997910.0832007, 1795997910.0832007);
INSERT INTO public.stillframe_hosts VALUES (1, 'c', NULL, 0, NULL, NULL, 0, 1795997910.0832007, 1795997910.0832007);
INSERT INTO public.stillframe_offsets VALUES (1, 'jsonl', 1, 4, 'pages.jsonl');
INSERT INTO public.stillframe_requests VALUES (1, 'a/0', NULL, 'http://a/0', 'a', '{"n":0}', 0, 1, 'done', 'failed', 1, 1, 'old:1:1', 1795997910.0832007, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/1', NULL, 'http://a/1', 'a', '{"n":1}', 0, 2, 'waiting', NULL, 1, 1, 'old:1:1', 1795997910.0832007, 1795997910.6272478, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/2', NULL, 'http://a/2', 'a', '{"n":2}', 0, 3, 'leased', NULL, 1, 1, 'old:1:1', 1795997910.0832007, 1795997970.0832007, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/3', NULL, 'http://a/3', 'a', '{"n":3}', 0, 4, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/4', NULL, 'http://a/4', 'a', '{"n":4}', 0, 5, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/5', NULL, 'http://a/5', 'a', '{"n":5}', 0, 6, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'b/1', NULL, 'http://b/1', 'b', '{"n":1}', 0, 7, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'b/2', NULL, 'http://b/2', 'b', '{"n":2}', 0, 8, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'c/9', NULL, 'http://c/9', 'c', '{"n":9}', 0, -1, 'done', 'done', 1, 1, 'old:1:1', 1795997910.0832007, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'a/7', NULL, 'http://a/7', 'a', '{"n":7}', 0, 9, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_requests VALUES (1, 'd/1', NULL, 'http://d/1', 'd', '{"n":1}', 0, 10, 'pending', NULL, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.stillframe_rows VALUES (1, 1, 'pages', 'c/9', 0, '\x6f6e65', NULL);
INSERT INTO public.stillframe_rows VALUES (2, 1, 'logs', 'c/9', 0, '\x6c6f67', NULL);
INSERT INTO public.stillframe_rows VALUES (3, 1, 'pages', 'a/0', 0, '\x74776f', NULL);
INSERT INTO public.stillframe_states VALUES (1, 'k', '\x0076');
INSERT INTO public.stillframe_tallies VALUES (1, 'pending', 8, 0);
INSERT INTO public.stillframe_tallies VALUES (1, 'leased', 1, 0);
INSERT INTO public.stillframe_tallies VALUES (1, 'outcome:done', 1, 0);
INSERT INTO public.stillframe_tallies VALUES (1, 'outcome:failed', 1, 0);
INSERT INTO public.stillframe_versions VALUES (2);
INSERT INTO public.stillframe_workers VALUES (1, 'old:1:1', 1795997910.0832007);
SELECT pg_catalog.setval('public.stillframe_crawls_id_seq', 1, true);
SELECT pg_catalog.setval('public.stillframe_positions', 11, true);
SELECT pg_catalog.setval('public.stillframe_rows_id_seq', 3, true);
SELECT pg_catalog.setval('public.stillframe_versions_version_seq', 1, false);
ALTER TABLE ONLY public.stillframe_crawls
    ADD CONSTRAINT stillframe_crawls_name_key UNIQUE (name);
ALTER TABLE ONLY public.stillframe_crawls
    ADD CONSTRAINT stillframe_crawls_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stillframe_hosts
    ADD CONSTRAINT stillframe_hosts_pkey PRIMARY KEY (crawl, host);
ALTER TABLE ONLY public.stillframe_offsets
    ADD CONSTRAINT stillframe_offsets_pkey PRIMARY KEY (crawl, name);
ALTER TABLE ONLY public.stillframe_requests
    ADD CONSTRAINT stillframe_requests_pkey PRIMARY KEY (crawl, key);
ALTER TABLE ONLY public.stillframe_robots
    ADD CONSTRAINT stillframe_robots_pkey PRIMARY KEY (crawl, origin);
ALTER TABLE ONLY public.stillframe_rows
    ADD CONSTRAINT stillframe_rows_crawl_dataset_key_ordinal_key UNIQUE (crawl, dataset, key, ordinal);
ALTER TABLE ONLY public.stillframe_rows
    ADD CONSTRAINT stillframe_rows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stillframe_states
    ADD CONSTRAINT stillframe_states_pkey PRIMARY KEY (crawl, key);
ALTER TABLE ONLY public.stillframe_tallies
    ADD CONSTRAINT stillframe_tallies_pkey PRIMARY KEY (crawl, name, shard);
ALTER TABLE ONLY public.stillframe_versions
    ADD CONSTRAINT stillframe_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.stillframe_workers
    ADD CONSTRAINT stillframe_workers_pkey PRIMARY KEY (crawl, worker);
CREATE INDEX stillframe_hosts_asleep ON public.stillframe_hosts USING btree (crawl, sleeps_until) WHERE ((sleeps_until > (0)::double precision) AND (head IS NOT NULL));
CREATE INDEX stillframe_hosts_awake ON public.stillframe_hosts USING btree (crawl, head) WHERE ((sleeps_until = (0)::double precision) AND (head IS NOT NULL));
CREATE INDEX stillframe_requests_due ON public.stillframe_requests USING btree (crawl, state, due_at);
CREATE INDEX stillframe_requests_next ON public.stillframe_requests USING btree (crawl, host, state, "position");
CREATE INDEX stillframe_rows_export ON public.stillframe_rows USING btree (crawl, dataset, id);
