-- Every shape a row can have: nulls, toast, HOT chains, added and dropped
-- columns, own uncommitted changes, subtransactions, cursors.
SET client_min_messages = warning;
CREATE TABLE shapes (
	dropped int8, entity_id int4, relation_id int2, target_id int4, embedding svec, payload text)
	USING sorted_heap;
CREATE INDEX ON shapes (entity_id, relation_id);
INSERT INTO shapes VALUES
	(1, 1, 1, 2, '[1,0]', 'a'),
	(NULL, 1, 1, 3, '[0,1]', 'null before'),
	(1, 1, NULL, 4, '[1,1]', 'no relation'),
	(1, 1, 2, NULL, '[1,2]', 'no target'),
	(1, 1, 2, 5, NULL, 'no embedding'),
	(1, 1, 2, 6, '[0,0]', 'zero norm'),
	(1, 1, 3, 7, '[-1,0]', NULL),
	(1, NULL, 1, 1, '[1,0]', 'no entity'),
	(1, 5, 1, 8, '[1,0]', 'behind 5'), (1, 6, 1, 8, '[1,0]', 'behind 6');
ALTER TABLE shapes DROP dropped;

-- Expanded are all, ranked those that have a distance; nulls sort last.
SELECT relation_id, target_id, payload FROM sorted_heap_expand_ids('shapes', '{1}');
SELECT relation_id, target_id, payload, round(distance::numeric, 3) AS distance
FROM sorted_heap_expand_rerank('shapes', '{1}', '[1,0]', 10);
SELECT payload FROM sorted_heap_expand_ids('shapes', '{1}', 2);
-- A row without a distance leads on under the endpoint score, but no path
-- goes through it.
SELECT payload FROM sorted_heap_expand_twohop_rerank('shapes', '{1}', '[1,0]', 10);
SELECT payload FROM sorted_heap_expand_twohop_path_rerank('shapes', '{1}', '[1,0]', 10);
-- The row without entity is nearest and uses up ann_k: no seed by entity, its
-- target by target.
DELETE FROM shapes WHERE payload IN ('a', 'behind 5', 'behind 6');
SELECT count(*) FROM sorted_heap_graph_rag('shapes', '[1,0]', '{NULL}', 1);
SELECT count(*) FROM sorted_heap_graph_rag_scan('shapes', '[1,0]', 1, 1);
SELECT sorted_heap_graph_rag_reset_stats();

-- HOT chains, also pruned ones, and versions with other payloads.
CREATE TABLE hot (entity_id int4, relation_id int2, target_id int4, embedding svec, payload text)
	WITH (fillfactor = 50, autovacuum_enabled = off);
CREATE INDEX ON hot (entity_id);
INSERT INTO hot SELECT i, 1, i + 1, ARRAY[1, i]::real[]::svec, 'v0 ' || i FROM generate_series(1, 40) i;
UPDATE hot SET payload = 'v1 ' || entity_id, relation_id = 2 WHERE entity_id % 2 = 0;
UPDATE hot SET payload = 'v2 ' || entity_id, target_id = 1 WHERE entity_id % 4 = 0;
SELECT payload, target_id FROM sorted_heap_expand_ids('hot', '{1,2,3,4}');
SELECT payload FROM sorted_heap_expand_rerank('hot', '{1,2,3,4}', '[1,0]', 9, 2);
VACUUM hot;
UPDATE hot SET payload = 'v3 ' || entity_id WHERE entity_id = 4;
-- In page order, so where versions lie decides the limit.
SELECT payload FROM sorted_heap_expand_ids('hot', '{1,2,3,4}');
SELECT (SELECT array_agg(payload) FROM sorted_heap_expand_ids('hot', '{4,2,1,3}', NULL, n)) =
	(SELECT array_agg(payload) FROM (SELECT payload FROM hot WHERE entity_id <= 4 ORDER BY ctid LIMIT n) t) AS same
FROM generate_series(1, 4) n;

-- Toasted and compressed embeddings and payloads.
CREATE TABLE toasted (entity_id int4, relation_id int2, target_id int4, embedding svec(3000), payload text,
	PRIMARY KEY (entity_id, relation_id, target_id)) USING sorted_heap;
INSERT INTO toasted SELECT i, 1, 1, array_fill(1::real, '{2999}') || ARRAY[i]::real[],
	repeat(i || ' ', 3000) || (SELECT string_agg(md5(i + j || ''), '') FROM generate_series(1, 200) j)
	FROM generate_series(1, 5) i;
SELECT entity_id, md5(f.payload) = md5(t.payload) AS payload, f.distance = t.embedding <=> q AS distance
FROM (SELECT embedding AS q FROM toasted WHERE entity_id = 3) q,
	sorted_heap_graph_rag('toasted', q, '{1}', 5, 3) f JOIN toasted t USING (entity_id);
-- A stored result outlives the table within the transaction; a plan node reads
-- as the cursor goes, so the table stays in use.
BEGIN;
DECLARE c CURSOR FOR SELECT entity_id, vector_dims(embedding), length(payload)
	FROM sorted_heap_expand_ids('toasted', '{1,2}');
FETCH 1 FROM c;
SAVEPOINT s;
TRUNCATE toasted;
ROLLBACK TO s;
FETCH 1 FROM c;
CLOSE c;
SET LOCAL sorted_heap.enable_graph_scan = off;
DECLARE c CURSOR FOR SELECT entity_id, vector_dims(embedding), length(payload)
	FROM sorted_heap_expand_ids('toasted', '{1,2}');
FETCH 1 FROM c;
TRUNCATE toasted;
FETCH 1 FROM c;
COMMIT;

-- Own changes, seen by the next statement; a cursor keeps its snapshot.
BEGIN;
DELETE FROM hot WHERE entity_id > 3;
SELECT payload FROM sorted_heap_expand_ids('hot', '{1,2,3,4}');
SAVEPOINT s;
INSERT INTO hot VALUES (1, 9, 9, '[1,0]', 'in a subtransaction');
DECLARE c CURSOR FOR SELECT payload FROM sorted_heap_expand_ids('hot', '{1}');
UPDATE hot SET payload = 'after the cursor' WHERE entity_id = 1;
FETCH ALL FROM c;
SELECT payload FROM sorted_heap_expand_ids('hot', '{1}');
ROLLBACK TO s;
SELECT payload FROM sorted_heap_graph_rag('hot', '[1,0]', '{NULL}', 9);
ROLLBACK;
-- A statement does not see its own changes.
WITH gone AS (DELETE FROM hot WHERE entity_id = 1 RETURNING payload)
SELECT f.payload, g.payload FROM sorted_heap_expand_ids('hot', '{1}') f FULL JOIN gone g ON true;
SELECT payload FROM sorted_heap_expand_ids('hot', '{1}');
-- An error in the middle of a page leaves nothing pinned or locked.
INSERT INTO hot VALUES (2, 1, 1, '[1,2,3]', 'three');
DO $$ BEGIN PERFORM sorted_heap_expand_rerank('hot', '{2}', '[1,0]', 1);
EXCEPTION WHEN data_exception THEN RAISE WARNING '%', SQLERRM; END $$;
SELECT payload FROM sorted_heap_expand_ids('hot', '{2}');

DROP TABLE shapes, hot, toasted;
