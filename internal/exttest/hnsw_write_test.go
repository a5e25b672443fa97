package exttest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// atOnce runs the same work in so many sessions and waits for all.
func atOnce(t *testing.T, c *cluster.Cluster, sessions int, work func(ctx context.Context, conn *pgx.Conn, session int) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, sessions)
	for session := range sessions {
		go func() {
			conn, err := c.Connect(ctx, "postgres")
			if err == nil {
				err = errors.Join(work(ctx, conn, session), conn.Close(context.WithoutCancel(ctx)))
			}
			ended <- err
		}()
	}
	for range sessions {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// Ten sessions that insert at once lose no row and leave no node that cannot be
// reached, in graphs that have few links to spare too; what they make finds as
// much as what a build makes.
func TestHnswConcurrentInserts(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const sessions = 10
	for _, d := range []struct {
		name, options   string
		dim, rows, each int
	}{
		{"weak", "m = 2, ef_construction = 4", 8, 0, 150},
		{"small", "m = 8, ef_construction = 64", 16, 0, 150},
		{"coded", "m = 8, ef_construction = 64, refine = f16", 48, 500, 150},
		// Four nodes a page, vectors out of line in the table.
		{"wide", "m = 8, ef_construction = 64", 1900, 0, 40},
	} {
		t.Run(d.name, func(t *testing.T) {
			hnswTable(t, conn, d.name, d.rows, d.dim, d.options)
			atOnce(t, c, sessions, func(ctx context.Context, conn *pgx.Conn, session int) error {
				for i := range d.each {
					id := d.rows + 1 + i*sessions + session
					if _, err := conn.Exec(ctx, fmt.Sprintf(`INSERT INTO %s VALUES ($1, vec($1, $2))`, d.name), id, d.dim); err != nil {
						return err
					}
				}
				return nil
			})
			spotlessGraph(t, conn, d.name)
			if got, want := hnswRows(t, conn, d.name), int64(d.rows+sessions*d.each); got != want {
				t.Errorf("%d rows by the index, want %d", got, want)
			}
			recall := hnswRecall(t, conn, d.name, d.dim)
			pgtest.Exec(t, conn, fmt.Sprintf(`REINDEX INDEX %s_v`, d.name))
			if fresh := hnswRecall(t, conn, d.name, d.dim); recall < fresh-0.01 {
				t.Errorf("recall is %.3f, of a fresh build %.3f", recall, fresh)
			}
		})
	}
}

// A thousand equal vectors, inserted at once, are all found whatever ef_search
// is, and can be deleted while others come.
func TestHnswConcurrentTwins(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "twins", 200, 8, "m = 4, ef_construction = 16, refine = f16")
	const sessions, each = 10, 100
	atOnce(t, c, sessions, func(ctx context.Context, conn *pgx.Conn, session int) error {
		for i := range each {
			if _, err := conn.Exec(ctx, `INSERT INTO twins VALUES ($1, vec(7, 8))`, 1000+i*sessions+session); err != nil {
				return err
			}
		}
		return nil
	})
	spotlessGraph(t, conn, "twins")
	walk(t, conn)
	pgtest.Exec(t, conn, `SET sorted_hnsw.ef_search = 1`)
	found := func() int64 {
		t.Helper()
		return pgtest.One[int64](t, conn, `SELECT count(*) FILTER (WHERE id >= 1000) FROM
			(SELECT id FROM twins ORDER BY v <-> vec(7, 8) LIMIT 3000) s`)
	}
	if got := found(); got != sessions*each {
		t.Errorf("%d equal vectors found, want %d", got, sessions*each)
	}

	atOnce(t, c, sessions, func(ctx context.Context, conn *pgx.Conn, session int) error {
		for i := range each / 2 {
			statement := fmt.Sprintf(`DELETE FROM twins WHERE id = %d`, 1000+i*sessions+session)
			if session == 0 {
				statement = `VACUUM twins`
			} else if session == 1 {
				statement = fmt.Sprintf(`INSERT INTO twins VALUES (%d, vec(7, 8))`, 5000+i)
			}
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	soundGraph(t, conn, "twins")
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) twins`)
	spotlessGraph(t, conn, "twins")
	if got, want := found(), pgtest.One[int64](t, conn, `SELECT count(*) FROM twins WHERE id >= 1000`); got != want {
		t.Errorf("%d equal vectors found, want %d", got, want)
	}
}

// Recall after rows were deleted, vacuumed away and inserted anew is that of a
// fresh build, and an emptied index does not grow when it is filled again.
func TestHnswChurn(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const rows, dim = 3000, 40
	hnswTable(t, conn, "churn", rows, dim, "m = 8, ef_construction = 64")
	for round := range 3 {
		pgtest.Exec(t, conn,
			fmt.Sprintf(`DELETE FROM churn WHERE hashint4extended(id, %d) %% 10 IN (0, 1, 2, -1)`, round),
			`VACUUM (INDEX_CLEANUP on) churn`)
		spotlessGraph(t, conn, "churn")
		pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO churn SELECT i, vec(i, %d)
			FROM generate_series(%d, (SELECT %[2]d + %d - 1 - count(*)::int FROM churn)) i`, dim, (round+1)*10000, rows))
		spotlessGraph(t, conn, "churn")
	}
	recall := hnswRecall(t, conn, "churn", dim)
	pgtest.Exec(t, conn, `REINDEX INDEX churn_v`)
	if fresh := hnswRecall(t, conn, "churn", dim); recall < fresh-0.01 {
		t.Errorf("recall is %.3f, of a fresh build %.3f", recall, fresh)
	}

	before := pgtest.One[int64](t, conn, `SELECT pg_relation_size('churn_v')`)
	pgtest.Exec(t, conn, `DELETE FROM churn`, `VACUUM (INDEX_CLEANUP on) churn`,
		fmt.Sprintf(`INSERT INTO churn SELECT i, vec(i, %d) FROM generate_series(1, %d) i`, dim, rows))
	if after := pgtest.One[int64](t, conn, `SELECT pg_relation_size('churn_v')`); float64(after) > 1.02*float64(before) {
		t.Errorf("the index has grown from %d to %d bytes", before, after)
	}
	spotlessGraph(t, conn, "churn")
}

