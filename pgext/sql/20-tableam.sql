-- Table access method: heap rows, kept in primary key order.

CREATE FUNCTION sorted_heap_tableam_handler(internal) RETURNS table_am_handler
	AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE ACCESS METHOD sorted_heap TYPE TABLE
	HANDLER sorted_heap_tableam_handler;

COMMENT ON ACCESS METHOD sorted_heap IS
	'heap tables kept in primary key order';

CREATE FUNCTION sorted_heap_compact(regclass) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000;

COMMENT ON FUNCTION sorted_heap_compact(regclass) IS
	'rewrite a table in primary key order, under an exclusive lock';

CREATE FUNCTION sorted_heap_merge(regclass,
	OUT state text, OUT blocks_before bigint, OUT blocks_after bigint,
	OUT method text, OUT rows_moved bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	COST 1000000 ROWS 5;

COMMENT ON FUNCTION sorted_heap_merge(regclass) IS
	'move rows that are out of key order, under an exclusive lock';

CREATE PROCEDURE sorted_heap_compact_online(regclass)
	AS 'MODULE_PATHNAME' LANGUAGE C;

COMMENT ON PROCEDURE sorted_heap_compact_online(regclass) IS
	'not supported yet';

CREATE PROCEDURE sorted_heap_merge_online(regclass)
	AS 'MODULE_PATHNAME' LANGUAGE C;

COMMENT ON PROCEDURE sorted_heap_merge_online(regclass) IS
	'not supported yet';
