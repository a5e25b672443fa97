package postgres

// HnswWalk tells whether the session's last search by sorted_hnsw read all codes or
// walked the graph, and whether it ended at its bound.
const HnswWalk = `SELECT CASE WHEN last_flat THEN 'flat' ELSE 'graph' END || CASE WHEN last_bounded THEN ', bounded' ELSE '' END
FROM sorted_hnsw_scan_stats() WHERE role = current_user::regrole`
