-- Seeds by the vector index alone: the answers of an exact scan, rows read only
-- where the index or the visibility map cannot tell.
SET client_min_messages = warning;
CREATE SCHEMA graph_indexonly;
SET search_path = graph_indexonly, public;
SELECT setseed(0.625);
-- Groups of equal vectors, so that ties lie on the boundary, some null.
CREATE TABLE facts (entity_id int4, relation_id int2, target_id int4, embedding svec(40), payload text)
	WITH (autovacuum_enabled = off);
CREATE TABLE directions AS SELECT i, (SELECT array_agg(random() - 0.5) FROM generate_series(1, 40 + 0 * i)) AS v
	FROM generate_series(1, 900) i;
INSERT INTO facts
SELECT CASE WHEN n % 71 = 0 THEN NULL ELSE n END, n % 3, (n * 7) % 3000,
	CASE WHEN n % 97 = 0 THEN NULL ELSE v END::real[]::svec, 'p' || n
FROM generate_series(1, 3000) n JOIN directions ON i = 1 + (n * 31) % 900;
CREATE INDEX ON facts (entity_id);
CREATE TABLE queries AS SELECT i AS n, (SELECT array_agg(x + 0.4 * (random() - 0.5)) FROM unnest(v) x)::real[]::svec AS q
	FROM directions WHERE i % 90 = 0;

CREATE FUNCTION rows_of(seeds text, q svec, k int, filter text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := '';
	part text;
	call text;
BEGIN
	PERFORM set_config('sorted_heap.graph_seeds', seeds, true);
	FOREACH call IN ARRAY ARRAY[
		'sorted_heap_graph_rag_scan(''facts'', $1, $2, 20, 2, seed_filter => $3)',
		'sorted_heap_graph_rag_twohop_path_scan(''facts'', $1, $2, 20, 1, seed_filter => $3)'] LOOP
		EXECUTE 'SELECT string_agg(s::text, '';'') FROM ' || call || ' s' INTO part USING q, k, filter;
		result := result || coalesce(part, '') || '|';
	END LOOP;
	RETURN result;
END $$;
-- How many answers differ from those of an exact scan, and whether most calls that
-- want many seeds read few rows for them: where equal vectors lie on the boundary,
-- all of these are read.
CREATE FUNCTION compare() RETURNS TABLE (filter text, calls bigint, differ bigint, few_rows bool)
LANGUAGE plpgsql AS $$
DECLARE
	k int;
	query svec;
	n bigint;
	large int;
	many int;
BEGIN
	FOREACH filter IN ARRAY ARRAY['none', 'hop1'] LOOP
		calls := 0;
		differ := 0;
		large := 0;
		many := 0;
		FOREACH k IN ARRAY ARRAY[1, 40, 64] LOOP
			FOR query IN SELECT q FROM queries LOOP
				calls := calls + 1;
				differ := differ + (rows_of('exact', query, k, filter) <> rows_of('index', query, k, filter))::int;
				SELECT seed_rows INTO n FROM sorted_heap_graph_rag_stats();
				large := large + (k >= 40)::int;
				many := many + (k >= 40 AND n >= k / 4)::int;
			END LOOP;
		END LOOP;
		few_rows := many <= large / 5;
		RETURN NEXT;
	END LOOP;
END $$;
SET sorted_hnsw.scan_mode = flat;

-- Without halves fewer rows are certain, and without the columns all are read.
CREATE INDEX facts_heap ON facts USING sorted_hnsw (embedding, relation_id) INCLUDE (entity_id, target_id) WITH (refine = heap);
VACUUM facts;
SELECT * FROM compare();
DROP INDEX facts_heap;
CREATE INDEX facts_bare ON facts USING sorted_hnsw (embedding, relation_id) WITH (refine = f16);
SELECT * FROM compare();
DROP INDEX facts_bare;

CREATE INDEX facts_e ON facts USING sorted_hnsw (embedding, relation_id) INCLUDE (entity_id, target_id) WITH (refine = f16);
SELECT * FROM compare();

-- Rows that came, moved, died: their pages are not all-visible.
DELETE FROM facts WHERE entity_id % 5 = 0;
UPDATE facts SET embedding = (SELECT q FROM queries LIMIT 1) WHERE entity_id % 50 = 1;
INSERT INTO facts SELECT 5000 + n, n % 3, n, q, 'new' FROM queries;
SELECT filter, calls, differ FROM compare();
BEGIN;
DELETE FROM facts WHERE entity_id % 7 = 0;
SELECT filter, calls, differ FROM compare();
ROLLBACK;
SELECT filter, calls, differ FROM compare();
-- VACUUM makes them so, and places are used again.
VACUUM facts;
SELECT * FROM compare();
INSERT INTO facts SELECT 6000 + 10 * n + m, n % 3, n, q, 'again' FROM queries, generate_series(1, 9) m;
SELECT filter, calls, differ FROM compare();
VACUUM facts;
SELECT * FROM compare();
-- By walks the answers are those of walks that read rows.
SET sorted_hnsw.scan_mode = graph;
SELECT filter, differ <= calls / 5 AS few_differ, few_rows FROM compare();
DROP SCHEMA graph_indexonly CASCADE;
