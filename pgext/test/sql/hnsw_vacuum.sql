-- VACUUM of sorted_hnsw indexes: dead rows leave, slots are used again, the
-- graph stays whole.
SET client_min_messages = warning;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.iterative_scan = relaxed;

CREATE FUNCTION hv_vec(i int, dim int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5)::real
		ORDER BY k)::real[]::svec FROM generate_series(1, dim) k $$;
-- Rows that a scan of the whole index gives.
CREATE FUNCTION hv_all(tab regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT id FROM %s ORDER BY v <-> hv_vec(-1, 16) LIMIT 1000000) s', tab) INTO n;
	RETURN n;
END $$;

CREATE TABLE hv (id int PRIMARY KEY, v svec(16), kind int) WITH (autovacuum_enabled = off);
INSERT INTO hv SELECT i, hv_vec(i, 16), i % 3 FROM generate_series(1, 1000) i;
CREATE INDEX hv_v ON hv USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 6, ef_construction = 40, refine = f16);
CREATE TEMP TABLE hv_size AS SELECT pg_relation_size('hv_v') AS size;

-- Nothing is dead.
VACUUM (INDEX_CLEANUP on) hv;
SELECT * FROM sorted_hnsw_check('hv');

-- A third, with what was the entry's neighbourhood.
DELETE FROM hv WHERE id % 3 = 0;
SELECT hv_all('hv');
VACUUM hv;
SELECT hv_all('hv');
SELECT reltuples FROM pg_class WHERE relname = 'hv_v';
SELECT * FROM sorted_hnsw_check('hv');

-- The slots are used again. (Levels are random, so an upper page may be added.)
INSERT INTO hv SELECT i, hv_vec(i, 16), i % 3 FROM generate_series(1001, 1333) i;
SELECT hv_all('hv'), pg_relation_size('hv_v') <= size + 16384 AS same_size FROM hv_size;
SELECT count(*) FROM (SELECT id FROM hv WHERE kind = 0 ORDER BY v <-> hv_vec(-1, 16) LIMIT 2000) s;
SELECT * FROM sorted_hnsw_check('hv');

-- Updates leave dead versions; rounds of them do not make the index grow.
UPDATE hv SET v = hv_vec(id + 5000, 16) WHERE id % 2 = 0;
VACUUM hv;
UPDATE hv SET v = hv_vec(id + 6000, 16) WHERE id % 2 = 1;
VACUUM hv;
SELECT hv_all('hv');
SELECT * FROM sorted_hnsw_check('hv');

-- All but one, then all.
DELETE FROM hv WHERE id <> 500;
VACUUM hv;
SELECT id FROM hv ORDER BY v <-> hv_vec(-1, 16) LIMIT 5;
SELECT * FROM sorted_hnsw_check('hv');
DELETE FROM hv;
VACUUM hv;
SELECT hv_all('hv');
SELECT * FROM sorted_hnsw_check('hv');
TRUNCATE hv_size;
INSERT INTO hv_size SELECT pg_relation_size('hv_v');
INSERT INTO hv SELECT i, hv_vec(i, 16), i % 3 FROM generate_series(1, 1000) i;
SELECT hv_all('hv'), pg_relation_size('hv_v') <= size + 16384 AS same_size FROM hv_size;
SELECT * FROM sorted_hnsw_check('hv');

-- Inserts while everything is dead and nothing vacuumed.
DELETE FROM hv;
INSERT INTO hv SELECT i, hv_vec(i, 16), 0 FROM generate_series(2001, 2100) i;
VACUUM hv;
SELECT hv_all('hv');
SELECT * FROM sorted_hnsw_check('hv');

-- Twins: of those with equal vectors the first, the last, some, all but one, all.
CREATE TABLE hv_twins (id int PRIMARY KEY, v svec(16), kind int) WITH (autovacuum_enabled = off);
INSERT INTO hv_twins SELECT i, hv_vec(i / 100, 16), i FROM generate_series(0, 999) i;
CREATE INDEX ON hv_twins USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 4, ef_construction = 16, refine = f16);
INSERT INTO hv_twins SELECT i, hv_vec(i / 10 % 10, 16), i FROM generate_series(1000, 1099) i;
DELETE FROM hv_twins WHERE id % 100 = 0;
VACUUM hv_twins;
SELECT hv_all('hv_twins'), (SELECT count(*) FROM hv_twins);
SELECT * FROM sorted_hnsw_check('hv_twins');
DELETE FROM hv_twins WHERE id % 100 = 99 OR id % 7 = 0;
VACUUM hv_twins;
SELECT hv_all('hv_twins') = count(*) FROM hv_twins;
SELECT * FROM sorted_hnsw_check('hv_twins');
DELETE FROM hv_twins WHERE id NOT IN (153, 254) AND id < 500;
VACUUM hv_twins;
SELECT id FROM hv_twins WHERE kind < 500 ORDER BY v <-> hv_vec(1, 16) LIMIT 5;
SELECT hv_all('hv_twins') = count(*) FROM hv_twins;
SELECT * FROM sorted_hnsw_check('hv_twins');
INSERT INTO hv_twins SELECT i, hv_vec(1, 16), i FROM generate_series(2000, 2049) i;
SELECT count(*), min(kind) FROM (SELECT kind FROM hv_twins WHERE kind >= 2000 ORDER BY v <-> hv_vec(1, 16) LIMIT 100) s;
DELETE FROM hv_twins;
VACUUM hv_twins;
SELECT hv_all('hv_twins');
SELECT * FROM sorted_hnsw_check('hv_twins');

-- A graph too weak to survive by itself: three of four go.
CREATE TABLE hv_weak (id int PRIMARY KEY, v svec(16)) WITH (autovacuum_enabled = off);
INSERT INTO hv_weak SELECT i, hv_vec(i, 16) FROM generate_series(1, 2000) i;
CREATE INDEX ON hv_weak USING sorted_hnsw (v svec_l2_ops) WITH (m = 4, ef_construction = 8);
DELETE FROM hv_weak WHERE id % 4 <> 0;
VACUUM hv_weak;
SELECT hv_all('hv_weak');
SELECT * FROM sorted_hnsw_check('hv_weak');

DROP TABLE hv, hv_twins, hv_weak;
DROP FUNCTION hv_all, hv_vec;
