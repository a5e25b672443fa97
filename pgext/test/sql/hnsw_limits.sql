-- Where scans end early and what they leave: memory, time, counts of the server.
SET client_min_messages = warning;
SET enable_seqscan = off;
CREATE TABLE hm (id int, v svec(2)) WITH (autovacuum_enabled = off);
INSERT INTO hm SELECT i, format('[%s,%s]', i % 150, i / 150)::svec FROM generate_series(0, 22499) i;
CREATE INDEX hm_v ON hm USING sorted_hnsw (v svec_l2_ops) WITH (m = 4, ef_construction = 16);
CREATE FUNCTION hm_scan() RETURNS TABLE (n bigint, ids bigint, ascending boolean, flat boolean, bounded boolean)
LANGUAGE plpgsql AS $$
BEGIN
	SELECT count(*), count(DISTINCT id), bool_and(d >= before) INTO n, ids, ascending FROM
		(SELECT id, d, coalesce(lag(d) OVER (ORDER BY at), 0) AS before FROM
			(SELECT id, v <-> '[75,75]' AS d, row_number() OVER () AS at
				FROM (SELECT * FROM hm ORDER BY v <-> '[75,75]') o) r) s;
	SELECT last_flat, last_bounded INTO flat, bounded FROM sorted_hnsw_scan_stats();
	RETURN NEXT;
END $$;

-- A flat pass keeps the nearest that memory holds, in order, and says so.
SET sorted_hnsw.scan_mode = flat;
SELECT * FROM hm_scan();
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT n = ids AS once, n BETWEEN 4000 AND 22000 AS some, ascending, flat, bounded FROM hm_scan();
-- they are the nearest
SELECT bool_and(by_index = exact) AS nearest FROM
	(SELECT row_number() OVER () AS n, v <-> '[75,75]' AS by_index FROM
		(SELECT v FROM hm ORDER BY v <-> '[75,75]' LIMIT 4000) s) a JOIN
	(SELECT row_number() OVER (ORDER BY v <-> '[75,75]') AS n, v <-> '[75,75]' AS exact FROM hm) b USING (n);
-- A walk that has filled its memory goes on as a flat pass.
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.iterative_scan = relaxed;
SELECT n = ids AS once, n > 4000 AS many, bounded FROM hm_scan();
RESET work_mem;
RESET hash_mem_multiplier;
SELECT n, ids, bounded FROM hm_scan();
RESET sorted_hnsw.iterative_scan;

-- One scan of a query is counted as one, by the server too.
SELECT pg_stat_force_next_flush();
SELECT pg_stat_reset_single_table_counters('hm_v'::regclass);
SELECT count(*) FROM (SELECT id FROM hm ORDER BY v <-> '[75,75]' LIMIT 500) s;
SELECT pg_stat_force_next_flush();
SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'hm_v';

-- A thousand rescans take no more memory than ten.
CREATE FUNCTION hm_memory() RETURNS bigint LANGUAGE sql AS
	$$ SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts $$;
BEGIN;
DECLARE c CURSOR FOR SELECT b.id FROM hm a, LATERAL
	(SELECT id FROM hm ORDER BY v <-> a.v LIMIT 3) b;
MOVE 300 IN c;
CREATE TEMP TABLE hm_before AS SELECT hm_memory() AS bytes;
UPDATE hm_before SET bytes = hm_memory();
UPDATE hm_before SET bytes = hm_memory();
MOVE 6000 IN c;
SELECT hm_memory() - bytes AS more FROM hm_before WHERE hm_memory() - bytes > 100000;
COMMIT;

-- Time runs out in a scan, and the next one works.
SET statement_timeout = '200ms';
SELECT count(*) FROM generate_series(1, 1000000) i, LATERAL
	(SELECT id FROM hm ORDER BY v <-> format('[%s,%s]', i % 150, i % 140)::svec LIMIT 3) b;
RESET statement_timeout;
SELECT id FROM hm ORDER BY v <-> '[0,0]' LIMIT 1;

-- Vectors that the table cannot store out of line are refused by the table; those
-- that it must store so are fetched from there.
CREATE TABLE hw (id int, v svec(3000));
ALTER TABLE hw ALTER v SET STORAGE plain;
INSERT INTO hw SELECT 1, array_fill(1, ARRAY[3000])::svec;
ALTER TABLE hw ALTER v SET STORAGE external;
INSERT INTO hw SELECT i, array_prepend(i, array_fill(1, ARRAY[2999]))::real[]::svec FROM generate_series(1, 30) i;
CREATE INDEX ON hw USING sorted_hnsw (v svec_l2_ops);
INSERT INTO hw SELECT i, array_prepend(i, array_fill(1, ARRAY[2999]))::real[]::svec FROM generate_series(31, 60) i;
SELECT string_agg(id::text, ' ') FROM (SELECT id FROM hw ORDER BY v <-> array_prepend(30.2, array_fill(1.0, ARRAY[2999]))::real[]::svec LIMIT 4) s;
SELECT * FROM sorted_hnsw_check('hw');
DROP TABLE hm, hw;
DROP FUNCTION hm_scan, hm_memory;
