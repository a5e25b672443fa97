-- Casts of hsvec: arrays, svec, type modifiers.
\set VERBOSITY terse

SELECT ARRAY[1,2]::hsvec, ARRAY[1.5,2]::float4[]::hsvec, ARRAY[0.1]::float8[]::hsvec,
	ARRAY[1.25,-3]::numeric[]::hsvec;
SELECT '[1,2.5,3.5]'::hsvec::float4[], '[0.1]'::hsvec::float8[], '[1,2.5,3.5]'::hsvec::int[];
SELECT ARRAY[70000]::hsvec;
SELECT ARRAY['NaN']::float8[]::hsvec;
SELECT ARRAY['-Infinity']::float4[]::hsvec;
SELECT ARRAY[1e300]::float8[]::hsvec;
SELECT ARRAY[1,NULL]::int[]::hsvec;
SELECT ARRAY[[1]]::hsvec;
SELECT '{}'::int[]::hsvec;
SELECT ARRAY[1,2]::hsvec(3);

-- svec: widening is exact and implicit, narrowing rounds and may not fit
SELECT '[0.1,65504]'::svec::hsvec, '[0.1,65504]'::svec::hsvec::svec;
SELECT '[65520]'::svec::hsvec;
SELECT '[1,2]'::svec::hsvec(3);
SELECT '[1,2]'::hsvec::svec(3);
SELECT array_fill(1, ARRAY[16001])::hsvec::svec;
CREATE FUNCTION takes_svec(v svec) RETURNS text LANGUAGE sql AS 'SELECT v::text';
CREATE FUNCTION takes_hsvec(v hsvec) RETURNS text LANGUAGE sql AS 'SELECT v::text';
SELECT takes_svec('[1,2]'::hsvec);
SELECT takes_hsvec('[1,2]'::svec);
CREATE TABLE t (h hsvec(2), s svec(2));
INSERT INTO t VALUES ('[1,0.1]'::svec, '[1,0.1]'::hsvec);
INSERT INTO t (h) VALUES ('[1,2,3]'::svec);
SELECT * FROM t;
ALTER TABLE t ALTER s TYPE hsvec(2), ALTER h TYPE svec(2);
SELECT * FROM t;

SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'hsvec'::regtype IN (castsource, casttarget)
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";
DROP FUNCTION takes_svec, takes_hsvec;
DROP TABLE t;
