-- Row-level security and inheritance: the same answer as a query's.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE ROLE regress_graph_owner;
CREATE ROLE regress_graph_reader;
CREATE SCHEMA graph_rls AUTHORIZATION regress_graph_owner;
GRANT USAGE, CREATE ON SCHEMA graph_rls TO regress_graph_reader;
SET ROLE regress_graph_owner;
CREATE TABLE graph_rls."F acts" (
	entity_id int4, relation_id int2, target_id int4, embedding svec, "Pay load" text);
CREATE INDEX ON graph_rls."F acts" (entity_id);
GRANT SELECT ON graph_rls."F acts" TO regress_graph_reader;
INSERT INTO graph_rls."F acts" VALUES
	(1, 1, 2, '[1,0]', 'open a'), (1, 1, 3, '[1,.1]', 'hidden'), (2, 1, 1, '[0,1]', 'open b'),
	(3, 1, 1, '[1,0]', 'open c'), (1, 2, 4, NULL, 'open null'), (4, 1, NULL, '[1,1]', NULL);
ALTER TABLE graph_rls."F acts" ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON graph_rls."F acts" USING ("Pay load" NOT LIKE 'hidden%' OR "Pay load" IS NULL);
SELECT sorted_heap_graph_register('graph_rls."F acts"', payload_column => 'Pay load');
RESET ROLE;

CREATE FUNCTION graph_rls_answers() RETURNS TABLE (what text, rows text)
LANGUAGE sql AS $$
SELECT 'ids', string_agg(coalesce(payload, '-') || ' ' || coalesce(embedding::text, '-'), ', ' ORDER BY payload)
	FROM sorted_heap_expand_ids('graph_rls."F acts"', '{1,4,2}')
UNION ALL SELECT 'limit', string_agg(payload, ', ') FROM sorted_heap_expand_ids('graph_rls."F acts"', '{1}', 1, 1)
UNION ALL SELECT 'rerank', string_agg(coalesce(payload, '-') || ' ' || round(distance::numeric, 6), ', ')
	FROM sorted_heap_expand_rerank('graph_rls."F acts"', '{1,2,4}', '[1,0]', 2, 1)
-- hidden is the only way from 1 to 3
UNION ALL SELECT 'twohop', string_agg(payload, ', ') FROM sorted_heap_expand_twohop_path_rerank('graph_rls."F acts"', '{1}', '[1,0]', 9)
UNION ALL SELECT 'rag', string_agg(payload, ', ') FROM sorted_heap_graph_rag_scan('graph_rls."F acts"', '[1,.1]', 1, 9)
UNION ALL SELECT 'access', access FROM sorted_heap_graph_rag_stats()
$$;
-- The reader sees all rows but one, the owner all, the owner under FORCE as
-- the reader, a superuser all.
SET ROLE regress_graph_reader;
SELECT * FROM graph_rls_answers();
SET ROLE regress_graph_owner;
SELECT * FROM graph_rls_answers();
ALTER TABLE graph_rls."F acts" FORCE ROW LEVEL SECURITY;
SELECT * FROM graph_rls_answers();
RESET ROLE;
SELECT * FROM graph_rls_answers();

-- row_security = off: core's error, also under FORCE.
SET row_security = off;
SET ROLE regress_graph_reader;
SELECT * FROM sorted_heap_expand_ids('graph_rls."F acts"', '{1}');
SET ROLE regress_graph_owner;
SELECT * FROM sorted_heap_expand_ids('graph_rls."F acts"', '{1}');
RESET ROLE;
RESET row_security;

-- search_path cannot smuggle operators into the query.
SET ROLE regress_graph_reader;
CREATE FUNCTION graph_rls.always(int4, int4) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
CREATE OPERATOR graph_rls.= (FUNCTION = graph_rls.always, LEFTARG = int4, RIGHTARG = int4);
SET search_path = graph_rls, pg_catalog, public;
SELECT payload FROM sorted_heap_expand_ids('"F acts"', '{2}', 1);
RESET search_path;
RESET ROLE;

-- Columns granted one by one under a policy.
REVOKE SELECT ON graph_rls."F acts" FROM regress_graph_reader;
GRANT SELECT (entity_id, relation_id, target_id, embedding, "Pay load") ON graph_rls."F acts" TO regress_graph_reader;
SET ROLE regress_graph_reader;
SELECT payload FROM sorted_heap_expand_ids('graph_rls."F acts"', '{1}', NULL, 1);
RESET ROLE;

-- Inheritance: FROM t reads children, so do the functions.
CREATE TABLE parent (entity_id int4, relation_id int2, target_id int4, embedding svec, payload text,
	PRIMARY KEY (entity_id, relation_id, target_id));
CREATE TABLE child (PRIMARY KEY (entity_id, relation_id, target_id), more int) INHERITS (parent);
INSERT INTO parent VALUES (1, 1, 2, '[1,0]', 'parent 1');
INSERT INTO child VALUES (1, 1, 3, '[1,.1]', 'child 1'), (2, 1, 3, '[1,.2]', 'child 2');
SELECT payload FROM sorted_heap_expand_ids('parent', '{1,2}', NULL, 2);
SELECT payload FROM sorted_heap_graph_rag('parent', '[1,0]', '{1,1}', 10);
SELECT access FROM sorted_heap_graph_rag_stats();
SELECT payload FROM sorted_heap_expand_ids('child', '{1,2}');
DROP TABLE child;
SELECT payload FROM sorted_heap_expand_ids('parent', '{1,2}');
SELECT access FROM sorted_heap_graph_rag_stats();

DROP TABLE parent;
DROP FUNCTION graph_rls_answers;
DROP SCHEMA graph_rls CASCADE;
DROP ROLE regress_graph_owner, regress_graph_reader;
DELETE FROM sorted_heap_graph_registry;
