-- A graph function in FROM is a plan node of its own; rows are the same as
-- through the function scan.
CREATE TABLE plan_facts (entity_id int4, relation_id int2, target_id int4,
  embedding svec(2), payload text, PRIMARY KEY (entity_id, relation_id, target_id));
INSERT INTO plan_facts
  SELECT e, r, e % 20 + r, ARRAY[sin(e * r), cos(e + r)]::svec, 'fact ' || e || ' ' || r
  FROM generate_series(1, 20) AS e, generate_series(1, 2) AS r;

-- every ranking function, both ways
CREATE TABLE plan_rows (way text, call text, n int8, row_text text);
CREATE FUNCTION plan_collect(way text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c text;
BEGIN
  FOREACH c IN ARRAY ARRAY[
    $c$sorted_heap_expand_rerank('plan_facts', '{1,2,3}', '[1,0]', 4, 1)$c$,
    $c$sorted_heap_expand_twohop_rerank('plan_facts', '{1,2,3}', '[1,0]', 4, 1, 2)$c$,
    $c$sorted_heap_expand_twohop_path_rerank('plan_facts', '{1,2,3}', '[1,0]', 4)$c$,
    $c$sorted_heap_expand_multihop_rerank('plan_facts', '{1,2}', '[1,0]', 4, '{1,NULL,2}')$c$,
    $c$sorted_heap_expand_multihop_path_rerank('plan_facts', '{1,2}', '[1,0]', 4, '{1,2,1}')$c$,
    $c$sorted_heap_graph_rag_scan('plan_facts', '[1,0]', 3, 4)$c$,
    $c$sorted_heap_graph_rag_twohop_scan('plan_facts', '[1,0]', 3, 4, 1, 2)$c$,
    $c$sorted_heap_graph_rag_twohop_path_scan('plan_facts', '[1,0]', 3, 4, 1, 2)$c$,
    $c$sorted_heap_graph_rag('plan_facts', '[1,0]', '{1,2}', 3, 4, 'endpoint')$c$,
    $c$sorted_heap_graph_rag('plan_facts', NULL, '{1,2}')$c$]
  LOOP
    EXECUTE format('INSERT INTO plan_rows SELECT %L, %L, row_number() OVER (),
      concat_ws('','', entity_id, relation_id, target_id, payload, distance) FROM %s', way, c, c);
  END LOOP;
END $$;
SELECT plan_collect('node');
SET sorted_heap.enable_graph_scan = off;
SELECT plan_collect('function');
EXPLAIN (COSTS OFF) SELECT * FROM sorted_heap_graph_rag_scan('plan_facts', '[1,0]', 3, 4);
RESET sorted_heap.enable_graph_scan;
SELECT way, count(*), count(DISTINCT call) FROM plan_rows GROUP BY way ORDER BY way;
SELECT call, n, row_text FROM plan_rows WHERE way = 'node'
EXCEPT SELECT call, n, row_text FROM plan_rows WHERE way = 'function';

-- the plan names function and seeds, and spares a sort by distance
EXPLAIN (COSTS OFF) SELECT payload FROM sorted_heap_graph_rag('plan_facts', '[1,0]', '{1,2}')
  WHERE entity_id > 1 ORDER BY distance LIMIT 3;
EXPLAIN (COSTS OFF) SELECT payload FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 3)
  ORDER BY distance DESC;
-- counters of the run (18 prints fractions of rows), and top_k as row estimate
CREATE FUNCTION plan_lines(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
    RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1');
  END LOOP;
END $$;
SELECT plan_lines($q$SELECT * FROM sorted_heap_expand_rerank('plan_facts', '{1,2,3}', '[1,0]', 4, 1)$q$,
  'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF');
SELECT substring(line FROM 'rows=\d+') FROM
  plan_lines($q$SELECT * FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 7)$q$, 'COSTS') AS line
  WHERE line LIKE 'Custom Scan%';

-- lateral calls run again for each outer row, with changed parameters only
SELECT x.e, g.entity_id, g.relation_id FROM (VALUES (1), (NULL), (3)) AS x(e),
  LATERAL sorted_heap_expand_rerank('plan_facts', ARRAY[x.e], '[1,0]', 1) AS g;
SELECT count(*) FROM generate_series(1, 3),
  sorted_heap_expand_rerank('plan_facts', ARRAY(SELECT entity_id FROM plan_facts), '[1,0]', 5);

-- prepared with a generic plan; cursors
SET plan_cache_mode = force_generic_plan;
PREPARE rerank(int4[], svec, int4) AS
  SELECT entity_id, relation_id FROM sorted_heap_expand_rerank('plan_facts', $1, $2, $3);
EXECUTE rerank('{5}', '[0,1]', 2);
EXECUTE rerank('{6}', '[0,1]', 1);
EXECUTE rerank('{6}', '[0,1]', 0);
EXECUTE rerank(NULL, '[0,1]', 0);
RESET plan_cache_mode;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT entity_id, relation_id FROM sorted_heap_expand_rerank('plan_facts', '{7,8}', '[0,1]', 3);
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
FETCH ALL FROM c;
COMMIT;

-- an expansion reads as rows are fetched, only the columns that are used, and
-- again at each rescan
SELECT plan_lines($q$SELECT target_id FROM sorted_heap_expand_ids('plan_facts', '{1,2,3}', 2) LIMIT 2$q$,
  'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF');
SELECT count(*), sum(length(payload)), count(embedding) FROM sorted_heap_expand_ids('plan_facts', '{1,2}');
SELECT relation_id FROM sorted_heap_expand_ids('plan_facts', '{1,2}') WHERE payload > 'fact 2';
SELECT x.e, g.relation_id, g.payload FROM (VALUES (1), (NULL), (3)) AS x(e),
  LATERAL sorted_heap_expand_ids('plan_facts', ARRAY[x.e]) AS g;
SELECT x.n, (SELECT count(*) FROM (SELECT FROM sorted_heap_expand_ids('plan_facts', '{5,6,7}') LIMIT x.n) AS g)
  FROM (VALUES (2), (9)) AS x(n);
SELECT api, expanded_rows, returned_rows FROM sorted_heap_graph_rag_stats();

-- left to the function scan: whole rows, row marks, ordinality, several functions
EXPLAIN (COSTS OFF) SELECT g FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1) AS g;
SELECT btrim(line, ' ->') FROM plan_lines($q$UPDATE plan_facts AS f SET payload = g.payload
  FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1) AS g WHERE f.entity_id = g.entity_id$q$,
  'COSTS OFF') AS line WHERE line ~ '(Custom|Function) Scan';
