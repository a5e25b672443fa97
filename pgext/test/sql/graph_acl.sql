-- Privileges: a graph function reads what the caller's SELECT could read.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE ROLE regress_graph_owner;
CREATE ROLE regress_graph_reader;
CREATE SCHEMA graph_private AUTHORIZATION regress_graph_owner;
CREATE TABLE graph_private.facts (
	entity_id int4, relation_id int2, target_id int4, embedding svec, payload text, extra int,
	PRIMARY KEY (entity_id, relation_id, target_id)) USING sorted_heap;
ALTER TABLE graph_private.facts OWNER TO regress_graph_owner;
INSERT INTO graph_private.facts VALUES (1, 1, 2, '[1,0]', 'secret'), (2, 1, 3, '[0,1]', 'deep secret');
SELECT 'graph_private.facts'::regclass::oid AS facts \gset

-- Nothing granted, then the table without the schema, then both.
SET ROLE regress_graph_reader;
SELECT payload FROM sorted_heap_expand_ids(:facts, '{1}');
RESET ROLE;
GRANT SELECT ON graph_private.facts TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT payload FROM sorted_heap_expand_ids(:facts, '{1}');
SELECT payload FROM sorted_heap_graph_rag(:facts, '[1,0]', '{1}', 1);
RESET ROLE;
GRANT USAGE ON SCHEMA graph_private TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT payload FROM sorted_heap_expand_ids(:facts, '{1}');
SELECT payload FROM sorted_heap_graph_rag(:facts, '[1,0]', '{1,1}', 1);
RESET ROLE;

-- Columns: all five are needed, others are not.
REVOKE SELECT ON graph_private.facts FROM regress_graph_reader;
GRANT SELECT (entity_id, relation_id, target_id, embedding) ON graph_private.facts TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT entity_id FROM sorted_heap_expand_ids(:facts, '{1}');
RESET ROLE;
GRANT SELECT (payload) ON graph_private.facts TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT entity_id FROM sorted_heap_expand_ids(:facts, '{1}');
RESET ROLE;

-- A prepared call and a running transaction notice a REVOKE.
SET ROLE regress_graph_reader;
PREPARE call AS SELECT payload FROM sorted_heap_expand_rerank($1, '{1}', '[1,0]', 1);
EXECUTE call(:facts);
RESET ROLE;
REVOKE ALL ON graph_private.facts FROM regress_graph_reader;
REVOKE SELECT (entity_id, relation_id, target_id, embedding, payload) ON graph_private.facts FROM regress_graph_reader;
SET ROLE regress_graph_reader;
EXECUTE call(:facts);
RESET ROLE;
DEALLOCATE call;

-- A SECURITY DEFINER function reads as its owner, and what it read does not
-- show in the statistics of its caller.
CREATE FUNCTION graph_definer(oid) RETURNS text LANGUAGE sql SECURITY DEFINER
	AS $$ SELECT payload FROM sorted_heap_expand_ids($1::regclass, '{1}') $$;
ALTER FUNCTION graph_definer OWNER TO regress_graph_owner;
CREATE FUNCTION graph_invoker(oid) RETURNS text LANGUAGE sql
	AS $$ SELECT payload FROM sorted_heap_expand_ids($1::regclass, '{1}') $$;
SELECT sorted_heap_graph_rag_reset_stats();
SET ROLE regress_graph_reader;
SELECT graph_definer(:facts);
SELECT calls, api, expanded_rows FROM sorted_heap_graph_rag_stats();
SELECT graph_invoker(:facts);
RESET ROLE;
-- A view runs the function as the caller.
CREATE VIEW graph_view AS SELECT payload FROM sorted_heap_expand_ids('graph_private.facts', '{1}');
GRANT SELECT ON graph_view TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT * FROM graph_view;
RESET ROLE;

-- Registration is the owner's.
GRANT ALL ON graph_private.facts TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT sorted_heap_graph_register(:facts);
SELECT sorted_heap_graph_unregister(:facts);
SELECT * FROM sorted_heap_graph_config(:facts);
INSERT INTO sorted_heap_graph_registry SELECT * FROM sorted_heap_graph_registry;
SET ROLE regress_graph_owner;
SELECT sorted_heap_graph_register(:facts);
SELECT is_registered FROM sorted_heap_graph_config(:facts);
SELECT sorted_heap_graph_unregister(:facts);
RESET ROLE;

DROP VIEW graph_view;
DROP FUNCTION graph_definer, graph_invoker;
DROP SCHEMA graph_private CASCADE;
DROP ROLE regress_graph_owner, regress_graph_reader;
