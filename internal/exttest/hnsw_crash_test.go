package exttest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// A server killed among inserts and vacuums has a sound graph; what was broken
// off is only warned of. Rows that a vacuum had put out of reach are found again
// after the next one.
func TestHnswCrash(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const dim, sessions, rounds, enough = 40, 4, 3, 150
	hnswTable(t, conn, "crashed", 500, dim, "m = 4, ef_construction = 24, refine = f16")
	for round := range rounds {
		var done atomic.Int64
		reached := make(chan struct{})
		ended := make(chan error, sessions+1)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		t.Cleanup(cancel)
		work := func(statement func(i int) string) {
			conn, err := c.Connect(ctx, "postgres")
			for i := 0; err == nil; i++ {
				if _, err = conn.Exec(ctx, statement(i)); err == nil && done.Add(1) == enough {
					close(reached)
				}
			}
			ended <- err
		}
		for session := range sessions {
			go work(func(i int) string {
				id := 1000000*(round+1) + i*sessions + session
				if i%3 == 2 {
					return fmt.Sprintf(`DELETE FROM crashed WHERE id %% 101 = %d`, id%101)
				}
				return fmt.Sprintf(`INSERT INTO crashed SELECT %d, vec(%d, %d) FROM generate_series(1, 3)`, id, id/2, dim)
			})
		}
		go work(func(int) string { return `VACUUM (INDEX_CLEANUP on) crashed` })
		select {
		case <-reached:
		case err := <-ended:
			t.Fatalf("round %d: a session ended: %v", round, err)
		}
		if err := c.Crash(); err != nil {
			t.Fatal(err)
		}
		for range sessions + 1 {
			if err := <-ended; err == nil {
				t.Errorf("round %d: a session ended without an error", round)
			}
		}
		cancel()
		if err := c.StartServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn = pgtest.Connect(t, c, "postgres")
		soundGraph(t, conn, "crashed")
		pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) crashed`)
		spotlessGraph(t, conn, "crashed")
		foundAll(t, conn, "crashed")
	}
}

// foundAll fails the test if a scan of the index does not give every row.
func foundAll(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	want := pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT count(DISTINCT id) FROM %s`, table))
	if got := hnswRows(t, conn, table); got != want {
		t.Errorf("%s: %d rows by the index, want %d", table, got, want)
	}
}

// A cancelled vacuum and cancelled inserts leave a sound graph, and the next
// vacuum takes up what they left.
func TestHnswCancel(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "halted", 3000, 40, "m = 8, ef_construction = 100")
	pgtest.Exec(t, conn, `DELETE FROM halted WHERE id % 3 = 0`)
	for _, timeout := range []int{1, 3, 10, 30, 60, 100, 150} {
		pgtest.Exec(t, conn, fmt.Sprintf(`SET statement_timeout = %d`, timeout))
		for _, statement := range []string{
			`VACUUM (INDEX_CLEANUP on) halted`,
			`INSERT INTO halted SELECT i, vec(i, 40) FROM generate_series(5001, 5100) i`,
		} {
			_, err := conn.Exec(t.Context(), statement)
			if err != nil && sqlState(err) != "57014" {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		pgtest.Exec(t, conn, `RESET statement_timeout`)
		soundGraph(t, conn, "halted")
	}
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) halted`)
	spotlessGraph(t, conn, "halted")
	foundAll(t, conn, "halted")
}
