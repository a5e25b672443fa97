-- sorted_heap_compact creates the zone map on the first two columns of the
-- primary key, where it is missing and can be.
CREATE SCHEMA zone_compact;
SET search_path = zone_compact, public;
CREATE FUNCTION maps(t regclass) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(pg_get_indexdef(indexrelid), '; ' ORDER BY indexrelid)
	FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
	WHERE indrelid = t AND amname = 'sorted_zone'
$$;
CREATE TABLE three (a int, b int2, c int, pad text, PRIMARY KEY (a, b, c)) USING sorted_heap;
INSERT INTO three SELECT i * 7919 % 3000, i % 3, i, repeat('x', 100) FROM generate_series(1, 3000) i;
SELECT sorted_heap_compact('three');
SELECT maps('three');
SELECT sealed > 20 AS sealed, open, tried, chains FROM sorted_heap_zonemap_stats('three');
SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
SELECT count(*), min(c) FROM three WHERE a = ANY ('{5, 1500, 2999}');
SELECT * FROM sorted_heap_check('three');

-- Not twice, and not beside a map of the user's that begins with the column.
SELECT sorted_heap_compact('three');
SELECT maps('three');
CREATE TABLE own (a int, b int, PRIMARY KEY (a, b)) USING sorted_heap;
CREATE INDEX own_map ON own USING sorted_zone (a);
CREATE TABLE other (a int, b int, PRIMARY KEY (a, b)) USING sorted_heap;
CREATE INDEX other_map ON other USING sorted_zone (b);
SELECT sorted_heap_compact('own'), sorted_heap_compact('other');
SELECT maps('own');
SELECT maps('other');

-- Columns that a map cannot hold: the second is left out, without the first
-- there is none.
CREATE TABLE words (a text COLLATE "C", b numeric, PRIMARY KEY (a, b)) USING sorted_heap;
CREATE TABLE numbers (a numeric PRIMARY KEY) USING sorted_heap;
CREATE TABLE deferred (a uuid PRIMARY KEY DEFERRABLE) USING sorted_heap;
SELECT sorted_heap_compact('words');
SELECT sorted_heap_compact('numbers');
SELECT sorted_heap_compact('deferred');
SELECT maps('words'), maps('numbers'), maps('deferred');

-- Undone by a rollback; temporary tables, too.
CREATE TEMP TABLE tmp (a int PRIMARY KEY) USING sorted_heap;
BEGIN;
SELECT sorted_heap_compact('tmp');
SELECT maps('tmp') ~ 'sorted_zone \(a\)$' AS created;
ROLLBACK;
SELECT maps('tmp');

-- An owner who may not create anything in the schema still compacts.
CREATE ROLE regress_zone_owner;
GRANT USAGE ON SCHEMA zone_compact TO regress_zone_owner;
CREATE TABLE owned (a int PRIMARY KEY) USING sorted_heap;
ALTER TABLE owned OWNER TO regress_zone_owner;
SET ROLE regress_zone_owner;
SELECT sorted_heap_compact('zone_compact.owned');
RESET ROLE;
SELECT maps('owned');
GRANT CREATE ON SCHEMA zone_compact TO regress_zone_owner;
SET ROLE regress_zone_owner;
SELECT sorted_heap_compact('zone_compact.owned');
RESET ROLE;
SELECT maps('owned'), relowner::regrole FROM pg_class WHERE relname = 'owned_a_idx';

SET client_min_messages = warning;
DROP SCHEMA zone_compact CASCADE;
DROP ROLE regress_zone_owner;
