-- Rows inserted into sorted_hnsw indexes: every row is found, the graph is sound.
SET client_min_messages = warning;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.iterative_scan = relaxed;

CREATE FUNCTION hi_vec(i int, dim int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5)::real
		ORDER BY k)::real[]::svec FROM generate_series(1, dim) k $$;
-- Rows that a scan of the whole index gives, and how many of the ten nearest
-- to each of 20 queries it finds.
CREATE FUNCTION hi_all(tab regclass, op text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT id FROM %s ORDER BY v %s (SELECT v FROM %1$s WHERE v IS NOT NULL ORDER BY id LIMIT 1) LIMIT 1000000) s', tab, op) INTO n;
	RETURN n;
END $$;
CREATE FUNCTION hi_recall(tab regclass, op text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE found int := 0; one int; q text;
BEGIN
	FOR i IN 1..20 LOOP
		q := format('SELECT id FROM %s ORDER BY v %s hi_vec(-%s, 16) LIMIT 10', tab, op, i);
		CREATE TEMP TABLE hi_near (id int);
		EXECUTE 'INSERT INTO hi_near ' || q;
		SET LOCAL enable_indexscan = off;
		SET LOCAL enable_seqscan = on;
		EXECUTE format('SELECT count(*) FROM (%s) e JOIN hi_near USING (id)', q) INTO one;
		RESET enable_indexscan;
		SET LOCAL enable_seqscan = off;
		DROP TABLE hi_near;
		found := found + one;
	END LOOP;
	RETURN found / 200.0;
END $$;

-- An empty index, filled by inserts alone; all metrics.
CREATE TABLE hi_cosine (id int, v svec(16));
CREATE INDEX ON hi_cosine USING sorted_hnsw (v) WITH (m = 8, ef_construction = 48);
INSERT INTO hi_cosine SELECT i, hi_vec(i, 16) FROM generate_series(1, 800) i;
INSERT INTO hi_cosine VALUES (801, NULL), (802, array_fill(0, ARRAY[16])::int[]::svec);
CREATE TABLE hi_l2 (id int, v svec(16));
CREATE INDEX ON hi_l2 USING sorted_hnsw (v svec_l2_ops) WITH (m = 8, ef_construction = 48, refine = f16);
INSERT INTO hi_l2 SELECT i, hi_vec(i, 16) FROM generate_series(1, 800) i;
INSERT INTO hi_l2 VALUES (801, NULL), (802, array_fill(0, ARRAY[16])::int[]::svec);
CREATE TABLE hi_ip (id int, v svec(16));
CREATE INDEX ON hi_ip USING sorted_hnsw (v svec_ip_ops) WITH (m = 8, ef_construction = 48);
INSERT INTO hi_ip SELECT i, hi_vec(i, 16) FROM generate_series(1, 800) i;
CREATE TABLE hi_l1 (id int, v hsvec(16));
CREATE INDEX ON hi_l1 USING sorted_hnsw (v hsvec_l1_ops) WITH (m = 8, ef_construction = 48);
INSERT INTO hi_l1 SELECT i, hi_vec(i, 16)::hsvec FROM generate_series(1, 800) i;
SELECT hi_all('hi_cosine', '<=>') AS cosine, hi_all('hi_l2', '<->') AS l2,
	hi_all('hi_ip', '<#>') AS ip, hi_all('hi_l1', '<+>') AS l1;
SELECT hi_recall('hi_cosine', '<=>') > 0.95 AS cosine, hi_recall('hi_l2', '<->') > 0.95 AS l2,
	hi_recall('hi_ip', '<#>') > 0.9 AS ip;
SELECT t, c.* FROM unnest('{hi_cosine,hi_l2,hi_ip,hi_l1}'::regclass[]) t, sorted_hnsw_check(t) c;

-- Into an index that was built, of wider vectors, with columns.
CREATE TABLE hi_wide (id int, v svec(100), kind int, note text);
INSERT INTO hi_wide SELECT i, hi_vec(i, 100), i % 4 FROM generate_series(1, 300) i;
CREATE INDEX ON hi_wide USING sorted_hnsw (v, kind) INCLUDE (id);
INSERT INTO hi_wide SELECT i, hi_vec(i, 100), NULLIF(i % 4, 3) FROM generate_series(301, 700) i;
UPDATE hi_wide SET kind = 2, note = 'moved' WHERE id % 10 = 0;
SELECT count(*) FROM (SELECT id FROM hi_wide WHERE kind = 2
	ORDER BY v <=> (SELECT v FROM hi_wide WHERE id = 1) LIMIT 1000) s;
SELECT count(*) FROM (SELECT id FROM hi_wide WHERE kind IS NULL
	ORDER BY v <=> (SELECT v FROM hi_wide WHERE id = 1) LIMIT 1000) s;
SELECT * FROM sorted_hnsw_check('hi_wide');

-- Wrong dimensions leave nothing.
CREATE TABLE hi_any (id int, v svec);
CREATE INDEX ON hi_any USING sorted_hnsw ((v::svec(3)));
INSERT INTO hi_any VALUES (1, '[1,2,3]');
INSERT INTO hi_any VALUES (2, '[1,2]');
SELECT * FROM sorted_hnsw_check('hi_any');

-- Partial and expression.
CREATE TABLE hi_part (id int, v svec(16));
CREATE INDEX ON hi_part USING sorted_hnsw (v) WHERE id % 2 = 0;
CREATE INDEX ON hi_part USING sorted_hnsw ((v::hsvec(16)));
INSERT INTO hi_part SELECT i, hi_vec(i, 16) FROM generate_series(1, 100) i;
SELECT count(*) FROM (SELECT id FROM hi_part WHERE id % 2 = 0
	ORDER BY v <=> hi_vec(7, 16) LIMIT 1000) s;
SELECT count(*) FROM (SELECT id FROM hi_part
	ORDER BY (v::hsvec(16)) <=> hi_vec(7, 16)::hsvec LIMIT 1000) s;
SELECT * FROM sorted_hnsw_check('hi_part');

-- Equal vectors: 20, then a thousand; ef_search 1.
CREATE TABLE hi_twins (id int, v svec(4));
CREATE INDEX hi_twins_v ON hi_twins USING sorted_hnsw (v svec_l2_ops);
INSERT INTO hi_twins SELECT i, '[1,1,1,1]' FROM generate_series(1, 20) i;
SET sorted_hnsw.ef_search = 1;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM hi_twins ORDER BY v <-> '[1,1,1,1]' LIMIT 100) s;
INSERT INTO hi_twins SELECT i, '[1,2,3,4]' FROM generate_series(21, 1020) i;
INSERT INTO hi_twins SELECT i, hi_vec(i, 4) FROM generate_series(1021, 1120) i;
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM hi_twins ORDER BY v <-> '[1,2,3,4]' LIMIT 5000) s;
RESET sorted_hnsw.ef_search;
SELECT * FROM sorted_hnsw_check('hi_twins');

