-- Casts between svec and arrays of numbers.

SELECT ARRAY[1,2,3]::svec, ARRAY[1.5,2.5]::svec AS numeric, '{1.5,2}'::real[]::svec,
	'{1.5,2}'::float8[]::svec, '{1,2,3}'::real[]::svec(3);
-- the lower bound does not matter; a slice is an array
SELECT '[5:6]={1,2}'::int[]::svec, (ARRAY[1,2,3,4])[2:3]::svec;
SELECT ARRAY[16777217, 2147483647, -2147483648]::svec AS rounded, '{1e-46,0.1}'::float8[]::svec AS small;
SELECT '[1,2.5,-3]'::svec::real[], '[1,2.5,-3]'::svec::float8[], '[1,2.5,-3.5,0.5]'::svec::int[];
SELECT array_dims('[1,2]'::svec::real[]), pg_typeof('[1]'::svec::float8[]);
-- 0.1 as float4, seen in double precision
SELECT '[0.1]'::svec::float8[];

SELECT '{}'::real[]::svec;
SELECT '{{1,2}}'::real[]::svec;
SELECT '{{1},{2}}'::numeric[]::svec;
SELECT '{1,NULL}'::real[]::svec;
SELECT '{1,NULL}'::numeric[]::svec;
SELECT '{1,NULL}'::int[]::svec;
SELECT '{1,NaN}'::real[]::svec;
SELECT '{Infinity}'::real[]::svec;
SELECT '{-Infinity}'::real[]::svec;
SELECT '{NaN}'::float8[]::svec;
SELECT '{-Infinity}'::float8[]::svec;
SELECT '{4e38}'::float8[]::svec;
SELECT '{-1e300}'::float8[]::svec;
SELECT '{NaN}'::numeric[]::svec;
SELECT '{Infinity}'::numeric[]::svec;
SELECT '{1e39}'::numeric[]::svec;
SELECT '[3e9]'::svec::int[];
SELECT '[2147483648]'::svec::int[];
SELECT '{1,2,3}'::int[]::svec(2);
SELECT array_agg(n)::svec FROM generate_series(1, 16001) n;
SELECT array_to_svec(array_agg(n), 16001, false) FROM generate_series(1, 16001) n;
SELECT svec_dims(array_agg(n)::svec) FROM generate_series(1, 16000) n;

-- there and back
SELECT bool_and(v::real[]::svec = v AND v::float8[]::svec = v AND v::text::svec = v)
FROM (SELECT array_agg(sin(i * d))::svec AS v
	  FROM generate_series(1, 50) i, generate_series(1, 30) d GROUP BY i) s;

-- arrays go into a column by assignment, never into an operator by surprise
CREATE TABLE t (v svec, a real[], d float8[], i int[]);
INSERT INTO t VALUES (ARRAY[1,2]), (ARRAY[1.5]), ('{1}'::real[]), ('{2}'::float8[]);
INSERT INTO t (a, d, i) SELECT v, v, v FROM t WHERE svec_dims(v) = 2;
SELECT * FROM t;
SELECT '{1}'::real[] <=> '[1]'::svec;
DROP TABLE t;
-- and only real[] comes out implicitly
CREATE FUNCTION total(real[]) RETURNS real LANGUAGE sql AS 'SELECT sum(x) FROM unnest($1) x';
CREATE FUNCTION total8(float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT sum(x) FROM unnest($1) x';
SELECT total('[1,2]'::svec);
SELECT total8('[1,2]'::svec);
DROP FUNCTION total, total8;
SELECT castsource::regtype, casttarget::regtype, castcontext
FROM pg_cast WHERE 'svec'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
-- arrays keep their own operators
SELECT ARRAY[1,2,3] = ARRAY[1,2,3] AS equal, ARRAY[1] || ARRAY[2] AS both;
