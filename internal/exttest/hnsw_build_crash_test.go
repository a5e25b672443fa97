package exttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// killAtPhase runs a statement that builds an index and kills the server when
// pg_stat_progress_create_index says that the build has come to a phase.
func killAtPhase(t *testing.T, c *cluster.Cluster, phase string, statements ...string) {
	t.Helper()
	builder := pgtest.Connect(t, c, "postgres")
	watcher := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, builder, statements[:len(statements)-1]...)
	build := statements[len(statements)-1]
	ended := make(chan error, 1)
	go func() {
		_, err := builder.Exec(t.Context(), build)
		ended <- err
	}()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		phases := pgtest.Column[string](t, watcher, `SELECT phase FROM pg_stat_progress_create_index`)
		if slices.Contains(phases, phase) {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("%s ended before %q: %v", build, phase, err)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is in %q, not in %q", build, phases, phase)
		}
	}
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Fatalf("%s ended though the server was killed", build)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A server killed while an index is built has none, or an invalid one that the
// check names and REINDEX makes good; the table is as it was, and can be written.
func TestHnswBuildCrash(t *testing.T) {
	const (
		alone   = `SET max_parallel_maintenance_workers = 0`
		team    = `SET max_parallel_maintenance_workers = 2`
		little  = `SET maintenance_work_mem = '1MB'`
		options = ` broken_v ON broken USING sorted_hnsw (v svec_l2_ops) WITH (m = 64, ef_construction = 400)`
		rows    = 1500
	)
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"min_parallel_table_scan_size": "0"}))
	for _, d := range []struct {
		name       string
		phase      string
		statements []string
		remains    bool // an invalid index
	}{
		{"serial", "building index: building graph", []string{alone, `CREATE INDEX` + options}, false},
		{"parallel", "building index: building graph", []string{team, `CREATE INDEX` + options}, false},
		{"in a file", "building index: building graph", []string{alone, little, `CREATE INDEX` + options}, false},
		{"in a file, parallel", "building index: building graph", []string{team, little, `CREATE INDEX` + options}, false},
		{"concurrently", "building index: building graph", []string{alone, `CREATE INDEX CONCURRENTLY` + options}, true},
		{"concurrently, validated", "waiting for old snapshots", []string{alone, `CREATE INDEX CONCURRENTLY` + options}, true},
	} {
		t.Run(d.name, func(t *testing.T) {
			conn := pgtest.Connect(t, c, "postgres")
			hnswTable(t, conn, "broken", rows, 40, "m = 2, ef_construction = 4")
			pgtest.Exec(t, conn, `DROP INDEX broken_v`, `ALTER TABLE broken SET (parallel_workers = 2)`,
				`BEGIN ISOLATION LEVEL REPEATABLE READ`, `SELECT count(*) FROM pg_class`)
			killAtPhase(t, c, d.phase, d.statements...)

			conn = pgtest.Connect(t, c, "postgres")
			if files := pgtest.One[int64](t, conn, `SELECT count(*) FROM pg_ls_tmpdir()`); files != 0 {
				t.Errorf("%d temporary files remain", files)
			}
			invalid := pgtest.One[int64](t, conn, `SELECT count(*) FROM pg_index
				WHERE indrelid = 'broken'::regclass AND NOT indisvalid`)
			if got, want := invalid == 1, d.remains; got != want {
				t.Fatalf("%d invalid indexes remain", invalid)
			}
			warnings := strings.Join(hnswFaults(t, conn, "broken", "warning"), "\n")
			if strings.Contains(warnings, "the index is invalid") != d.remains {
				t.Errorf("the check says %q", warnings)
			}
			writeAndCount(t, conn, rows)
			if d.remains {
				pgtest.Exec(t, conn, `REINDEX INDEX CONCURRENTLY broken_v`)
			} else {
				pgtest.Exec(t, conn, `CREATE INDEX`+options)
			}
			spotlessGraph(t, conn, "broken")
			foundAll(t, conn, "broken")
			pgtest.Exec(t, conn, `DROP TABLE broken`)
		})
	}
}

// writeAndCount writes to the table whose index is broken, vacuums it and reads
// all rows in the order that the index would give.
func writeAndCount(t *testing.T, conn *pgx.Conn, rows int) {
	t.Helper()
	pgtest.Exec(t, conn, `DELETE FROM broken WHERE id % 10 = 0`,
		fmt.Sprintf(`INSERT INTO broken SELECT i, vec(i, 40) FROM generate_series(%d, %d) i`, rows+1, rows+100),
		`VACUUM (INDEX_CLEANUP on) broken`)
	got := len(pgtest.Column[int32](t, conn, `SELECT id FROM broken ORDER BY v <-> vec(1, 40)`))
	if want := rows - rows/10 + 100; got != want {
		t.Errorf("%d rows in the table, want %d", got, want)
	}
}
