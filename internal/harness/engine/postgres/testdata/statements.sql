-- bare search, form in, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64

-- bare search, approximate, form in, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::vector) AS distance FROM facts AS f ORDER BY (f.embedding <=> $1::vector) LIMIT 64

-- two hops, endpoint, form in, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.target_id FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64)) AND f.relation_id = 1)) AND f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, endpoint, form join, arguments [1]
WITH h0 AS MATERIALIZED (SELECT DISTINCT s.id FROM (SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64) AS s), h1 AS MATERIALIZED (SELECT DISTINCT f.target_id AS id FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, endpoint, form topk_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_rerank('facts'::regclass, ARRAY(SELECT f.target_id FROM sorted_heap_expand_ids('facts'::regclass, ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), 1) AS f), $1::svec, 10, 2) AS f

-- two hops, endpoint, form fused_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_twohop_rerank('facts'::regclass, ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), $1::svec, 10, 1, 2) AS f

-- two hops, endpoint, form scan_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_graph_rag_twohop_scan('facts'::regclass, $1::svec, 64, 10, 1, 2) AS f

-- two hops, path, form in, arguments [1]
WITH h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $1::svec)) AS d FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64)) AND f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $1::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, form join, arguments [1]
WITH h0 AS MATERIALIZED (SELECT DISTINCT s.id FROM (SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64) AS s), h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $1::svec)) AS d FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $1::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, form fused_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_twohop_path_rerank('facts'::regclass, ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), $1::svec, 10, 1, 2) AS f

-- two hops, path, form scan_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_graph_rag_twohop_path_scan('facts'::regclass, $1::svec, 64, 10, 1, 2) AS f

-- two hops, path, approximate, form in, arguments [1]
WITH h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $1::vector)) AS d FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::vector) LIMIT 64)) AND f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $1::vector) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, approximate, form join, arguments [1]
WITH h0 AS MATERIALIZED (SELECT DISTINCT s.id FROM (SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::vector) LIMIT 64) AS s), h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $1::vector)) AS d FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $1::vector) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, endpoint, exact seeds of an approximate engine, form in, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::vector) AS distance FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.target_id FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.entity_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::vector) + 0, f.entity_id, f.relation_id, f.target_id LIMIT 64)) AND f.relation_id = 1)) AND f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, relation of the question, form in, arguments [1 3]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64)) AND f.relation_id = $2::int2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, relation of the question, form join, arguments [1 3]
WITH h0 AS MATERIALIZED (SELECT DISTINCT s.id FROM (SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64) AS s) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = $2::int2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, relation of the question, form fn, arguments [1 3]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM sorted_heap_expand_ids('facts'::regclass, ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), $2::int2) AS f ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, relation of the question, form topk_fn, arguments [1 3]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_rerank('facts'::regclass, ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), $1::svec, 10, $2::int2) AS f

-- one hop by target, relation of the question, form scan_fn, arguments [1 3]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_graph_rag_scan('facts'::regclass, $1::svec, 64, 10, $2::int2) AS f

-- two hops, path, given seeds, form in, arguments [2 1]
WITH h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $2::svec)) AS d FROM facts AS f WHERE f.entity_id = ANY ($1::int4[]) AND f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $2::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, given seeds, form join, arguments [2 1]
WITH h0 AS MATERIALIZED (SELECT DISTINCT unnest($1::int4[]) AS id), h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $2::svec)) AS d FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 1 GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $2::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, given seeds, form fused_fn, arguments [2 1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_twohop_path_rerank('facts'::regclass, $1::int4[], $2::svec, 10, 1, 2) AS f

-- two hops, path, one given seed, any relation first, form in, arguments [2 1]
WITH h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $2::svec)) AS d FROM facts AS f WHERE f.entity_id = ANY ($1::int4[]) GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $2::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, one given seed, any relation first, form join, arguments [2 1]
WITH h0 AS MATERIALIZED (SELECT DISTINCT unnest($1::int4[]) AS id), h1 AS MATERIALIZED (SELECT f.target_id AS id, min((f.embedding <=> $2::svec)) AS d FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id GROUP BY 1) SELECT f.entity_id, f.relation_id, f.target_id, f.payload, h.d + (f.embedding <=> $2::svec) AS distance FROM h1 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- two hops, path, one given seed, any relation first, form fused_fn, arguments [2 1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_twohop_path_rerank('facts'::regclass, $1::int4[], $2::svec, 10, NULL, 2) AS f

-- one hop by target, form in, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM facts AS f WHERE f.entity_id = ANY (ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64)) AND f.relation_id = 2 ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, form fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, (f.embedding <=> $1::svec) AS distance FROM sorted_heap_expand_ids('facts'::regclass, ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), 2) AS f ORDER BY 5, 1, 2, 3 LIMIT 10

-- one hop by target, form topk_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_expand_rerank('facts'::regclass, ARRAY(SELECT f.target_id AS id FROM facts AS f ORDER BY (f.embedding <=> $1::svec), f.entity_id, f.relation_id, f.target_id LIMIT 64), $1::svec, 10, 2) AS f

-- one hop by target, form scan_fn, arguments [1]
SELECT f.entity_id, f.relation_id, f.target_id, f.payload, f.distance FROM sorted_heap_graph_rag_scan('facts'::regclass, $1::svec, 64, 10, 2) AS f

-- one hop, counted, given seeds, form in, arguments [2]
SELECT count(*), sum(length(payload)) FROM (SELECT f.entity_id, f.relation_id, f.target_id, f.payload FROM facts AS f WHERE f.entity_id = ANY ($1::int4[]) AND f.relation_id = 1) AS answer

-- one hop, counted, given seeds, form join, arguments [2]
SELECT count(*), sum(length(payload)) FROM (WITH h0 AS MATERIALIZED (SELECT DISTINCT unnest($1::int4[]) AS id) SELECT f.entity_id, f.relation_id, f.target_id, f.payload FROM h0 AS h JOIN facts AS f ON f.entity_id = h.id WHERE f.relation_id = 1) AS answer

-- one hop, counted, given seeds, form fn, arguments [2]
SELECT count(*), sum(length(payload)) FROM (SELECT f.entity_id, f.relation_id, f.target_id, f.payload FROM sorted_heap_expand_ids('facts'::regclass, $1::int4[], 1) AS f) AS answer

