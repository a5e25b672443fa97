-- A flat pass compares codes, which are not exact: rows near each other still come in
-- exact order, and none is left out however few nodes a scan keeps.
CREATE TABLE hf (id int, v svec(64));
INSERT INTO hf SELECT i, (SELECT '[' || string_agg((1024 + (hashint4(i * 64 + d) & 1023))::text, ',') || ']'
	FROM generate_series(1, 64) d)::svec FROM generate_series(1, 1500) i;
CREATE INDEX hf_v ON hf USING sorted_hnsw (v);
ANALYZE hf;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = flat;

-- Of ten queries, how many answers are what the table says
CREATE FUNCTION hf_same(k int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	q svec;
	same bigint := 0;
BEGIN
	FOR i IN 1 .. 10 LOOP
		SELECT ('[' || string_agg((1024 + (hashint4(-(i * 64 + d)) & 1023))::text, ',') || ']')::svec INTO q
			FROM generate_series(1, 64) d;
		same := same + (ARRAY(SELECT id FROM hf ORDER BY v <=> q LIMIT k)
			= ARRAY(SELECT id FROM (SELECT id, v <=> q AS d FROM hf OFFSET 0) s ORDER BY d LIMIT k))::int;
	END LOOP;
	RETURN same;
END $$;
SELECT ef, k, set_config('sorted_hnsw.ef_search', ef::text, false) IS NOT NULL AS set, hf_same(k)
	FROM (VALUES (10, 10), (10, 100), (96, 96), (40, 1500)) c (ef, k);

DROP FUNCTION hf_same;
DROP TABLE hf;
