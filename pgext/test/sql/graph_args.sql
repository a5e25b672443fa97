-- Bad and borderline arguments of the graph functions: a clear error, or no
-- rows, and never anything else.
SET client_min_messages = warning;
CREATE TABLE args (
	entity_id int4, relation_id int2, target_id int4, embedding svec, payload text,
	PRIMARY KEY (entity_id, relation_id, target_id));
INSERT INTO args VALUES (1, 1, 2, '[1,0]', 'a'), (2, 1, 1, '[0,1]', 'b'), (2, 2, 3, '[1,1]', 'c');
CREATE TABLE no_rows (LIKE args INCLUDING INDEXES);

-- Null in place of relation, seeds, query or path: no rows.
SELECT * FROM sorted_heap_expand_ids(NULL, '{1}');
SELECT * FROM sorted_heap_expand_ids('args', NULL);
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', NULL, 1);
SELECT * FROM sorted_heap_expand_multihop_rerank('args', '{1}', '[1,0]', 1, NULL);
SELECT * FROM sorted_heap_graph_rag_scan('args', NULL, 1, 1);
-- ... whatever the rest is.
SELECT * FROM sorted_heap_expand_rerank('args', NULL, '[1,0]', 0);

-- Seeds: empty, null, absent, repeated, extreme.
SELECT payload FROM sorted_heap_expand_ids('args', '{}');
SELECT payload FROM sorted_heap_expand_ids('args', '{NULL,NULL}');
SELECT payload FROM sorted_heap_expand_ids('args', '{7,-2147483648,2147483647}');
SELECT payload FROM sorted_heap_expand_ids('args', '{NULL,2,1,NULL,2,1}');
SELECT payload FROM sorted_heap_expand_ids('args', '[5:7]={1,NULL,2}');
SELECT payload FROM sorted_heap_expand_ids('args', '{{1,2},{1,2}}');

-- Counts and limits; null limit and filter mean none.
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', '[1,0]', 0);
SELECT * FROM sorted_heap_expand_twohop_rerank('args', '{1}', '[1,0]', -1);
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', '[1,0]', NULL);
SELECT * FROM sorted_heap_graph_rag_scan('args', '[1,0]', 0, 1);
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{1}', ann_k => NULL);
SELECT * FROM sorted_heap_expand_ids('args', '{1}', NULL, -1);
SELECT payload FROM sorted_heap_expand_rerank('args', '{1,2}', '[1,0]', 2147483647, NULL, NULL);
SELECT payload FROM sorted_heap_graph_rag_scan('args', '[1,0]', 2147483647, 2147483647);

-- Filters outside int2, and at its ends.
SELECT * FROM sorted_heap_expand_ids('args', '{1}', 32768);
SELECT * FROM sorted_heap_expand_twohop_path_rerank('args', '{1}', '[1,0]', 1, 1, -32769);
SELECT payload FROM sorted_heap_expand_ids('args', '{1}', 32767);
SELECT payload FROM sorted_heap_expand_ids('args', '{1}', -32768);

-- Paths, modes and seed filters.
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', NULL);
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{}');
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{{1}}');
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{1,40000}');
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', array_fill(1, '{65}'));
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{1}', score_mode => 'best');
SELECT * FROM sorted_heap_graph_rag('args', '[1,0]', '{1}', seed_filter => 'hop2');
-- The seed is 2; b leads to 1, and a costs .293 by itself, twice that by path.
SELECT score_mode, payload, round(distance::numeric, 3) AS distance
FROM unnest(ARRAY['path', NULL, ' ', E'\tPath ', 'EndPoint']) AS m (score_mode),
	sorted_heap_graph_rag('args', '[1,1]', '{NULL,1}', 1, 1, m.score_mode);

-- Vectors of another dimension: an error, not a wrong read.
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', '[1,0,0]', 1);
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', '[1]', 1);
SELECT * FROM sorted_heap_graph_rag_twohop_scan('args', '[1,0,0]', 1, 1);
SELECT * FROM sorted_heap_expand_rerank('args', '{1}', '[NaN,0]', 1);
-- A query of zero norm is at no distance from anything.
SELECT * FROM sorted_heap_expand_rerank('args', '{1,2}', '[0,0]', 5);
SELECT * FROM sorted_heap_graph_rag('args', '[0,0]', '{1}');

-- Empty table.
SELECT * FROM sorted_heap_expand_ids('no_rows', '{1}');
SELECT * FROM sorted_heap_graph_rag('no_rows', '[1,0]', '{1,1}');

-- Relations that are not facts tables.
SELECT * FROM sorted_heap_expand_ids(0::oid::regclass, '{1}');
CREATE VIEW args_view AS SELECT * FROM args;
CREATE MATERIALIZED VIEW args_matview AS SELECT * FROM args;
CREATE SEQUENCE args_seq;
CREATE TYPE args_type AS (a int);
CREATE TABLE args_parted (LIKE args) PARTITION BY RANGE (entity_id);
CREATE TABLE args_part PARTITION OF args_parted (PRIMARY KEY (entity_id)) FOR VALUES FROM (0) TO (9);
SELECT * FROM sorted_heap_expand_ids('args_view', '{1}');
SELECT * FROM sorted_heap_expand_ids('args_matview', '{1}');
SELECT * FROM sorted_heap_expand_ids('args_seq', '{1}');
SELECT * FROM sorted_heap_expand_ids('args_type', '{1}');
SELECT * FROM sorted_heap_expand_ids('args_pkey', '{1}');
SELECT * FROM sorted_heap_expand_ids('args_parted', '{1}');
SELECT * FROM sorted_heap_expand_ids('pg_class', '{1}');
-- A partition is a plain table.
INSERT INTO args_parted SELECT * FROM args WHERE payload <> 'c';
SELECT payload FROM sorted_heap_expand_ids('args_part', '{1,2}');

DROP VIEW args_view;
DROP MATERIALIZED VIEW args_matview;
DROP SEQUENCE args_seq;
DROP TYPE args_type;
DROP TABLE args, no_rows, args_parted;
