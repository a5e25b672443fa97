-- Every kind of index can be built, used and checked on a sorted_heap table.
CREATE SCHEMA tableam_index;
SET search_path = tableam_index, public;
CREATE EXTENSION btree_gist;
CREATE EXTENSION amcheck;
CREATE TABLE t (
	id int PRIMARY KEY,
	n int,
	word text,
	tags int[],
	spot point,
	span int4range,
	big text
) USING sorted_heap WITH (fillfactor = 60, autovacuum_enabled = off);
ALTER TABLE t ALTER big SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, i % 50, 'w' || i % 100, ARRAY[i % 7, i % 11], point(i % 20, i / 20),
	int4range(i, i + 2), CASE WHEN i % 100 = 0 THEN repeat(i::text, 2000) ELSE 'short' || i END
	FROM generate_series(1, 2000) i;
SELECT relam = (SELECT oid FROM pg_am WHERE amname = 'heap') AS toast_is_heap
	FROM pg_class WHERE oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 't'::regclass);

-- HOT updates first, so that builds meet heap-only tuples and their roots.
UPDATE t SET n = n + 1 WHERE id % 3 = 0;
UPDATE t SET n = n - 1 WHERE id % 3 = 0;
DELETE FROM t WHERE id % 13 = 0;

CREATE INDEX t_btree ON t (n) INCLUDE (word);
CREATE INDEX t_hash ON t USING hash (word);
CREATE INDEX t_gin ON t USING gin (tags);
CREATE INDEX t_gist ON t USING gist (spot);
CREATE INDEX t_spgist ON t USING spgist (word);
CREATE INDEX t_brin ON t USING brin (id) WITH (pages_per_range = 4);
CREATE UNIQUE INDEX t_unique ON t (word, id);
CREATE INDEX t_partial ON t (id) WHERE n < 5;
CREATE INDEX t_expression ON t ((upper(word)), (n * 2));
CREATE INDEX t_toasted ON t (md5(big));
ALTER TABLE t ADD CONSTRAINT t_exclude EXCLUDE USING gist (id WITH =, span WITH &&);

-- Each index gives the answer of a sequential scan.
CREATE FUNCTION both_ways(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	by_scan text;
	by_index text;
	plan text;
	used text;
BEGIN
	SET LOCAL enable_indexscan = off;
	SET LOCAL enable_indexonlyscan = off;
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_seqscan = on;
	EXECUTE query INTO by_scan;
	SET LOCAL enable_indexscan = on;
	SET LOCAL enable_indexonlyscan = on;
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_seqscan = off;
	EXECUTE query INTO by_index;
	FOR plan IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		used := coalesce(used, substring(plan FROM 'on (t_\w+)'), substring(plan FROM 'using (t_\w+)'));
	END LOOP;
	RETURN used || CASE WHEN by_scan IS NOT DISTINCT FROM by_index AND by_scan <> '0'
		THEN ' agrees: ' || by_scan ELSE format(' differs: %s, %s', by_scan, by_index) END;
END $$;
CREATE VIEW checks AS
	SELECT both_ways(q) FROM (VALUES
	('SELECT count(*) FROM t WHERE n = 7'),
	('SELECT count(*) FROM t WHERE word = ''w42'''),
	('SELECT count(*) FROM t WHERE tags @> ARRAY[3, 5]'),
	('SELECT count(*) FROM t WHERE spot <@ box ''(3,3),(9,40)'''),
	('SELECT count(*) FROM t WHERE word ^@ ''w1'' AND n > 10'),
	('SELECT count(*) FROM t WHERE n < 5 AND id > 500'),
	('SELECT count(*) FROM t WHERE upper(word) = ''W17'' AND n * 2 = 34'),
	('SELECT count(*) FROM t WHERE md5(big) = md5(repeat(''500'', 2000))'),
	('SELECT count(*) FROM t WHERE span && int4range(100, 110)')) v(q);
TABLE checks;

-- BRIN, where only lossy pages come back; also a summarized tail.
DROP INDEX t_partial, t_unique;
INSERT INTO t SELECT i, i, 'tail', '{1}', point(0, 0), int4range(i, i), 'x' FROM generate_series(5000, 5999) i;
SELECT brin_summarize_new_values('t_brin') > 0 AS summarized;
BEGIN;
ALTER TABLE t DROP CONSTRAINT t_pkey;
ALTER TABLE t DROP CONSTRAINT t_exclude;
SELECT both_ways('SELECT count(*) FROM t WHERE id BETWEEN 5100 AND 5200');
ROLLBACK;

-- Concurrent builds, over the toasted column too, and rebuilding them all.
CREATE UNIQUE INDEX CONCURRENTLY t_unique ON t (word, id);
CREATE INDEX CONCURRENTLY t_partial ON t (id) WHERE n < 5;
CREATE INDEX CONCURRENTLY t_toasted2 ON t (md5(big), big) WHERE length(big) < 200;
DROP INDEX t_toasted2;
REINDEX TABLE CONCURRENTLY t;
TABLE checks;
REINDEX TABLE t;
TABLE checks;
SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 't'::regclass AND NOT (indisvalid AND indisready);
SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
	WHERE i.indrelid = 't'::regclass AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'btree');

-- A parallel build sees what a serial one sees (GIN and BRIN: in later versions).
SET min_parallel_table_scan_size = 0;
SET max_parallel_maintenance_workers = 2;
ALTER TABLE t SET (parallel_workers = 2);
CREATE INDEX t_parallel ON t (n, id);
SELECT bt_index_parent_check('t_parallel', true);
DROP INDEX t_parallel, t_gin, t_brin;
CREATE INDEX t_gin ON t USING gin (tags);
CREATE INDEX t_brin ON t USING brin (id) WITH (pages_per_range = 4);
TABLE checks;
BEGIN;
ALTER TABLE t DROP CONSTRAINT t_pkey;
ALTER TABLE t DROP CONSTRAINT t_exclude;
DROP INDEX t_unique;
SELECT both_ways('SELECT count(*) FROM t WHERE id BETWEEN 5100 AND 5200');
ROLLBACK;

-- Uniqueness is enforced while building and afterwards.
\set VERBOSITY terse
CREATE UNIQUE INDEX t_dup ON t (n);
CREATE UNIQUE INDEX CONCURRENTLY t_dup ON t (n);
DROP INDEX t_dup;
INSERT INTO t (id) VALUES (5000);
INSERT INTO t (id, span) VALUES (-1, int4range(1, 5)), (-1, int4range(2, 3));
SET client_min_messages = warning;
DROP SCHEMA tableam_index CASCADE;
