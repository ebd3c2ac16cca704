BEGIN TRANSACTION;
CREATE TABLE stillframe_crawls (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	settings TEXT NOT NULL,
	max_pages INTEGER,
	host_pages INTEGER,
	host_interval_s FLOAT,
	stopped BOOLEAN NOT NULL,
	last_position INTEGER NOT NULL,
	first_position INTEGER NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "stillframe_crawls" VALUES(1,'crawl','{"settings": {"max_pages": 40, "pages_per_host": 3}, "made_by": "8f3e3ccfa0f2079e"}',40,3,NULL,0,10,-1);
CREATE TABLE stillframe_hosts (
	crawl INTEGER NOT NULL,
	host VARCHAR NOT NULL,
	head INTEGER,
	leased INTEGER NOT NULL,
	pages INTEGER,
	interval_s FLOAT,
	held_until FLOAT NOT NULL,
	next_start FLOAT NOT NULL, sleeps_until FLOAT DEFAULT 0 NOT NULL,
	PRIMARY KEY (crawl, host)
);
INSERT INTO "stillframe_hosts" VALUES(1,'a',4,1,NULL,NULL,0.0,1.79599791008320069313e+09,1.79599791008320069313e+09);
INSERT INTO "stillframe_hosts" VALUES(1,'b',7,0,1,0.0,0.0,0.0,0.0);
INSERT INTO "stillframe_hosts" VALUES(1,'c',NULL,0,NULL,NULL,0.0,1.79599791008320069313e+09,1.79599791008320069313e+09);
INSERT INTO "stillframe_hosts" VALUES(1,'d',10,0,NULL,NULL,0.0,0.0,0.0);
CREATE TABLE stillframe_offsets (
	crawl INTEGER NOT NULL,
	name VARCHAR(100) NOT NULL,
	row_id INTEGER NOT NULL,
	size INTEGER NOT NULL,
	file TEXT NOT NULL,
	PRIMARY KEY (crawl, name)
);
INSERT INTO "stillframe_offsets" VALUES(1,'jsonl',1,4,'pages.jsonl');
CREATE TABLE stillframe_requests (
	crawl INTEGER NOT NULL,
	"key" VARCHAR NOT NULL,
	long_key TEXT,
	url TEXT NOT NULL,
	host VARCHAR NOT NULL,
	body TEXT NOT NULL,
	depth INTEGER NOT NULL,
	position INTEGER NOT NULL,
	state VARCHAR(8) NOT NULL,
	outcome VARCHAR(40),
	attempts INTEGER NOT NULL,
	token INTEGER NOT NULL,
	worker VARCHAR,
	leased_at FLOAT,
	due_at FLOAT, batch BIGINT,
	PRIMARY KEY (crawl, "key")
);
INSERT INTO "stillframe_requests" VALUES(1,'a/0',NULL,'http://a/0','a','{"n":0}',0,1,'done','failed',1,1,'old:1:1',1.79599791008320069313e+09,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/1',NULL,'http://a/1','a','{"n":1}',0,2,'waiting',NULL,1,1,'old:1:1',1.79599791008320069313e+09,1.79599791062724781038e+09,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/2',NULL,'http://a/2','a','{"n":2}',0,3,'leased',NULL,1,1,'old:1:1',1.79599791008320069313e+09,1.79599797008320069308e+09,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/3',NULL,'http://a/3','a','{"n":3}',0,4,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/4',NULL,'http://a/4','a','{"n":4}',0,5,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/5',NULL,'http://a/5','a','{"n":5}',0,6,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'b/1',NULL,'http://b/1','b','{"n":1}',0,7,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'b/2',NULL,'http://b/2','b','{"n":2}',0,8,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'c/9',NULL,'http://c/9','c','{"n":9}',0,-1,'done','done',1,1,'old:1:1',1.79599791008320069313e+09,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'a/7',NULL,'http://a/7','a','{"n":7}',0,9,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "stillframe_requests" VALUES(1,'d/1',NULL,'http://d/1','d','{"n":1}',0,10,'pending',NULL,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE stillframe_robots (crawl INTEGER NOT NULL, origin VARCHAR NOT NULL, kind VARCHAR(12) NOT NULL, body BLOB, tries INTEGER NOT NULL, failing_since FLOAT, expires_at FLOAT NOT NULL, claimed_until FLOAT NOT NULL, claimed_by VARCHAR, PRIMARY KEY (crawl, origin));
CREATE TABLE stillframe_rows (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	crawl INTEGER NOT NULL,
	dataset VARCHAR(100) NOT NULL,
	"key" VARCHAR NOT NULL,
	ordinal INTEGER NOT NULL,
	body BLOB NOT NULL,
	payload BLOB,
	UNIQUE (crawl, dataset, "key", ordinal)
);
INSERT INTO "stillframe_rows" VALUES(1,1,'pages','c/9',0,X'6F6E65',NULL);
INSERT INTO "stillframe_rows" VALUES(2,1,'logs','c/9',0,X'6C6F67',NULL);
INSERT INTO "stillframe_rows" VALUES(3,1,'pages','a/0',0,X'74776F',NULL);
CREATE TABLE stillframe_states (
	crawl INTEGER NOT NULL,
	"key" VARCHAR(200) NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (crawl, "key")
);
INSERT INTO "stillframe_states" VALUES(1,'k',X'0076');
CREATE TABLE stillframe_tallies (crawl INTEGER NOT NULL, name VARCHAR(60) NOT NULL, shard INTEGER DEFAULT '0' NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (crawl, name, shard));
INSERT INTO "stillframe_tallies" VALUES(1,'pending',0,8);
INSERT INTO "stillframe_tallies" VALUES(1,'leased',0,1);
INSERT INTO "stillframe_tallies" VALUES(1,'outcome:done',0,1);
INSERT INTO "stillframe_tallies" VALUES(1,'outcome:failed',0,1);
CREATE TABLE stillframe_versions (
	version INTEGER NOT NULL,
	PRIMARY KEY (version)
);
INSERT INTO "stillframe_versions" VALUES(2);
CREATE TABLE stillframe_workers (
	crawl INTEGER NOT NULL,
	worker VARCHAR NOT NULL,
	seen_at FLOAT NOT NULL,
	PRIMARY KEY (crawl, worker)
);
INSERT INTO "stillframe_workers" VALUES(1,'old:1:1',1.79599791008320069313e+09);
CREATE INDEX stillframe_requests_due ON stillframe_requests (crawl, state, due_at);
CREATE INDEX stillframe_requests_next ON stillframe_requests (crawl, host, state, position);
CREATE INDEX stillframe_rows_export ON stillframe_rows (crawl, dataset, id);
CREATE INDEX stillframe_hosts_awake ON stillframe_hosts (crawl, head) WHERE sleeps_until = 0 AND head IS NOT NULL;
CREATE INDEX stillframe_hosts_asleep ON stillframe_hosts (crawl, sleeps_until) WHERE sleeps_until > 0 AND head IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('stillframe_rows',3);
COMMIT;
