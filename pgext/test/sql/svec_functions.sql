-- Arithmetic and functions of svec.

SELECT '[1,2,3]'::svec + '[4,5,6]' AS sum, '[1,2,3]'::svec - '[4,5,6]' AS difference,
	'[1,2,3]'::svec * '[4,5,6]' AS product, '[1,2]'::svec || '[3]' AS concatenation;
SELECT '[3e38]'::svec + '[3e38]';
SELECT '[-3e38]'::svec - '[3e38]';
SELECT '[1e37]'::svec * '[1e37]';
SELECT '[1,1e-37]'::svec * '[1,1e-37]';
SELECT '[0,1e-30]'::svec * '[1e-30,0]' AS zero_factor, '[1e-30]'::svec * '[1e-10]' AS denormal;
SELECT '[1,2]'::svec + '[3]';
SELECT '[1,2]'::svec - '[3]';
SELECT '[1,2]'::svec * '[3]';
SELECT svec_dims(array_fill(0, ARRAY[15999])::svec || '[1]');
SELECT array_fill(0, ARRAY[16000])::svec || '[1]';

SELECT svec_dims('[1,2,3]'), vector_dims('[1,2,3]'::svec),
	svec_norm('[3,4]'), l2_norm('[3,4]'::svec), svec_norm('[0,0]');
-- sums in double precision neither overflow nor underflow
SELECT svec_norm('[3e37,4e37]')::real AS huge, svec_norm('[3e-40,4e-40]')::real AS tiny;

SELECT l2_normalize('[3,4]'::svec), l2_normalize('[0,0]'::svec) AS zero,
	l2_normalize('[3e38,-4e-40]'::svec) AS huge, l2_normalize('[0,1e-45]'::svec) AS tiny;

-- subvector clips at both ends, as substring does
SELECT start, count, subvector('[1,2,3,4,5]'::svec, start, count)
FROM (VALUES (1, 3), (3, 2), (5, 1), (-1, 3), (0, 2), (3, 9), (3, 2147483647), (1, 5)) AS t (start, count);
SELECT subvector('[1,2,3,4,5]'::svec, 1, 0);
SELECT subvector('[1,2,3,4,5]'::svec, 3, -1);
SELECT subvector('[1,2,3,4,5]'::svec, -1, 2);
SELECT subvector('[1,2,3,4,5]'::svec, 6, 1);
SELECT subvector('[1,2,3,4,5]'::svec, 2147483647, 2147483647);
SELECT subvector('[1,2,3,4,5]'::svec, -2147483648, -2147483648);
SELECT subvector('[1,2,3,4,5]'::svec, -2147483644, 2147483647);

-- every function of the type is strict, immutable and parallel safe
SELECT proisstrict, provolatile, proparallel, count(*) > 40 AS many
FROM pg_proc
WHERE probin LIKE '%sorted_heap' AND (prosrc LIKE 'svec%' OR prosrc = 'array_to_svec')
GROUP BY 1, 2, 3;
