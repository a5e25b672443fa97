-- svec: a vector of float4 in pgvector's layout, src/types/svec*.c
--
-- Function names follow pgvector's; a name that pgvector has with one argument
-- type only (vector_norm) is not overloaded here, so that its calls with an
-- untyped literal stay unambiguous where both extensions share a schema.

CREATE TYPE svec;

CREATE FUNCTION svec_in(cstring, oid, integer) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_out(svec) RETURNS cstring
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_recv(internal, oid, integer) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_send(svec) RETURNS bytea
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE svec (
	INPUT = svec_in,
	OUTPUT = svec_out,
	TYPMOD_IN = svec_typmod_in,
	TYPMOD_OUT = svec_typmod_out,
	RECEIVE = svec_recv,
	SEND = svec_send,
	STORAGE = external
);

COMMENT ON TYPE svec IS 'vector of single-precision numbers, svec(n) has n dimensions';

-- Distances. Cost: one kernel call over a few hundred components takes as long
-- as several comparisons of scalars.

CREATE FUNCTION cosine_distance(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'svec_cosine_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_cosine_distance(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_distance(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'svec_l2_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l1_distance(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'svec_l1_distance'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION inner_product(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'svec_inner_product'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_negative_inner_product(svec, svec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR <=> (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_cosine_distance,
	COMMUTATOR = <=>
);

CREATE OPERATOR <-> (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = l2_distance,
	COMMUTATOR = <->
);

CREATE OPERATOR <#> (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_negative_inner_product,
	COMMUTATOR = <#>
);

CREATE OPERATOR <+> (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = l1_distance,
	COMMUTATOR = <+>
);

-- Arithmetic

CREATE FUNCTION svec_add(svec, svec) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_sub(svec, svec) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_mul(svec, svec) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_concat(svec, svec) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR + (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_add,
	COMMUTATOR = +
);

CREATE OPERATOR - (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_sub
);

CREATE OPERATOR * (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_mul,
	COMMUTATOR = *
);

CREATE OPERATOR || (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_concat
);

-- Functions of one vector

CREATE FUNCTION svec_dims(svec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION vector_dims(svec) RETURNS integer
	AS 'MODULE_PATHNAME', 'svec_dims'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_norm(svec) RETURNS double precision
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_norm(svec) RETURNS double precision
	AS 'MODULE_PATHNAME', 'svec_norm'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION l2_normalize(svec) RETURNS svec
	AS 'MODULE_PATHNAME', 'svec_l2_normalize'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION subvector(svec, integer, integer) RETURNS svec
	AS 'MODULE_PATHNAME', 'svec_subvector'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Order and equality

CREATE FUNCTION svec_lt(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_le(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_eq(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_ne(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_ge(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_gt(svec, svec) RETURNS boolean
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_cmp(svec, svec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_hash(svec) RETURNS integer
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_hash_extended(svec, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE OPERATOR < (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_lt,
	COMMUTATOR = >, NEGATOR = >=,
	RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

CREATE OPERATOR <= (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_le,
	COMMUTATOR = >=, NEGATOR = >,
	RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

CREATE OPERATOR = (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_eq,
	COMMUTATOR = =, NEGATOR = <>,
	RESTRICT = eqsel, JOIN = eqjoinsel,
	HASHES, MERGES
);

CREATE OPERATOR <> (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_ne,
	COMMUTATOR = <>, NEGATOR = =,
	RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR >= (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_ge,
	COMMUTATOR = <=, NEGATOR = <,
	RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR > (
	LEFTARG = svec, RIGHTARG = svec, FUNCTION = svec_gt,
	COMMUTATOR = <, NEGATOR = <=,
	RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR CLASS svec_ops
	DEFAULT FOR TYPE svec USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 svec_cmp(svec, svec);

CREATE OPERATOR CLASS svec_ops
	DEFAULT FOR TYPE svec USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 svec_hash(svec),
	FUNCTION 2 svec_hash_extended(svec, bigint);

-- Casts. Only svec to real[] is implicit, as pgvector's; the other arrays would
-- make calls with several array overloads ambiguous.

CREATE FUNCTION svec(svec, integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_svec(integer[], integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_svec(real[], integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_svec(double precision[], integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION array_to_svec(numeric[], integer, boolean) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_to_float4(svec) RETURNS real[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_to_float8(svec) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION svec_to_int4(svec) RETURNS integer[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE CAST (svec AS svec)
	WITH FUNCTION svec(svec, integer, boolean) AS IMPLICIT;

CREATE CAST (integer[] AS svec)
	WITH FUNCTION array_to_svec(integer[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (real[] AS svec)
	WITH FUNCTION array_to_svec(real[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (double precision[] AS svec)
	WITH FUNCTION array_to_svec(double precision[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (numeric[] AS svec)
	WITH FUNCTION array_to_svec(numeric[], integer, boolean) AS ASSIGNMENT;

CREATE CAST (svec AS real[])
	WITH FUNCTION svec_to_float4(svec) AS IMPLICIT;

CREATE CAST (svec AS double precision[])
	WITH FUNCTION svec_to_float8(svec) AS ASSIGNMENT;

CREATE CAST (svec AS integer[])
	WITH FUNCTION svec_to_int4(svec) AS ASSIGNMENT;

-- Aggregates over a state of float8: count, then sums

CREATE FUNCTION svec_accum(double precision[], svec) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_combine(double precision[], double precision[]) RETURNS double precision[]
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_avg(double precision[]) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE FUNCTION svec_sum(double precision[]) RETURNS svec
	AS 'MODULE_PATHNAME'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

CREATE AGGREGATE avg(svec) (
	SFUNC = svec_accum,
	STYPE = double precision[],
	FINALFUNC = svec_avg,
	COMBINEFUNC = svec_combine,
	INITCOND = '{0}',
	PARALLEL = SAFE
);

CREATE AGGREGATE sum(svec) (
	SFUNC = svec_accum,
	STYPE = double precision[],
	FINALFUNC = svec_sum,
	COMBINEFUNC = svec_combine,
	INITCOND = '{0}',
	PARALLEL = SAFE
);

COMMENT ON OPERATOR <=> (svec, svec) IS 'cosine distance, NaN to a vector of length zero';
COMMENT ON OPERATOR <-> (svec, svec) IS 'Euclidean distance';
COMMENT ON OPERATOR <#> (svec, svec) IS 'negative inner product';
COMMENT ON OPERATOR <+> (svec, svec) IS 'sum of absolute differences';
COMMENT ON OPERATOR + (svec, svec) IS 'sum by component';
COMMENT ON OPERATOR - (svec, svec) IS 'difference by component';
COMMENT ON OPERATOR * (svec, svec) IS 'product by component';
COMMENT ON OPERATOR || (svec, svec) IS 'concatenate';
COMMENT ON FUNCTION cosine_distance(svec, svec) IS 'same as operator <=>';
COMMENT ON FUNCTION inner_product(svec, svec) IS 'sum of products by component';
COMMENT ON FUNCTION svec_dims(svec) IS 'number of components';
COMMENT ON FUNCTION vector_dims(svec) IS 'number of components';
COMMENT ON FUNCTION svec_norm(svec) IS 'Euclidean length';
COMMENT ON FUNCTION l2_norm(svec) IS 'Euclidean length';
COMMENT ON FUNCTION l2_normalize(svec) IS 'scale to length 1';
COMMENT ON FUNCTION subvector(svec, integer, integer) IS 'components from a position, counted from 1, so many';
COMMENT ON AGGREGATE avg(svec) IS 'mean by component';
COMMENT ON AGGREGATE sum(svec) IS 'sum by component';
