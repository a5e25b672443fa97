-- sorted_heap_compact: who may call it, on what, and what it leaves.
CREATE SCHEMA tableam_compact;
SET search_path = tableam_compact, public;
CREATE TABLE t (id int PRIMARY KEY, v text) USING sorted_heap;
INSERT INTO t SELECT 100 - i, repeat('v', i) FROM generate_series(1, 90) i;
CREATE INDEX t_v ON t (v);

-- It rewrites once: a new file, key order, the same rows, the index valid.
SELECT pg_relation_filenode('t') AS before \gset
SELECT sorted_heap_compact('t');
SELECT pg_relation_filenode('t') <> :before AS rewritten;
SELECT string_agg(id::text, ' ' ORDER BY ctid) = string_agg(id::text, ' ' ORDER BY id) AS sorted,
	count(*), sum(length(v)) FROM t;
SELECT indexrelid::regclass, indisclustered, indisvalid FROM pg_index WHERE indrelid = 't'::regclass ORDER BY indexrelid::regclass::text;
SELECT sorted_heap_compact(NULL);

-- Inside a transaction that changed the table; a rollback undoes it all.
BEGIN;
INSERT INTO t VALUES (-1, 'mine');
DELETE FROM t WHERE id > 50;
SELECT sorted_heap_compact('t');
SELECT min(id), max(id), count(*) FROM t;
ROLLBACK;
SELECT min(id), max(id), count(*) FROM t;

-- Not under a statement or cursor that reads the table.
SELECT sorted_heap_compact('t') FROM t;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM t;
SELECT sorted_heap_compact('t');
ROLLBACK;

-- From a function; temporary, unlogged and empty tables.
CREATE FUNCTION compact_all() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	PERFORM sorted_heap_compact(r) FROM unnest('{t, temporary, unlogged, empty}'::regclass[]) r;
	RETURN 4;
END $$;
CREATE TEMP TABLE temporary (id int PRIMARY KEY) USING sorted_heap;
CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY) USING sorted_heap;
CREATE TABLE empty (id int PRIMARY KEY) USING sorted_heap;
INSERT INTO temporary VALUES (3), (1), (2);
INSERT INTO unlogged VALUES (3), (1), (2);
SELECT compact_all();
SELECT ctid, id FROM temporary ORDER BY ctid;
SELECT ctid, id FROM unlogged ORDER BY ctid;

-- What it refuses.
CREATE TABLE plain (id int PRIMARY KEY) USING heap;
CREATE TABLE keyless (id int UNIQUE) USING sorted_heap;
CREATE VIEW v AS TABLE t;
CREATE MATERIALIZED VIEW mv USING sorted_heap AS TABLE t;
CREATE SEQUENCE s;
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10) USING sorted_heap;
INSERT INTO parted VALUES (7), (5), (6);
SELECT sorted_heap_compact('plain');
SELECT sorted_heap_compact('keyless');
BEGIN READ ONLY;
SELECT sorted_heap_compact('t');
ROLLBACK;
SELECT sorted_heap_compact('v');
SELECT sorted_heap_compact('mv');
SELECT sorted_heap_compact('s');
SELECT sorted_heap_compact('t_v');
SELECT sorted_heap_compact('pg_class');
SELECT sorted_heap_compact('parted');
SELECT sorted_heap_compact('part');
SELECT ctid, id FROM part ORDER BY ctid;
SELECT sorted_heap_compact(1);

-- Only for those who may maintain the table; index functions run as its owner.
CREATE ROLE regress_compact_owner;
CREATE ROLE regress_compact_other;
GRANT USAGE ON SCHEMA tableam_compact TO regress_compact_owner, regress_compact_other;
CREATE TABLE owned (id int PRIMARY KEY) USING sorted_heap;
CREATE FUNCTION whoami(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'index function runs as %', current_user;
	RETURN 'x';
END $$;
INSERT INTO owned VALUES (1);
CREATE INDEX owned_expression ON owned (whoami(id));
ALTER TABLE owned OWNER TO regress_compact_owner;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON owned TO regress_compact_other;
SELECT sorted_heap_compact('owned');
SET ROLE regress_compact_owner;
SELECT sorted_heap_compact('owned');
SET ROLE regress_compact_other;
\set VERBOSITY sqlstate
SELECT sorted_heap_compact('owned');
\set VERBOSITY default
RESET ROLE;

-- A table that is not there any more, and one changed to heap.
ALTER TABLE unlogged SET ACCESS METHOD heap;
SELECT sorted_heap_compact('unlogged');
SET client_min_messages = warning;
DROP SCHEMA tableam_compact CASCADE;
DROP ROLE regress_compact_owner, regress_compact_other;
