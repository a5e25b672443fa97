-- A session's own versions: when they are made and used, what ends them, and
-- that they show what pages show. Shared ones are tested by Go, for they come
-- when a worker has made them.
SET sorted_hnsw.shared_cache = off;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = graph;

CREATE TABLE cached (id int, kind int2, v svec(8)) WITH (autovacuum_enabled = off);
CREATE FUNCTION vec8(i int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5)::real
		ORDER BY k)::real[]::svec FROM generate_series(1, 8) k $$;
INSERT INTO cached SELECT i, i % 5, vec8(i) FROM generate_series(1, 900) i;
CREATE INDEX cached_v ON cached USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 6, ef_construction = 32);

CREATE FUNCTION nearest(n int) RETURNS TABLE (query int, id int, distance float8)
LANGUAGE plpgsql AS $$ BEGIN
	FOR q IN 1 .. n LOOP
		RETURN QUERY SELECT q, c.id, c.v <-> vec8(-q) FROM cached c ORDER BY c.v <-> vec8(-q) LIMIT 5;
	END LOOP; END $$;
CREATE VIEW versions AS
	SELECT source, state, nodes, bytes > 0 AS has_bytes, pins, scans
	FROM sorted_hnsw_cache_stats() WHERE index = to_regclass('cached_v') AND source = 'local';

-- Scans by pages come first, as many as a version is worth.
SELECT count(*) FROM nearest(3);
SELECT * FROM versions;
SELECT count(*) FROM nearest(20);
SELECT source, state, nodes, has_bytes, pins, scans > 0 AS used FROM versions;
CREATE TABLE by_cache AS SELECT * FROM nearest(30);
SET sorted_hnsw.local_cache_size = 0;
CREATE TABLE by_pages AS SELECT * FROM nearest(30);
RESET sorted_hnsw.local_cache_size;
TABLE by_cache EXCEPT ALL TABLE by_pages;
SELECT count(*) FROM by_cache;

-- Rows that come later are found beside it, twins too; all of them, once each.
INSERT INTO cached SELECT i, i % 5, vec8(i) FROM generate_series(901, 950) i;
INSERT INTO cached SELECT i + 1000, 9, vec8(i) FROM generate_series(1, 20) i;
SELECT count(*) AS found FROM generate_series(901, 950) i
	WHERE i = (SELECT id FROM cached ORDER BY v <-> vec8(i) LIMIT 1);
SELECT count(*) AS twins FROM generate_series(1, 20) i
	WHERE i + 1000 = (SELECT id FROM cached WHERE kind = 9 ORDER BY v <-> vec8(i) LIMIT 1);
SET sorted_hnsw.iterative_scan = relaxed;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM cached ORDER BY v <-> vec8(-1) LIMIT 10000) s;
SET sorted_hnsw.scan_mode = flat;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM cached ORDER BY v <-> vec8(-1) LIMIT 10000) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM cached ORDER BY v <-> NULL LIMIT 10000) s;
SET sorted_hnsw.scan_mode = graph;
SELECT nodes FROM versions;

-- VACUUM that frees slots ends it; rows in places used again are not lost.
DELETE FROM cached WHERE id % 3 = 0;
VACUUM (INDEX_CLEANUP on) cached;
INSERT INTO cached SELECT i, 8, vec8(i) FROM generate_series(2001, 2100) i;
SELECT count(*) AS found FROM generate_series(2001, 2003) i
	WHERE i = (SELECT id FROM cached ORDER BY v <-> vec8(i) LIMIT 1);
SELECT * FROM versions;
SELECT count(*) AS found FROM generate_series(2001, 2100) i
	WHERE i = (SELECT id FROM cached ORDER BY v <-> vec8(i) LIMIT 1);
SELECT source, state, nodes, pins FROM versions;

-- Nor is it that of an index built anew, of a table emptied, of one dropped.
REINDEX INDEX cached_v;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM cached ORDER BY v <-> vec8(-1) LIMIT 10000) s;
SELECT count(*) FROM nearest(20);
SELECT source, state, nodes, pins FROM versions;
BEGIN;
TRUNCATE cached;
SELECT count(*) FROM nearest(1);
INSERT INTO cached VALUES (1, 1, vec8(1));
SELECT * FROM nearest(1);
ROLLBACK;
SELECT count(*) FROM nearest(20);
SELECT count(*) FROM versions;
DROP INDEX cached_v;
SELECT count(*) FROM sorted_hnsw_cache_stats() WHERE source = 'local';

-- An index too large for the setting has none.
CREATE INDEX cached_v ON cached USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 6, ef_construction = 32);
SET sorted_hnsw.local_cache_size = '64kB';
SELECT count(*) FROM nearest(30);
SELECT count(*) FROM versions;
RESET sorted_hnsw.local_cache_size;

-- An error gives the version up.
SELECT count(*) FROM nearest(30);
SELECT 1 / (id - id) FROM cached ORDER BY v <-> vec8(-1) LIMIT 1;
BEGIN;
DECLARE rows CURSOR FOR SELECT id FROM cached ORDER BY v <-> vec8(-1) LIMIT 100;
MOVE 3 FROM rows;
SELECT pins FROM versions;
SAVEPOINT s;
SELECT 1 / (id - id) FROM cached ORDER BY v <-> vec8(-1) LIMIT 1;
ROLLBACK TO s;
SELECT pins FROM versions;
MOVE ALL FROM rows;
COMMIT;
SELECT pins FROM versions;

DROP TABLE by_cache, by_pages;
DROP VIEW versions;
DROP TABLE cached;
DROP FUNCTION nearest(int);
DROP FUNCTION vec8(int);
