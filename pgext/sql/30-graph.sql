-- graph: expansion and ranking of facts in one call.
--
-- A facts table is any plain table (access method heap or sorted_heap) with
-- columns entity_id int4, relation_id int2, target_id int4, embedding svec or
-- hsvec, payload text, or names given to sorted_heap_graph_register, and a btree or a
-- sorted_zone index led by the entity column. See src/graph/README.md.

CREATE TABLE sorted_heap_graph_registry (
	relid			regclass PRIMARY KEY,
	entity_column	name NOT NULL,
	relation_column	name NOT NULL,
	target_column	name NOT NULL,
	embedding_column name NOT NULL,
	payload_column	name NOT NULL
) USING heap;

COMMENT ON TABLE sorted_heap_graph_registry IS
	'column names of facts tables that do not use the default ones';

-- Column names are public in pg_attribute too; a dump must be able to read.
GRANT SELECT ON sorted_heap_graph_registry TO PUBLIC;

-- Rows of dropped tables stay behind, and must not travel.
SELECT pg_catalog.pg_extension_config_dump('sorted_heap_graph_registry',
	'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relid)');

CREATE FUNCTION sorted_heap_graph_register(
	rel regclass,
	entity_column name DEFAULT 'entity_id',
	relation_column name DEFAULT 'relation_id',
	target_column name DEFAULT 'target_id',
	embedding_column name DEFAULT 'embedding',
	payload_column name DEFAULT 'payload')
RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION sorted_heap_graph_unregister(rel regclass) RETURNS bool
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

CREATE FUNCTION sorted_heap_graph_config(
	rel regclass,
	OUT entity_column name,
	OUT relation_column name,
	OUT target_column name,
	OUT embedding_column name,
	OUT payload_column name,
	OUT is_registered bool)
RETURNS record
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;

