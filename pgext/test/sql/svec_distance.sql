-- Distances between svec values, by operator and by function.

SELECT '[1,2]'::svec <=> '[2,4]' AS parallel, '[1,0]'::svec <=> '[0,2]' AS orthogonal,
	'[1,1]'::svec <=> '[-1,-1]' AS opposite, '[1,1]'::svec <=> '[1.1,1.1]' AS clamped;
SELECT '[0,0]'::svec <-> '[3,4]' AS l2, '[1,2]'::svec <#> '[3,4]' AS negative_ip,
	'[0,0]'::svec <+> '[3,-4]' AS l1, inner_product('[1,2]'::svec, '[3,4]') AS ip;
-- orthogonal means 0, not -0
SELECT '[1,0]'::svec <#> '[0,1]' AS negative_ip, inner_product('[1,0]'::svec, '[0,1]') AS ip,
	'[1,0]'::svec <#> '[0,-1]' AS negative_ip, inner_product('[1,0]'::svec, '[0,-1]') AS ip;

-- each operator is its functions, and symmetric
SELECT bool_and(a <=> b = cosine_distance(a, b) AND a <=> b = svec_cosine_distance(a, b)
		AND a <-> b = l2_distance(a, b) AND a <+> b = l1_distance(a, b)
		AND a <#> b = svec_negative_inner_product(a, b) AND a <#> b = -inner_product(a, b)) AS named,
	bool_and(a <=> b = b <=> a AND a <-> b = b <-> a AND a <#> b = b <#> a AND a <+> b = b <+> a) AS symmetric,
	bool_and(a <=> a BETWEEN 0 AND 1e-6 AND a <-> a = 0 AND a <+> a = 0) AS reflexive
FROM (SELECT array_agg(sin(i * 17 + d))::svec AS a, array_agg(cos(i * 31 + d * 3))::svec AS b
	  FROM generate_series(1, 50) i, generate_series(1, 61) d GROUP BY i) s;

-- against arithmetic in double precision, for every length of tail
WITH pairs AS (
	SELECT n, array_agg(x ORDER BY d) AS a, array_agg(y ORDER BY d) AS b
	FROM generate_series(1, 70) n, generate_series(1, n) d,
		LATERAL (SELECT sin(n * 7 + d)::float4::float8 AS x, cos(n + d * 5)::float4::float8 AS y) s
	GROUP BY n),
exact AS (
	SELECT n, a::svec, b::svec, dot, 1 - dot / sqrt(aa * bb) AS cosine, l1, l2
	FROM pairs, LATERAL (SELECT sum(x * y) AS dot, sum(x * x) AS aa, sum(y * y) AS bb,
			sum(abs(x - y)) AS l1, sqrt(sum((x - y) ^ 2)) AS l2
		FROM unnest(pairs.a, pairs.b) AS u (x, y)) e)
SELECT count(*), bool_and(abs((a <=> b) - cosine) < 1e-5) AS cosine,
	bool_and(abs((a <-> b) - l2) < 1e-5) AS l2,
	bool_and(abs((a <#> b) + dot) < 1e-5) AS ip, bool_and(abs((a <+> b) - l1) < 1e-4) AS l1
FROM exact;

-- the zero vector has no direction: NaN, which sorts last, and only for cosine
SELECT '[0,0]'::svec <=> '[1,2]' AS a, '[1,2]'::svec <=> '[0,-0]' AS b, '[0]'::svec <=> '[0]' AS c,
	'[0,0]'::svec <-> '[0,0]' AS l2, '[0,0]'::svec <#> '[1,2]' AS ip, '[0]'::svec <+> '[0]' AS l1;
SELECT v, v <=> '[1,0]' AS distance
FROM unnest('{"[0,0]","[-1,0]","[0,3]",NULL,"[2,0]"}'::svec[]) v
ORDER BY distance, v;
SELECT v FROM unnest('{"[0,0]","[-1,0]","[0,3]","[2,0]"}'::svec[]) v
ORDER BY v <=> '[1,0]' LIMIT 3;

-- huge and tiny components: every finite input has its finite answer
SELECT '[3e38]'::svec <=> '[3e38]' AS cosine, '[1e-45,0]'::svec <=> '[0,1e-45]' AS orthogonal,
	'[3e38]'::svec <-> '[-3e38]' AS l2, '[3e38]'::svec <#> '[3e38]' AS ip,
	'[3e38,3e38]'::svec <+> '[-3e38,-3e38]' AS l1, '[1e-30]'::svec <-> '[0]' AS tiny;

-- different dimensions
SELECT '[1,2]'::svec <=> '[1]';
SELECT '[1,2]'::svec <-> '[1]';
SELECT '[1,2]'::svec <#> '[1]';
SELECT '[1,2]'::svec <+> '[1,2,3]';
SELECT inner_product('[1,2]'::svec, '[1]');

-- out of line and short values are as good as plain ones
CREATE TABLE t (v svec);
INSERT INTO t SELECT array_agg(d % 10)::svec FROM generate_series(1, 3000) d;
INSERT INTO t VALUES ('[1,2]');
SELECT svec_dims(v), v <-> v AS self, abs(v <=> v) < 1e-6 AS cosine FROM t ORDER BY 1;
DROP TABLE t;
SELECT ('[1]'::svec <=> NULL) IS NULL AS strict;
