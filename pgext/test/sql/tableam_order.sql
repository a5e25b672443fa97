-- Where the order of a sorted_heap table comes from, and what keeps it.
CREATE SCHEMA tableam_order;
SET search_path = tableam_order, public;

-- How often a row's key is smaller than that of the row stored before it.
CREATE FUNCTION descents(rel regclass, key text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT %1$s AS k, lag(%1$s) OVER (ORDER BY ctid) AS prev FROM %2$s) s WHERE prev > k', key, rel)
		INTO result;
	RETURN result;
END $$;

-- Rows of one table that the other lacks, both ways, duplicates counted.
CREATE FUNCTION differing(a regclass, b regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE format('SELECT (SELECT count(*) FROM (TABLE %1$s EXCEPT ALL TABLE %2$s) x) + (SELECT count(*) FROM (TABLE %2$s EXCEPT ALL TABLE %1$s) y)', a, b)
		INTO result;
	RETURN result;
END $$;

-- COPY: one batch of 1,000 shuffled rows is stored in order. Heap's is not.
CREATE TABLE int4_key (id int PRIMARY KEY, v text) USING sorted_heap;
CREATE TABLE int4_heap (id int PRIMARY KEY, v text) USING heap;
COPY int4_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<1000;i++) printf \"%d\tv%d\n\", (i*617)%1009-500, i}"';
COPY int4_heap FROM PROGRAM 'awk "BEGIN{for(i=0;i<1000;i++) printf \"%d\tv%d\n\", (i*617)%1009-500, i}"';
SELECT descents('int4_key', 'id'), descents('int4_heap', 'id') > 100 AS heap_is_shuffled,
	differing('int4_key', 'int4_heap');

-- Three batches make at most three runs; an ascending load makes one.
TRUNCATE int4_key;
COPY int4_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<3000;i++) printf \"%d\tv\n\", (i*617)%3001}"';
SELECT count(*), descents('int4_key', 'id') FROM int4_key;
TRUNCATE int4_key;
COPY int4_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<3000;i++) printf \"%d\tv\n\", i}"';
SELECT count(*), descents('int4_key', 'id') FROM int4_key;

-- Every kind of leading key, extremes included; later columns break ties.
CREATE TABLE int2_key (k int2, b int8, PRIMARY KEY (k, b)) USING sorted_heap;
COPY int2_key FROM PROGRAM 'awk "BEGIN{print \"32767\t1\"; for(i=0;i<500;i++) printf \"%d\t%d\n\", (i*7)%10-5, 1000-i; print \"-32768\t9223372036854775807\"; print \"-32768\t-9223372036854775808\"}"';
SELECT descents('int2_key', '(k, b)'), min(k), max(k) FROM int2_key;

CREATE TABLE int8_key (k int8 PRIMARY KEY) USING sorted_heap;
COPY int8_key FROM PROGRAM 'awk "BEGIN{print \"9223372036854775807\"; for(i=0;i<500;i++) printf \"%d00000000000\n\", (i*307)%509-250; print \"-9223372036854775808\"}"';
SELECT descents('int8_key', 'k'), count(*) FROM int8_key;

CREATE TABLE oid_key (k oid PRIMARY KEY) USING sorted_heap;
COPY oid_key FROM PROGRAM 'awk "BEGIN{print \"4294967295\"; for(i=0;i<500;i++) print (i*307)%509+1; print \"2147483648\"}"';
SELECT descents('oid_key', 'k'), count(*) FROM oid_key;

CREATE TABLE date_key (d date, t timestamptz, PRIMARY KEY (d, t)) USING sorted_heap;
COPY date_key FROM PROGRAM 'awk "BEGIN{print \"infinity\tinfinity\"; for(i=0;i<500;i++) printf \"2000-01-%02d\t2000-01-01 00:%02d:%02d+00\n\", (i*7)%31+1, i%60, (i*7)%60; print \"-infinity\t-infinity\"}"';
SELECT descents('date_key', '(d, t)'), count(*) FROM date_key;

CREATE TABLE ts_key (t timestamp PRIMARY KEY) USING sorted_heap;
COPY ts_key FROM PROGRAM 'awk "BEGIN{print \"infinity\"; for(i=0;i<500;i++) printf \"%d-01-01 00:00:00\n\", 1800+(i*307)%509; print \"-infinity\"}"';
SELECT descents('ts_key', 't'), count(*) FROM ts_key;

CREATE TABLE text_key (a text COLLATE "C", b numeric, c uuid, PRIMARY KEY (a, b, c)) USING sorted_heap;
COPY text_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"k%d\t%d.5\t00000000-0000-0000-0000-%012d\n\", (i*307)%7, (i*11)%13, (i*307)%509}"';
SELECT descents('text_key', '(a, b, c)'), count(*) FROM text_key;

