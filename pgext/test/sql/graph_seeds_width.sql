-- How many nodes a search for seeds keeps: three times the rows wanted and some
-- more, or ef_search where that is more. The graph is so weak that a search that
-- keeps as many as are wanted misses a third of ten and a seventh of 64.
CREATE SCHEMA graph_width;
SET client_min_messages = warning;
SET search_path = graph_width, public;
CREATE FUNCTION vector_of(n int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
	SELECT array_agg((hashint4extended(n, d) & 65535) / 65536.0 - 0.5 ORDER BY d)::real[]::svec
	FROM generate_series(1, 16) d $$;
-- Every row is its own seed and all that is found from it.
CREATE TABLE facts (entity_id int4, relation_id int2, target_id int4, embedding svec(16), payload text);
INSERT INTO facts SELECT n, 1, n, vector_of(n), '' FROM generate_series(1, 4000) n;
CREATE INDEX ON facts (entity_id);
CREATE INDEX ON facts USING sorted_hnsw (embedding) WITH (m = 4, ef_construction = 16);

-- The share of the k nearest rows that are seeds.
CREATE FUNCTION share_found(k int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	nearest int[];
	hits bigint := 0;
BEGIN
	FOR i IN 1..20 LOOP
		PERFORM set_config('sorted_heap.graph_seeds', 'exact', true);
		nearest := ARRAY(SELECT entity_id FROM sorted_heap_graph_rag_scan('facts', vector_of(-i), k, k));
		PERFORM set_config('sorted_heap.graph_seeds', 'index', true);
		hits := hits + (SELECT count(*) FROM sorted_heap_graph_rag_scan('facts', vector_of(-i), k, k)
			WHERE entity_id = ANY (nearest));
	END LOOP;
	RETURN hits::numeric / (20 * k);
END $$;
SET sorted_hnsw.scan_mode = graph;
SET sorted_hnsw.ef_search = 1;
SELECT share_found(10) > 0.8 AS ten, share_found(64) > 0.93 AS sixty_four;
SET sorted_hnsw.ef_search = 400;
SELECT share_found(10) > 0.97 AS ten;
DROP SCHEMA graph_width CASCADE;
