-- Who may use the functions on zone maps, and on what.
CREATE SCHEMA zone_validate;
SET search_path = zone_validate, public;
CREATE ROLE zone_other;
CREATE ROLE zone_monitor IN ROLE pg_monitor;
GRANT USAGE ON SCHEMA zone_validate TO zone_other, zone_monitor;
CREATE TABLE t (a int, pad text) WITH (autovacuum_enabled = off);
CREATE INDEX t_zone ON t USING sorted_zone (a);
INSERT INTO t SELECT i, repeat('x', 400) FROM generate_series(1, 300) i;
VACUUM t;
GRANT SELECT ON t TO zone_other;
CREATE TABLE bare (a int);

-- Reading a table is not owning it. (17 words the refusal differently.)
\set VERBOSITY sqlstate
SET ROLE zone_other;
SELECT * FROM sorted_heap_zonemap_stats('t');
SELECT * FROM sorted_heap_check('t');
SELECT sorted_heap_rebuild_zonemap('t');
SET ROLE zone_monitor;
SELECT sealed = blocks AS all_sealed FROM sorted_heap_zonemap_stats('t');
SELECT * FROM sorted_heap_check('t');
SELECT sorted_heap_rebuild_zonemap('t');
RESET ROLE;
\set VERBOSITY default
SELECT 't'::regclass::oid AS t_oid \gset
REVOKE USAGE ON SCHEMA zone_validate FROM zone_monitor;
SET ROLE zone_monitor;
SELECT * FROM sorted_heap_check(:t_oid::regclass);
RESET ROLE;

-- What is not a table, or has no map.
CREATE VIEW v AS SELECT * FROM t;
SELECT * FROM sorted_heap_zonemap_stats('v');
SELECT * FROM sorted_heap_check('t_zone');
SELECT * FROM sorted_heap_check(0::regclass);
SELECT * FROM sorted_heap_check(NULL);
SELECT * FROM sorted_heap_zonemap_stats('bare');
SELECT * FROM sorted_heap_check('bare');
SELECT sorted_heap_rebuild_zonemap('bare');

-- An operator between types of different images: invalid, and no clause is
-- taken for what it is not.
CREATE TABLE days (d date, pad text) WITH (autovacuum_enabled = off);
INSERT INTO days SELECT date '2000-01-01' + i, repeat('x', 400) FROM generate_series(0, 300) i;
CREATE INDEX ON days USING sorted_zone (d);
BEGIN;
ALTER OPERATOR FAMILY date_zone_ops USING sorted_zone ADD OPERATOR 3 = (date, timestamp);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'date_zone_ops';
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM days WHERE d = timestamp '2000-02-01';
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA zone_validate CASCADE;
DROP ROLE zone_other, zone_monitor;
