-- sorted_hnsw: the cache

CREATE FUNCTION sorted_hnsw_cache_stats(OUT database oid, OUT index regclass,
	OUT source text, OUT state text, OUT nodes bigint, OUT bytes bigint,
	OUT pins integer, OUT scans bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION sorted_hnsw_cache_stats() IS
	'versions of sorted_hnsw indexes in memory: shared ones of indexes that the caller owns, or all for members of pg_monitor, and those of this session';
