-- Many rows with one vector: a LIMIT looks at some of them, no LIMIT at each once.
SET client_min_messages = warning;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.ef_search = 10;
CREATE TABLE ht (id int, grp int, v svec(40)) WITH (autovacuum_enabled = off);
CREATE FUNCTION ht_vec(i int) RETURNS svec(40) IMMUTABLE LANGUAGE sql AS $$
	SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536)::real ORDER BY k)::real[]::svec
	FROM generate_series(1, 40) k $$;
INSERT INTO ht SELECT i, i % 1000, ht_vec(1) FROM generate_series(1, 20000) i;
INSERT INTO ht SELECT 100000 + i, 0, ht_vec(i) FROM generate_series(2, 200) i;
CREATE INDEX ht_v ON ht USING sorted_hnsw (v svec_l2_ops, grp) WITH (m = 4, ef_construction = 16);

-- The first ten: of 20,000 equals fewer than 200 rows are fetched.
SELECT count(*), max(id) <= 20000 AS equals, max(d) AS far FROM
	(SELECT id, v <-> ht_vec(1) AS d FROM ht ORDER BY v <-> ht_vec(1) LIMIT 10) s;
SELECT last_fetched < 200 AS few, last_flat FROM sorted_hnsw_scan_stats();
-- More than a part; under a condition; all.
SELECT count(DISTINCT id), max(id) <= 20000 AS equals FROM
	(SELECT id FROM ht ORDER BY v <-> ht_vec(1) LIMIT 5000) s;
SELECT last_fetched < 12000 AS linear FROM sorted_hnsw_scan_stats();
SELECT count(DISTINCT id), min(id % 1000), max(id % 1000) FROM
	(SELECT id FROM ht WHERE grp = 7 ORDER BY v <-> ht_vec(1) LIMIT 20) s;
SET sorted_hnsw.ef_search = 400;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM ht ORDER BY v <-> ht_vec(1)) s;
SELECT last_fetched < 21000 AS linear FROM sorted_hnsw_scan_stats();
-- Equals among others, from elsewhere; nothing out of order.
SELECT count(*), count(DISTINCT id), bool_and(d >= before) AS ascending FROM
	(SELECT id, d, coalesce(lag(d) OVER (ORDER BY n), 0) AS before FROM
		(SELECT id, v <-> ht_vec(900) AS d, row_number() OVER () AS n
			FROM (SELECT * FROM ht ORDER BY v <-> ht_vec(900)) o) r) s;

-- Dead ones are passed, then freed.
DELETE FROM ht WHERE id <= 20000 AND id % 4 <> 0;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM ht ORDER BY v <-> ht_vec(1)) s;
VACUUM ht;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM ht ORDER BY v <-> ht_vec(1)) s;

-- One record, other distances: cosine does not know how long a vector is, and
-- codes do not know small differences. All come, in order.
CREATE TABLE hl (id int, v svec(40));
INSERT INTO hl SELECT i, ht_vec(1) * array_fill(1 + i % 100, ARRAY[40])::real[]::svec FROM generate_series(1, 1000) i;
INSERT INTO hl SELECT i, ht_vec(1) + array_prepend(i * 1e-6, array_fill(0, ARRAY[39]))::real[]::svec FROM generate_series(1001, 2000) i;
CREATE INDEX hl_v ON hl USING sorted_hnsw (v);
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM hl ORDER BY v <=> ht_vec(5)) s;
CREATE INDEX hl_l2 ON hl USING sorted_hnsw (v svec_l2_ops);
SELECT count(*), count(DISTINCT id), bool_and(d >= before) AS ascending FROM
	(SELECT id, d, coalesce(lag(d) OVER (ORDER BY n), 0) AS before FROM
		(SELECT id, v <-> ht_vec(5) AS d, row_number() OVER () AS n
			FROM (SELECT * FROM hl ORDER BY v <-> ht_vec(5)) o) r) s;

-- Where a scan may not go on, ef nodes give rows with all their equals, whether
-- nodes are walked or compared one by one.
SET sorted_hnsw.iterative_scan = off;
SET sorted_hnsw.ef_search = 1;
CREATE TABLE hf (id int, v svec(3));
INSERT INTO hf SELECT i, CASE WHEN i <= 20 THEN '[1,1,1]' ELSE '[5,5,5]' END::svec FROM generate_series(1, 30) i;
CREATE INDEX ON hf USING sorted_hnsw (v svec_l2_ops);
SELECT count(*), max(id) FROM (SELECT id FROM hf ORDER BY v <-> '[1,1,1]' LIMIT 25) s;
SET sorted_hnsw.scan_mode = flat;
SELECT count(*), max(id) FROM (SELECT id FROM hf ORDER BY v <-> '[1,1,1]' LIMIT 25) s;
SELECT count(*), max(id) FROM (SELECT id FROM hf ORDER BY v <-> (SELECT NULL::svec) LIMIT 25) s;
DROP TABLE ht, hl, hf;
DROP FUNCTION ht_vec;
