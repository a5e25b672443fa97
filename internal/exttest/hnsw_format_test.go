package exttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/pgtest"
)

// An index whose pages are of a format version that is not known is neither read
// nor written: all that would says so and advises REINDEX, which makes it good.
// Queries that need no index go on.
func TestHnswUnknownFormatVersion(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"ignore_checksum_failure": "on"}))
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "future", 100, 8, "m = 4, ef_construction = 16")
	path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('future_v')`)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, pageSpecial+4, "\x63")
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}

	conn = pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `SET enable_seqscan = off`)
	for _, statement := range []string{
		`SELECT id FROM future ORDER BY v <-> vec(5, 8) LIMIT 5`,
		`INSERT INTO future VALUES (101, vec(101, 8))`,
		`VACUUM (INDEX_CLEANUP on) future`,
	} {
		_, err := conn.Exec(t.Context(), statement)
		e, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || e.Code != "0A000" || !strings.Contains(e.Message, "has format version 99") || !strings.Contains(e.Hint, "REINDEX") {
			t.Errorf("%s gives %v, want the version and advice", statement, err)
		}
	}
	if got := pgtest.One[int64](t, conn, `SELECT count(*) FROM future WHERE id <= 50`); got != 50 {
		t.Errorf("%d rows of the table, want 50", got)
	}
	if faults := strings.Join(hnswFaults(t, conn, "future", "fault"), "\n"); !strings.Contains(faults, "another version") {
		t.Errorf("the check says %q", faults)
	}
	pgtest.Exec(t, conn, `REINDEX INDEX future_v`, `INSERT INTO future VALUES (101, vec(101, 8))`)
	spotlessGraph(t, conn, "future")
	foundAll(t, conn, "future")
}