-- What was rolled back is not there, and does no harm.
BEGIN;
INSERT INTO hi_l2 SELECT 1000 + i, hi_vec(1000 + i, 16) FROM generate_series(1, 100) i;
SAVEPOINT s;
INSERT INTO hi_l2 SELECT 2000 + i, hi_vec(2000 + i, 16) FROM generate_series(1, 100) i;
ROLLBACK TO s;
INSERT INTO hi_l2 SELECT 3000 + i, hi_vec(3000 + i, 16) FROM generate_series(1, 100) i;
SELECT hi_all('hi_l2', '<->');
ROLLBACK;
SELECT hi_all('hi_l2', '<->');
SELECT * FROM sorted_hnsw_check('hi_l2');

-- TRUNCATE, also rolled back, and in a transaction that goes on inserting.
BEGIN;
TRUNCATE hi_ip;
INSERT INTO hi_ip SELECT i, hi_vec(i, 16) FROM generate_series(1, 10) i;
SELECT hi_all('hi_ip', '<#>');
ROLLBACK;
SELECT hi_all('hi_ip', '<#>');
TRUNCATE hi_ip;
SELECT hi_all('hi_ip', '<#>');
INSERT INTO hi_ip SELECT i, hi_vec(i, 16) FROM generate_series(1, 10) i;
SELECT hi_all('hi_ip', '<#>');
SELECT * FROM sorted_hnsw_check('hi_ip');

-- Unlogged and temporary tables, and COPY.
CREATE UNLOGGED TABLE hi_unlogged (id int, v svec(2));
CREATE INDEX ON hi_unlogged USING sorted_hnsw (v svec_l2_ops);
COPY hi_unlogged FROM stdin;
1	[1,2]
2	[3,4]
\.
CREATE TEMP TABLE hi_temp (id int, v svec(2)) ON COMMIT DELETE ROWS;
CREATE INDEX ON hi_temp USING sorted_hnsw (v svec_l2_ops);
BEGIN;
INSERT INTO hi_temp SELECT i, ('[' || i || ',1]')::svec FROM generate_series(1, 100) i;
SELECT hi_all('hi_temp', '<->');
COMMIT;
SELECT hi_all('hi_unlogged', '<->') AS unlogged, hi_all('hi_temp', '<->') AS temp;
SELECT c.* FROM unnest('{hi_unlogged,hi_temp}'::regclass[]) t, sorted_hnsw_check(t) c;

DROP TABLE hi_cosine, hi_l2, hi_ip, hi_l1, hi_wide, hi_any, hi_part, hi_twins, hi_unlogged, hi_temp;
DROP FUNCTION hi_all, hi_recall, hi_vec;
