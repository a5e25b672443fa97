-- Where a btree answers the same equality, the planner takes the btree; the map
-- serves ranges, and equality where no btree does.
CREATE SCHEMA zone_cost;
SET search_path = zone_cost, public;
CREATE TABLE facts (a int, b smallint, c int, d text, PRIMARY KEY (a, b, c)) USING sorted_heap;
INSERT INTO facts SELECT i / 16, i % 16, i, repeat('x', 100) FROM generate_series(0, 31999) i;
SELECT sorted_heap_compact('facts');
VACUUM ANALYZE facts;

EXPLAIN (COSTS off) SELECT d FROM facts WHERE a = 77;
EXPLAIN (COSTS off) SELECT d FROM facts WHERE a = 77 AND b = 3;
-- An array of unknown length, in a generic plan and from a subquery.
SET plan_cache_mode = force_generic_plan;
PREPARE p (int[]) AS SELECT d FROM facts WHERE a = ANY ($1);
EXPLAIN (COSTS off) EXECUTE p ('{1,2}');
PREPARE q (int[], int) AS SELECT d FROM facts WHERE a = ANY ($1) AND b = $2;
EXPLAIN (COSTS off) EXECUTE q ('{1,2}', 3);
CREATE FUNCTION first_node(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	EXECUTE 'EXPLAIN (COSTS off) ' || query INTO line;
	RETURN line;
END $$;
SELECT first_node('SELECT d FROM facts WHERE a = ANY (ARRAY(SELECT c FROM facts WHERE a = 5))');
-- Ranges.
EXPLAIN (COSTS off) SELECT d FROM facts WHERE a BETWEEN 77 AND 300;

-- The btree is out of reach: partial, or led by another column.
ALTER TABLE facts DROP CONSTRAINT facts_pkey;
CREATE INDEX ON facts (a) WHERE b = 99;
CREATE INDEX ON facts (b, a);
EXPLAIN (COSTS off) SELECT d FROM facts WHERE a = 77;
EXPLAIN (COSTS off) EXECUTE p ('{1,2}');

SET client_min_messages = warning;
DROP SCHEMA zone_cost CASCADE;
