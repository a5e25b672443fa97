-- Seeds by the vector index: the answers of an exact scan, by whatever index may
-- answer, and nothing that the caller may not see.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE SCHEMA graph_seeds;
SET search_path = graph_seeds, public;
SELECT setseed(0.375);
-- Chains over 40-dimensional vectors; groups of equal ones, so that ties abound,
-- some null and some without a direction.
CREATE TABLE facts (entity_id int4, relation_id int2, target_id int4, embedding svec(40), payload text);
CREATE TABLE directions AS SELECT i, (SELECT array_agg(random() - 0.5) FROM generate_series(1, 40 + 0 * i)) AS v
	FROM generate_series(1, 400) i;
INSERT INTO facts
SELECT n, n % 5, (n * 7) % 3000, CASE WHEN n % 97 = 0 THEN NULL WHEN n % 89 = 0 THEN array_fill(0::float8, ARRAY[40])
	ELSE v END::real[]::svec, 'p' || n
FROM generate_series(1, 3000) n JOIN directions ON i = 1 + (n * 31) % 400;
CREATE INDEX ON facts (entity_id);
CREATE TABLE queries AS SELECT i AS n, (SELECT array_agg(x + 0.4 * (random() - 0.5)) FROM unnest(v) x)::real[]::svec AS q
	FROM directions WHERE i % 40 = 0;