// Of a weak graph three of four rows go; what is left is found.
func TestHnswWeakGraph(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const dim = 3
	hnswTable(t, conn, "weak", 10000, dim, "m = 4, ef_construction = 8")
	pgtest.Exec(t, conn, `DELETE FROM weak WHERE id > 2500`, `VACUUM (INDEX_CLEANUP on) weak`)
	spotlessGraph(t, conn, "weak")
	pgtest.Exec(t, conn, `SET sorted_hnsw.ef_search = 40`)
	if recall := hnswRecall(t, conn, "weak", dim); recall < 0.95 {
		t.Errorf("recall is %.3f, want 0.95", recall)
	}
	if got := hnswRows(t, conn, "weak"); got != 2500 {
		t.Errorf("%d rows by the index, want 2500", got)
	}
}

// Inserts, deletes, scans and vacuums at once raise no error and leave a sound
// graph.
func TestHnswMixedLoad(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const dim = 8
	hnswTable(t, conn, "mixed", 1000, dim, "m = 4, ef_construction = 16, refine = f16")
	atOnce(t, c, 6, func(ctx context.Context, conn *pgx.Conn, session int) error {
		for i := range 120 {
			id := 10000 + i*6 + session
			statements := []string{
				fmt.Sprintf(`INSERT INTO mixed VALUES (%d, vec(%d, %d))`, id, id/3, dim),
				fmt.Sprintf(`DELETE FROM mixed WHERE id %% 251 = %d`, id%251),
				fmt.Sprintf(`SELECT count(*) FROM (SELECT id FROM mixed ORDER BY v <-> vec(%d, %d) LIMIT 20) s`, id, dim),
				fmt.Sprintf(`UPDATE mixed SET v = vec(%d, %d) WHERE id %% 257 = %d`, id, dim, id%257),
			}
			statement := statements[(i+session)%len(statements)]
			if session == 0 && i%10 == 0 {
				statement = `VACUUM (INDEX_CLEANUP on) mixed`
			}
			if session == 1 && i == 60 {
				statement = `REINDEX INDEX CONCURRENTLY mixed_v`
			}
			if _, err := conn.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	soundGraph(t, conn, "mixed")
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) mixed`)
	spotlessGraph(t, conn, "mixed")
	if got, want := hnswRows(t, conn, "mixed"), pgtest.One[int64](t, conn, `SELECT count(DISTINCT id) FROM mixed`); got != want {
		t.Errorf("%d rows by the index, want %d", got, want)
	}
}

// Rows of a prepared transaction are in the index before it ends, through a
// vacuum and a crash.
func TestHnswPreparedTransactions(t *testing.T) {
	c := pgtest.Start(t, pgtest.WithSettings(map[string]string{"max_prepared_transactions": "4"}))
	conn := pgtest.Connect(t, c, "postgres")
	hnswTable(t, conn, "held", 100, 8, "m = 4, ef_construction = 16")
	for name, first := range map[string]int{"kept": 101, "dropped": 201} {
		pgtest.Exec(t, conn, `BEGIN`,
			fmt.Sprintf(`INSERT INTO held SELECT i, vec(i, 8) FROM generate_series(%d, %d) i`, first, first+49),
			fmt.Sprintf(`PREPARE TRANSACTION '%s'`, name))
	}
	pgtest.Exec(t, conn, `DELETE FROM held WHERE id <= 50`, `VACUUM (INDEX_CLEANUP on) held`)
	if got := hnswRows(t, conn, "held"); got != 50 {
		t.Errorf("%d rows before they end, want 50", got)
	}
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = pgtest.Connect(t, c, "postgres")
	soundGraph(t, conn, "held")
	pgtest.Exec(t, conn, `COMMIT PREPARED 'kept'`, `ROLLBACK PREPARED 'dropped'`)
	if got := hnswRows(t, conn, "held"); got != 100 {
		t.Errorf("%d rows after they end, want 100", got)
	}
	pgtest.Exec(t, conn, `VACUUM (INDEX_CLEANUP on) held`)
	spotlessGraph(t, conn, "held")
	if got := hnswRows(t, conn, "held"); got != 100 {
		t.Errorf("%d rows after vacuum, want 100", got)
	}
}
