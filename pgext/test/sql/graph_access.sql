-- Which index finds the rows: sorted_heap.graph_access, statistics, EXPLAIN.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE TABLE access (
	entity_id int4, relation_id int2, target_id int4, embedding svec, payload text,
	PRIMARY KEY (entity_id, relation_id, target_id)) USING sorted_heap;
INSERT INTO access SELECT 0, 5, i, '[1,0]', 'fan' FROM generate_series(1, 30) i;
INSERT INTO access SELECT e, r, e + 1, '[1,0]', repeat('p', 200) FROM generate_series(1, 2000) e, generate_series(1, 2) r ORDER BY e, r;
CREATE FUNCTION rows_and_access(seeds int4[], relation int4 = NULL, "limit" int4 = 0,
	OUT rows bigint, OUT access text, OUT few_pages bool) LANGUAGE plpgsql AS $$
BEGIN
	SELECT count(*) INTO rows FROM sorted_heap_expand_ids('access', seeds, relation, "limit");
	SELECT s.access, s.pages_read <= 2 * cardinality(seeds) INTO access, few_pages FROM sorted_heap_graph_rag_stats() s;
END $$;

-- Only a btree.
SELECT * FROM rows_and_access('{1,1000,5000}');
SET sorted_heap.graph_access = zone;
SELECT * FROM rows_and_access('{1}');
CREATE INDEX access_zone ON access USING sorted_zone (entity_id, relation_id);

-- Both. An absent entity costs no page.
SELECT a.*, r.* FROM (VALUES ('auto'), ('zone'), ('btree')) a (setting),
	LATERAL (SELECT set_config('sorted_heap.graph_access', setting, false) IS NULL) AS s (x),
	LATERAL rows_and_access(CASE WHEN x THEN NULL ELSE ARRAY[1, 1000, 5000] END) r;
RESET sorted_heap.graph_access;
SELECT * FROM rows_and_access('{1,1000,5000}', 2);
SELECT * FROM rows_and_access('{1,1000,5000}', 3);
SELECT * FROM rows_and_access('{1,2,3,4}', NULL, 5);
SELECT * FROM rows_and_access('{-5,5000}');
SELECT pages_read FROM sorted_heap_graph_rag_stats();
SELECT * FROM rows_and_access('{}');
SET sorted_heap.graph_access = sequential;
CREATE FUNCTION access_line(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
		IF line LIKE '%Access:%' THEN RETURN NEXT line; END IF;
	END LOOP;
END $$;
SELECT access_line($$SELECT entity_id FROM sorted_heap_expand_rerank('access', '{1,1000}', '[1,0]', 3)$$);

-- 20 blocks that must be searched: too many for one seed, which is left to the
-- btree, not for 30; also within one call. VACUUM seals them.
ALTER TABLE access ALTER payload SET STORAGE plain;
INSERT INTO access SELECT 2000 + i, 1, i, '[1,0]', repeat('p', 7000) FROM generate_series(1, 20) i;
SELECT * FROM rows_and_access('{1}');
SELECT * FROM rows_and_access(ARRAY(SELECT generate_series(1, 30)));
SELECT count(*) FROM sorted_heap_expand_twohop_rerank('access', '{0}', '[1,0]', 100, 5, 2);
SELECT access FROM sorted_heap_graph_rag_stats();
SET sorted_heap.graph_access = zone;
SELECT * FROM rows_and_access('{1}');
RESET sorted_heap.graph_access;
VACUUM access;
SELECT * FROM rows_and_access('{1}');

-- Rows of both paths come in the same, physical order; so does a limit.
CREATE FUNCTION first_rows(access text, "limit" int4) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sorted_heap.graph_access', access, true);
	RETURN (SELECT string_agg(format('%s %s %s', entity_id, relation_id, target_id), ', ')
		FROM sorted_heap_expand_ids('access', '{2005,400,1999,2,1}', NULL, "limit"));
END $$;
SELECT bool_and(first_rows('zone', n) = first_rows('btree', n)) FROM generate_series(1, 45) n;
SELECT first_rows('zone', 8);

-- A map that the planner may not use is not used here either.
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'access_zone'::regclass;
SELECT rows, access FROM rows_and_access('{1}');
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'access_zone'::regclass;

-- Only a map: it answers, also where the btree would be quicker.
ALTER TABLE access DROP CONSTRAINT access_pkey;
SELECT rows, access FROM rows_and_access('{1,2}');
SET sorted_heap.graph_access = btree;
SELECT * FROM rows_and_access('{1}');
RESET sorted_heap.graph_access;
INSERT INTO access SELECT 2000 - i, 6, i, '[1,0]', repeat('p', 7000) FROM generate_series(1, 20) i;
SELECT * FROM rows_and_access('{1,2}');

-- Maps led by another column do not serve, a second column of another kind does.
DROP INDEX access_zone;
CREATE INDEX ON access USING sorted_zone (target_id, entity_id);
SELECT * FROM rows_and_access('{1}');
CREATE INDEX ON access USING sorted_zone (entity_id, target_id);
SELECT rows, access FROM rows_and_access('{1,2}', 2);
-- The class for oid orders an integer column in another way: of no use here.
CREATE TABLE signed (entity_id int4, relation_id int2, target_id int4, embedding svec, payload text);
INSERT INTO signed SELECT e, 1, e, '[1,0]', 'p' FROM generate_series(-9, 9) e;
CREATE INDEX ON signed USING sorted_zone (entity_id oid_zone_ops, relation_id);
SELECT count(*) FROM sorted_heap_expand_ids('signed', '{-5,5}');
CREATE INDEX ON signed USING sorted_zone (entity_id);
SELECT count(*) FROM sorted_heap_expand_ids('signed', '{-5,5}');
DROP TABLE signed;
-- A null entity is no entity; a null relation fits no filter.
ALTER TABLE access ALTER entity_id DROP NOT NULL, ALTER relation_id DROP NOT NULL;
INSERT INTO access VALUES (NULL, 1, 1, '[1,0]', 'n'), (7777, NULL, 1, '[1,0]', 'n');
SELECT a.rows, f.rows AS filtered FROM rows_and_access('{7777,0}') a, rows_and_access('{7777,0}', 0) f;

DROP FUNCTION rows_and_access, first_rows, access_line;
DROP TABLE access;
