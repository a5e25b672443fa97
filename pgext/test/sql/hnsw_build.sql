-- What can be indexed, with which options, and what the index then holds.
CREATE SCHEMA hnsw_build;
SET search_path = hnsw_build, public;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.ef_search = 1000;
SET enable_seqscan = off;
SET jit = off;
CREATE TABLE t (id int, e svec(3), h hsvec(3), bare svec);

-- Options.
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 1);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 129);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (ef_construction = 3);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (ef_construction = 2001);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 16, ef_construction = 31);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (refine = f32);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (lists = 10);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 128, ef_construction = 2000, refine = auto);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 2, ef_construction = 4, refine = f16);
CREATE INDEX ON t USING sorted_hnsw (e) WITH (m = 16, ef_construction = 32, refine = heap);

-- Columns.
CREATE INDEX ON t USING sorted_hnsw (bare);
CREATE INDEX ON t USING sorted_hnsw ((bare::svec(3)));
CREATE INDEX ON t USING sorted_hnsw (id);
CREATE INDEX ON t USING sorted_hnsw (id, e);
CREATE INDEX ON t USING sorted_hnsw (e, h);
CREATE INDEX ON t USING sorted_hnsw (e, id, id, id, id, id, id, id, id);
CREATE INDEX ON t USING sorted_hnsw (e, id, id, id, id, id, id, id, id, id);
CREATE UNIQUE INDEX ON t USING sorted_hnsw (e);
CREATE INDEX ON t USING sorted_hnsw (e DESC);
CREATE INDEX ON t USING sorted_hnsw (e) INCLUDE (id);
DROP TABLE t;

-- Dimensions: a node is on one page, and so are its halves.
CREATE TABLE wide (a svec(8108), b svec(8109), c svec(4076), d svec(4077));
CREATE INDEX ON wide USING sorted_hnsw (a) WITH (m = 2);
CREATE INDEX ON wide USING sorted_hnsw (b) WITH (m = 2);
CREATE INDEX ON wide USING sorted_hnsw (b);
CREATE INDEX ON wide USING sorted_hnsw (c) WITH (refine = f16);
CREATE INDEX ON wide USING sorted_hnsw (d) WITH (refine = f16);
CREATE INDEX ON wide USING sorted_hnsw (d);
INSERT INTO wide (a, c) SELECT array_fill(i::real, ARRAY[8108])::svec,
	array_fill(i::real, ARRAY[4076])::svec FROM generate_series(1, 3) i;
REINDEX TABLE wide;
SELECT count(*) FROM (SELECT FROM wide ORDER BY a <=> array_fill(1, ARRAY[8108])::svec) s;
SELECT count(*) FROM (SELECT FROM wide ORDER BY c <=> array_fill(1, ARRAY[4076])::svec) s;
DROP TABLE wide;

-- Rows without a place in the order are not in the index: a NULL, and under
-- cosine a vector of length zero. Others come in the operator's order.
CREATE TABLE r (id int, e svec(4), h hsvec(40));
INSERT INTO r SELECT i, ARRAY[i, i * 7 % 100, i * 13 % 50, 1]::svec,
	(SELECT array_agg(((i * k * 7) % 101)::real - 50) FROM generate_series(1, 40) k)::svec
	FROM generate_series(1, 500) i;
INSERT INTO r VALUES (501, NULL, NULL), (502, '[0,0,0,0]', NULL);
CREATE FUNCTION nearest(kind text, op text, OUT indexed bigint, OUT same bigint)
LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT id, rank() OVER (ORDER BY d) AS place
		FROM (SELECT id, %1$I %2$s (SELECT %1$I FROM r WHERE id = 250) AS d
		FROM r ORDER BY %1$I %2$s (SELECT %1$I FROM r WHERE id = 250)) s', kind, op);
BEGIN
	EXECUTE format('CREATE INDEX r_index ON r USING sorted_hnsw (%1$I %3$ssvec_%2$s_ops)
		WITH (refine = %4$s)', kind,
		CASE op WHEN '<=>' THEN 'cosine' WHEN '<->' THEN 'l2' WHEN '<#>' THEN 'ip' ELSE 'l1' END,
		CASE kind WHEN 'h' THEN 'h' ELSE '' END,
		CASE op WHEN '<->' THEN 'f16' ELSE 'heap' END);
	EXECUTE 'CREATE TEMP TABLE by_index AS ' || query;
	PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true);
	EXECUTE 'CREATE TEMP TABLE by_table AS ' || query;
	PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'on', true);
	SELECT count(*) FROM by_index INTO indexed;
	SELECT count(*) FROM by_index JOIN by_table USING (id, place) INTO same;
	DROP INDEX r_index;
	DROP TABLE by_index, by_table;
END $$;
SELECT kind, op, n.* FROM unnest(ARRAY['e', 'h']) kind,
	unnest(ARRAY['<=>', '<->', '<#>', '<+>']) op, nearest(kind, op) n ORDER BY 1, 2;
SET client_min_messages = warning;
DROP SCHEMA hnsw_build CASCADE;
