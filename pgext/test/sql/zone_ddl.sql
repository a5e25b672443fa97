-- The map through DDL: whatever happens to the table, no row is lost.
CREATE SCHEMA zone_ddl;
SET search_path = zone_ddl, public;

-- Rows by key through the map, against all rows; and the map's own check.
CREATE FUNCTION verify(tab regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	by_map bigint;
	by_scan bigint;
	faults bigint;
	line text;
	used bool := false;
BEGIN
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_seqscan = off;
	SET LOCAL enable_indexscan = off;
	FOR line IN EXECUTE format('EXPLAIN SELECT count(*) FROM %s WHERE a >= 100 AND a < 200', tab) LOOP
		used := used OR (line LIKE '%Bitmap Index Scan on%' AND line !~ 'pkey');
	END LOOP;
	IF NOT used THEN
		RETURN 'map not used';
	END IF;
	EXECUTE format('SELECT count(*) FROM %s WHERE a >= 100 AND a < 200', tab) INTO by_map;
	SET LOCAL enable_seqscan = on;
	SET LOCAL enable_bitmapscan = off;
	EXECUTE format('SELECT count(*) FROM %s WHERE a >= 100 AND a < 200', tab) INTO by_scan;
	SELECT count(*) INTO faults FROM sorted_heap_check(tab) WHERE severity = 'fault';
	RETURN format('%s of %s, %s faults', by_map, by_scan, faults);
END $$;
CREATE PROCEDURE fill(tab regclass) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO %s (a, b, pad) SELECT i, i %% 7, repeat(''x'', 300) FROM generate_series(1, 1000) i', tab);
END $$;

CREATE TABLE t (a int, b int, pad text, id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY) WITH (autovacuum_enabled = off);
CREATE INDEX t_zone ON t USING sorted_zone (a, b);
CALL fill('t');
VACUUM t;

REINDEX INDEX t_zone;                     SELECT verify('t');
REINDEX TABLE t;                          SELECT verify('t');
REINDEX INDEX CONCURRENTLY t_zone;        SELECT verify('t');
SELECT sealed = blocks AS sealed FROM sorted_heap_zonemap_stats('t');
CREATE INDEX CONCURRENTLY t_other ON t USING sorted_zone (a);
SELECT index, sealed = blocks AS sealed FROM sorted_heap_zonemap_stats('t') ORDER BY 1;
DROP INDEX CONCURRENTLY t_other;
UPDATE t SET a = a + 5000 WHERE a % 3 = 0; SELECT verify('t');
VACUUM FULL t;                            SELECT verify('t');
DELETE FROM t WHERE a > 4000;
CLUSTER t USING t_pkey;                   SELECT verify('t');
CLUSTER t USING t_zone;
ALTER TABLE t SET ACCESS METHOD sorted_heap; SELECT verify('t');
TRUNCATE t; CALL fill('t');               SELECT verify('t');
BEGIN; TRUNCATE t; CALL fill('t'); SELECT verify('t'); ROLLBACK; SELECT verify('t');
VACUUM FULL t;                            SELECT verify('t');
ALTER TABLE t SET ACCESS METHOD heap;     SELECT verify('t');
ALTER TABLE t ADD COLUMN d int DEFAULT 7; SELECT verify('t');
CREATE INDEX t_d ON t USING sorted_zone (d, a);
SET enable_seqscan = off;
SELECT count(*) FROM t WHERE d = 7;
SELECT * FROM sorted_heap_check('t');
ALTER TABLE t DROP COLUMN d;              SELECT verify('t');
ALTER TABLE t SET UNLOGGED;               SELECT verify('t');
ALTER TABLE t SET LOGGED;                 SELECT verify('t');
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE zone_space LOCATION '';
ALTER TABLE t SET TABLESPACE zone_space;
ALTER INDEX t_zone SET TABLESPACE zone_space;
INSERT INTO t VALUES (150000, 1, 'a'), (-1, 1, 'b'); SELECT verify('t');
ALTER TABLE t SET TABLESPACE pg_default;
ALTER INDEX t_zone SET TABLESPACE pg_default;
DROP TABLESPACE zone_space;

-- Four changes that keep the table's file while the key means something else:
-- another primary key, another timestamp type, another collation, varchar to
-- text. Each is followed by inserts.
ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (b, a);
INSERT INTO t VALUES (-150, 1, 'x'), (150001, 2, 'y'); SELECT verify('t');
CREATE TABLE k (ts timestamp, c text COLLATE "C", v varchar(30) COLLATE "C", pad text);
CREATE INDEX ON k USING sorted_zone (ts);
CREATE INDEX ON k USING sorted_zone (c);
CREATE INDEX ON k USING sorted_zone (v);
INSERT INTO k SELECT timestamp '2000-01-01' + i * interval '1 hour', lpad(i::text, 5, '0'), lpad(i::text, 5, '0'), repeat('x', 300)
	FROM generate_series(1, 500) i;
VACUUM k;
SET TimeZone = 'UTC';
ALTER TABLE k ALTER ts TYPE timestamptz;
ALTER TABLE k ALTER c TYPE text COLLATE "POSIX";
ALTER TABLE k ALTER v TYPE text COLLATE "C";
INSERT INTO k VALUES ('1999-01-01 00:00+00', '00000', '00000', 'first');
SELECT pad FROM k WHERE ts = '1999-01-01 00:00+00';
SELECT pad FROM k WHERE c = '00000';
SELECT pad FROM k WHERE v = '00000';
SELECT count(*) FROM k WHERE ts < '2000-01-02 00:00+00';
SELECT * FROM sorted_heap_check('k');
ALTER TABLE k ALTER c TYPE text COLLATE "en-x-icu";
ALTER TABLE k ALTER c TYPE int USING c::int;
SELECT count(*) FROM k WHERE c = 77;
ALTER TABLE k ALTER c TYPE float8;

-- Temporary tables, emptied at commit, or dropped.
CREATE TEMP TABLE tmp (a int, b int, pad text) ON COMMIT DELETE ROWS;
CREATE INDEX tmp_zone ON tmp USING sorted_zone (a, b);
BEGIN; CALL fill('tmp'); SELECT verify('tmp'); COMMIT;
BEGIN; CALL fill('tmp'); SELECT verify('tmp'); COMMIT;
SELECT verify('tmp');

-- Partitions: the parent has an index and no map.
CREATE TABLE p (a int, b int, pad text) PARTITION BY RANGE (a);
CREATE INDEX p_zone ON p USING sorted_zone (a, b);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (MINVALUE) TO (150);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (150) TO (MAXVALUE);
CALL fill('p');
SELECT verify('p1'), verify('p2');
SELECT sorted_heap_zonemap_stats('p');
UPDATE p SET a = a + 100 WHERE a BETWEEN 100 AND 149; SELECT verify('p1'), verify('p2');
ALTER TABLE p DETACH PARTITION p2;
SELECT verify('p2');
EXPLAIN (COSTS off) SELECT * FROM p WHERE a = 5;

-- A materialized view.
CREATE MATERIALIZED VIEW m AS SELECT * FROM p2 ORDER BY a;
CREATE INDEX ON m USING sorted_zone (a);
REFRESH MATERIALIZED VIEW m;
SELECT verify('m');
SET client_min_messages = warning;
DROP SCHEMA zone_ddl CASCADE;
