-- Operator classes of sorted_hnsw: ours are valid, others are told what is wrong
-- with them and refused when an index would use them.
CREATE SCHEMA hnsw_validate;
SET search_path = hnsw_validate, public;

-- Ours: one default a type, and nothing is reported.
SELECT opcname, opcintype::regtype, opcdefault, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE amname = 'sorted_hnsw' ORDER BY opcname COLLATE "C";

-- Operators between integers of different widths, and none besides.
SELECT amoplefttype::regtype, amoprighttype::regtype, count(*)
FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily JOIN pg_am a ON a.oid = opfmethod
WHERE amname = 'sorted_hnsw' AND amoplefttype <> amoprighttype
GROUP BY 1, 2 ORDER BY 1, 2;

CREATE FUNCTION report(class text) RETURNS bool LANGUAGE sql
	AS $$ SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = class $$;
CREATE TABLE t (e svec(3), n int, b bytea);
INSERT INTO t VALUES ('[1,2,3]', 1, 'x');

-- Vectors: the operator is not what the support function computes.
CREATE OPERATOR CLASS crossed_ops FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <-> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 svec_cosine_distance(svec, svec);
SELECT report('crossed_ops');
CREATE INDEX ON t USING sorted_hnsw (e crossed_ops);

-- No function of ours at all; one of ours under another name is.
CREATE FUNCTION far(svec, svec) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 1::float8';
CREATE OPERATOR <~> (LEFTARG = svec, RIGHTARG = svec, FUNCTION = far);
CREATE OPERATOR CLASS far_ops FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <~> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 far(svec, svec);
SELECT report('far_ops');
CREATE INDEX ON t USING sorted_hnsw (e far_ops);
CREATE OPERATOR CLASS euclid_ops FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <-> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 l2_distance(svec, svec);
SELECT report('euclid_ops');

-- No support function, no operator, an operator to search by, a second one.
CREATE OPERATOR CLASS lame_ops FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <=> (svec, svec) FOR ORDER BY float_ops;
SELECT report('lame_ops');
CREATE INDEX ON t USING sorted_hnsw (e lame_ops);
CREATE OPERATOR CLASS mute_ops FOR TYPE svec USING sorted_hnsw AS
	FUNCTION 1 svec_cosine_distance(svec, svec);
SELECT report('mute_ops');
CREATE INDEX ON t USING sorted_hnsw (e mute_ops);
CREATE OPERATOR CLASS many_ops FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 = (svec, svec),
	OPERATOR 2 <=> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 svec_cosine_distance(svec, svec);
SELECT report('many_ops');
CREATE INDEX ON t USING sorted_hnsw (e many_ops);

-- Filters: operators that are not btree's, too few, for a type without images,
-- with a function.
CREATE OPERATOR CLASS upside_ops FOR TYPE int4 USING sorted_hnsw AS
	OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <;
SELECT report('upside_ops');
CREATE INDEX ON t USING sorted_hnsw (e, n upside_ops);
CREATE OPERATOR CLASS equal_ops FOR TYPE int4 USING sorted_hnsw AS OPERATOR 3 =;
SELECT report('equal_ops');
CREATE INDEX ON t USING sorted_hnsw (e, n equal_ops);
CREATE OPERATOR CLASS bytes_ops FOR TYPE bytea USING sorted_hnsw AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
SELECT report('bytes_ops');
CREATE INDEX ON t USING sorted_hnsw (e, b bytes_ops);
CREATE OPERATOR CLASS busy_ops FOR TYPE int4 USING sorted_hnsw AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 btint4cmp(int4, int4);
SELECT report('busy_ops');

-- An operator between types of different images.
BEGIN;
ALTER OPERATOR FAMILY date_hnsw_ops USING sorted_hnsw ADD OPERATOR 3 = (date, timestamp);
SELECT report('date_hnsw_ops');
ROLLBACK;

-- A vector goes first, and only there.
CREATE INDEX ON t USING sorted_hnsw (n, e);
\set VERBOSITY sqlstate
CREATE INDEX ON t USING sorted_hnsw (e, e);
SET client_min_messages = warning;
DROP SCHEMA hnsw_validate CASCADE;
