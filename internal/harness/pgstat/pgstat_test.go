package pgstat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/pgtest"
)

func clocked() pgtest.Option {
	return pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on",
	})
}

func open(t *testing.T, c *cluster.Cluster) *pgstat.Reader {
	t.Helper()
	reader, err := pgstat.Open(t.Context(), c.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reader.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return reader
}

// queryID finds a statement by how its text begins.
func queryID(t *testing.T, conn *pgx.Conn, text string) int64 {
	t.Helper()
	var id int64
	if err := conn.QueryRow(t.Context(), "SELECT queryid FROM pg_stat_statements WHERE starts_with(query, $1)", text).Scan(&id); err != nil {
		t.Fatalf("statement %q: %v", text, err)
	}
	return id
}

func TestOneCallIsOneCost(t *testing.T) {
	c := pgtest.Start(t, clocked())
	conn := pgtest.Connect(t, c, "postgres")
	reader := open(t, c)
	const sql = "SELECT count(*) FROM generate_series(1, $1::int) AS g"
	call := func(rows int) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, rows); err != nil {
			t.Fatal(err)
		}
	}
	call(1)
	clock, err := reader.Clock(t.Context(), queryID(t, conn, "SELECT count(*) FROM generate_series("))
	if err != nil {
		t.Fatal(err)
	}
	call(1)
	small, err := clock.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	call(300_000)
	large, err := clock.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if small.ExecMS <= 0 || large.ExecMS <= small.ExecMS {
		t.Errorf("one row took %v ms, 300,000 took %v ms", small.ExecMS, large.ExecMS)
	}

	if _, err := clock.Last(t.Context()); err == nil {
		t.Error("a reading without a call gives a cost")
	}
	call(1)
	call(1)
	if _, err := clock.Last(t.Context()); err == nil {
		t.Error("two calls are taken for one")
	}
	call(1)
	if _, err := clock.Last(t.Context()); err != nil {
		t.Errorf("the clock does not recover after an error: %v", err)
	}
}

// The reader's own statements must not show up among those it measures.
func TestReaderIsInvisible(t *testing.T) {
	c := pgtest.Start(t, clocked())
	reader := open(t, c)
	if _, err := reader.Clock(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, c, "postgres")
	var n int
	err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_statements WHERE query LIKE '%pg_stat_statements(%'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("%d statements of the reader are tracked", n)
	}
}

func TestServerWithoutClock(t *testing.T) {
	plain := pgtest.Start(t)
	if _, err := pgstat.Open(t.Context(), plain.DSN("")); !errors.Is(err, pgstat.ErrNotLoaded) {
		t.Errorf("without the library: %v", err)
	}
	unplanned := pgtest.Start(t, pgtest.WithSettings(map[string]string{"shared_preload_libraries": "pg_stat_statements"}))
	if _, err := pgstat.Open(t.Context(), unplanned.DSN("")); !errors.Is(err, pgstat.ErrNoPlanning) {
		t.Errorf("without planning: %v", err)
	}
}
