-- sorted_hnsw: statistics of scans

CREATE FUNCTION sorted_hnsw_scan_stats(OUT role regrole,
	OUT scans bigint, OUT flat bigint, OUT bounded bigint,
	OUT evaluated bigint, OUT fetched bigint, OUT pages bigint,
	OUT last_flat boolean, OUT last_bounded boolean,
	OUT last_evaluated bigint, OUT last_fetched bigint, OUT last_pages bigint,
	OUT last_source text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 1;
COMMENT ON FUNCTION sorted_hnsw_scan_stats() IS
	'how scans of sorted_hnsw indexes went in this session, all and the last, by role';

CREATE FUNCTION sorted_hnsw_reset_scan_stats() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION sorted_hnsw_reset_scan_stats() IS
	'forget what sorted_hnsw_scan_stats() shows';
