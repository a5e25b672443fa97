-- Writes under a zone map: entries widen, loosen, or are left alone.
CREATE SCHEMA zone_insert;
SET search_path = zone_insert, public;
SET enable_seqscan = off;

-- About 20 rows a block, with room for a few more on each.
CREATE TABLE t (a int, b int, pad text) WITH (fillfactor = 80, autovacuum_enabled = off);
INSERT INTO t SELECT i * 10, 1, repeat('x', 300) FROM generate_series(0, 199) i;
CREATE INDEX t_zone ON t USING sorted_zone (a, b);
CREATE VIEW v AS SELECT sealed, wide, empty, open, loose, tried, widens FROM sorted_heap_zonemap_stats('zone_insert.t');
SELECT * FROM v;

-- HOT updates, changes of other columns and covered keys cost nothing.
UPDATE t SET pad = repeat('y', 300) WHERE a = 500;
SELECT * FROM v;

-- The last block takes the gap above it: one record, however many rows follow.
INSERT INTO t SELECT 2000 + i, 1, repeat('x', 300) FROM generate_series(1, 3) i;
SELECT sealed, wide, loose, widens FROM v;
SELECT count(*) FROM t WHERE a = 2002;

-- New blocks are open until someone seals them.
INSERT INTO t SELECT 2010 + i, 1, repeat('x', 300) FROM generate_series(1, 60) i;
SELECT wide, open > 0 AS has_open, widens FROM v;
VACUUM t;
SELECT wide, open, loose, tried FROM v;
SELECT * FROM sorted_heap_check('t');

-- A key from far away makes its block loose, once; a sealer that cannot place
-- it marks it tried. Readers search it in either state.
UPDATE t SET a = 777777 WHERE a = 700;
SELECT loose, widens FROM v;
UPDATE t SET a = 777778 WHERE a = 710;
SELECT loose, widens FROM v;
SELECT count(*) FROM t WHERE a IN (690, 700, 777777, 777778);
VACUUM t;
SELECT loose, tried, widens FROM v;
SELECT count(*) FROM t WHERE a IN (690, 700, 777777, 777778);
SELECT * FROM sorted_heap_check('t');

-- Rolled back rows count too: they were on the page.
BEGIN;
INSERT INTO t VALUES (-5, 1, 'gone');
SAVEPOINT s;
INSERT INTO t VALUES (-6, 1, 'gone');
ROLLBACK TO s;
INSERT INTO t VALUES (-7, 1, 'gone');
ROLLBACK;
SELECT count(*) FROM t WHERE a < 0;
SELECT * FROM sorted_heap_check('t');

-- An empty block opens at its first row, and costs nothing after that.
DELETE FROM t WHERE a BETWEEN 800 AND 1400;
VACUUM t;
SELECT sorted_heap_rebuild_zonemap('t');
SELECT empty > 1 AS some_empty FROM v;
INSERT INTO t SELECT 900 + i, 1, repeat('n', 300) FROM generate_series(1, 60) i;
SELECT open > 1 AS some_open FROM v;
SELECT count(*) FROM t WHERE a BETWEEN 901 AND 960;
VACUUM t;
SELECT open, loose FROM v;
SELECT count(*) FROM t WHERE a BETWEEN 901 AND 960;

-- The same rows by COPY, whose pin on the map is kept from row to row, also
-- across an error and across zone pages.
CREATE TABLE c (a int, pad text) WITH (autovacuum_enabled = off, fillfactor = 10);
CREATE INDEX ON c USING sorted_zone (a);
\copy c (a) from program 'seq 1 3000'
\copy c (a) from program 'seq 3001 3005; echo x'
BEGIN;
\copy c (a) from program 'seq 3001 3100'
SAVEPOINT s;
\copy c (a) from program 'seq 3101 3200; echo x'
ROLLBACK TO s;
\copy c (a) from program 'seq 3201 3300'
COMMIT;
SELECT count(*), min(a), max(a) FROM c WHERE a > 0;
VACUUM c;
SELECT count(*) FROM c WHERE a BETWEEN 2990 AND 3250;
SELECT * FROM sorted_heap_check('c');

-- A cursor that inserts through a function, closed half way.
CREATE FUNCTION add_row(int) RETURNS int LANGUAGE sql VOLATILE AS
	$$ INSERT INTO c VALUES ($1, 'f'), ($1 + 1, 'f') RETURNING a $$;
BEGIN;
DECLARE cur CURSOR FOR SELECT add_row(i) FROM generate_series(10000, 10050, 10) i;
FETCH 2 FROM cur;
CLOSE cur;
COMMIT;
SELECT count(*) FROM c WHERE a >= 10000;

-- Core discards the buffers of an index inside of the transaction that made it:
-- the kept pin must be gone. First, a subtransaction aborts in an insert.
DO $$
BEGIN
	CREATE TABLE gone (a int);
	CREATE INDEX ON gone USING sorted_zone (a);
	INSERT INTO gone SELECT 1 / (500 - i) FROM generate_series(1, 1000) i;
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE 'undone';
END $$;
BEGIN;
SAVEPOINT s;
CREATE TABLE gone (a int);
CREATE INDEX ON gone USING sorted_zone (a);
\copy gone from program 'seq 1 3000; echo x'
ROLLBACK TO s;
COMMIT;
-- Then a function truncates what it has copied.
CREATE TABLE fresh (a int);
CREATE FUNCTION copy_twice() RETURNS void LANGUAGE sql AS $$
	COPY fresh FROM PROGRAM 'seq 1 3000'; TRUNCATE fresh; COPY fresh FROM PROGRAM 'seq 1 2000' $$;
BEGIN;
DROP TABLE fresh;
CREATE TABLE fresh (a int);
CREATE INDEX ON fresh USING sorted_zone (a);
SELECT copy_twice();
COMMIT;
SELECT count(*) FROM fresh WHERE a > 1000;
-- An outer statement goes on with its pin when a subtransaction in it aborts.
CREATE FUNCTION add_or_not(int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO fresh VALUES (-$1), (-$1);
	RETURN 1 / ($1 % 3);
EXCEPTION WHEN division_by_zero THEN
	RETURN 7;
END $$;
VACUUM fresh;
INSERT INTO fresh SELECT add_or_not(i) FROM generate_series(1, 300) i;
SELECT count(*) FROM fresh WHERE a = 7;
SELECT count(*) FROM fresh WHERE a < 0;
SELECT * FROM sorted_heap_check('fresh');
SET client_min_messages = warning;
DROP SCHEMA zone_insert CASCADE;
