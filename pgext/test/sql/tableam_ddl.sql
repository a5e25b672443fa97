-- What DDL does to sorted_heap tables, beside a heap twin.
CREATE SCHEMA tableam_ddl;
SET search_path = tableam_ddl, public;
CREATE FUNCTION differing(a regclass, b regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE format('SELECT (SELECT count(*) FROM (TABLE %1$s EXCEPT ALL TABLE %2$s) x) + (SELECT count(*) FROM (TABLE %2$s EXCEPT ALL TABLE %1$s) y)', a, b)
		INTO result;
	RETURN result;
END $$;
CREATE FUNCTION on_both(command text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE replace(command, '@', 'sh');
	EXECUTE replace(command, '@', 'hp');
	RETURN differing('sh', 'hp');
END $$;
CREATE FUNCTION filenode_kept(command text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	before oid := pg_relation_filenode('sh');
BEGIN
	ASSERT on_both(command) = 0, 'the twins differ';
	RETURN before = pg_relation_filenode('sh');
END $$;
CREATE TABLE sh (id int PRIMARY KEY, v varchar(40), d timestamp, big text) USING sorted_heap;
CREATE TABLE hp (id int PRIMARY KEY, v varchar(40), d timestamp, big text) USING heap;
SELECT on_both($$INSERT INTO @ SELECT i, 'v' || i, '2000-01-01', CASE WHEN i % 50 = 0 THEN repeat(md5(i::text), 200) END FROM generate_series(1000, 1, -1) i$$);

-- Columns: with a fast default, with a rewrite, dropped.
SELECT filenode_kept($$ALTER TABLE @ ADD COLUMN fast int DEFAULT 42$$);
SELECT filenode_kept($$ALTER TABLE @ ADD COLUMN slow float DEFAULT 0 * random()$$);
SELECT filenode_kept($$ALTER TABLE @ DROP COLUMN slow$$);
SELECT on_both($$INSERT INTO @ (id, v) SELECT i, 'after' FROM generate_series(2000, 2100) i$$);
SELECT fast, count(*) FROM sh GROUP BY 1;
VACUUM FULL sh;
SELECT differing('sh', 'hp');

-- Types: kept, rewritten, and of the key itself; indexes follow.
SET timezone = 'UTC';
SELECT filenode_kept($$ALTER TABLE @ ALTER v TYPE text$$);
SELECT filenode_kept($$ALTER TABLE @ ALTER d TYPE timestamptz$$);
SELECT filenode_kept($$ALTER TABLE @ ALTER v TYPE text COLLATE "C"$$);
SELECT filenode_kept($$ALTER TABLE @ ALTER fast TYPE numeric USING fast / 2.0$$);
SELECT filenode_kept($$ALTER TABLE @ ALTER id TYPE bigint$$);
SELECT filenode_kept($$ALTER TABLE @ ALTER id TYPE text USING id::text$$);
-- Whether text has a zone map depends on the collation of the database.
SET client_min_messages = warning;
SELECT sorted_heap_compact('sh');
RESET client_min_messages;
SELECT string_agg(id, ' ' ORDER BY ctid) = string_agg(id, ' ' ORDER BY id) AS text_order FROM sh;
SELECT filenode_kept($$ALTER TABLE @ ALTER id TYPE int USING id::int$$);

-- The access method, both ways, with toasted values and indexes.
CREATE INDEX sh_big ON sh (md5(big));
ALTER TABLE sh SET ACCESS METHOD heap;
SELECT differing('sh', 'hp'), amname FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE relname = 'sh';
ALTER TABLE hp SET ACCESS METHOD sorted_heap;
SELECT differing('sh', 'hp'), amname FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE relname = 'hp';
SELECT count(*) FROM sh WHERE md5(big) = md5(repeat(md5('500'), 200));
ALTER TABLE sh SET ACCESS METHOD sorted_heap;
ALTER TABLE hp SET ACCESS METHOD heap;
SELECT sorted_heap_compact('sh');
SELECT differing('sh', 'hp'), count(*) FROM sh WHERE md5(big) = md5(repeat(md5('500'), 200));
SELECT (SELECT array_agg(id ORDER BY ctid) FROM sh) = (SELECT array_agg(id ORDER BY id) FROM hp) AS sorted;

-- TRUNCATE, committed and rolled back; table space and persistence changes.
BEGIN;
SELECT on_both('TRUNCATE @');
SELECT on_both($$INSERT INTO @ (id) VALUES (1)$$);
ROLLBACK;
SELECT differing('sh', 'hp'), count(*) FROM sh;
ALTER TABLE sh SET UNLOGGED;
ALTER TABLE sh SET LOGGED;
SELECT on_both('DELETE FROM @ WHERE id > 500');
VACUUM (FREEZE, ANALYZE) sh;
SELECT reltuples, relallvisible = relpages AS all_visible FROM pg_class WHERE relname = 'sh';
SELECT on_both($$INSERT INTO @ (id) SELECT i FROM generate_series(501, 700) i$$);

-- Made by queries; without a key they keep the order of the query.
CREATE TABLE ctas USING sorted_heap AS SELECT id, v FROM hp ORDER BY id DESC;
CREATE MATERIALIZED VIEW mv USING sorted_heap AS SELECT id, v FROM hp;
CREATE UNIQUE INDEX mv_id ON mv (id);
UPDATE hp SET v = 'new' WHERE id < 10;
REFRESH MATERIALIZED VIEW mv;
SELECT count(*) FROM mv WHERE v = 'new';
DELETE FROM hp WHERE id = 5;
REFRESH MATERIALIZED VIEW CONCURRENTLY mv;
SELECT count(*) FROM mv WHERE v = 'new';
CLUSTER mv USING mv_id;
ALTER TABLE ctas ADD PRIMARY KEY (id);
SELECT sorted_heap_compact('ctas');
SELECT min(id), max(id), count(*), array_agg(id ORDER BY ctid) = array_agg(id ORDER BY id) AS sorted FROM ctas;
SET default_table_access_method = sorted_heap;
CREATE TABLE by_default (LIKE hp INCLUDING ALL);
RESET default_table_access_method;
INSERT INTO by_default TABLE hp;
SELECT differing('by_default', 'hp');

-- Temporary tables at commit.
CREATE TEMP TABLE at_commit (id int PRIMARY KEY) USING sorted_heap ON COMMIT DELETE ROWS;
BEGIN;
INSERT INTO at_commit SELECT generate_series(1, 1000);
SELECT count(*) FROM at_commit;
COMMIT;
SELECT count(*), pg_relation_size('at_commit') FROM at_commit;
INSERT INTO at_commit VALUES (1);
BEGIN;
CREATE TEMP TABLE dropped (id int PRIMARY KEY) USING sorted_heap ON COMMIT DROP;
INSERT INTO dropped VALUES (1);
COMMIT;
SELECT to_regclass('dropped');

-- No options of its own: heap's work, others are refused.
CREATE TABLE options (id int PRIMARY KEY) USING sorted_heap WITH (fillfactor = 50, autovacuum_enabled = off);
ALTER TABLE options SET (ordering = 'id');
SELECT reloptions FROM pg_class WHERE relname = 'options';
SET client_min_messages = warning;
DROP SCHEMA tableam_ddl CASCADE;
