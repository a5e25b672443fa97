package exttest

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// Scans on a standby, while it replays inserts, deletes and vacuums, give rows
// that their snapshot sees, each once, nearest first and with the distances that
// the rows have. After a promotion the index goes on.
func TestHnswStandby(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"max_standby_streaming_delay": "-1"}))
	primary := pgtest.Connect(t, c, "postgres")
	const dim, queries = 8, 150
	hnswTable(t, primary, "served", 1000, dim, "m = 4, ef_construction = 16, refine = f16")
	standby, err := c.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	replica := pgtest.Connect(t, standby, "postgres")
	walk(t, replica)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	ended := make(chan error, 1)
	writer := pgtest.Connect(t, c, "postgres")
	go func() { ended <- churnUntil(ctx, writer, "served", dim) }()
	for q := range queries {
		if err := rightAnswer(ctx, replica, "served", dim, q); err != nil {
			t.Errorf("query %d: %v", q, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatalf("on the primary: %v", err)
	}

	primary = pgtest.Connect(t, c, "postgres")
	if err := c.WaitReplay(t.Context(), standby); err != nil {
		t.Fatal(err)
	}
	if got, want := hnswRows(t, replica, "served"), hnswRows(t, primary, "served"); got != want {
		t.Errorf("%d rows by the index on the standby, %d on the primary", got, want)
	}
	soundGraph(t, replica, "served")
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, replica, fmt.Sprintf(`INSERT INTO served SELECT i, vec(i, %d) FROM generate_series(1, 50) i`, dim),
		`VACUUM (INDEX_CLEANUP on) served`)
	spotlessGraph(t, replica, "served")
	foundAll(t, replica, "served")
}

// churnUntil changes a table until the context ends.
func churnUntil(ctx context.Context, conn *pgx.Conn, table string, dim int) error {
	for round := 1; ctx.Err() == nil; round++ {
		for _, statement := range []string{
			fmt.Sprintf(`DELETE FROM %s WHERE hashint4extended(id, %d) %% 4 = 0`, table, round),
			fmt.Sprintf(`VACUUM (INDEX_CLEANUP on) %s`, table),
			fmt.Sprintf(`INSERT INTO %s SELECT i, vec(i / 2, %d) FROM generate_series(%d, %[3]d + 99) i`, table, dim, round*1000),
		} {
			if _, err := conn.Exec(ctx, statement); err != nil && ctx.Err() == nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	return nil
}

// rightAnswer compares what an index scan gives with the rows of its snapshot.
func rightAnswer(ctx context.Context, conn *pgx.Conn, table string, dim, q int) (err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() {
		if end := tx.Rollback(context.WithoutCancel(ctx)); err == nil {
			err = end
		}
	}()
	query := fmt.Sprintf(`SELECT ctid::text, v <-> vec(-%d, %d) AS d FROM %s`, q+1, dim, table)
	rows, err := tx.Query(ctx, query+fmt.Sprintf(` ORDER BY v <-> vec(-%d, %d) LIMIT 30`, q+1, dim))
	if err != nil {
		return err
	}
	type row struct {
		CTID string
		D    float64
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	rows, err = tx.Query(ctx, query)
	if err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	distances := make(map[string]float64, len(all))
	for _, r := range all {
		distances[r.CTID] = r.D
	}
	if len(found) == 0 {
		return fmt.Errorf("no row of %d", len(all))
	}
	for _, r := range found {
		d, ok := distances[r.CTID]
		if !ok || math.Abs(d-r.D) > 1e-9 {
			return fmt.Errorf("row %s at %v: not seen, twice, or at %v", r.CTID, r.D, d)
		}
		delete(distances, r.CTID)
	}
	return nil
}
