-- The acceptance fixture of the graph functions: six facts, known answers.
-- Both access methods must give the same.
SET client_min_messages = warning;
CREATE TABLE fixture_heap (
	entity_id int4, relation_id int2, target_id int4,
	embedding svec(4), payload text,
	PRIMARY KEY (entity_id, relation_id, target_id)) USING heap;
CREATE TABLE fixture_sorted (LIKE fixture_heap INCLUDING INDEXES) USING sorted_heap;
INSERT INTO fixture_heap VALUES
	(1, 1, 2, '[1,0,0,0]', 'a'),
	(1, 2, 3, '[.9,.1,0,0]', 'b'),
	(2, 1, 4, '[0,1,0,0]', 'c'),
	(3, 1, 1, '[0,0,1,0]', 'd'),
	(3, 2, 5, '[0,0,.9,.1]', 'e'),
	(4, 1, 6, '[0,0,0,1]', 'f');
INSERT INTO fixture_sorted SELECT * FROM fixture_heap;
SELECT sorted_heap_compact('fixture_sorted');

-- Each answer as one line: payload and distance in the order returned.
CREATE FUNCTION answers(t regclass) RETURNS TABLE (n int, what text, rows text)
LANGUAGE sql AS $$
WITH calls (n, what, payload, distance) AS (
	SELECT 1, 'ids', payload, NULL::float8 FROM sorted_heap_expand_ids(t, '{1,3}')
	UNION ALL SELECT 2, 'ids, relation 1', payload, NULL FROM sorted_heap_expand_ids(t, '{1,3}', 1)
	UNION ALL SELECT 3, 'ids, relation 2', payload, NULL FROM sorted_heap_expand_ids(t, '{1,3}', 2)
	UNION ALL SELECT 4, 'ids, limit 2', payload, NULL FROM sorted_heap_expand_ids(t, '{1,3}', NULL, 2)
	UNION ALL SELECT 5, 'rerank', payload, distance FROM sorted_heap_expand_rerank(t, '{1,3}', '[1,0,0,0]', 2)
	UNION ALL SELECT 6, 'rerank, relation 2', payload, distance FROM sorted_heap_expand_rerank(t, '{1,3}', '[1,0,0,0]', 2, 2)
	UNION ALL SELECT 7, 'twohop 1, 1', payload, distance FROM sorted_heap_expand_twohop_rerank(t, '{1,3}', '[1,0,0,0]', 2, 1, 1)
	UNION ALL SELECT 8, 'twohop path 1, 2', payload, distance FROM sorted_heap_expand_twohop_path_rerank(t, '{1,3}', '[1,0,0,0]', 2, 1, 2)
	UNION ALL SELECT 9, 'rag', payload, distance FROM sorted_heap_graph_rag_scan(t, '[1,0,0,0]', 2, 2)
	UNION ALL SELECT 10, 'rag, relation 2', payload, distance FROM sorted_heap_graph_rag_scan(t, '[1,0,0,0]', 2, 2, 2)
	UNION ALL SELECT 11, 'rag twohop 1, 2', payload, distance FROM sorted_heap_graph_rag_twohop_scan(t, '[0,0,1,0]', 2, 2, 1, 2)
	UNION ALL SELECT 12, 'rag twohop path 1, 2', payload, distance FROM sorted_heap_graph_rag_twohop_path_scan(t, '[0,0,1,0]', 2, 2, 1, 2)
	UNION ALL SELECT 13, 'graph_rag {2}', payload, distance FROM sorted_heap_graph_rag(t, '[1,0,0,0]', '{2}', 2)
	-- 3 -1-> 1 -2-> 3 -2-> 5 costs 1 + .006116 + 1
	UNION ALL SELECT 14, 'multihop path 1, 2, 2', payload, distance FROM sorted_heap_expand_multihop_path_rerank(t, '{3}', '[1,0,0,0]', 3, '{1,2,2}')
	UNION ALL SELECT 15, 'multihop 1, any', payload, distance FROM sorted_heap_expand_multihop_rerank(t, '{3}', '[1,0,0,0]', 3, '{1,NULL}')
)
SELECT n, what, string_agg(concat_ws(' ', payload, round(distance::numeric, 6)), ', ')
FROM calls GROUP BY n, what ORDER BY n
$$;

SELECT h.what, h.rows, h.rows = s.rows AS same
FROM answers('fixture_heap') h JOIN answers('fixture_sorted') s USING (n, what)
ORDER BY n;

-- All columns.
SELECT * FROM sorted_heap_expand_ids('fixture_heap', '{4,2}');
SELECT entity_id, relation_id, target_id, payload, round(distance::numeric, 6)
FROM sorted_heap_graph_rag('fixture_heap', '[1,0,0,0]', '{2}', ann_k => 2);

-- Which rows may seed: without the filter c is near too, with it only
-- relation 2 gives seeds.
SELECT payload FROM sorted_heap_graph_rag('fixture_heap', '[0,1,0,0]', '{2}', 1, 10);
SELECT payload FROM sorted_heap_graph_rag('fixture_heap', '[0,1,0,0]', '{2}', 1, 10,
	seed_filter => 'hop1');

-- The statistics tell how.
SELECT sorted_heap_graph_rag_reset_stats();
SELECT calls, api FROM sorted_heap_graph_rag_stats();
SELECT count(*) FROM sorted_heap_graph_rag_twohop_scan('fixture_heap', '[0,0,1,0]', 2, 2);
SELECT calls, api, seed_method, access, seed_count, expanded_rows, reranked_rows,
	returned_rows, pages_read > 0 AS pages, total_ms >= ann_ms + expand_ms + rerank_ms AS times
FROM sorted_heap_graph_rag_stats();

DROP FUNCTION answers;
DROP TABLE fixture_heap, fixture_sorted;
