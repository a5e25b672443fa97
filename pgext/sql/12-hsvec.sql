-- hsvec: a vector of half-precision numbers in pgvector's halfvec layout,
-- src/types/hsvec*.c

CREATE TYPE hsvec;

CREATE FUNCTION hsvec_in(cstring, oid, integer) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_out(hsvec) RETURNS cstring
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_recv(internal, oid, integer) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_send(hsvec) RETURNS bytea
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE hsvec (
	INPUT = hsvec_in,
	OUTPUT = hsvec_out,
	TYPMOD_IN = hsvec_typmod_in,
	TYPMOD_OUT = hsvec_typmod_out,
	RECEIVE = hsvec_recv,
	SEND = hsvec_send,
	STORAGE = external
);

COMMENT ON TYPE hsvec IS 'vector of half-precision numbers, hsvec(n) has n dimensions';

-- Distances. Cost: one kernel call over a few hundred components takes as long
-- as several comparisons of scalars.

CREATE FUNCTION cosine_distance(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'hsvec_cosine_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_cosine_distance(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_distance(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'hsvec_l2_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l1_distance(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'hsvec_l1_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION inner_product(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'hsvec_inner_product'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_negative_inner_product(hsvec, hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR <=> (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_cosine_distance,
	COMMUTATOR = <=>
);

CREATE OPERATOR <-> (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = l2_distance,
	COMMUTATOR = <->
);

CREATE OPERATOR <#> (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_negative_inner_product,
	COMMUTATOR = <#>
);

CREATE OPERATOR <+> (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = l1_distance,
	COMMUTATOR = <+>
);

-- Arithmetic

CREATE FUNCTION hsvec_add(hsvec, hsvec) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_sub(hsvec, hsvec) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_mul(hsvec, hsvec) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_concat(hsvec, hsvec) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR + (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_add,
	COMMUTATOR = +
);

CREATE OPERATOR - (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_sub
);

CREATE OPERATOR * (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_mul,
	COMMUTATOR = *
);

CREATE OPERATOR || (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_concat
);

-- Functions of one vector

