-- Which columns and which index: by default names, or registered ones.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE TABLE plain (payload text, target_id int4, entity_id int4, embedding svec, relation_id int2);
INSERT INTO plain VALUES ('a', 2, 1, '[1,0]', 1), ('b', 1, 2, '[0,1]', 1);

-- No index, and indexes that do not serve.
SELECT * FROM sorted_heap_expand_ids('plain', '{1}');
CREATE INDEX ON plain (target_id, entity_id);
CREATE INDEX ON plain (entity_id) WHERE relation_id = 1;
CREATE INDEX ON plain ((entity_id + 0));
CREATE INDEX ON plain USING hash (entity_id);
SELECT * FROM sorted_heap_expand_ids('plain', '{1}');
-- A single-column one does, so do a descending one and one with INCLUDE.
CREATE INDEX plain_one ON plain (entity_id);
SELECT payload FROM sorted_heap_expand_ids('plain', '{1,2}', 1);
DROP INDEX plain_one;
CREATE INDEX plain_down ON plain (entity_id DESC NULLS FIRST, relation_id DESC) INCLUDE (target_id);
SELECT payload FROM sorted_heap_expand_ids('plain', '{1,2}', 1);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'plain_down'::regclass;
SELECT payload FROM sorted_heap_expand_ids('plain', '{1,2}', 1);
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'plain_down'::regclass;

-- Missing and mistyped columns.
ALTER TABLE plain RENAME payload TO note;
SELECT * FROM sorted_heap_expand_ids('plain', '{1}');
ALTER TABLE plain ADD payload varchar;
SELECT * FROM sorted_heap_expand_ids('plain', '{1}');
ALTER TABLE plain DROP payload;
CREATE TABLE wide (entity_id int8 PRIMARY KEY, relation_id int2, target_id int4, embedding svec, payload text);
\set VERBOSITY default
SELECT * FROM sorted_heap_expand_ids('wide', '{1}');
\set VERBOSITY terse

-- A domain stores its base type.
CREATE DOMAIN kind AS int2 CHECK (VALUE > 0);
ALTER TABLE plain ALTER relation_id TYPE kind;
ALTER TABLE plain ADD payload text DEFAULT 'later';
-- Rows older than the column have its default.
SELECT payload FROM sorted_heap_expand_rerank('plain', '{1,2}', '[1,0]', 1, 1);

-- Registered names.
SELECT * FROM sorted_heap_graph_config('plain');
SELECT sorted_heap_graph_register('plain', payload_column => 'note');
SELECT * FROM sorted_heap_graph_config('plain');
SELECT payload FROM sorted_heap_expand_rerank('plain', '{1,2}', '[1,0]', 1, 1);
-- Registering again replaces, and other tables are not concerned.
CREATE TABLE edges (src int4, kind int2, dst int4, vec svec, txt text, PRIMARY KEY (src, kind, dst));
INSERT INTO edges VALUES (1, 1, 2, '[1,0]', 'x'), (2, 1, 3, '[0,1]', 'y');
SELECT sorted_heap_graph_register('edges', 'src', 'kind', 'src', 'vec', 'txt');
SELECT sorted_heap_graph_register('edges', 'src', 'kind', 'dst', 'vec', 'txt');
SELECT * FROM sorted_heap_graph_config('edges');
SELECT * FROM sorted_heap_graph_rag('edges', '[1,0]', '{1,1}', 1);
-- It must fit.
SELECT sorted_heap_graph_register('edges', 'source', 'kind', 'dst', 'vec', 'txt');
SELECT sorted_heap_graph_register('edges', 'src', 'kind', 'dst', 'txt', 'vec');
SELECT sorted_heap_graph_register('edges', NULL);
SELECT sorted_heap_graph_register(NULL);
SELECT sorted_heap_graph_register('pg_views');
-- A rollback takes it back, a rename leaves it with an error that tells.
BEGIN;
SELECT sorted_heap_graph_unregister('edges');
SELECT * FROM sorted_heap_expand_ids('edges', '{1}');
ROLLBACK;
SELECT txt FROM sorted_heap_expand_ids('edges', '{1}') AS t (src, kind, dst, vec, txt);
ALTER TABLE edges RENAME dst TO destination;
\set VERBOSITY default
SELECT * FROM sorted_heap_expand_ids('edges', '{1}');
\set VERBOSITY terse
SELECT sorted_heap_graph_unregister('edges');
SELECT sorted_heap_graph_unregister('edges');

-- A row of a dropped table goes with the next registration.
SELECT sorted_heap_graph_register('edges', 'src', 'kind', 'destination', 'vec', 'txt');
DROP TABLE edges;
SELECT count(*) FROM sorted_heap_graph_registry;
SELECT sorted_heap_graph_register('plain', payload_column => 'note');
SELECT relid FROM sorted_heap_graph_registry;

DROP TABLE plain, wide;
DROP DOMAIN kind;
DELETE FROM sorted_heap_graph_registry;
