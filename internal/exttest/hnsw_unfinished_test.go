package exttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// unreached counts the nodes that the check says no links lead to.
func unreached(t *testing.T, conn *pgx.Conn, table string) int {
	t.Helper()
	n := 0
	for _, warning := range hnswFaults(t, conn, table, "warning") {
		if strings.Contains(warning, "no links lead to node") {
			n++
		}
	}
	return n
}

// breakRepairs breaks a slow VACUUM off once it has cut living nodes off, before
// it sees who is: it rests only where it makes a page dirty, which it does where
// lists are led past dying nodes. False when it has ended before that was seen.
func breakRepairs(t *testing.T, c *cluster.Cluster, table string, m, dim int) bool {
	t.Helper()
	watcher := pgtest.Connect(t, c, "postgres")
	if !breakVacuum(t, c, table, func() bool { return anyCutOff(t, watcher, table+"_v", m, dim) },
		`SET vacuum_cost_page_hit = 0`, `SET vacuum_cost_page_miss = 0`,
		`SET vacuum_cost_page_dirty = 1`, `SET vacuum_cost_limit = 1`, `SET vacuum_cost_delay = 10`) {
		return false
	}
	soundGraph(t, watcher, table)
	return unreached(t, watcher, table) > 0
}

// cutOff deletes rows of a few pages and breaks their VACUUM off, others each
// time, until one has left nodes out of reach; false when none of ten did.
func cutOff(t *testing.T, c *cluster.Cluster, conn *pgx.Conn, table string, m, dim int) bool {
	t.Helper()
	for first := 2000; first < 12000; first += 1000 {
		pgtest.Exec(t, conn, fmt.Sprintf(`DELETE FROM %s WHERE id BETWEEN %d AND %d AND id %% 10 > 0`,
			table, first, first+339))
		if breakRepairs(t, c, table, m, dim) {
			return true
		}
	}
	return false
}

// A vacuum that is broken off where living nodes are out of reach loses no row
// to scans that ask for all, and the next vacuum links them, though it has no
// rows to remove and a crash lies between.
func TestHnswUnfinishedVacuum(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "cut", 0, 8, "m = 2, ef_construction = 8")
	// Rows of few pages die, so that a vacuum leaves the index alone if it may.
	pgtest.Exec(t, conn, `DROP INDEX cut_v`, `ALTER TABLE cut SET (fillfactor = 10)`,
		`INSERT INTO cut SELECT i, vec(i / 10, 8) + vec(i, 8) * array_fill(0.01::real, '{8}')::svec
			FROM generate_series(1, 20000) i`,
		`CREATE INDEX cut_v ON cut USING sorted_hnsw (v svec_l2_ops) WITH (m = 2, ef_construction = 8)`,
		`VACUUM cut`)
	if !cutOff(t, c, conn, "cut", 2, 8) {
		t.Fatal("no vacuum has left a node out of reach")
	}
	pgtest.Exec(t, conn, `CREATE TABLE flushed ()`)
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}

	conn = pgtest.Connect(t, c, "postgres")
	soundGraph(t, conn, "cut")
	if unreached(t, conn, "cut") == 0 {
		t.Error("all nodes can be reached after the crash")
	}
	foundAll(t, conn, "cut")
	pgtest.Exec(t, conn, `VACUUM cut`)
	spotlessGraph(t, conn, "cut")
	foundAll(t, conn, "cut")
}
