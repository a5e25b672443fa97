-- What sorted_hnsw keeps after the vector: operator classes of filter columns.
-- They have no support functions: the index compares images of values.

-- Integers of all widths share one family, so that a bigint constant can be
-- looked up in an integer column.
CREATE OPERATOR FAMILY integer_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS int2_hnsw_ops
	DEFAULT FOR TYPE int2 USING sorted_hnsw FAMILY integer_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR CLASS int4_hnsw_ops
	DEFAULT FOR TYPE int4 USING sorted_hnsw FAMILY integer_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR CLASS int8_hnsw_ops
	DEFAULT FOR TYPE int8 USING sorted_hnsw FAMILY integer_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

ALTER OPERATOR FAMILY integer_hnsw_ops USING sorted_hnsw ADD
	OPERATOR 1 < (int2, int4),
	OPERATOR 2 <= (int2, int4),
	OPERATOR 3 = (int2, int4),
	OPERATOR 4 >= (int2, int4),
	OPERATOR 5 > (int2, int4),
	OPERATOR 1 < (int2, int8),
	OPERATOR 2 <= (int2, int8),
	OPERATOR 3 = (int2, int8),
	OPERATOR 4 >= (int2, int8),
	OPERATOR 5 > (int2, int8),
	OPERATOR 1 < (int4, int2),
	OPERATOR 2 <= (int4, int2),
	OPERATOR 3 = (int4, int2),
	OPERATOR 4 >= (int4, int2),
	OPERATOR 5 > (int4, int2),
	OPERATOR 1 < (int4, int8),
	OPERATOR 2 <= (int4, int8),
	OPERATOR 3 = (int4, int8),
	OPERATOR 4 >= (int4, int8),
	OPERATOR 5 > (int4, int8),
	OPERATOR 1 < (int8, int2),
	OPERATOR 2 <= (int8, int2),
	OPERATOR 3 = (int8, int2),
	OPERATOR 4 >= (int8, int2),
	OPERATOR 5 > (int8, int2),
	OPERATOR 1 < (int8, int4),
	OPERATOR 2 <= (int8, int4),
	OPERATOR 3 = (int8, int4),
	OPERATOR 4 >= (int8, int4),
	OPERATOR 5 > (int8, int4);

CREATE OPERATOR FAMILY oid_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS oid_hnsw_ops
	DEFAULT FOR TYPE oid USING sorted_hnsw FAMILY oid_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY bool_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS bool_hnsw_ops
	DEFAULT FOR TYPE bool USING sorted_hnsw FAMILY bool_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY date_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS date_hnsw_ops
	DEFAULT FOR TYPE date USING sorted_hnsw FAMILY date_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY timestamp_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS timestamp_hnsw_ops
	DEFAULT FOR TYPE timestamp USING sorted_hnsw FAMILY timestamp_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY timestamptz_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS timestamptz_hnsw_ops
	DEFAULT FOR TYPE timestamptz USING sorted_hnsw FAMILY timestamptz_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY uuid_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS uuid_hnsw_ops
	DEFAULT FOR TYPE uuid USING sorted_hnsw FAMILY uuid_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

-- Columns of type varchar use this one, too. The collation must order as
-- COLLATE "C" does, which the build checks.
CREATE OPERATOR FAMILY text_hnsw_ops USING sorted_hnsw;

CREATE OPERATOR CLASS text_hnsw_ops
	DEFAULT FOR TYPE text USING sorted_hnsw FAMILY text_hnsw_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

