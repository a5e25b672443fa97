-- Order and equality of svec: operators, btree, hash.

SELECT a, b, svec_cmp(a, b) AS cmp, a < b AS lt, a <= b AS le, a = b AS eq, a <> b AS ne,
	a >= b AS ge, a > b AS gt
FROM (VALUES ('[1,2,3]'::svec, '[1,2,3]'::svec), ('[1,2,3]', '[1,2]'), ('[1,2]', '[1,2,3]'),
	('[1,2]', '[2,3,4]'), ('[2,3]', '[1,2,3]'), ('[-1]', '[1]'), ('[-0]', '[0]'),
	('[1e-45]', '[0]')) AS t (a, b);

-- the component that differs is found wherever it stands, behind zeros of either sign
SELECT count(*) AS pairs, count(*) FILTER (WHERE svec_cmp(a, b) <> -1 OR svec_cmp(b, a) <> 1) AS wrong,
	count(*) FILTER (WHERE svec_cmp(a, a + zero) <> 0 OR svec_cmp(b, b + zero) <> 0) AS unequal,
	count(*) FILTER (WHERE svec_cmp(a, a || zero) <> -1 OR svec_cmp(b || zero, b) <> 1) AS dims
FROM generate_series(1, 24) n, generate_series(1, n) at, LATERAL (
	SELECT array_agg(CASE WHEN i = at THEN 1 WHEN i % 5 = 0 THEN '-0' ELSE i % 2 END::real ORDER BY i)::svec AS a,
		array_agg(CASE WHEN i = at THEN 2 WHEN i % 5 = 0 THEN 0 WHEN i > at THEN -9 ELSE i % 2 END::real ORDER BY i)::svec AS b,
		array_fill(0::real, ARRAY[n])::svec AS zero
	FROM generate_series(1, n) i) vectors;

CREATE TABLE t (v svec);
INSERT INTO t SELECT ARRAY[i % 7 - 3, i % 5]::svec FROM generate_series(1, 350) i;
INSERT INTO t VALUES ('[1]'), ('[1,2,3]'), (NULL), ('[-0,0]'), ('[0,0]');
CREATE INDEX t_btree ON t (v);
ANALYZE t;

-- the index gives what the table scan gives
PREPARE answers AS
	SELECT q, (SELECT count(*) FROM t WHERE v = q) AS eq, (SELECT count(*) FROM t WHERE v < q) AS lt,
		(SELECT count(*) FROM t WHERE v <= q) AS le, (SELECT count(*) FROM t WHERE v >= q) AS ge,
		(SELECT count(*) FROM t WHERE v > q) AS gt,
		(SELECT count(*) FROM t WHERE v IN (q, '[1]')) AS "in"
	FROM unnest('{"[0,-0]","[1,2]","[1,2,3]","[1]","[-9]","[9]"}'::svec[]) q;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;
EXECUTE answers;
RESET ALL;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT v FROM t WHERE v > '[1,2]' ORDER BY v;
EXECUTE answers;
SELECT v FROM t WHERE v > '[1,2]' AND v < '[1,3]' ORDER BY v DESC LIMIT 2;
SELECT DISTINCT v FROM t WHERE v < '[-2,1]' OR v >= '[3,3]' ORDER BY v;
RESET ALL;

-- a unique index tells vectors apart by their values
CREATE TABLE u (v svec PRIMARY KEY);
INSERT INTO u VALUES ('[0,1]'), ('[0,1,0]'), ('[0]');
INSERT INTO u VALUES ('[-0,1]');
INSERT INTO u VALUES ('[-0,1]'), ('[5]') ON CONFLICT DO NOTHING;
SELECT * FROM u ORDER BY v;
DROP TABLE u;

-- equal vectors hash alike
SELECT svec_hash('[-0,1]') = svec_hash('[0,1]') AS plain,
	svec_hash_extended('[-0,1]', 42) = svec_hash_extended('[0,1]', 42) AS extended,
	svec_hash('[0,1]') = svec_hash('[1,0]') AS order_counts,
	svec_hash_extended('[0,1]', 1) = svec_hash_extended('[0,1]', 2) AS seed_counts;
DROP INDEX t_btree;
CREATE INDEX t_hash ON t USING hash (v);
SET enable_seqscan = off;
SELECT count(*) FROM t WHERE v = '[0,-0]';
RESET enable_seqscan;

-- grouping and joins by sort, by hash and by merge agree
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT v, count(*) FROM t GROUP BY v;
SELECT count(*), sum(n), max(n) FROM (SELECT v, count(*) AS n FROM t GROUP BY v) s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*), sum(n), max(n) FROM (SELECT v, count(*) AS n FROM t GROUP BY v) s;
RESET enable_hashagg;
SET enable_mergejoin = off;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t a JOIN t b USING (v);
SELECT count(*) FROM t a JOIN t b USING (v);
RESET enable_mergejoin;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t a JOIN t b USING (v);
SELECT count(*) FROM t a JOIN t b USING (v);
RESET ALL;
DROP TABLE t;

-- partitions by hash
CREATE TABLE p (v svec) PARTITION BY HASH (v);
CREATE TABLE p0 PARTITION OF p FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE p1 PARTITION OF p FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO p SELECT ARRAY[i]::svec FROM generate_series(0, 99) i;
INSERT INTO p VALUES ('[-0]');
SELECT count(DISTINCT tableoid) FROM p;
SELECT count(DISTINCT tableoid), count(*) FROM p WHERE v = '[0]';
DROP TABLE p;
