-- Building a zone map: every operator class, what is refused, what is stored.
CREATE SCHEMA zone_build;
SET search_path = zone_build, public;

-- All operator classes are sound.
SELECT opcname, amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
	WHERE amname = 'sorted_zone' ORDER BY opcname COLLATE "C";

-- What the access method says of itself: bitmap scans only.
SELECT p, pg_indexam_has_property(a.oid, p) FROM pg_am a,
	unnest(ARRAY['can_order', 'can_unique', 'can_multi_col', 'can_exclude', 'can_include']) p
	WHERE amname = 'sorted_zone';

-- 30 rows of 400 bytes a block or so: keys ascend from block to block.
CREATE TABLE t (a int, b smallint, pad text) WITH (fillfactor = 100, autovacuum_enabled = off);
INSERT INTO t SELECT i / 10, i % 10, repeat('x', 400) FROM generate_series(0, 999) i;
CREATE INDEX t_zone ON t USING sorted_zone (a, b);
SELECT index, blocks = sealed AS all_sealed, wide, empty, open, loose, tried, gathering, chains, widens, index_pages
	FROM sorted_heap_zonemap_stats('t');
SELECT * FROM sorted_heap_check('t');

-- An empty table: a metapage, then pages as rows come; the block is not
-- sealed, since nobody has read it.
CREATE TABLE fresh (a int);
CREATE INDEX ON fresh USING sorted_zone (a);
SELECT pg_relation_size('fresh_a_idx') / current_setting('block_size')::int AS pages;
INSERT INTO fresh VALUES (1), (2);
SELECT blocks, sealed, open, index_pages FROM sorted_heap_zonemap_stats('fresh');
SELECT sorted_heap_rebuild_zonemap('fresh');
SELECT blocks, sealed, open, index_pages FROM sorted_heap_zonemap_stats('fresh');

-- Rows in no order: one block of each zone page can be sealed, or a few.
CREATE TABLE shuffled (a int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO shuffled SELECT i * 7919 % 1000, repeat('x', 400) FROM generate_series(0, 999) i;
CREATE INDEX ON shuffled USING sorted_zone (a);
SELECT sealed < 3 AS few_sealed, sealed + tried = blocks AS rest_tried FROM sorted_heap_zonemap_stats('shuffled');

-- The longest chain survives strays: two blocks with a stray key are left out.
CREATE TABLE stray (a int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO stray SELECT CASE i WHEN 5 THEN 900 WHEN 700 THEN 3 ELSE i END, repeat('x', 400)
	FROM generate_series(0, 999) i;
CREATE INDEX ON stray USING sorted_zone (a);
SELECT blocks - sealed AS left_out, tried, chains FROM sorted_heap_zonemap_stats('stray');

-- A block without a row that has a key is empty; NULL in the second column
-- covers all of it.
CREATE TABLE nulls (a int, b int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO nulls SELECT CASE WHEN i >= 500 THEN i END, NULL, repeat('x', 400) FROM generate_series(0, 999) i;
CREATE INDEX ON nulls USING sorted_zone (a, b);
SELECT empty > 10 AS some_empty, sealed > 10 AS some_sealed, empty + sealed = blocks AS all_known
	FROM sorted_heap_zonemap_stats('nulls');
SELECT * FROM sorted_heap_check('nulls');

-- Refused: what the map cannot keep a promise about.
CREATE INDEX ON t USING sorted_zone (a, b, a);
CREATE INDEX ON t USING sorted_zone ((a + 1));
CREATE INDEX ON t USING sorted_zone (a) WHERE b > 3;
CREATE INDEX ON t USING sorted_zone (a) INCLUDE (b);
CREATE UNIQUE INDEX ON t USING sorted_zone (a);
CREATE INDEX ON t USING sorted_zone (a DESC);
CREATE INDEX ON t USING sorted_zone (a) WITH (fillfactor = 90);
CREATE TABLE odd (f float8, j jsonb, t text COLLATE "en-x-icu", n numeric);
CREATE INDEX ON odd USING sorted_zone (f);
CREATE INDEX ON odd USING sorted_zone (n);
CREATE INDEX ON odd USING sorted_zone (t);
CREATE INDEX ON odd USING sorted_zone (t COLLATE "C");
CREATE OPERATOR CLASS float8_zone_ops FOR TYPE float8 USING sorted_zone AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'float8_zone_ops';
CREATE INDEX ON odd USING sorted_zone (f float8_zone_ops);

-- Domains and varchar are what they are made of.
CREATE DOMAIN entity AS int CHECK (VALUE > 0);
CREATE TABLE made (e entity, v varchar(20) COLLATE "C");
CREATE INDEX ON made USING sorted_zone (e, v);
INSERT INTO made VALUES (1, 'one'), (2, 'two');
SELECT sorted_heap_rebuild_zonemap('made');
SELECT * FROM sorted_heap_check('made');
SET client_min_messages = warning;
DROP SCHEMA zone_build CASCADE;
