-- sorted_heap_merge: who may call it, on what; and the online variants.
CREATE SCHEMA merge_who;
SET search_path = merge_who, public;
CREATE ROLE regress_merge_owner;
CREATE ROLE regress_merge_other;
GRANT USAGE ON SCHEMA merge_who TO regress_merge_owner, regress_merge_other;

-- Small tables are rewritten; a map that fits the primary key is needed.
CREATE TABLE t (id int PRIMARY KEY, v text) USING sorted_heap;
INSERT INTO t SELECT 100 - i, repeat('v', 500) FROM generate_series(1, 90) i;
SELECT sorted_heap_merge('t');
CREATE INDEX t_other ON t USING sorted_zone (v COLLATE "C");
SELECT sorted_heap_merge('t');
CREATE INDEX t_map ON t USING sorted_zone (id);
SELECT * FROM sorted_heap_merge('t');
SELECT string_agg(id::text, ' ' ORDER BY ctid) = string_agg(id::text, ' ' ORDER BY id) AS sorted FROM t;
SELECT DISTINCT method, rows_moved FROM sorted_heap_merge('t');
SELECT sorted_heap_merge(NULL);
CREATE TABLE empty (id int PRIMARY KEY) USING sorted_heap;
CREATE INDEX ON empty USING sorted_zone (id);
SELECT DISTINCT method, blocks_before, blocks_after FROM sorted_heap_merge('empty');

-- Another order than the primary key's is no help.
CREATE TABLE words (w text COLLATE "POSIX", n int, PRIMARY KEY (w, n)) USING sorted_heap;
CREATE INDEX words_map ON words USING sorted_zone (w COLLATE "C", n);
CREATE TABLE swapped (a int, b int, PRIMARY KEY (a, b)) USING sorted_heap;
CREATE INDEX swapped_map ON swapped USING sorted_zone (b, a);
SELECT DISTINCT method FROM sorted_heap_merge('words');
SELECT sorted_heap_merge('swapped');

-- Not under a statement, cursor or trigger of the table.
SELECT sorted_heap_merge('t') FROM t;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM t;
SELECT sorted_heap_merge('t');
ROLLBACK;

-- What it refuses.
CREATE TABLE plain (id int PRIMARY KEY) USING heap;
CREATE TABLE keyless (id int UNIQUE) USING sorted_heap;
CREATE VIEW v AS TABLE t;
CREATE MATERIALIZED VIEW mv USING sorted_heap AS TABLE t;
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
SELECT sorted_heap_merge('plain');
SELECT sorted_heap_merge('keyless');
SELECT sorted_heap_merge('v');
SELECT sorted_heap_merge('mv');
SELECT sorted_heap_merge('t_map');
SELECT sorted_heap_merge('parted');
SELECT sorted_heap_merge(1);

-- The online variants say so, but only to those who may maintain the table.
CALL sorted_heap_compact_online('t');
CALL sorted_heap_merge_online('t');
CALL sorted_heap_merge_online('plain');
SET ROLE regress_merge_other;
\set VERBOSITY sqlstate
CALL sorted_heap_compact_online('t');
CALL sorted_heap_merge_online('t');
SELECT sorted_heap_merge('t');
\set VERBOSITY default
RESET ROLE;

-- Functions in indexes run as the owner, whoever calls; no policy hides a row.
CREATE UNLOGGED TABLE owned (id int PRIMARY KEY, v text) USING sorted_heap WITH (autovacuum_enabled = off);
INSERT INTO owned SELECT i, repeat('o', 1900) FROM generate_series(1, 4400) i;
CREATE INDEX owned_map ON owned USING sorted_zone (id);
CREATE FUNCTION whoami(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF $1 < 0 THEN
		RAISE NOTICE 'index function runs as %', current_user;
	END IF;
	RETURN 'x';
END $$;
INSERT INTO owned VALUES (-1, 'stray');
SET client_min_messages = warning;
CREATE INDEX owned_expression ON owned (whoami(id));
RESET client_min_messages;
ALTER TABLE owned OWNER TO regress_merge_owner;
ALTER TABLE owned ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT DISTINCT method, rows_moved FROM sorted_heap_merge('owned');
SELECT current_user = session_user AS restored;
SET ROLE regress_merge_owner;
SELECT count(*) FROM owned;
SELECT DISTINCT method, rows_moved FROM sorted_heap_merge('owned');
RESET ROLE;
SELECT count(*), min(id) FROM owned;

-- So do they for one who may maintain the table and nothing else, where there
-- is such a right, else for a member of the owner. The map is the owner's to create.
CREATE ROLE regress_merge_maintainer;
GRANT USAGE ON SCHEMA merge_who TO regress_merge_maintainer;
SELECT current_setting('server_version_num')::int >= 170000 AS may_maintain \gset
\if :may_maintain
GRANT MAINTAIN ON owned TO regress_merge_maintainer;
\else
GRANT regress_merge_owner TO regress_merge_maintainer;
\endif
DROP INDEX owned_map;
GRANT CREATE ON SCHEMA merge_who TO regress_merge_owner;
UPDATE owned SET id = -2 WHERE id = -1;
SET client_min_messages = warning;
SET ROLE regress_merge_maintainer;
SELECT sorted_heap_compact('owned');
RESET ROLE;
CREATE INDEX IF NOT EXISTS owned_id_idx ON owned USING sorted_zone (id);
INSERT INTO owned VALUES (-3, 'stray');
SET ROLE regress_merge_maintainer;
SELECT DISTINCT method, rows_moved FROM sorted_heap_merge('owned');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA merge_who CASCADE;
DROP ROLE regress_merge_owner, regress_merge_other, regress_merge_maintainer;
