-- hsvec: distances, arithmetic, functions, order, aggregates.
\set VERBOSITY terse

SELECT '[1,0]'::hsvec <=> '[1,1]' AS cosine, '[1,2]'::hsvec <-> '[4,6]' AS l2,
	'[1,2]'::hsvec <#> '[3,4]' AS ip, '[1,-2]'::hsvec <+> '[-1,1]' AS l1;
SELECT cosine_distance('[1,0]'::hsvec, '[0,2]'), l2_distance('[1,2]'::hsvec, '[4,6]'),
	inner_product('[1,2]'::hsvec, '[3,4]'), l1_distance('[1,-2]'::hsvec, '[-1,1]');
-- the whole range has an answer; a zero vector has no direction
SELECT '[65504,65504]'::hsvec <-> '[-65504,-65504]' AS huge,
	'[6e-8]'::hsvec <=> '[-65504]' AS far, '[6e-8]'::hsvec <#> '[6e-8]' AS tiny,
	'[0,0]'::hsvec <=> '[1,1]' AS no_direction;
SELECT '[1,2]'::hsvec <-> '[1]';
-- a mixed pair is compared as svec, whichever comes first
SELECT '[1,0.1]'::hsvec <-> '[1,0.1]'::svec AS rounding,
	'[1,0.1]'::svec <-> '[1,0.1]'::hsvec AS same_rounding,
	pg_typeof('[1]'::hsvec + '[1]'::svec) AS type;
-- the same distance as the widened vectors have, at all lengths
SELECT bool_and(d_cos = w_cos AND d_l2 = w_l2 AND d_ip = w_ip AND d_l1 = w_l1)
FROM generate_series(1, 200) n,
	LATERAL (SELECT array_agg(sin(i * n)) a, array_agg(cos(i + n)) b
		FROM generate_series(1, n) i) s,
	LATERAL (SELECT a::hsvec x, b::hsvec y) h,
	LATERAL (SELECT x <=> y, x <-> y, x <#> y, x <+> y,
		x::svec <=> y::svec, x::svec <-> y::svec, x::svec <#> y::svec, x::svec <+> y::svec)
		AS d (d_cos, d_l2, d_ip, d_l1, w_cos, w_l2, w_ip, w_l1);

SELECT '[1,2]'::hsvec + '[0.5,4]', '[1,2]'::hsvec - '[0.5,4]', '[3,2]'::hsvec * '[0.5,4]',
	'[1]'::hsvec || '[2,3]';
SELECT '[65504]'::hsvec + '[65504]';
SELECT '[-65504]'::hsvec - '[65504]';
SELECT '[300]'::hsvec * '[300]';
SELECT '[1e-4]'::hsvec * '[1e-4]';
SELECT '[1,2]'::hsvec + '[1]';
SELECT hsvec_dims('[1,2,3]'), vector_dims('[1,2]'::hsvec), hsvec_norm('[3,4]'),
	l2_norm('[3,4]'::hsvec), l2_normalize('[3,4]'::hsvec), l2_normalize('[0,0]'::hsvec);
SELECT hsvec_norm('[65504,65504]') > 92600 AS far_beyond_half;
SELECT subvector('[1,2,3,4]'::hsvec, 2, 2), subvector('[1,2,3]'::hsvec, -1, 3);
SELECT subvector('[1,2]'::hsvec, 3, 1);

-- order: components, then dimensions; -0 equals 0
SELECT v FROM unnest(ARRAY['[2]', '[1,2]', '[1]', '[-1,5]', '[1,2,0]', '[65504]', '[-65504]']::hsvec[]) v
ORDER BY v;
SELECT '[0]'::hsvec = '[-0]' AS eq, '[1]'::hsvec <> '[2]' AS ne, '[1]'::hsvec < '[1,0]' AS lt,
	'[2]'::hsvec <= '[1]' AS le, '[2]'::hsvec > '[1,9]' AS gt, '[2]'::hsvec >= '[2]' AS ge,
	hsvec_hash('[0,1]') = hsvec_hash('[-0,1]') AS same_hash,
	hsvec_hash('[0,1]') = hsvec_hash('[0,2]') AS other_hash;
-- the component that differs is found wherever it stands, behind zeros of either sign
SELECT count(*) AS pairs, count(*) FILTER (WHERE hsvec_cmp(a, b) <> -1 OR hsvec_cmp(b, a) <> 1) AS wrong,
	count(*) FILTER (WHERE hsvec_cmp(a, a + zero) <> 0 OR hsvec_cmp(b, b + zero) <> 0) AS unequal,
	count(*) FILTER (WHERE hsvec_cmp(a, a || zero) <> -1 OR hsvec_cmp(b || zero, b) <> 1) AS dims
FROM generate_series(1, 24) n, generate_series(1, n) at, LATERAL (
	SELECT array_agg(CASE WHEN i = at THEN 1 WHEN i % 5 = 0 THEN '-0' ELSE i % 2 END::real ORDER BY i)::hsvec AS a,
		array_agg(CASE WHEN i = at THEN 2 WHEN i % 5 = 0 THEN 0 WHEN i > at THEN -9 ELSE i % 2 END::real ORDER BY i)::hsvec AS b,
		array_fill(0::real, ARRAY[n])::hsvec AS zero
	FROM generate_series(1, n) i) vectors;
CREATE TABLE t (id int, v hsvec(2) UNIQUE);
INSERT INTO t SELECT i, ARRAY[i % 10, i / 10]::hsvec FROM generate_series(0, 99) i;
INSERT INTO t VALUES (100, '[3,4]');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM t WHERE v = '[3,4]';
SELECT id FROM t WHERE v = '[3,4]';
SELECT count(*) FROM t WHERE v >= '[3,4]' AND v < '[5,0]';
RESET enable_seqscan;
SET enable_sort = off;
SELECT count(*) FROM (SELECT v FROM t GROUP BY v) s;
RESET enable_sort;

-- aggregates keep double sums and round once
SELECT avg(v), sum(v) FROM t;
SELECT avg(v), sum(v) FROM t WHERE false;
SELECT avg(v) FROM unnest(ARRAY['[65504]', '[65504]']::hsvec[]) v;
SELECT sum(v) FROM unnest(ARRAY['[65504]', '[65504]']::hsvec[]) v;
SELECT sum(v) FROM unnest(ARRAY['[1]', '[1,2]']::hsvec[]) v;
SELECT hsvec_avg('{1,NaN}');
SELECT hsvec_accum('{}', '[1]');
SELECT hsvec_combine('{2,3,4}', '{1,10,20}'), hsvec_combine('{0}', '{1,2}');
DROP TABLE t;
