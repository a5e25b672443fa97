package exttest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

// hnswTable makes a table of deterministic vectors, numbered from 1, with a
// sorted_hnsw index under L2 distance named as the table and "_v".
func hnswTable(t *testing.T, conn *pgx.Conn, name string, rows, dim int, options string) {
	t.Helper()
	pgtest.Exec(t, conn,
		`CREATE OR REPLACE FUNCTION vec(i int, dim int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
			SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536 - 0.5)::real
				ORDER BY k)::real[]::svec FROM generate_series(1, dim) k $$`,
		fmt.Sprintf(`CREATE TABLE %s (id int, v svec(%d)) WITH (autovacuum_enabled = off)`, name, dim),
		fmt.Sprintf(`INSERT INTO %s SELECT i, vec(i, %d) FROM generate_series(1, %d) i`, name, dim, rows),
		fmt.Sprintf(`CREATE INDEX %[1]s_v ON %[1]s USING sorted_hnsw (v svec_l2_ops) WITH (%s)`, name, options))
}

// walk makes a session's scans walk the graph, and give all rows of it if they
// are asked for.
func walk(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	pgtest.Exec(t, conn, `SET enable_seqscan = off`, `SET sorted_hnsw.scan_mode = graph`,
		`SET sorted_hnsw.iterative_scan = relaxed`)
}

// hnswRows counts the rows that a scan of a whole index gives.
func hnswRows(t *testing.T, conn *pgx.Conn, table string) int64 {
	t.Helper()
	walk(t, conn)
	return pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT count(DISTINCT id) FROM (
		SELECT id FROM %[1]s ORDER BY v <-> (SELECT v FROM %[1]s LIMIT 1) LIMIT 10000000) s`, table))
}

// hnswRecall tells which share of the ten nearest to each of 100 vectors that
// are not in the table a scan finds.
func hnswRecall(t *testing.T, conn *pgx.Conn, table string, dim int) float64 {
	t.Helper()
	const queries, nearest = 100, 10
	walk(t, conn)
	found := 0
	for q := range queries {
		query := fmt.Sprintf(`SELECT id FROM %s ORDER BY v <-> vec(-%d, %d) LIMIT %d`, table, q+1, dim, nearest)
		got := pgtest.Column[int32](t, conn, query)
		pgtest.Exec(t, conn, `SET enable_indexscan = off`, `SET enable_seqscan = on`)
		want := pgtest.Column[int32](t, conn, query)
		pgtest.Exec(t, conn, `RESET enable_indexscan`, `SET enable_seqscan = off`)
		for _, id := range want {
			if slices.Contains(got, id) {
				found++
			}
		}
	}
	return float64(found) / (queries * nearest)
}

// hnswFaults are what the check of a table's indexes tells of a severity.
func hnswFaults(t *testing.T, conn *pgx.Conn, table, severity string) []string {
	t.Helper()
	return pgtest.Column[string](t, conn, `SELECT format('%s block %s: %s', object, block, fault)
		FROM sorted_hnsw_check($1::text::regclass) WHERE severity = $2`, table, severity)
}

// soundGraph fails the test if the check finds a fault.
func soundGraph(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	for _, fault := range hnswFaults(t, conn, table, "fault") {
		t.Errorf("%s: %s", table, fault)
	}
}

// spotlessGraph fails the test if the check finds a fault or something left by
// a broken command.
func spotlessGraph(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	soundGraph(t, conn, table)
	for _, warning := range hnswFaults(t, conn, table, "warning") {
		t.Errorf("%s: %s", table, warning)
	}
}

// sqlState is the SQLSTATE of a server's error, or empty.
func sqlState(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code
	}
	return ""
}
