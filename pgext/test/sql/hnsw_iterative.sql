-- Scans that go on: any LIMIT, filters, bounds, statistics.
CREATE TABLE hi (id int, grp int, name text COLLATE "C", u uuid, v svec(4));
INSERT INTO hi SELECT i, i % 20, 'name ' || i % 3, md5((i % 5)::text)::uuid,
	format('[%s,%s,%s,%s]', i % 23, i % 29, i % 31, i)::svec(4)
	FROM generate_series(1, 1000) i;
CREATE INDEX hi_v ON hi USING sorted_hnsw (v svec_l2_ops, grp, name, u);
ANALYZE hi;
SET enable_seqscan = off;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.ef_search = 1;

CREATE FUNCTION hi_scan(more text) RETURNS TABLE (n bigint, ids bigint, ascending boolean)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH found AS MATERIALIZED (SELECT id, v <-> %1$L AS d FROM hi %2$s ORDER BY v <-> %1$L),
		numbered AS (SELECT id, d, row_number() OVER () AS at FROM found)
		SELECT count(*), count(DISTINCT id), coalesce(bool_and(d >= before), true)
		FROM (SELECT id, d, lag(d) OVER (ORDER BY at) AS before FROM numbered) s', '[1,1,1,500]', more);
END $$;

-- Off: the first walk and no more. Strict: in order, what is found late is left
-- out. Relaxed: all rows, whatever ef is.
SET sorted_hnsw.iterative_scan = off;
SELECT * FROM hi_scan('');
SET sorted_hnsw.iterative_scan = strict;
SELECT n > 100 AS many, n = ids AS once, ascending FROM hi_scan('');
SET sorted_hnsw.iterative_scan = relaxed;
SELECT n, ids FROM hi_scan('');
SET sorted_hnsw.ef_search = 40;
SELECT n, ids FROM hi_scan('');
SET sorted_hnsw.iterative_scan = strict;
SET sorted_hnsw.ef_search = 1000;
SELECT * FROM hi_scan('');

-- Conditions: as many rows as there are, at any ef, walking or not
SET sorted_hnsw.iterative_scan = relaxed;
SELECT mode, ef, count(*) FILTER (WHERE same) AS same, count(*) FROM
	(SELECT mode, ef, set_config('sorted_hnsw.scan_mode', mode, false) IS NOT NULL AND
			set_config('sorted_hnsw.ef_search', ef, false) IS NOT NULL AND
			(SELECT n = ids AND n = rows FROM hi_scan(cond)) AS same
		FROM (VALUES ('graph'), ('flat'), ('auto')) m (mode), (VALUES ('1'), ('40')) e (ef),
			(VALUES ('WHERE grp = 3', 50), ('WHERE grp IN (1, 2)', 100), ('WHERE grp < 2::bigint', 100),
				('WHERE grp > 5 AND grp <= 10', 250), ('WHERE name = ''name 1''', 334),
				('WHERE name >= ''name 1'' AND grp = 0', 34), ('WHERE u = md5(''2'')::uuid', 200),
				('WHERE grp = 100', 0), ('WHERE grp = NULL::int', 0), ('WHERE grp IS NULL', 0),
				('WHERE grp IS NOT NULL', 1000), ('WHERE id % 100 = 0', 10)) c (cond, rows)) s
	GROUP BY mode, ef ORDER BY mode, ef;

-- Conditions on columns of the index are tested there
RESET sorted_hnsw.scan_mode;
EXPLAIN (COSTS off) SELECT id FROM hi WHERE grp = 3 AND name = 'name 1' AND id > 5
	ORDER BY v <-> '[1,1,1,500]' LIMIT 3;

-- Twins: a thousand equal rows, each once
INSERT INTO hi SELECT 2000 + i, 50 + i % 2, 'twin', NULL, '[1,1,1,5000]' FROM generate_series(1, 1000) i;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.ef_search = 40;
SET sorted_hnsw.iterative_scan = strict;
SELECT count(DISTINCT id), min(id), max(id) FROM
	(SELECT id FROM hi ORDER BY v <-> '[1,1,1,5000]' LIMIT 1000) s;
SELECT count(DISTINCT id) FROM (SELECT id FROM hi WHERE grp = 51 ORDER BY v <-> '[1,1,1,5000]' LIMIT 500) s;
SET sorted_hnsw.ef_search = 1;
SET sorted_hnsw.iterative_scan = relaxed;
SELECT n, ids FROM hi_scan('');
DELETE FROM hi WHERE id > 1000;

-- A bound, and how it shows
SET sorted_hnsw.iterative_scan = relaxed;
SELECT sorted_hnsw_reset_scan_stats();
SELECT count(*) FROM (SELECT id FROM hi WHERE grp = 100 ORDER BY v <-> '[1,1,1,500]') s;
SELECT last_bounded FROM sorted_hnsw_scan_stats();
SET sorted_hnsw.max_scan_tuples = 100;
SELECT count(*) < 500 AS bounded FROM (SELECT id FROM hi ORDER BY v <-> '[1,1,1,500]') s;
SELECT role::regrole = current_user::regrole AS mine, scans, flat, bounded,
	last_flat, last_bounded, last_evaluated BETWEEN 100 AND 200 AS about_100
	FROM sorted_hnsw_scan_stats();
SET sorted_hnsw.scan_mode = flat;
SELECT count(*) FROM (SELECT id FROM hi ORDER BY v <-> '[1,1,1,500]') s;
SELECT scans, flat, bounded, last_flat, last_bounded FROM sorted_hnsw_scan_stats();

-- Bounds of settings
SET sorted_hnsw.ef_search = 0;
SET sorted_hnsw.ef_search = 10001;
SET sorted_hnsw.max_scan_tuples = 0;
SET sorted_hnsw.iterative_scan = on;
SET sorted_hnsw.scan_mode = fast;
DROP TABLE hi;
DROP FUNCTION hi_scan;