EXPLAIN (COSTS OFF) SELECT * FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1) WITH ORDINALITY;
EXPLAIN (COSTS OFF) SELECT * FROM ROWS FROM (sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1), generate_series(1, 2));
SELECT (sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1)).entity_id;

-- a whole row that only a member of a UNION ALL wants
SELECT x FROM (SELECT g::text FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1) AS g
  UNION ALL SELECT g::text FROM sorted_heap_expand_rerank('plan_facts', '{2}', '[1,0]', 1) AS g) AS u(x);
-- members without one are merged in order of distance
EXPLAIN (COSTS OFF) SELECT target_id FROM
  (SELECT * FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1000)
  UNION ALL SELECT * FROM sorted_heap_expand_rerank('plan_facts', '{2}', '[1,0]', 1000)) AS u ORDER BY distance LIMIT 1;
-- nothing to run under a false condition
EXPLAIN (COSTS OFF) SELECT distance FROM sorted_heap_expand_rerank('plan_facts', '{1}', '[1,0]', 1)
  WHERE false ORDER BY distance;

-- the right to execute is checked as for any function
CREATE ROLE regress_plan_user;
GRANT SELECT ON plan_facts TO regress_plan_user;
REVOKE EXECUTE ON FUNCTION sorted_heap_graph_rag_scan FROM PUBLIC;
SET ROLE regress_plan_user;
SELECT * FROM sorted_heap_graph_rag_scan('plan_facts', '[1,0]', 1, 1);
SELECT count(*) FROM sorted_heap_graph_rag('plan_facts', '[1,0]', '{1}');
RESET ROLE;
GRANT EXECUTE ON FUNCTION sorted_heap_graph_rag_scan TO PUBLIC;
DROP OWNED BY regress_plan_user;
DROP ROLE regress_plan_user;

DROP TABLE plan_facts, plan_rows;
DROP FUNCTION plan_collect, plan_lines;
