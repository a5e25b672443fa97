-- sorted_hnsw: the check

CREATE FUNCTION sorted_hnsw_check(regclass,
	OUT object regclass, OUT block bigint, OUT fault text, OUT severity text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	COST 1000000 ROWS 1;

COMMENT ON FUNCTION sorted_hnsw_check(regclass) IS
	'faults of the sorted_hnsw indexes of a table, or of one such index, and warnings of what broken commands left';
