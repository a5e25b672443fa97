-- The zone map: index access method sorted_zone and its operator classes.

CREATE FUNCTION sorted_zone_handler(internal) RETURNS index_am_handler
	AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE ACCESS METHOD sorted_zone TYPE INDEX HANDLER sorted_zone_handler;

COMMENT ON ACCESS METHOD sorted_zone IS
	'zone map: smallest and largest key of every heap block';

-- Integers of all widths share one family, so that a bigint constant can be
-- looked up in an integer column.
CREATE OPERATOR FAMILY integer_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS int2_zone_ops
	DEFAULT FOR TYPE int2 USING sorted_zone FAMILY integer_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR CLASS int4_zone_ops
	DEFAULT FOR TYPE int4 USING sorted_zone FAMILY integer_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR CLASS int8_zone_ops
	DEFAULT FOR TYPE int8 USING sorted_zone FAMILY integer_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

ALTER OPERATOR FAMILY integer_zone_ops USING sorted_zone ADD
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

CREATE OPERATOR FAMILY oid_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS oid_zone_ops
	DEFAULT FOR TYPE oid USING sorted_zone FAMILY oid_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY bool_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS bool_zone_ops
	DEFAULT FOR TYPE bool USING sorted_zone FAMILY bool_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY date_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS date_zone_ops
	DEFAULT FOR TYPE date USING sorted_zone FAMILY date_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY timestamp_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS timestamp_zone_ops
	DEFAULT FOR TYPE timestamp USING sorted_zone FAMILY timestamp_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY timestamptz_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS timestamptz_zone_ops
	DEFAULT FOR TYPE timestamptz USING sorted_zone FAMILY timestamptz_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY uuid_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS uuid_zone_ops
	DEFAULT FOR TYPE uuid USING sorted_zone FAMILY uuid_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

-- Columns of type varchar use this one, too. The collation must order as
-- COLLATE "C" does, which the build checks.
CREATE OPERATOR FAMILY text_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS text_zone_ops
	DEFAULT FOR TYPE text USING sorted_zone FAMILY text_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE OPERATOR FAMILY bytea_zone_ops USING sorted_zone;

CREATE OPERATOR CLASS bytea_zone_ops
	DEFAULT FOR TYPE bytea USING sorted_zone FAMILY bytea_zone_ops AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >;

CREATE FUNCTION sorted_heap_zonemap_stats(regclass,
	OUT index regclass, OUT blocks bigint, OUT sealed bigint, OUT wide bigint,
	OUT empty bigint, OUT open bigint, OUT loose bigint, OUT tried bigint,
	OUT gathering bigint, OUT chains bigint, OUT widens bigint,
	OUT index_pages bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	COST 10000 ROWS 1;

COMMENT ON FUNCTION sorted_heap_zonemap_stats(regclass) IS
	'heap blocks by state in the zone maps of a table';

CREATE FUNCTION sorted_heap_check(regclass,
	OUT object regclass, OUT block bigint, OUT fault text, OUT severity text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	COST 1000000 ROWS 1;

COMMENT ON FUNCTION sorted_heap_check(regclass) IS
	'faults of the zone maps of a table, and a warning where rows are out of key order';

CREATE FUNCTION sorted_heap_rebuild_zonemap(regclass) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	COST 1000000;

COMMENT ON FUNCTION sorted_heap_rebuild_zonemap(regclass) IS
	'read every block of a table and seal its zone maps anew';

CREATE FUNCTION sorted_heap_scan_stats(OUT role regrole,
	OUT lookups bigint, OUT declined bigint, OUT heap_blocks bigint,
	OUT bounded_blocks bigint, OUT searched_blocks bigint,
	OUT pruned_blocks bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 1;

COMMENT ON FUNCTION sorted_heap_scan_stats() IS
	'what lookups in zone maps returned and pruned in this session, by role';

CREATE FUNCTION sorted_heap_reset_stats() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

COMMENT ON FUNCTION sorted_heap_reset_stats() IS
	'forget what sorted_heap_scan_stats() shows';
