-- Order decay in sorted_heap_check, the switch for pruning, scan counters, and
-- the limits of memory.
CREATE SCHEMA zone_order;
SET search_path = zone_order, public;

-- Order is an aim: rows out of order are a warning, and only where it is kept.
CREATE TABLE s (a int PRIMARY KEY, pad text) USING sorted_heap WITH (autovacuum_enabled = off);
CREATE TABLE h (a int PRIMARY KEY, pad text) USING heap WITH (autovacuum_enabled = off);
CREATE INDEX s_map ON s USING sorted_zone (a);
CREATE INDEX h_map ON h USING sorted_zone (a);
INSERT INTO s SELECT i, repeat('x', 500) FROM generate_series(1, 1500) i;
VACUUM s;
SELECT * FROM sorted_heap_check('s');
INSERT INTO s SELECT -i, repeat('x', 500) FROM generate_series(1, 30) i;
INSERT INTO h SELECT -i, repeat('x', 500) FROM generate_series(1, 1500) i;
SELECT * FROM sorted_heap_check('s');
VACUUM s, h;
SELECT * FROM sorted_heap_check('s');
SELECT * FROM sorted_heap_check('h');
SELECT DISTINCT method FROM sorted_heap_merge('s');
SELECT * FROM sorted_heap_check('s');

ALTER TABLE s DROP CONSTRAINT s_pkey;

-- Lookups are counted: 103 blocks or so, one or two of them read.
SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
SELECT sorted_heap_reset_stats();
SELECT * FROM sorted_heap_scan_stats();
SELECT count(*) FROM s WHERE a = 700;
SELECT count(*) FROM s WHERE a = 701;
SELECT role = current_user::regrole AS mine, lookups, declined, heap_blocks > 200 AS blocks,
	bounded_blocks BETWEEN 2 AND 4 AS read, searched_blocks, pruned_blocks = heap_blocks - bounded_blocks AS pruned
FROM sorted_heap_scan_stats();

-- Each role sees its own counts.
CREATE ROLE regress_zone_reader;
GRANT USAGE ON SCHEMA zone_order TO regress_zone_reader;
GRANT SELECT ON s TO regress_zone_reader;
SET ROLE regress_zone_reader;
SELECT lookups FROM sorted_heap_scan_stats();
SELECT count(*) FROM s WHERE a = 700;
SELECT role, lookups FROM sorted_heap_scan_stats();
RESET ROLE;
SELECT count(*) AS roles, sum(lookups) AS lookups FROM sorted_heap_scan_stats();

-- Without pruning: the same rows by another plan.
RESET enable_seqscan; RESET enable_indexscan; RESET enable_indexonlyscan;
SET sorted_heap.enable_scan_pruning = off;
EXPLAIN (costs off) SELECT count(*) FROM s WHERE a = 700;
SELECT count(*) FROM s WHERE a BETWEEN 700 AND 710;
SET sorted_heap.enable_scan_pruning = on;
EXPLAIN (costs off) SELECT count(*) FROM s WHERE a = 700;
SELECT count(*) FROM s WHERE a BETWEEN 700 AND 710;

-- Graph functions take the btree, where there is one.
CREATE TABLE facts (entity_id int, relation_id int2, target_id int, embedding svec, payload text) USING sorted_heap;
INSERT INTO facts SELECT i / 10, 1, i, '[1,2]', 'p' FROM generate_series(0, 9999) i;
CREATE INDEX facts_map ON facts USING sorted_zone (entity_id, relation_id);
SELECT count(*) FROM sorted_heap_expand_ids('facts', '{5, 77}');
SELECT access FROM sorted_heap_graph_rag_stats();
CREATE INDEX facts_btree ON facts (entity_id, relation_id);
SELECT count(*) FROM sorted_heap_expand_ids('facts', '{5, 77}');
SELECT access FROM sorted_heap_graph_rag_stats();
SET sorted_heap.enable_scan_pruning = off;
SELECT count(*) FROM sorted_heap_expand_ids('facts', '{5, 77}');
SELECT access FROM sorted_heap_graph_rag_stats();
SET sorted_heap.graph_access = zone;
SELECT count(*) FROM sorted_heap_expand_ids('facts', '{5, 77}');
SELECT access FROM sorted_heap_graph_rag_stats();
RESET sorted_heap.graph_access;
DROP INDEX facts_btree;
SELECT count(*) FROM sorted_heap_expand_ids('facts', '{5, 77}');
SELECT access FROM sorted_heap_graph_rag_stats();
RESET sorted_heap.enable_scan_pruning;

-- What does not fit into memory is refused; what repeats takes none.
SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
SELECT count(*) FROM sorted_heap_expand_ids('facts', (SELECT array_agg(i % 1000) FROM generate_series(1, 50000) i));
SELECT count(*) FROM sorted_heap_expand_ids('facts', (SELECT array_agg(i) FROM generate_series(1, 50000) i));
CREATE INDEX facts_btree ON facts (entity_id);
SET sorted_heap.graph_access = btree;
SELECT count(*) FROM sorted_heap_expand_ids('facts', (SELECT array_agg(i) FROM generate_series(1, 800) i));
SELECT count(*) FROM sorted_heap_expand_ids('facts', (SELECT array_agg(i) FROM generate_series(1, 850) i));

SET client_min_messages = warning;
DROP SCHEMA zone_order CASCADE;
DROP ROLE regress_zone_reader;
