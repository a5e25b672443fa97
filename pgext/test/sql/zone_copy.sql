-- COPY into a sorted_heap table seals the blocks it made, once, when it ends.
CREATE SCHEMA zone_copy;
SET search_path = zone_copy, public;
CREATE TABLE t (a int PRIMARY KEY, pad text DEFAULT repeat('x', 400)) USING sorted_heap WITH (autovacuum_enabled = off);
CREATE INDEX t_zone ON t USING sorted_zone (a);
CREATE FUNCTION states(t regclass) RETURNS text LANGUAGE sql AS $$
	SELECT format('sealed %s wide %s open %s loose %s tried %s chains %s', sealed, wide, open, loose, tried, chains) FROM sorted_heap_zonemap_stats(t)
$$;
-- Rows of a key range by the map, by a sequential scan; and faults.
CREATE FUNCTION agree(t regclass) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE by_map bigint; by_scan bigint; faults bigint;
BEGIN
	SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_seqscan = off;
	EXECUTE format('SELECT count(*) FROM %s WHERE a BETWEEN 500 AND 2500', t) INTO by_map;
	SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = on;
	EXECUTE format('SELECT count(*) FROM %s WHERE a BETWEEN 500 AND 2500', t) INTO by_scan;
	SELECT count(*) INTO faults FROM sorted_heap_check(t) WHERE severity = 'fault';
	RETURN by_map = by_scan AND faults = 0;
END $$;

\copy t (a) from program 'seq 1 1800'
SELECT states('t'), agree('t');
-- The next one goes on where the last block was left.
\copy t (a) from program 'seq 1801 2700'
SELECT states('t'), agree('t');
-- INSERT does not seal, nor does a COPY that fails; the next COPY does it all,
-- the rows of the failed one among it: its own block fits no chain with them.
INSERT INTO t SELECT generate_series(2701, 3600);
SELECT states('t');
\copy t (a) from program 'seq 3601 5000; echo x'
SELECT states('t');
\copy t (a) from program 'seq 4501 4501'
SELECT states('t'), agree('t');
-- Rolled back after it sealed: bounds cover rows that nobody sees.
BEGIN;
\copy t (a) from program 'seq 4502 5400'
SELECT states('t'), agree('t');
ROLLBACK;
SELECT states('t'), agree('t');
-- Out of order: blocks that fit no chain are tried, and not read again.
\copy t (a) from program 'seq -900 -1'
SELECT states('t'), agree('t');

-- Into a table emptied in the same transaction, frozen; a temporary one.
BEGIN;
TRUNCATE t;
\copy t (a) from program 'seq 1 1800' with (freeze)
COMMIT;
SELECT states('t'), agree('t');
CREATE TEMP TABLE tmp (a int, pad text DEFAULT repeat('x', 400)) USING sorted_heap;
CREATE INDEX ON tmp USING sorted_zone (a);
\copy tmp (a) from program 'seq 1 1800'
SELECT states('tmp'), agree('tmp');

-- Partitions are sealed one by one.
CREATE TABLE p (a int, pad text DEFAULT repeat('x', 400)) PARTITION BY RANGE (a);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (1000) USING sorted_heap;
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (1000) TO (9000) USING sorted_heap;
CREATE INDEX ON p USING sorted_zone (a);
\copy p (a) from program 'seq 1 1800'
SELECT states('p1'), agree('p1'), states('p2'), agree('p2');

-- Not sealed: a heap table, a map that is not valid, and rows that COPY inserts
-- one by one. Of these tables the version decides how many blocks there are.
CREATE TABLE h (a int, pad text DEFAULT repeat('x', 400)) USING heap WITH (autovacuum_enabled = off);
CREATE INDEX ON h USING sorted_zone (a);
\copy h (a) from program 'seq 1 1800'
SELECT sealed, open >= 100 AS open, agree('h') FROM sorted_heap_zonemap_stats('h');
SELECT sorted_heap_rebuild_zonemap('t');
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 't_zone'::regclass;
\copy t (a) from program 'seq 1801 2700'
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 't_zone'::regclass;
SELECT states('t'), agree('t');
CREATE FUNCTION same() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER one_by_one BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION same();
\copy t (a) from program 'seq 2701 3600'
SELECT sealed, open >= 100 AS open, agree('t') FROM sorted_heap_zonemap_stats('t');

SET client_min_messages = warning;
DROP SCHEMA zone_copy CASCADE;
