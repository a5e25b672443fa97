-- VACUUM seals, and deals with tables that shrank.
CREATE SCHEMA zone_vacuum;
SET search_path = zone_vacuum, public;
SET enable_seqscan = off;
-- How many heap blocks a query reads through the map.
CREATE FUNCTION blocks_read(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Lossy Heap Blocks';
END $$;

CREATE TABLE t (a int, pad text) WITH (autovacuum_enabled = off);
CREATE INDEX t_zone ON t USING sorted_zone (a);
CREATE VIEW v AS SELECT sealed, wide, empty, open, loose, tried, gathering, chains FROM sorted_heap_zonemap_stats('zone_vacuum.t');
INSERT INTO t SELECT i, repeat('x', 400) FROM generate_series(1, 1800) i;
SELECT * FROM v;

-- ANALYZE and VACUUM without index cleanup do not seal; VACUUM does.
ANALYZE t;
VACUUM (INDEX_CLEANUP off) t;
SELECT * FROM v;
VACUUM t;
SELECT * FROM v;
SELECT reltuples FROM pg_class WHERE relname = 't_zone';

-- Half the rows gone: the bounds of their blocks still hold, so VACUUM does
-- not read them again. After a rebuild they are empty for the map, and skipped.
DELETE FROM t WHERE a % 200 >= 100;
VACUUM t;
SELECT sealed, empty FROM v;
SELECT blocks_read('SELECT * FROM t WHERE a = 150'), blocks_read('SELECT * FROM t WHERE a = 250');
SELECT sorted_heap_rebuild_zonemap('t');
SELECT empty > 20 AS some_empty, open, tried FROM v;
SELECT blocks_read('SELECT * FROM t WHERE a = 150'), blocks_read('SELECT * FROM t WHERE a = 250');

-- The end of the table gone: truncation comes after sealing, so entries past
-- the end of the heap are left. A serializable scan must not follow them.
DELETE FROM t WHERE a > 900;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM t WHERE a > 800;
COMMIT;
VACUUM t;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM t WHERE a > 800;
COMMIT;
SELECT sealed + empty + wide + open + loose + tried = pg_relation_size('t') / current_setting('block_size')::int AS all_counted
	FROM v;

-- The heap grows again into blocks that the map still has entries for.
INSERT INTO t SELECT i, repeat('z', 400) FROM generate_series(3000, 2001, -1) i;
SELECT count(*), min(a), max(a) FROM t WHERE a > 2000;
SELECT count(*) FROM t WHERE a = 2500;
SELECT * FROM sorted_heap_check('t');
VACUUM t;
SELECT count(*) FROM t WHERE a = 2500;
SELECT * FROM sorted_heap_check('t');

-- All rows gone, then others.
DELETE FROM t;
VACUUM t;
SELECT * FROM v;
INSERT INTO t SELECT i, repeat('w', 400) FROM generate_series(1, 500) i;
SELECT count(*) FROM t WHERE a BETWEEN 100 AND 200;
VACUUM t;
SELECT open, tried, chains FROM v;
SELECT * FROM sorted_heap_check('t');

-- Blocks that no chain could take are not read again by each VACUUM: their
-- state stays; a rebuild gives them another chance.
CREATE TABLE u (a int, pad text) WITH (autovacuum_enabled = off);
CREATE INDEX u_zone ON u USING sorted_zone (a);
INSERT INTO u SELECT i * 37 % 500, repeat('x', 400) FROM generate_series(1, 500) i;
VACUUM u;
SELECT tried > 20 AS many_tried FROM sorted_heap_zonemap_stats('u');
DELETE FROM u WHERE a <> (SELECT a FROM u ORDER BY ctid DESC LIMIT 1);
VACUUM u;
SELECT tried > 20 AS many_tried FROM sorted_heap_zonemap_stats('u');
SELECT sorted_heap_rebuild_zonemap('u');
SELECT sealed, tried, empty > 20 AS many_empty FROM sorted_heap_zonemap_stats('u');
SELECT count(*) FROM u WHERE a >= 0;
SELECT * FROM sorted_heap_check('u');

-- A key stored out of line leaves its block searched, and is found.
CREATE TABLE big (k text COLLATE "C") WITH (autovacuum_enabled = off);
ALTER TABLE big ALTER k SET STORAGE EXTERNAL;
CREATE INDEX big_zone ON big USING sorted_zone (k);
INSERT INTO big SELECT lpad(i::text, 500, '0') FROM generate_series(1, 100) i;
INSERT INTO big VALUES ('aaa' || repeat('z', 5000));
VACUUM big;
SELECT sealed > 5 AS most_sealed, tried FROM sorted_heap_zonemap_stats('big');
SELECT left(k, 4) FROM big WHERE k > 'aaa' AND k < 'aab';
SELECT * FROM sorted_heap_check('big');

-- Parallel vacuum hands the index to a worker.
CREATE INDEX ON t USING sorted_zone (pad COLLATE "C", a);
SET min_parallel_index_scan_size = 0;
VACUUM (PARALLEL 2) t;
SELECT * FROM sorted_heap_check('t');
SET client_min_messages = warning;
DROP SCHEMA zone_vacuum CASCADE;
