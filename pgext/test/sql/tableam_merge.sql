-- sorted_heap_merge: rows out of key order move behind the rest, all others stay.
-- Unlogged, so that the server's wal_level has no say in the method.
CREATE SCHEMA tableam_merge;
SET search_path = tableam_merge, public;
SET timezone = 'UTC';
CREATE FUNCTION states(t regclass) RETURNS TABLE (blocks bigint, in_order bigint, others bigint) LANGUAGE sql AS $$
	SELECT blocks, sealed + wide + empty, open + loose + tried + gathering FROM sorted_heap_zonemap_stats(t)
$$;

-- 45,000 rows in order; 1,000 of them make room for strays.
CREATE UNLOGGED TABLE t (a int, b int, c int GENERATED ALWAYS AS (a + b) STORED, gone text, pad text,
	PRIMARY KEY (a, b)) USING sorted_heap WITH (autovacuum_enabled = off);
INSERT INTO t (a, b, gone, pad) SELECT i / 5, i % 5, 'gone', repeat('x', 200) FROM generate_series(0, 44999) i;
ALTER TABLE t DROP COLUMN gone, ADD COLUMN late text DEFAULT 'late';
CREATE INDEX t_map ON t USING sorted_zone (a, b);
CREATE INDEX t_c ON t (c) WHERE pad LIKE 'y%';
CREATE INDEX t_expression ON t (length(pad));
SELECT * FROM states('t');
DELETE FROM t WHERE (a * 5 + b) % 45 = 7;
VACUUM t;
INSERT INTO t (a, b, pad) SELECT i * 7919 % 9000, 10 + i % 3, repeat('y', 190) FROM generate_series(1, 1000) i;
UPDATE t SET late = 'updated' WHERE a % 100 = 3;
SELECT others > 500 AS disordered FROM states('t');

-- A trigger that would spoil every row.
CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER spoil BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION spoil();
CREATE TABLE before AS SELECT ctid AS at, t.* FROM t;
SELECT count(*) AS all_rows FROM before \gset

-- A rollback leaves everything where it was.
BEGIN;
SELECT DISTINCT method FROM sorted_heap_merge('t');
SELECT count(*) > 900 AS moved FROM before JOIN t USING (a, b) WHERE at <> t.ctid;
ROLLBACK;
SELECT count(*) AS moved FROM before JOIN t USING (a, b) WHERE at <> t.ctid;
SELECT * FROM sorted_heap_check('t') WHERE severity = 'fault';

-- Only strays move, to new blocks, which are sealed. Those that they leave are
-- sealed by the next VACUUM.
SELECT pg_relation_size('t') / current_setting('block_size')::int AS old_blocks \gset
SELECT method, max(rows_moved) BETWEEN 900 AND 2000 AS moved, sum(blocks_after) > sum(blocks_before) AS grown,
	sum(blocks_after) FILTER (WHERE state IN ('loose', 'tried')) AS disordered
FROM sorted_heap_merge('t') GROUP BY method;
SELECT count(*) = :all_rows AS complete, bool_and(pg_column_size(t) > 0) FROM t;
SELECT count(*) AS changed FROM (SELECT a, b, c, pad, late FROM before EXCEPT SELECT a, b, c, pad, late FROM t) x;
SELECT bool_and((t.ctid::text::point)[0] >= :old_blocks) AS behind, count(*) BETWEEN 900 AND 2000 AS moved
FROM before JOIN t USING (a, b) WHERE at <> t.ctid;
SELECT * FROM sorted_heap_check('t');
VACUUM t;
SELECT others FROM states('t');
SELECT chains FROM sorted_heap_zonemap_stats('t');

-- In key order up to the new blocks, and from there on.
SELECT count(*) AS descents FROM (
	SELECT (a, b) < lag((a, b)) OVER (PARTITION BY (ctid::text::point)[0] >= :old_blocks ORDER BY ctid)
		AND (ctid::text::point)[0] <> (lag(ctid) OVER (ORDER BY ctid)::text::point)[0] AS descent
	FROM t) x WHERE descent;

-- All indexes know where the rows are.
SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
SELECT count(*) FROM t WHERE a = 7919;
SET enable_indexscan = on; SET enable_bitmapscan = off;
SELECT count(*) FROM t WHERE a = 7919;
SELECT count(*) FROM t WHERE c > 0 AND pad LIKE 'y%';
SELECT count(*) FROM t WHERE length(pad) = 190;
SET enable_seqscan = on;
SELECT count(*) FROM t WHERE c > 0 AND pad LIKE 'y%';
RESET enable_bitmapscan;
\set VERBOSITY terse
ALTER TABLE t DISABLE TRIGGER spoil;
INSERT INTO t (a, b) VALUES (7919, 11);
ALTER TABLE t ENABLE TRIGGER spoil;
\set VERBOSITY default

-- Nothing to do: a run of moved rows stays where it is, until there are others.
SELECT DISTINCT method, rows_moved FROM sorted_heap_merge('t');

-- Rows of this transaction, and toasted ones, which stay readable.
BEGIN;
ALTER TABLE t DISABLE TRIGGER spoil;
ALTER TABLE t ALTER pad SET STORAGE EXTERNAL;
INSERT INTO t (a, b, pad) SELECT 10 * i, 100 + i, repeat(i::text, 2000) FROM generate_series(1, 50) i;
DELETE FROM t WHERE b = 101;
SELECT DISTINCT method, rows_moved > 1000 AS with_older_run FROM sorted_heap_merge('t');
SELECT count(*), sum(length(pad)) FROM t WHERE b > 100;
SELECT count(*) FROM t;
COMMIT;
VACUUM t;
SELECT others FROM states('t');
SELECT count(*) AS wrong FROM t WHERE b > 100 AND pad <> repeat((b - 100)::text, 2000);
SELECT * FROM sorted_heap_check('t');

-- Rows that the transaction itself has locked, before a savepoint and after it.
INSERT INTO t (a, b, pad) VALUES (10, 300, 'locked'), (9, 300, 'locked'), (11, 300, 'free');
BEGIN;
SELECT a FROM t WHERE b = 300 AND pad = 'locked' ORDER BY a FOR KEY SHARE;
SAVEPOINT before_merge;
SELECT a FROM t WHERE b = 300 AND a = 10 FOR UPDATE;
SELECT DISTINCT method FROM sorted_heap_merge('t');
SELECT a, pad FROM t WHERE b = 300 ORDER BY a;
ROLLBACK TO before_merge;
SELECT DISTINCT method FROM sorted_heap_merge('t');
COMMIT;
SELECT a, pad FROM t WHERE b = 300 ORDER BY a;
SELECT * FROM sorted_heap_check('t') WHERE severity = 'fault';

-- Many rows out of order: a rewrite.
DELETE FROM t WHERE a % 2 = 0;
VACUUM t;
ALTER TABLE t DISABLE TRIGGER spoil;
INSERT INTO t (a, b, pad) SELECT i * 7919 % 9000, 200 + i, 'z' FROM generate_series(1, 20000) i;
SELECT method, rows_moved, sum(blocks_after) FILTER (WHERE state NOT IN ('sealed', 'empty')) AS others
FROM sorted_heap_merge('t') GROUP BY 1, 2;
SELECT count(*), count(*) FILTER (WHERE b > 200) FROM t;

SET client_min_messages = warning;
DROP SCHEMA tableam_merge CASCADE;