CREATE FUNCTION hsvec_dims(hsvec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION vector_dims(hsvec) RETURNS integer
	AS 'MODULE_PATHNAME', 'hsvec_dims'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_norm(hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_norm(hsvec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'hsvec_norm'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_normalize(hsvec) RETURNS hsvec
	AS 'MODULE_PATHNAME', 'hsvec_l2_normalize'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION subvector(hsvec, integer, integer) RETURNS hsvec
	AS 'MODULE_PATHNAME', 'hsvec_subvector'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Order and equality

CREATE FUNCTION hsvec_lt(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_le(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_eq(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_ne(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_ge(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_gt(hsvec, hsvec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_cmp(hsvec, hsvec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_hash(hsvec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_hash_extended(hsvec, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR < (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

CREATE OPERATOR <= (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

CREATE OPERATOR = (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel,
	HASHES, MERGES
);

CREATE OPERATOR <> (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR >= (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR > (
	LEFTARG = hsvec, RIGHTARG = hsvec, FUNCTION = hsvec_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR CLASS hsvec_ops
	DEFAULT FOR TYPE hsvec USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 hsvec_cmp(hsvec, hsvec);

CREATE OPERATOR CLASS hsvec_ops
	DEFAULT FOR TYPE hsvec USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 hsvec_hash(hsvec),
	FUNCTION 2 hsvec_hash_extended(hsvec, bigint);

-- Casts. Of the two types hsvec is widened implicitly, which loses nothing; the
-- other way is an assignment, so that no operator is ambiguous.

CREATE FUNCTION hsvec(hsvec, integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_hsvec(integer[], integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_hsvec(real[], integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_hsvec(double precision[], integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_hsvec(numeric[], integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_to_hsvec(svec, integer, boolean) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_to_svec(hsvec, integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_to_float4(hsvec) RETURNS real[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_to_float8(hsvec) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION hsvec_to_int4(hsvec) RETURNS integer[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE CAST (hsvec AS hsvec)
	WITH FUNCTION hsvec(hsvec, integer, boolean) AS IMPLICIT;

CREATE CAST (hsvec AS svec)
	WITH FUNCTION hsvec_to_svec(hsvec, integer, boolean) AS IMPLICIT;

CREATE CAST (svec AS hsvec)
	WITH FUNCTION svec_to_hsvec(svec, integer, boolean) AS ASSIGNMENT;

CREATE CAST (integer[] AS hsvec)
	WITH FUNCTION array_to_hsvec(integer[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (real[] AS hsvec)
	WITH FUNCTION array_to_hsvec(real[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (double precision[] AS hsvec)
	WITH FUNCTION array_to_hsvec(double precision[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (numeric[] AS hsvec)
	WITH FUNCTION array_to_hsvec(numeric[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (hsvec AS real[])
	WITH FUNCTION hsvec_to_float4(hsvec) AS ASSIGNMENT;

CREATE CAST (hsvec AS double precision[])
	WITH FUNCTION hsvec_to_float8(hsvec) AS ASSIGNMENT;

CREATE CAST (hsvec AS integer[])
	WITH FUNCTION hsvec_to_int4(hsvec) AS ASSIGNMENT;

-- Aggregates over a state of float8: count, then sums

CREATE FUNCTION hsvec_accum(double precision[], hsvec) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_combine(double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_avg(double precision[]) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION hsvec_sum(double precision[]) RETURNS hsvec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE AGGREGATE avg(hsvec) (
	SFUNC = hsvec_accum,
	STYPE = double precision[],
	FINALFUNC = hsvec_avg,
	COMBINEFUNC = hsvec_combine,
	INITCOND = '{0}',
	PARALLEL = SAFE
);

CREATE AGGREGATE sum(hsvec) (
	SFUNC = hsvec_accum,
	STYPE = double precision[],
	FINALFUNC = hsvec_sum,
	COMBINEFUNC = hsvec_combine,
	INITCOND = '{0}',
	PARALLEL = SAFE
);

COMMENT ON OPERATOR <=> (hsvec, hsvec) IS 'cosine distance, NaN to a vector of length zero';
COMMENT ON OPERATOR <-> (hsvec, hsvec) IS 'Euclidean distance';
COMMENT ON OPERATOR <#> (hsvec, hsvec) IS 'negative inner product';
COMMENT ON OPERATOR <+> (hsvec, hsvec) IS 'sum of absolute differences';
COMMENT ON OPERATOR + (hsvec, hsvec) IS 'sum by component';
COMMENT ON OPERATOR - (hsvec, hsvec) IS 'difference by component';
COMMENT ON OPERATOR * (hsvec, hsvec) IS 'product by component';
COMMENT ON OPERATOR || (hsvec, hsvec) IS 'concatenate';
COMMENT ON FUNCTION cosine_distance(hsvec, hsvec) IS 'same as operator <=>';
COMMENT ON FUNCTION inner_product(hsvec, hsvec) IS 'sum of products by component';
COMMENT ON FUNCTION hsvec_dims(hsvec) IS 'number of components';
COMMENT ON FUNCTION vector_dims(hsvec) IS 'number of components';
COMMENT ON FUNCTION hsvec_norm(hsvec) IS 'Euclidean length';
COMMENT ON FUNCTION l2_norm(hsvec) IS 'Euclidean length';
COMMENT ON FUNCTION l2_normalize(hsvec) IS 'scale to length 1';
COMMENT ON FUNCTION subvector(hsvec, integer, integer) IS 'components from a position, counted from 1, so many';
COMMENT ON AGGREGATE avg(hsvec) IS 'mean by component';
COMMENT ON AGGREGATE sum(hsvec) IS 'sum by component';
