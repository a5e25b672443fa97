package exttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// A snapshot that old_snapshot_threshold has made too old gives an error, not
// fewer rows, after VACUUM has taken rows that it sees out of the index: walking
// or comparing all, when a scan starts and when it goes on.
func TestHnswOldSnapshot(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"autovacuum": "off"}))
	conn := pgtest.Connect(t, c, "postgres")
	if pgtest.One[int](t, conn, `SELECT current_setting('server_version_num')::int`) >= 170000 {
		t.Skip("there is no old_snapshot_threshold since PostgreSQL 17")
	}
	pgtest.Exec(t, conn, `ALTER SYSTEM SET old_snapshot_threshold = 0`)
	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = pgtest.Connect(t, c, "postgres")
	for _, d := range []struct{ name, mode, deleted string }{
		{"walk", "graph", "id <= 300"}, {"flat", "flat", "id <= 300"}, {"emptied", "graph", "true"},
	} {
		t.Run(d.name, func(t *testing.T) {
			hnswTable(t, conn, d.name, 600, 8, "m = 4, ef_construction = 16")
			fresh, begun := pgtest.Connect(t, c, "postgres"), pgtest.Connect(t, c, "postgres")
			for _, reader := range []*pgx.Conn{fresh, begun} {
				pgtest.Exec(t, reader, `SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = `+d.mode,
					`SET sorted_hnsw.ef_search = 10`, `BEGIN ISOLATION LEVEL REPEATABLE READ`, `SELECT 1`)
			}
			query := fmt.Sprintf(`SELECT id FROM %s ORDER BY v <-> vec(5, 8)`, d.name)
			pgtest.Exec(t, begun, `DECLARE c CURSOR FOR `+query, `MOVE 5 IN c`)
			pgtest.Exec(t, conn, fmt.Sprintf(`DELETE FROM %s WHERE %s`, d.name, d.deleted))
			vacuumUntilEarly(t, conn, d.name)
			if _, err := fresh.Exec(t.Context(), query+` LIMIT 10`); sqlState(err) != "72000" {
				t.Errorf("a scan that starts: %v, want snapshot too old", err)
			}
			if d.mode == "flat" {
				return // has compared all before the first row
			}
			if _, err := begun.Exec(t.Context(), `MOVE ALL IN c`); sqlState(err) != "72000" {
				t.Errorf("a scan that goes on: %v, want snapshot too old", err)
			}
		})
	}
}

// vacuumUntilEarly waits until VACUUM removes rows that open snapshots see: old
// is what is older than some seconds.
func vacuumUntilEarly(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		pgtest.Exec(t, conn, `SELECT txid_current()`, fmt.Sprintf(`VACUUM (INDEX_CLEANUP on) %s`, table),
			`SELECT pg_stat_clear_snapshot()`, `SELECT pg_stat_force_next_flush()`, `SELECT 1`)
		if pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT count(*) FROM sorted_hnsw_check('%s')`, table)) != 0 {
			t.Fatal("the check complains")
		}
		dead := pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = '%s'`, table))
		if dead == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d dead rows are still there", dead)
		}
	}
}
