package postgres

import (
	"strconv"

	"sortedheap/internal/harness/engine"
)

// This file has what engines with an index of access method sorted_hnsw share.

// HnswWalk tells whether the session's last search by sorted_hnsw read all codes or
// walked the graph, and whether it ended at its bound.
const HnswWalk = `SELECT CASE WHEN last_flat THEN 'flat' ELSE 'graph' END || CASE WHEN last_bounded THEN ', bounded' ELSE '' END
FROM sorted_hnsw_scan_stats() WHERE role = current_user::regrole`

// TuneHnsw are the settings of sorted_hnsw that a tuning asks for.
func TuneHnsw(t engine.Tuning) map[string]string {
	settings := map[string]string{}
	if t.EfSearch != 0 {
		settings["sorted_hnsw.ef_search"] = strconv.Itoa(t.EfSearch)
	}
	if t.ScanMode != "" {
		settings["sorted_hnsw.scan_mode"] = t.ScanMode
	}
	return settings
}
