-- Statements on sorted_heap tables that must behave as on heap.
CREATE SCHEMA tableam_dml;
SET search_path = tableam_dml, public;
CREATE TABLE t (id int PRIMARY KEY, v text CHECK (v <> 'bad'), n int DEFAULT 0) USING sorted_heap;

-- COPY with triggers: rows fire in the order of the input, with right values.
CREATE TABLE log (seq serial, what text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'STATEMENT' THEN
		INSERT INTO log (what) SELECT format('statement saw %s', string_agg(format('%s=%s', id, v), ' ')) FROM fresh;
		RETURN NULL;
	END IF;
	INSERT INTO log (what) VALUES (format('%s %s=%s', lower(TG_WHEN), NEW.id, NEW.v));
	IF TG_WHEN = 'BEFORE' THEN
		NEW.n := 7;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER after_row AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER after_statement AFTER INSERT ON t REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note();
COPY t (id, v) FROM stdin;
30	thirty
10	ten
20	twenty
\.
SELECT ctid, * FROM t ORDER BY ctid;
SELECT what FROM log ORDER BY seq;
TRUNCATE log;
CREATE TRIGGER before_row BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION note();
COPY t (id, v) FROM stdin;
5	five
4	four
\.
SELECT what FROM log ORDER BY seq;
SELECT ctid, * FROM t ORDER BY ctid;
DROP TRIGGER before_row ON t;
DROP TRIGGER after_row ON t;
DROP TRIGGER after_statement ON t;

-- COPY errors name the line of the input, wherever the row was placed.
COPY t (id, v) FROM stdin;
9	nine
8	bad
7	seven
\.
COPY t (id, v) FROM stdin;
99	x
98	x
30	again
97	x
\.
COPY t (id, v) FROM stdin;
3	x
2	x
3	x
1	x
\.
SELECT count(*) FROM t;

-- ON CONFLICT, RETURNING, MERGE.
INSERT INTO t VALUES (10, 'new'), (11, 'eleven') ON CONFLICT (id) DO NOTHING RETURNING *;
INSERT INTO t VALUES (10, 'new'), (12, 'twelve') ON CONFLICT (id) DO UPDATE SET v = t.v || '+' || excluded.v RETURNING *;
MERGE INTO t USING (VALUES (12, 'merged'), (13, 'thirteen')) s (id, v) ON t.id = s.id
	WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
UPDATE t SET id = 14 WHERE id = 13 RETURNING id, v;
DELETE FROM t WHERE id = 14 RETURNING *;
SELECT id, v FROM t ORDER BY id;

-- Savepoints and rollback, also of a COPY.
BEGIN;
INSERT INTO t VALUES (100, 'kept');
SAVEPOINT s;
COPY t (id, v) FROM stdin;
103	gone
102	gone
\.
UPDATE t SET v = 'gone';
ROLLBACK TO s;
DELETE FROM t WHERE id = 5;
COMMIT;
SELECT id, v FROM t WHERE id IN (5, 100, 102, 103) OR v = 'gone';

-- Foreign keys in both directions.
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE) USING sorted_heap;
COPY child FROM stdin;
2	100
1	10
3	4
\.
COPY child FROM stdin;
5	10
4	12345
\.
UPDATE t SET id = 101 WHERE id = 100;
DELETE FROM t WHERE id = 4;
SELECT * FROM child ORDER BY ctid;
TRUNCATE t;
TRUNCATE t CASCADE;

-- Sampling, TID scans, row locks, backward and scrolling cursors.
INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 1000) i;
SELECT count(*) FROM t TABLESAMPLE BERNOULLI (100);
SELECT count(*) BETWEEN 1 AND 999 AS some FROM t TABLESAMPLE SYSTEM (50) REPEATABLE (1);
SELECT count(*) FROM t WHERE ctid >= '(1,1)' AND ctid < '(2,0)' AND id IN (SELECT id FROM t WHERE ctid = '(1,1)');
BEGIN;
SELECT id FROM t WHERE id BETWEEN 5 AND 6 FOR UPDATE;
DECLARE c SCROLL CURSOR FOR SELECT id FROM t;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
UPDATE t SET v = 'current' WHERE CURRENT OF c;
COMMIT;
SELECT id FROM t WHERE v = 'current';

-- Partitions: COPY through the parent sorts each partition's batch.
CREATE TABLE parted (k int, id int, PRIMARY KEY (k, id)) PARTITION BY LIST (k);
CREATE TABLE p1 PARTITION OF parted FOR VALUES IN (1) USING sorted_heap;
CREATE TABLE p2 PARTITION OF parted FOR VALUES IN (2) USING heap;
COPY parted FROM PROGRAM 'awk "BEGIN{for(i=0;i<800;i++) printf \"%d\t%d\n\", i%2+1, (i*307)%811}"';
SELECT tableoid::regclass, count(*), array_agg(id ORDER BY ctid) = array_agg(id ORDER BY id) AS sorted FROM parted GROUP BY 1 ORDER BY 1;
UPDATE parted SET k = 3 - k WHERE id = 0;
UPDATE parted SET k = 3 - k WHERE id < 100 AND k = 2;
SELECT tableoid::regclass, count(*), sum(id) FROM parted GROUP BY 1 ORDER BY 1;
SELECT sorted_heap_compact('p1');
ALTER TABLE parted DETACH PARTITION p1;
SELECT count(*), array_agg(id ORDER BY ctid) = array_agg(id ORDER BY id) AS sorted FROM p1;
ALTER TABLE parted ATTACH PARTITION p1 FOR VALUES IN (1);
SET client_min_messages = warning;
DROP SCHEMA tableam_dml CASCADE;
