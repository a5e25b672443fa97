-- svec(n) is enforced on every way into a column.

SELECT '[1,2,3]'::svec(3);
SELECT '[1,2,3]'::svec(2);
SELECT '[1,2,3]'::svec::svec(2);
SELECT '{1,2,3}'::real[]::svec(2);
SELECT '{"[1,2]","[3,4]"}'::svec(2)[];
SELECT '{"[1,2]","[3,4,5]"}'::svec(2)[];

-- the modifier itself
SELECT '[1]'::svec(0);
SELECT '[1]'::svec(-1);
SELECT '[1]'::svec(16001);
SELECT '[1]'::svec(1, 2);
SELECT '[1]'::svec('a');
SELECT format_type('svec'::regtype, 3), format_type('svec'::regtype, -1),
	format_type('svec[]'::regtype, 16000);

CREATE TABLE t (id int, v svec(3));
SELECT attname, format_type(atttypid, atttypmod)
FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0;

INSERT INTO t VALUES (1, '[1,2,3]'), (2, NULL);
INSERT INTO t VALUES (3, '[1,2]');
INSERT INTO t SELECT 3, v FROM (VALUES ('[1,2,3,4]'::svec)) AS s (v);
INSERT INTO t VALUES (3, '{1,2}'::real[]);
INSERT INTO t VALUES (3, '{1,2,3}'::float8[]);
UPDATE t SET v = v || '[4]' WHERE id = 1;
UPDATE t SET v = subvector(v || '[4]', 2, 3) WHERE id = 1;
COPY t FROM stdin;
4	[4,4,4]
\.
COPY t FROM stdin;
5	[5,5]
\.
COPY t FROM stdin WITH (FORMAT csv);
6,"[6,6,nan]"
\.
PREPARE put(svec) AS INSERT INTO t VALUES (7, $1);
EXECUTE put('[7,7,7]');
EXECUTE put('[7]');
DEALLOCATE put;
SELECT * FROM t ORDER BY id;

-- a change of type checks what is there
ALTER TABLE t ALTER v TYPE svec(4);
ALTER TABLE t ALTER v TYPE svec;
INSERT INTO t VALUES (8, '[8]');
ALTER TABLE t ALTER v TYPE svec(3);
DELETE FROM t WHERE id = 8;
ALTER TABLE t ALTER v TYPE svec(3);
INSERT INTO t VALUES (8, '[8]');
ALTER TABLE t ALTER v TYPE real[];
ALTER TABLE t ALTER v TYPE svec(2);
ALTER TABLE t ALTER v TYPE svec(3);
SELECT * FROM t WHERE id = 4;
ALTER TABLE t ADD w svec(2) DEFAULT '[1]';
ALTER TABLE t ADD w svec(2) DEFAULT '[1,2]';
SELECT w FROM t WHERE id = 4;
DROP TABLE t;

CREATE DOMAIN unit AS svec(2) CHECK (abs(svec_norm(VALUE) - 1) < 1e-6);
SELECT '[0.6,0.8]'::unit;
SELECT '[1,2]'::unit;
SELECT '[1]'::unit;
DROP DOMAIN unit;
