package exttest

import (
	"fmt"
	"testing"
	"time"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// breakVacuum starts a VACUUM under settings that slow it down, and cancels it once
// the caller has seen what it waits for; false when it has ended by itself.
func breakVacuum(t *testing.T, c *cluster.Cluster, table string, seen func() bool, settings ...string) bool {
	t.Helper()
	cleaner, watcher := pgtest.Connect(t, c, "postgres"), pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, cleaner, settings...)
	ended := make(chan error, 1)
	go func() {
		_, err := cleaner.Exec(t.Context(), `VACUUM (INDEX_CLEANUP on) `+table)
		ended <- err
	}()
	for !seen() {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
	pgtest.Exec(t, watcher, fmt.Sprintf(`SELECT pg_cancel_backend(%d)`, cleaner.PgConn().PID()))
	err := <-ended
	if err != nil && sqlState(err) != "57014" {
		t.Fatal(err)
	}
	return err != nil
}
