-- Rows nearest first: by every metric and type, as the operator orders them.
-- Few rows and a large ef: recall is 1, whatever the build's levels are.
CREATE TABLE hs (id int, grp int, name text COLLATE "C", v svec(3), h hsvec(3));
INSERT INTO hs SELECT i, i % 10, 'n' || i % 4,
	format('[%s,%s,%s]', i % 7 + 1, i % 11 - 5, i % 13)::svec(3),
	format('[%s,%s,%s]', i % 7 + 1, i % 11 - 5, i % 13)::hsvec(3)
	FROM generate_series(1, 300) i;
INSERT INTO hs VALUES (301, 1, 'null', NULL, NULL);
ANALYZE hs;
SET sorted_hnsw.ef_search = 400;

-- Runs a query with the index and without; gives the number of rows when both
-- agree in order.
CREATE FUNCTION hs_same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	by_index float8[];
	exact float8[];
	plan text := '';
	line text;
BEGIN
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
		set_config('enable_indexscan', 'on', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		plan := plan || line;
	END LOOP;
	EXECUTE 'SELECT array_agg(d) FROM (' || query || ') s' INTO by_index;
	PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_sort', 'on', true),
		set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
	EXECUTE 'SELECT array_agg(d) FROM (' || query || ') s' INTO exact;
	PERFORM set_config('enable_indexscan', 'on', true);
	RETURN CASE WHEN plan NOT LIKE '%Index Scan using%' THEN 'no index scan'
		WHEN by_index IS DISTINCT FROM exact THEN 'differs'
		ELSE coalesce(cardinality(exact), 0) || ' rows' END;
END $$;

CREATE INDEX hs_cos ON hs USING sorted_hnsw (v);
CREATE INDEX hs_l2 ON hs USING sorted_hnsw (v svec_l2_ops);
CREATE INDEX hs_ip ON hs USING sorted_hnsw (v svec_ip_ops);
CREATE INDEX hs_l1 ON hs USING sorted_hnsw (v svec_l1_ops);
CREATE INDEX hs_hcos ON hs USING sorted_hnsw (h);
CREATE INDEX hs_hl2 ON hs USING sorted_hnsw (h hsvec_l2_ops) WITH (refine = f16);
CREATE INDEX hs_hip ON hs USING sorted_hnsw (h hsvec_ip_ops);
CREATE INDEX hs_hl1 ON hs USING sorted_hnsw (h hsvec_l1_ops) WITH (m = 2, ef_construction = 4);
INSERT INTO hs VALUES (302, 2, 'late', '[1,2,3]', '[1,2,3]');

SELECT attname, op, mode, hs_same(format($$SELECT %s %s '[1,2,3]'::%s AS d FROM hs
		WHERE %1$s IS NOT NULL ORDER BY %1$s %2$s '[1,2,3]'::%3$s LIMIT 50$$,
		attname, op, atttypid::regtype))
	FROM pg_attribute, (VALUES ('<=>'), ('<->'), ('<#>'), ('<+>')) o (op),
		(VALUES ('flat'), ('graph')) m (mode)
	WHERE attrelid = 'hs'::regclass AND attname IN ('v', 'h') AND
		set_config('sorted_hnsw.scan_mode', mode, false) = mode
	ORDER BY attname, op, mode;
RESET sorted_hnsw.scan_mode;

-- Each row once; rows without a vector are not there
SET enable_seqscan = off;
SELECT count(*), count(DISTINCT id), count(v) FROM
	(SELECT id, v FROM hs ORDER BY v <=> '[1,2,3]') s;

-- A query that is null, or that has no distance from anything: any order
SELECT count(*) FROM (SELECT 1 FROM hs ORDER BY v <-> (SELECT NULL::svec)) s;
SELECT count(*) FROM (SELECT 1 FROM hs ORDER BY v <=> '[0,0,0]'::svec) s;
SELECT count(*) FROM (SELECT 1 FROM hs ORDER BY v <=> '[0,0,0]'::svec LIMIT 5) s;

-- Other dimensions are an error; without ORDER BY the index is of no use
SELECT id FROM hs ORDER BY v <=> '[1,2]' LIMIT 1;
SET enable_seqscan = on;
EXPLAIN (COSTS off) SELECT id FROM hs WHERE v IS NOT NULL;
EXPLAIN (COSTS off) SELECT id FROM hs WHERE v IS NULL ORDER BY v <=> '[1,2,3]';
EXPLAIN (COSTS off) SELECT id FROM hs ORDER BY v <=> '[1,2,3]' DESC LIMIT 1;

SET enable_seqscan = off;
-- Rescans, with another query each
SELECT a.id, n.d FROM hs a, LATERAL
	(SELECT b.v <-> a.v AS d FROM hs b ORDER BY b.v <-> a.v LIMIT 1) n
	WHERE a.id IN (1, 2, 302) ORDER BY a.id;

-- Two cursors, by turns
BEGIN;
DECLARE near CURSOR FOR SELECT v <-> '[1,2,3]' AS near FROM hs ORDER BY v <-> '[1,2,3]';
DECLARE far CURSOR FOR SELECT v <-> '[9,9,9]' AS far FROM hs ORDER BY v <-> '[9,9,9]';
FETCH 2 FROM near;
FETCH 2 FROM far;
FETCH 2 FROM near;
FETCH 1 FROM far;
COMMIT;

-- What the snapshot does not see does not come, and does not cost others their place
BEGIN;
DELETE FROM hs WHERE id <= 290;
UPDATE hs SET v = '[0.5,0.5,0.5]' WHERE id = 300;
SELECT id FROM hs ORDER BY v <-> '[0.5,0.5,0.5]' LIMIT 1;
SET LOCAL sorted_hnsw.ef_search = 4;
SELECT count(*) FROM (SELECT 1 FROM hs ORDER BY v <-> '[1,2,3]' LIMIT 11) s;
ROLLBACK;

-- An index on an expression, and one on some rows
CREATE INDEX hs_part ON hs USING sorted_hnsw ((subvector(v, 1, 2)::svec(2)) svec_l2_ops) WHERE grp = 3;
SELECT hs_same($$SELECT subvector(v, 1, 2)::svec(2) <-> '[1,2]'::svec AS d FROM hs WHERE grp = 3
	ORDER BY subvector(v, 1, 2)::svec(2) <-> '[1,2]'::svec LIMIT 20$$);

-- Nothing there; nothing there any more
SET enable_seqscan = off;
CREATE UNLOGGED TABLE hs_none (id int, v svec(3));
CREATE INDEX ON hs_none USING sorted_hnsw (v);
SELECT * FROM hs_none ORDER BY v <=> '[1,2,3]';
TRUNCATE hs;
SELECT id FROM hs ORDER BY v <-> '[1,2,3]';
INSERT INTO hs VALUES (1, 1, 'a', '[1,2,3]', NULL);
SELECT id FROM hs ORDER BY v <-> '[1,2,3]';
DROP TABLE hs, hs_none;
DROP FUNCTION hs_same;
