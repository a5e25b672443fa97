package exttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// A killed server keeps what was committed, of tables and of their indexes; an
// unlogged table comes back empty and usable.
func TestCrash(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	factsTable(t, conn, "facts")
	pgtest.Exec(t, conn,
		`CREATE UNLOGGED TABLE scratch (id int PRIMARY KEY, v text) USING sorted_heap`,
		`INSERT INTO scratch SELECT i, repeat('x', 3000) FROM generate_series(1, 100) i`,
		`CREATE TABLE ledger (id int PRIMARY KEY, v int) USING sorted_heap`,
		`CREATE EXTENSION amcheck`,
		`SELECT sorted_heap_compact('facts')`,
		`CHECKPOINT`,
		`UPDATE facts SET n = n + 1 WHERE id % 3 = 0`,
		`DELETE FROM facts WHERE id % 7 = 0`,
		`SELECT sorted_heap_compact('facts')`)
	want := checksum(t, conn, "facts")

	acknowledged := writeUntilCrash(t, c)

	if err := c.StartServer(t.Context()); err != nil {
		t.Fatalf("restart: %v", err)
	}
	conn = pgtest.Connect(t, c, "postgres")
	if got := checksum(t, conn, "facts"); got != want {
		t.Errorf("facts after the crash: %s, want %s", got, want)
	}
	if n := descents(t, conn, "facts"); n != 0 {
		t.Errorf("facts after the crash: %d descents", n)
	}
	if n := pgtest.One[int64](t, conn, `SELECT count(*) FROM ledger`); n < acknowledged || n%100 != 0 {
		t.Errorf("ledger after the crash: %d rows, acknowledged in batches of 100: %d", n, acknowledged)
	}
	if n := pgtest.One[int64](t, conn, `SELECT count(*) FROM scratch`); n != 0 {
		t.Errorf("unlogged table after the crash: %d rows, want none", n)
	}
	pgtest.Exec(t, conn, `INSERT INTO scratch VALUES (2, 'x'), (1, 'x')`, `SELECT sorted_heap_compact('scratch')`)
	for _, name := range []string{"facts", "ledger", "scratch"} {
		checkIndexes(t, conn, name)
	}
}

// writeUntilCrash copies shuffled batches of 100 rows into ledger, compacts
// now and then, kills the server meanwhile and tells how many rows had been
// acknowledged.
func writeUntilCrash(t *testing.T, c *cluster.Cluster) int64 {
	t.Helper()
	const enough = 5000
	writer := pgtest.Connect(t, c, "postgres")
	reached := make(chan struct{})
	type outcome struct {
		acknowledged int64
		err          error
	}
	done := make(chan outcome, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Second)
	defer cancel()
	go func() {
		for n := int64(0); ; n += 100 {
			if n == enough {
				close(reached)
			}
			if err := copyBatch(ctx, writer, n); err != nil {
				done <- outcome{n, err}
				return
			}
		}
	}()
	select {
	case <-reached:
	case end := <-done:
		t.Fatalf("the writer stopped after %d rows: %v", end.acknowledged, end.err)
	}
	if err := c.Crash(); err != nil {
		t.Fatalf("crash: %v", err)
	}
	return (<-done).acknowledged
}

func copyBatch(ctx context.Context, conn *pgx.Conn, base int64) error {
	rows := make([][]any, 100)
	for i := range rows {
		rows[i] = []any{int32(base) + int32(i*37%100), int32(i)}
	}
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"ledger"}, []string{"id", "v"}, pgx.CopyFromRows(rows))
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if n != 100 {
		return errors.New("copy: short batch")
	}
	if base%1000 == 900 {
		if _, err := conn.Exec(ctx, `SELECT sorted_heap_compact('ledger')`); err != nil {
			return fmt.Errorf("compact: %w", err)
		}
	}
	return nil
}
