-- When the planner takes the index: for the first rows of an order, also where
-- vectors are toasted and the heap looks small; not for all rows, and not where
-- another index leads to few.
CREATE FUNCTION hc_vector(i int, dims int) RETURNS svec LANGUAGE sql AS
	'SELECT array_agg(sin(i * j))::real[]::svec FROM generate_series(1, dims) j';
CREATE TABLE hc_small (id int, attr int, v svec(384));
INSERT INTO hc_small SELECT i, i % 200, hc_vector(i, 384) FROM generate_series(1, 2000) i;
CREATE TABLE hc_large (id int, attr int, v svec(1536));
INSERT INTO hc_large SELECT i, i % 200, hc_vector(i, 1536) FROM generate_series(1, 2000) i;
CREATE INDEX hc_small_v ON hc_small USING sorted_hnsw (v) WITH (ef_construction = 40);
CREATE INDEX hc_large_v ON hc_large USING sorted_hnsw (v) WITH (ef_construction = 40);
CREATE INDEX hc_small_attr ON hc_small (attr);
CREATE INDEX hc_large_attr ON hc_large (attr);
CREATE INDEX hc_small_both ON hc_small USING sorted_hnsw (v svec_l2_ops, attr) WITH (ef_construction = 40);
VACUUM ANALYZE hc_small;
VACUUM ANALYZE hc_large;

-- The plan's root below the LIMIT
CREATE FUNCTION hc_plan(dims int, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || replace(query, '$1', quote_literal(hc_vector(1, dims)::text) || '::svec')
		INTO plan;
	plan := plan -> 0 -> 'Plan';
	IF plan ->> 'Node Type' = 'Limit' THEN
		plan := plan -> 'Plans' -> 0;
	END IF;
	RETURN concat_ws(' ', plan ->> 'Node Type', plan ->> 'Index Name');
END $$;

SELECT hc_plan(384, 'SELECT id FROM hc_small ORDER BY v <=> $1 LIMIT 10');
SELECT hc_plan(1536, 'SELECT id FROM hc_large ORDER BY v <=> $1 LIMIT 10');
SELECT hc_plan(384, 'SELECT id FROM hc_small WHERE attr <> 5 ORDER BY v <=> $1 LIMIT 10');
SELECT hc_plan(1536, 'SELECT id FROM hc_large WHERE v <=> $1 < 0.5 ORDER BY v <=> $1 LIMIT 10');
-- a condition that the index tests itself
SELECT hc_plan(384, 'SELECT id FROM hc_small WHERE attr < 100 ORDER BY v <-> $1 LIMIT 10');
-- few rows by another index
SELECT hc_plan(384, 'SELECT id FROM hc_small WHERE attr = 5 ORDER BY v <=> $1 LIMIT 10');
SELECT hc_plan(1536, 'SELECT id FROM hc_large WHERE attr = 5 ORDER BY v <=> $1 LIMIT 10');
-- all rows
SELECT hc_plan(384, 'SELECT id FROM hc_small ORDER BY v <=> $1');
SELECT hc_plan(1536, 'SELECT id FROM hc_large ORDER BY v <=> $1');
-- no order
SELECT hc_plan(384, 'SELECT id FROM hc_small WHERE attr = 5 AND v IS NOT NULL');

DROP TABLE hc_small, hc_large;
DROP FUNCTION hc_plan, hc_vector;