-- Planner support of the graph functions: row estimate of those that rank, and a
-- plan node of their own in FROM.
CREATE FUNCTION sorted_heap_graph_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION sorted_heap_expand_ids(
	rel regclass,
	seed_ids int4[],
	relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	embedding svec, payload text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 100
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_expand_rerank(
	rel regclass,
	seed_ids int4[],
	query svec,
	top_k int4,
	relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_expand_twohop_rerank(
	rel regclass,
	seed_ids int4[],
	query svec,
	top_k int4,
	hop1_relation_filter int4 DEFAULT NULL,
	hop2_relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_expand_twohop_path_rerank(
	rel regclass,
	seed_ids int4[],
	query svec,
	top_k int4,
	hop1_relation_filter int4 DEFAULT NULL,
	hop2_relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_expand_multihop_rerank(
	rel regclass,
	seed_ids int4[],
	query svec,
	top_k int4,
	relation_path int4[],
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_expand_multihop_path_rerank(
	rel regclass,
	seed_ids int4[],
	query svec,
	top_k int4,
	relation_path int4[],
	limit_rows int4 DEFAULT 0)
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 10
SUPPORT sorted_heap_graph_support;

-- The functions below find their seeds by reading the whole table.

CREATE FUNCTION sorted_heap_graph_rag_scan(
	rel regclass,
	query svec,
	ann_k int4,
	top_k int4,
	relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0,
	seed_filter text DEFAULT 'none')
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_graph_rag_twohop_scan(
	rel regclass,
	query svec,
	ann_k int4,
	top_k int4,
	hop1_relation_filter int4 DEFAULT NULL,
	hop2_relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0,
	seed_filter text DEFAULT 'none')
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_graph_rag_twohop_path_scan(
	rel regclass,
	query svec,
	ann_k int4,
	top_k int4,
	hop1_relation_filter int4 DEFAULT NULL,
	hop2_relation_filter int4 DEFAULT NULL,
	limit_rows int4 DEFAULT 0,
	seed_filter text DEFAULT 'none')
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_graph_rag(
	rel regclass,
	query svec,
	relation_path int4[],
	ann_k int4 DEFAULT 64,
	top_k int4 DEFAULT 10,
	score_mode text DEFAULT 'path',
	limit_rows int4 DEFAULT 0,
	seed_filter text DEFAULT 'none')
RETURNS TABLE (entity_id int4, relation_id int2, target_id int4,
	payload text, distance float8)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000 ROWS 10
SUPPORT sorted_heap_graph_support;

CREATE FUNCTION sorted_heap_graph_rag_stats(
	OUT calls int8,
	OUT api text,
	OUT seed_method text,
	OUT access text,
	OUT seed_count int8,
	OUT expanded_rows int8,
	OUT reranked_rows int8,
	OUT returned_rows int8,
	OUT pages_read int8,
	OUT ann_ms float8,
	OUT expand_ms float8,
	OUT rerank_ms float8,
	OUT total_ms float8,
	OUT open_ms float8,
	OUT search_ms float8,
	OUT payload_ms float8,
	OUT seed_source text,
	OUT seeds_compared int8,
	OUT seed_rows int8)
RETURNS record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE FUNCTION sorted_heap_graph_rag_reset_stats() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;


-- docs/graph-functions.md tells the arguments.
COMMENT ON FUNCTION sorted_heap_graph_register(regclass, name, name, name, name, name) IS
	'name the five columns of a facts table that does not use the default names';
COMMENT ON FUNCTION sorted_heap_graph_unregister(regclass) IS
	'return to the default column names; true when others were registered';
COMMENT ON FUNCTION sorted_heap_graph_config(regclass) IS
	'the column names that graph functions use for a table';
COMMENT ON FUNCTION sorted_heap_expand_ids(regclass, int4[], int4, int4) IS
	'all facts of the given entities';
COMMENT ON FUNCTION sorted_heap_expand_rerank(regclass, int4[], svec, int4, int4, int4) IS
	'facts of the given entities, nearest first';
COMMENT ON FUNCTION sorted_heap_expand_twohop_rerank(regclass, int4[], svec, int4, int4, int4, int4) IS
	'facts two hops from the given entities, nearest first';
COMMENT ON FUNCTION sorted_heap_expand_twohop_path_rerank(regclass, int4[], svec, int4, int4, int4, int4) IS
	'facts two hops from the given entities, by the sum of distances along the path';
COMMENT ON FUNCTION sorted_heap_expand_multihop_rerank(regclass, int4[], svec, int4, int4[], int4) IS
	'facts at the end of a path of relations from the given entities, nearest first';
COMMENT ON FUNCTION sorted_heap_expand_multihop_path_rerank(regclass, int4[], svec, int4, int4[], int4) IS
	'facts at the end of a path of relations from the given entities, by the sum of distances along it';
COMMENT ON FUNCTION sorted_heap_graph_rag_scan(regclass, svec, int4, int4, int4, int4, text) IS
	'facts of the targets of the nearest rows, nearest first';
COMMENT ON FUNCTION sorted_heap_graph_rag_twohop_scan(regclass, svec, int4, int4, int4, int4, int4, text) IS
	'facts two hops from the entities of the nearest rows, nearest first';
COMMENT ON FUNCTION sorted_heap_graph_rag_twohop_path_scan(regclass, svec, int4, int4, int4, int4, int4, text) IS
	'facts two hops from the entities of the nearest rows, by the sum of distances along the path';
COMMENT ON FUNCTION sorted_heap_graph_rag(regclass, svec, int4[], int4, int4, text, int4, text) IS
	'facts at the end of a path of relations from the entities of the nearest rows';
COMMENT ON FUNCTION sorted_heap_graph_rag_stats() IS
	'what the last graph call of this session did, and how long it took';
COMMENT ON FUNCTION sorted_heap_graph_rag_reset_stats() IS
	'forget the last graph call and the number of calls';
