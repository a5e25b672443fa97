package exttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

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

// breakOffVacuum cancels slow vacuums later and later, until one has led all
// lists past dying nodes and not yet seen who is cut off by that.
func breakOffVacuum(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	for timeout := 200; timeout < 20000; timeout += timeout / 5 {
		pgtest.Exec(t, conn, `SET vacuum_cost_delay = 1`, `SET vacuum_cost_limit = 1`,
			fmt.Sprintf(`SET statement_timeout = %d`, timeout))
		_, err := conn.Exec(t.Context(), fmt.Sprintf(`VACUUM (INDEX_CLEANUP on) %s`, table))
		pgtest.Exec(t, conn, `RESET statement_timeout`, `RESET vacuum_cost_delay`)
		if err == nil {
			t.Fatalf("a vacuum has ended after %d ms before one left a node out of reach", timeout)
		}
		if sqlState(err) != "57014" {
			t.Fatal(err)
		}
		if unreached(t, conn, table) > 0 {
			soundGraph(t, conn, table)
			return
		}
	}
	t.Fatal("no vacuum has left a node out of reach")
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
		`VACUUM cut`,
		`DELETE FROM cut WHERE id BETWEEN 2000 AND 2339 AND id % 10 > 0`)
	breakOffVacuum(t, conn, "cut")
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
