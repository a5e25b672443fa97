-- A flat pass with iteration off: the first ef_search rows by exact distance,
-- though records are codes, and equal vectors all of theirs; no more.
CREATE TABLE hfe (id int, part int, v svec(64));
CREATE FUNCTION hfe_vec(i int) RETURNS svec(64) IMMUTABLE LANGUAGE sql AS $$
	SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5)::real ORDER BY k)::real[]::svec(64)
		FROM generate_series(1, 64) k $$;
INSERT INTO hfe SELECT i, i % 4, hfe_vec(i) FROM generate_series(1, 2000) i;
CREATE INDEX hfe_v ON hfe USING sorted_hnsw (v svec_cosine_ops) WITH (m = 4, ef_construction = 8);
DELETE FROM hfe WHERE id % 5 = 0;
SET sorted_hnsw.scan_mode = flat;
SET sorted_hnsw.iterative_scan = off;
SET sorted_hnsw.ef_search = 10;

-- Rows in order, as the index gives them or, by a sort, the table.
CREATE FUNCTION hfe_near(q svec, by_index bool, more text) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
	ids int[];
BEGIN
	PERFORM set_config('enable_seqscan', (NOT by_index)::text, true),
		set_config('enable_sort', (NOT by_index)::text, true),
		set_config('enable_indexscan', by_index::text, true);
	EXECUTE format('SELECT array(SELECT id FROM hfe %s)', replace(more, '$1', quote_literal(q::text) || '::svec')) INTO ids;
	RETURN ids;
END $$;
SELECT count(*) FILTER (WHERE hfe_near(hfe_vec(-i), true, o) = hfe_near(hfe_vec(-i), false, o)) AS same, count(*)
	FROM generate_series(1, 100) i, (VALUES ('ORDER BY v <=> $1 LIMIT 10')) s (o);

-- Not more than the ten, of which a condition leaves some.
SELECT min(cardinality(ids)), max(cardinality(ids)) FROM
	(SELECT hfe_near(hfe_vec(-i), true, 'ORDER BY v <=> $1 LIMIT 50') AS ids FROM generate_series(1, 20) i) s;
SELECT bool_and(ids <@ hfe_near(hfe_vec(-i), false, 'ORDER BY v <=> $1 LIMIT 10')) AS of_the_ten, max(cardinality(ids)) > 0 AS some FROM
	(SELECT i, hfe_near(hfe_vec(-i), true, 'WHERE part = 1 ORDER BY v <=> $1 LIMIT 10') AS ids FROM generate_series(1, 20) i) s;

-- Thirty equal ones are one place.
INSERT INTO hfe SELECT 3000 + i, 0, hfe_vec(-500) FROM generate_series(1, 30) i;
SELECT cardinality(ids), (SELECT count(*) FROM unnest(ids) id WHERE id > 3000) AS equal FROM
	(SELECT hfe_near(hfe_vec(-500), true, 'ORDER BY v <=> $1 LIMIT 50') AS ids) s;
DROP TABLE hfe;
DROP FUNCTION hfe_vec, hfe_near;
