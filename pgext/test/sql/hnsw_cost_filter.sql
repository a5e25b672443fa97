-- Plans under conditions that the index does not test, for a LIMIT and without one:
-- the index where enough of the rows it gives first meet them, else whatever gives
-- all that do; a smaller index where there is one.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE hq (i int4, v svec(3), c int4, t text);
CREATE TABLE hq_cat (i int4 PRIMARY KEY, t text, b boolean);
INSERT INTO hq SELECT i, (SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536)::real ORDER BY k)
		FROM generate_series(1, 3) k)::svec, i % 50, 'test ' || i
	FROM generate_series(1, 10000) i;
INSERT INTO hq_cat SELECT i, 'cat ' || i, i % 5 = 0 FROM generate_series(1, 50) i;
CREATE INDEX hq_v ON hq USING sorted_hnsw (v svec_l2_ops);
VACUUM ANALYZE hq;
VACUUM ANALYZE hq_cat;

-- The scan of hq in a plan
CREATE FUNCTION hq_plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || replace(query, '$1', '''[0.3,0.4,0.5]''') LOOP
		IF line ~ 'Scan (using|on) (hq_v|hq|hq_part|hq_c|hq_filter)\M' AND line !~ 'Bitmap Heap' THEN
			RETURN trim(regexp_replace(line, '^ *->', ''));
		END IF;
	END LOOP;
END $$;
CREATE FUNCTION hq_plans(mode text) RETURNS TABLE (query text, scan text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sorted_hnsw.iterative_scan', mode, true);
	RETURN QUERY SELECT q, hq_plan('SELECT hq.i FROM hq ' || q) FROM
		(VALUES ('WHERE c = 7 ORDER BY v <-> $1 LIMIT 20'),
			('WHERE c <> 7 ORDER BY v <-> $1 LIMIT 20'),
			('WHERE c >= 1 ORDER BY v <-> $1 LIMIT 20'),
			('WHERE c < 1 ORDER BY v <-> $1 LIMIT 20'),
			('WHERE t LIKE ''%test%'' ORDER BY v <-> $1 LIMIT 20'),
			('WHERE t LIKE ''%other%'' ORDER BY v <-> $1 LIMIT 20'),
			('WHERE v <-> $1 < 1 ORDER BY v <-> $1 LIMIT 20'),
			('WHERE v <-> $1 < 1'),
			('WHERE v <-> $1 < 1 ORDER BY v <-> $1'),
			('ORDER BY v <-> $1'),
			('ORDER BY v <-> $1 LIMIT 20'),
			('JOIN hq_cat ON hq_cat.i = hq.c ORDER BY v <-> $1 LIMIT 20'),
			('JOIN hq_cat ON hq_cat.i = hq.c WHERE b ORDER BY v <-> $1 LIMIT 20')) s (q);
END $$;
SET sorted_hnsw.ef_search = 40;
SELECT * FROM hq_plans('off');
RESET sorted_hnsw.ef_search;
SELECT * FROM hq_plans('strict');
-- An index of the condition's column, one of the rows that meet it, one that tests it
CREATE INDEX hq_c ON hq (c);
SELECT hq_plan('SELECT i FROM hq WHERE c = 7 ORDER BY v <-> $1 LIMIT 20');
SELECT hq_plan('SELECT i FROM hq WHERE c <> 7 ORDER BY v <-> $1 LIMIT 20');
CREATE INDEX hq_part ON hq USING sorted_hnsw (v svec_l2_ops) WHERE c = 7;
SELECT hq_plan('SELECT i FROM hq WHERE c = 7 ORDER BY v <-> $1 LIMIT 20');
SELECT hq_plan('SELECT i FROM hq WHERE c = 8 ORDER BY v <-> $1 LIMIT 20');
DROP INDEX hq_part;
CREATE INDEX hq_filter ON hq USING sorted_hnsw (v svec_l2_ops, c);
SELECT hq_plan('SELECT i FROM hq WHERE c = 7 ORDER BY v <-> $1 LIMIT 20');
SELECT hq_plan('SELECT i FROM hq WHERE c < 25 ORDER BY v <-> $1 LIMIT 20');
DROP TABLE hq, hq_cat;
DROP FUNCTION hq_plan, hq_plans;
