-- Graph functions over facts with hsvec embeddings: the answers of a table with
-- the same values as svec, by every access and through a query.
SET client_min_messages = warning;
CREATE TABLE halves (
	entity_id int4, relation_id int2, target_id int4,
	embedding hsvec(8), payload text, PRIMARY KEY (entity_id, relation_id, target_id));
INSERT INTO halves
SELECT i % 50, i % 3, (i * 7) % 50, CASE WHEN i % 41 <> 0 THEN
	(SELECT array_agg(sin(i * j + j)) FROM generate_series(1, 8) j)::hsvec END, 'p' || i
FROM generate_series(1, 400) i ON CONFLICT DO NOTHING;
CREATE TABLE singles (LIKE halves INCLUDING INDEXES);
ALTER TABLE singles ALTER embedding TYPE svec(8);
INSERT INTO singles SELECT * FROM halves;
CREATE INDEX ON halves USING sorted_zone (entity_id, relation_id);
VACUUM halves;
VACUUM singles;

CREATE FUNCTION answers(t regclass) RETURNS TABLE (n int, rows text) LANGUAGE sql AS $$
WITH calls (n, payload, distance) AS (
	SELECT 1, payload, distance FROM sorted_heap_expand_rerank(t, '{1,2,3}', '[1,0,0,0,1,0,0,0]'::hsvec, 9)
	UNION ALL SELECT 2, payload, distance FROM sorted_heap_expand_twohop_path_rerank(t, '{4,5}', '[1,2,3,4,5,6,7,8]', 9)
	UNION ALL SELECT 3, payload, distance FROM sorted_heap_graph_rag(t, '[0,1,0,-1,0,1,0,1]', '{1,NULL}', 8, 7)
	UNION ALL SELECT 4, payload || embedding, NULL FROM sorted_heap_expand_ids(t, '{7,8}'))
SELECT n, string_agg(concat_ws(' ', payload, distance), ', ') FROM calls GROUP BY n $$;

CREATE TEMP TABLE known AS SELECT * FROM answers('singles');
SELECT n, h.rows = s.rows AS same, length(h.rows) > 100 AS many
FROM answers('halves') h JOIN known s USING (n) ORDER BY n;
SET sorted_heap.graph_access = zone;
SELECT n, h.rows = s.rows AS same FROM answers('halves') h JOIN known s USING (n) ORDER BY n;
RESET sorted_heap.graph_access;

-- a distance by hand: hsvec rows, float query
SELECT t.payload = o.payload AS same_row, t.distance = o.distance AS same_distance
FROM sorted_heap_graph_rag_scan('halves', '[1,0.1,0,0,0,0,0,0]', 5, 1) t,
	LATERAL (SELECT payload, embedding <=> '[1,0.1,0,0,0,0,0,0]'::svec AS distance FROM halves
		WHERE payload = t.payload) o;

-- toasted values, and another dimension
CREATE TABLE long (entity_id int4 PRIMARY KEY, relation_id int2, target_id int4,
	embedding hsvec, payload text);
INSERT INTO long VALUES (1, 1, 2, array_fill(1, ARRAY[3000])::hsvec, 'long');
SELECT payload, distance FROM sorted_heap_expand_rerank('long', '{1}', array_fill(1, ARRAY[3000])::svec, 1);
SELECT hsvec_dims(embedding::hsvec) FROM sorted_heap_expand_ids('long', '{1}');
SELECT payload FROM sorted_heap_expand_rerank('long', '{1}', '[1]', 1);
-- wider than svec can be: no result column could hold it
INSERT INTO long VALUES (2, 1, 2, array_fill(1, ARRAY[16001])::hsvec, 'longer');
SELECT payload FROM sorted_heap_expand_ids('long', '{2}');
SELECT payload, embedding IS NULL FROM sorted_heap_expand_ids('long', '{2}');

-- through a query
CREATE ROLE graph_hsvec_reader;
GRANT SELECT ON halves TO graph_hsvec_reader;
ALTER TABLE halves ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON halves USING (true);
GRANT SELECT ON known TO graph_hsvec_reader;
SET ROLE graph_hsvec_reader;
SELECT n, h.rows = s.rows AS same FROM answers('halves') h JOIN known s USING (n) ORDER BY n;
SELECT access, seed_method FROM sorted_heap_graph_rag_stats();
RESET ROLE;

-- and by an index: the query is rounded there, the ranking is not; also one
-- whose components halves cannot hold
CREATE INDEX ON halves USING sorted_hnsw (embedding);
SET sorted_hnsw.scan_mode = flat;
SET ROLE graph_hsvec_reader;
SELECT n, h.rows = s.rows AS same FROM answers('halves') h JOIN known s USING (n) ORDER BY n;
SELECT access, seed_method FROM sorted_heap_graph_rag_stats();
SELECT string_agg(payload, ' ') AS rows FROM sorted_heap_graph_rag_scan('halves', '[1e6,1e5,0,0,0,0,0,0]', 5, 5);
SELECT access, seed_method FROM sorted_heap_graph_rag_stats();
RESET ROLE;
SELECT string_agg(payload, ' ') AS rows FROM sorted_heap_graph_rag_scan('singles', '[1,0.1,0,0,0,0,0,0]', 5, 5);
DROP TABLE halves, singles, long, known;
DROP FUNCTION answers;
DROP ROLE graph_hsvec_reader;