CREATE DOMAIN small_int AS int CHECK (VALUE < 1000);
CREATE TABLE domain_key (k small_int PRIMARY KEY) USING sorted_heap;
COPY domain_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) print (i*307)%509}"';
SELECT descents('domain_key', 'k'), count(*) FROM domain_key;

-- A deferrable key and one with included columns give an order as well.
CREATE TABLE deferrable_key (k int PRIMARY KEY DEFERRABLE, v int) USING sorted_heap;
COPY deferrable_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"%d\t%d\n\", (i*307)%509, i}"';
CREATE TABLE include_key (v int, k int, PRIMARY KEY (k) INCLUDE (v)) USING sorted_heap;
COPY include_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"%d\t%d\n\", i, (i*307)%509}"';
SELECT descents('deferrable_key', 'k'), descents('include_key', 'k');

-- A unique index is no primary key: rows stay as they came.
CREATE TABLE no_key (k int UNIQUE) USING sorted_heap;
COPY no_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) print (i*307)%509}"';
SELECT descents('no_key', 'k') > 100 AS shuffled;

-- A key whose columns stand in another order than in the table, and not first.
CREATE TABLE turned_key (v int, n int, word text COLLATE "C", PRIMARY KEY (word, n)) USING sorted_heap;
COPY turned_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"%d\t%d\tw%d\n\", i, (i*307)%509, i%7}"';
CREATE TABLE turned_key2 (word text COLLATE "C", v int, n int, PRIMARY KEY (n, word)) USING sorted_heap;
COPY turned_key2 FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"w%d\t%d\t%d\n\", (i*307)%509, i, i%7}"';
SELECT descents('turned_key', '(word, n)'), descents('turned_key2', '(n, word)'), count(*) FROM turned_key;

-- A dropped column before the key, and a key added later.
CREATE TABLE late_key (gone text, k int, v int) USING sorted_heap;
ALTER TABLE late_key DROP COLUMN gone;
ALTER TABLE late_key ADD PRIMARY KEY (k);
COPY late_key FROM PROGRAM 'awk "BEGIN{for(i=0;i<500;i++) printf \"%d\t%d\n\", (i*307)%509, i}"';
SELECT descents('late_key', 'k');

-- Single rows are not moved; each kind of rewrite brings the order back.
INSERT INTO late_key SELECT -i, i FROM generate_series(1, 100) i;
SELECT descents('late_key', 'k');
VACUUM FULL late_key;
SELECT descents('late_key', 'k');
UPDATE late_key SET k = -k - 1000 WHERE k > 0 AND k % 3 = 0;
SELECT descents('late_key', 'k') > 0 AS disturbed;
CREATE INDEX late_v ON late_key (v);
CLUSTER late_key USING late_v;
SELECT descents('late_key', 'k');
UPDATE late_key SET k = 5000 - k WHERE k < -1000 AND k % 5 = 0;
SELECT descents('late_key', 'k') > 0 AS disturbed;
CLUSTER late_key USING late_key_pkey;
SELECT descents('late_key', 'k');
UPDATE late_key SET k = 20000 - k WHERE k BETWEEN 6000 AND 7000;
SELECT descents('late_key', 'k') > 0 AS disturbed;
SELECT sorted_heap_compact('late_key');
SELECT descents('late_key', 'k'), count(*), sum(k), sum(v) FROM late_key;
VACUUM FULL no_key;
SELECT descents('no_key', 'k') > 100 AS shuffled;

-- The order changes with the key, at the next rewrite.
ALTER TABLE late_key DROP CONSTRAINT late_key_pkey, ADD PRIMARY KEY (v, k);
SELECT sorted_heap_compact('late_key');
SELECT descents('late_key', '(v, k)');

-- Random DML, then a rewrite: the same rows as in the heap twin, in order.
TRUNCATE int4_key, int4_heap;
INSERT INTO int4_key SELECT (i * 617) % 10007, 'v' || i FROM generate_series(0, 4999) i;
INSERT INTO int4_heap SELECT (i * 617) % 10007, 'v' || i FROM generate_series(0, 4999) i;
DELETE FROM int4_key WHERE id % 11 = 0;
DELETE FROM int4_heap WHERE id % 11 = 0;
UPDATE int4_key SET v = v || 'u' WHERE id % 4 = 0;
UPDATE int4_heap SET v = v || 'u' WHERE id % 4 = 0;
UPDATE int4_key SET id = id + 20000 WHERE id % 9 = 0;
UPDATE int4_heap SET id = id + 20000 WHERE id % 9 = 0;
SELECT sorted_heap_compact('int4_key');
SELECT descents('int4_key', 'id'), differing('int4_key', 'int4_heap'), count(*) > 4000 AS many FROM int4_key;
SET client_min_messages = warning;
DROP SCHEMA tableam_order CASCADE;