-- All entry points that seed; how often the two ways differ, and how seeds were found.
CREATE FUNCTION rows_of(seeds text, q svec, k int, filter text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := '';
	part text;
	call text;
BEGIN
	PERFORM set_config('sorted_heap.graph_seeds', seeds, true);
	FOREACH call IN ARRAY ARRAY[
		'sorted_heap_graph_rag_scan(''facts'', $1, $2, 20, 3, seed_filter => $3)',
		'sorted_heap_graph_rag_twohop_scan(''facts'', $1, $2, 20, 2, seed_filter => $3)',
		'sorted_heap_graph_rag_twohop_path_scan(''facts'', $1, $2, 20, 2, seed_filter => $3)',
		'sorted_heap_graph_rag(''facts'', $1, ''{1,NULL,4}'', $2, 20, seed_filter => $3)'] LOOP
		EXECUTE 'SELECT string_agg(s::text, '';'') FROM ' || call || ' s' INTO part USING q, k, filter;
		result := result || coalesce(part, '') || '|';
	END LOOP;
	RETURN result;
END $$;
CREATE FUNCTION compare(mode text, ks int[] DEFAULT '{7,1,64}') RETURNS TABLE (how text, filter text, calls bigint, differ bigint)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sorted_hnsw.scan_mode', mode, true);
	FOREACH filter IN ARRAY ARRAY['none', 'hop1'] LOOP
		SELECT count(*), count(*) FILTER (WHERE rows_of('auto', q, k, filter) <> rows_of('exact', q, k, filter))
			INTO calls, differ FROM queries, unnest(ks) k;
		PERFORM rows_of('auto', (SELECT q FROM queries LIMIT 1), ks[1], filter);
		SELECT seed_method INTO how FROM sorted_heap_graph_rag_stats();
		RETURN NEXT;
	END LOOP;
END $$;

-- Without an index, and with those that cannot serve: partial, of another metric,
-- on an expression.
SELECT * FROM compare('auto', '{7}');
CREATE INDEX ON facts USING sorted_hnsw (embedding) WHERE relation_id = 1;
CREATE INDEX ON facts USING sorted_hnsw (embedding svec_l2_ops);
CREATE INDEX ON facts USING sorted_hnsw ((l2_normalize(embedding)::svec(40)), relation_id);
SELECT * FROM compare('auto', '{7}');
SET sorted_heap.graph_seeds = index;
SELECT * FROM sorted_heap_graph_rag_scan('facts', (SELECT q FROM queries LIMIT 1), 1, 1);
RESET sorted_heap.graph_seeds;

-- One that serves; the flat pass is exact.
CREATE INDEX facts_e ON facts USING sorted_hnsw (embedding);
SELECT * FROM compare('flat');
SELECT how, filter, differ <= calls / 5 AS few_differ FROM compare('graph');
-- One that knows the relation is the better one where seeds are of one.
CREATE INDEX facts_r ON facts USING sorted_hnsw (embedding, relation_id);
SELECT * FROM compare('flat');
SELECT how, filter, differ <= calls / 5 AS few_differ FROM compare('graph');
DROP INDEX facts_e;
SELECT * FROM compare('flat', '{64}');
-- More seeds than rows of the relation, than rows at all.
SELECT * FROM compare('flat', '{700}');
SELECT * FROM compare('graph', '{4000}');
SELECT * FROM compare('auto', '{2000000000}');
-- A walk that may not go far enough leaves the rest to an exact scan.
SET sorted_hnsw.max_scan_tuples = 50;
SELECT * FROM compare('graph', '{900}');
RESET sorted_hnsw.max_scan_tuples;

-- A stale index: rows that came, moved, died, before and after VACUUM.
DELETE FROM facts WHERE entity_id % 3 = 0;
UPDATE facts SET embedding = (SELECT q FROM queries LIMIT 1) WHERE entity_id % 50 = 1;
INSERT INTO facts SELECT 5000 + n, n % 5, n, q, 'new' FROM queries;
SELECT * FROM compare('flat');
VACUUM facts;
SELECT * FROM compare('flat');
SELECT how, filter, differ <= calls / 5 AS few_differ FROM compare('graph');

-- Queries of other dimensions and of none: as without an index.
SELECT * FROM sorted_heap_graph_rag_scan('facts', '[1,2]', 1, 1);
SELECT count(*) FROM sorted_heap_graph_rag_scan('facts', array_fill(0, ARRAY[40])::real[]::svec, 5, 5);
CREATE FUNCTION seeds_shown(options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (' || options || ', COSTS OFF) SELECT entity_id
		FROM sorted_heap_graph_rag_scan(''facts'', array_fill(1, ARRAY[40])::real[]::svec, 5, 5)' LOOP
		IF line ~ 'Seeds:' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SET sorted_hnsw.scan_mode = flat;
SELECT seeds_shown('ANALYZE off'), seeds_shown('ANALYZE');
RESET sorted_hnsw.scan_mode;

-- Policies: through a query in the operator's order; an exact scan where too few
-- of what an index finds may be seen.
CREATE ROLE regress_seeds_reader;
GRANT USAGE ON SCHEMA graph_seeds TO regress_seeds_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA graph_seeds TO regress_seeds_reader;
ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
CREATE POLICY odd ON facts USING (entity_id % 2 = 1);
SET ROLE regress_seeds_reader;
SELECT * FROM compare('flat');
SELECT count(*) AS hidden FROM queries, sorted_heap_graph_rag_scan('facts', q, 64, 64) WHERE entity_id % 2 = 0;
RESET ROLE;
ALTER POLICY odd ON facts USING (entity_id < 60);
SET ROLE regress_seeds_reader;
SELECT * FROM compare('flat', '{64}');
RESET ROLE;
DROP POLICY odd ON facts;
ALTER TABLE facts DISABLE ROW LEVEL SECURITY;
-- Children have indexes of their own or none.
CREATE TABLE more () INHERITS (facts);
INSERT INTO more SELECT 6000 + n, n % 5, n, q, 'child' FROM queries;
SELECT * FROM compare('flat', '{7}');
DROP TABLE more;
-- Column privileges: all five or nothing.
REVOKE SELECT ON facts FROM regress_seeds_reader;
GRANT SELECT (entity_id, relation_id, target_id, payload) ON facts TO regress_seeds_reader;
SET ROLE regress_seeds_reader;
SELECT * FROM compare('flat', '{7}');
RESET ROLE;
DROP SCHEMA graph_seeds CASCADE;
DROP ROLE regress_seeds_reader;
