-- Indexes of all kinds of tables, and many rows with one vector.
CREATE SCHEMA hnsw_build_tables;
SET search_path = hnsw_build_tables, public;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.iterative_scan = relaxed;
SET enable_seqscan = off;
SET jit = off;
SET client_min_messages = warning;
CREATE FUNCTION vec(i int) RETURNS svec(3) IMMUTABLE LANGUAGE sql AS
	$$ SELECT ARRAY[i % 10, i % 7, i % 3 + 1]::svec $$;

-- 210 vectors, ten rows each: twins. All rows come out.
CREATE TABLE t (id int, part int, e svec(3));
INSERT INTO t SELECT i, i % 2, vec(i) FROM generate_series(1, 2100) i;
CREATE INDEX t_e ON t USING sorted_hnsw (e svec_l2_ops);
SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM t ORDER BY e <-> '[1,1,1]') s;
SELECT count(*), count(DISTINCT id), max(e <-> vec(9)) FROM
	(SELECT id, e FROM t ORDER BY e <-> vec(9) LIMIT 10) s;
SELECT reltuples FROM pg_class WHERE oid = 't_e'::regclass;

-- One vector only.
CREATE TABLE same AS SELECT i AS id, '[1,2,3]'::svec(3) AS e FROM generate_series(1, 1000) i;
CREATE INDEX same_e ON same USING sorted_hnsw (e) WITH (refine = f16);
SELECT count(DISTINCT id) FROM (SELECT id FROM same ORDER BY e <=> '[3,2,1]') s;

-- Partial; on an expression; with filters; with payload.
CREATE INDEX t_part ON t USING sorted_hnsw (e) WHERE part = 1;
SELECT count(*), min(id % 2) FROM (SELECT id FROM t WHERE part = 1 ORDER BY e <=> '[1,1,1]') s;
CREATE INDEX t_half ON t USING sorted_hnsw ((e::hsvec(3)) hsvec_l1_ops);
SELECT count(*) FROM (SELECT id FROM t ORDER BY (e::hsvec(3)) <+> '[1,1,1]') s;
DROP INDEX t_e;
CREATE INDEX t_filter ON t USING sorted_hnsw (e svec_l2_ops, part) INCLUDE (id);
SELECT count(*), min(id % 2) FROM (SELECT id FROM t WHERE part = 1 ORDER BY e <-> '[1,1,1]') s;

-- Again, and beside its readers.
REINDEX INDEX t_filter;
REINDEX INDEX CONCURRENTLY t_filter;
CREATE INDEX CONCURRENTLY t_ip ON t USING sorted_hnsw (e svec_ip_ops);
SELECT count(*) FROM (SELECT id FROM t ORDER BY e <-> '[1,1,1]') s;
SELECT count(*) FROM (SELECT id FROM t ORDER BY e <#> '[1,1,1]') s;
SELECT indexrelid::regclass, indisvalid FROM pg_index WHERE indrelid = 't'::regclass ORDER BY 1;
SELECT * FROM sorted_hnsw_check('t');
SELECT * FROM sorted_hnsw_check('same');
VACUUM FULL t;
SELECT count(*) FROM (SELECT id FROM t ORDER BY e <#> '[1,1,1]') s;
TRUNCATE t;
SELECT count(*) FROM (SELECT id FROM t ORDER BY e <#> '[1,1,1]') s;

-- Workers give the same rows.
CREATE TABLE wide AS SELECT i AS id, (SELECT array_agg(sin(i * k)::real) FROM
	generate_series(1, 40) k)::svec(40) AS e FROM generate_series(1, 2000) i;
ALTER TABLE wide SET (parallel_workers = 2);
SET maintenance_work_mem = '128MB';
CREATE INDEX wide_e ON wide USING sorted_hnsw (e);
SELECT count(DISTINCT id) FROM (SELECT id FROM wide ORDER BY e <=> array_fill(1, ARRAY[40])::svec) s;
SET parallel_leader_participation = off;
REINDEX INDEX wide_e;
SELECT count(DISTINCT id) FROM (SELECT id FROM wide ORDER BY e <=> array_fill(1, ARRAY[40])::svec) s;
RESET parallel_leader_participation;
SELECT * FROM sorted_hnsw_check('wide');

-- A build that is cancelled leaves nothing.
SET statement_timeout = '1ms';
CREATE INDEX wide_cancelled ON wide USING sorted_hnsw (e);
RESET statement_timeout;
SELECT to_regclass('wide_cancelled');

-- Memory for a part of the rows.
SET client_min_messages = notice;
SET maintenance_work_mem = '1MB';
DROP INDEX wide_e;
INSERT INTO wide SELECT id + 2000 * k, e * array_fill(id % 3 + k, ARRAY[40])::svec
	FROM wide, generate_series(1, 2) k WHERE id + 2000 * k <= 4400;
CREATE INDEX wide_e ON wide USING sorted_hnsw (e svec_l2_ops, id);
SELECT count(DISTINCT id) FROM (SELECT id FROM wide ORDER BY e <-> array_fill(1, ARRAY[40])::svec) s;
SELECT count(DISTINCT id) FROM (SELECT id FROM wide WHERE id > 4390 ORDER BY e <-> array_fill(1, ARRAY[40])::svec) s;
SELECT reltuples FROM pg_class WHERE oid = 'wide_e'::regclass;
SELECT * FROM sorted_hnsw_check('wide');
SET maintenance_work_mem = '2MB';
REINDEX INDEX wide_e;

-- Twins take little of it: the last of these fills 1 MB but for half a node.
SET maintenance_work_mem = '1MB';
CREATE TABLE twins AS SELECT ARRAY[least(i, 500), 1, 2]::svec(3) AS e FROM generate_series(1, 15500) i;
CREATE INDEX ON twins USING sorted_hnsw (e svec_l2_ops) WITH (m = 128, ef_construction = 256);
RESET maintenance_work_mem;

-- Unlogged, temporary, and in partitions.
CREATE UNLOGGED TABLE u (e svec(3));
CREATE INDEX ON u USING sorted_hnsw (e);
SELECT count(*) FROM (SELECT FROM u ORDER BY e <=> '[1,1,1]') s;
CREATE TEMP TABLE temporary AS SELECT vec(i) AS e FROM generate_series(1, 300) i;
ALTER TABLE temporary ALTER e TYPE svec(3);
CREATE INDEX ON temporary USING sorted_hnsw (e);
SELECT count(*) FROM (SELECT FROM temporary ORDER BY e <=> '[1,1,1]') s;
CREATE TABLE p (id int, e svec(3)) PARTITION BY RANGE (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (100);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (100) TO (200);
INSERT INTO p SELECT i, vec(i) FROM generate_series(0, 199) i;
CREATE INDEX ON p USING sorted_hnsw (e svec_l2_ops);
EXPLAIN (COSTS OFF) SELECT id FROM p ORDER BY e <-> '[1,1,1]' LIMIT 5;
SELECT count(*) FROM (SELECT id FROM p ORDER BY e <-> '[1,1,1]') s;
SET client_min_messages = warning;
DROP SCHEMA hnsw_build_tables CASCADE;
