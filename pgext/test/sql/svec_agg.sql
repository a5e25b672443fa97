-- avg and sum of svec.

SELECT avg(v), sum(v) FROM unnest('{"[1,2,3]","[3,5,7]"}'::svec[]) v;
SELECT avg(v), sum(v) FROM unnest('{NULL,"[1,2,3]",NULL,"[3,5,7]"}'::svec[]) v;
SELECT avg(v), sum(v) FROM unnest('{}'::svec[]) v;
SELECT avg(v), sum(v) FROM unnest('{NULL,NULL}'::svec[]) v;
SELECT avg(v) FROM unnest('{"[1,2]","[3]"}'::svec[]) v;
SELECT sum(v) FROM unnest('{"[1,2]","[3]"}'::svec[]) v;

-- sums are kept in double precision: only a result can overflow
SELECT avg(v) FROM unnest('{"[3e38]","[3e38]"}'::svec[]) v;
SELECT sum(v) FROM unnest('{"[3e38]","[3e38]"}'::svec[]) v;
SELECT sum(v) FROM unnest('{"[3e38]","[3e38]","[-3e38]"}'::svec[]) v;
SELECT sum(v) FROM (SELECT '[16777216]'::svec UNION ALL
	SELECT '[1]' FROM generate_series(1, 100)) AS s (v);

-- groups do not share their state; windows see it grow
SELECT g, avg(v), sum(v), count(*)
FROM (SELECT i % 3 AS g, ARRAY[i, -i]::svec AS v FROM generate_series(1, 9) i) s
GROUP BY g ORDER BY g;
SELECT i, sum(v) OVER (ORDER BY i), avg(v) OVER (ORDER BY i ROWS 1 PRECEDING)
FROM (SELECT i, ARRAY[i, 10 * i]::svec AS v FROM generate_series(1, 5) i) s;
SELECT sum(DISTINCT v), sum(v) FILTER (WHERE v > '[1]'), sum(v ORDER BY v DESC)
FROM unnest('{"[1]","[2]","[2]"}'::svec[]) v;

-- partial aggregates combine, also where some workers saw no row
CREATE TABLE t (g int, v svec(2));
INSERT INTO t SELECT i % 2, ARRAY[i, 1]::svec FROM generate_series(1, 2000) i;
ANALYZE t;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 3;
EXPLAIN (COSTS OFF) SELECT sum(v), avg(v) FROM t;
SELECT sum(v), avg(v) FROM t;
SELECT sum(v), avg(v) FROM t WHERE v = '[7,1]';
SELECT sum(v), avg(v) FROM t WHERE v = '[0,0]';
COMMIT;
DROP TABLE t;

-- the support functions do not trust their arguments
SELECT svec_accum('{1,10}', '[1]'), svec_combine('{1,10}', '{2,20}'),
	svec_combine('{0}', '{2,20}'), svec_combine('{2,20}', '{0}'), svec_combine('{0}', '{0}');
SELECT svec_accum('{1,10,20}', '[1]');
SELECT svec_combine('{1,10}', '{1,10,20}');
SELECT svec_accum('{}', '[1]');
SELECT svec_accum('{{1,2}}', '[1]');
SELECT svec_accum('{1,NULL}', '[1]');
SELECT svec_avg('{1,NaN}');
SELECT svec_avg('{NaN,1}');
SELECT svec_sum('{1,Infinity}');
SELECT svec_sum('{1,1e300}');
SELECT svec_avg('{1}');
SELECT svec_avg('{0}') IS NULL, svec_sum('{0}') IS NULL;
SELECT svec_avg(array_agg(n)) FROM generate_series(1, 16002) n;

-- called outside an aggregate they leave their argument alone
SELECT a, svec_accum(a, '[1]'), svec_combine(a, a), a AS still
FROM (VALUES ('{1,10}'::float8[])) AS s (a);
