package exttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// A snapshot that old_snapshot_threshold has made too old gives an error, not
// what is left of its rows, where pages of the index have changed since: walking
// or comparing all, when a scan starts and when it goes on. Pages that have not
// changed are read as ever.
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
	modes := []string{"graph", "flat"}
	readers := map[string]*pgx.Conn{}
	query := func(mode string) string { return fmt.Sprintf(`SELECT id FROM %s ORDER BY v <-> vec(5, 8)`, mode) }
	hnswTable(t, conn, "unchanged", 300, 8, "m = 4, ef_construction = 16")
	for _, mode := range modes {
		hnswTable(t, conn, mode, 600, 8, "m = 4, ef_construction = 16")
	}
	for _, mode := range modes {
		reader := pgtest.Connect(t, c, "postgres")
		readers[mode] = reader
		pgtest.Exec(t, reader, `SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = `+mode,
			`SET sorted_hnsw.ef_search = 10`, `BEGIN ISOLATION LEVEL REPEATABLE READ`,
			`DECLARE c CURSOR FOR `+query(mode), `MOVE 5 IN c`)
	}
	for _, mode := range modes {
		pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO %s SELECT i, vec(i, 8) FROM generate_series(601, 1200) i`, mode))
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			reader := readers[mode]
			tooOld(t, conn, reader, query(mode)+` LIMIT 10`)
			pgtest.Exec(t, reader, `SAVEPOINT s`, `SELECT id FROM unchanged ORDER BY v <-> vec(5, 8) LIMIT 10`)
			if mode == "flat" {
				return // the cursor has compared all before its first row
			}
			if _, err := reader.Exec(t.Context(), `MOVE ALL IN c`); sqlState(err) != "72000" {
				t.Errorf("a scan that goes on: %v, want snapshot too old", err)
			}
		})
	}
}

// tooOld repeats a query until the reader's snapshot is too old for it, which
// is so after some seconds, when VACUUM has looked at the clock.
func tooOld(t *testing.T, conn, reader *pgx.Conn, query string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		pgtest.Exec(t, conn, `VACUUM graph`, `SELECT pg_sleep(0.2)`)
		pgtest.Exec(t, reader, `SAVEPOINT s`)
		_, err := reader.Exec(t.Context(), query)
		pgtest.Exec(t, reader, `ROLLBACK TO SAVEPOINT s`)
		if sqlState(err) == "72000" {
			return
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("a scan that starts: %v, want snapshot too old", err)
		}
	}
}
