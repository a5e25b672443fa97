package exttest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// Several plain builds of indexes of one table run at the same time, each
// committing while the others read out-of-line values.
func TestParallelIndexBuilds(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	factsTable(t, conn, "facts")
	for round := range 4 {
		err := parallel(3, func(builder int) error {
			return execAll(t.Context(), c, func(yield func(string) bool) {
				for i := range 3 {
					if !yield(fmt.Sprintf(`CREATE INDEX built_%d_%d_%d ON facts (md5(big), word, length(big))`, round, builder, i)) {
						return
					}
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkIndexes(t, conn, "facts")
}

// Indexes are built, rebuilt and dropped concurrently beside writers; what is
// left must hold exactly the rows of the table.
func TestConcurrentIndexBuilds(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	factsTable(t, conn, "facts")
	pgtest.Exec(t, conn, `CREATE INDEX rebuilt ON facts (md5(big), n)`,
		`CREATE UNIQUE INDEX rebuilt_unique ON facts (word, id)`)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const writers = 2
	err := parallel(writers+1, func(i int) error {
		if i < writers {
			return execAll(t.Context(), c, func(yield func(string) bool) {
				for step := 0; ctx.Err() == nil; step++ {
					for _, sql := range writes(i, step) {
						if !yield(sql) {
							return
						}
					}
				}
			})
		}
		defer stop()
		return execAll(t.Context(), c, func(yield func(string) bool) {
			for round := range 6 {
				for _, sql := range concurrentBuilds(round) {
					if !yield(sql) {
						return
					}
				}
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	checkIndexes(t, conn, "facts")
}

func concurrentBuilds(round int) []string {
	return []string{
		fmt.Sprintf(`CREATE INDEX CONCURRENTLY new_%d ON facts (word, md5(big))`, round),
		fmt.Sprintf(`CREATE UNIQUE INDEX CONCURRENTLY new_unique_%d ON facts (n, id) WHERE length(big) > 10`, round),
		`REINDEX INDEX CONCURRENTLY rebuilt`,
		`REINDEX INDEX CONCURRENTLY rebuilt_unique`,
		fmt.Sprintf(`DROP INDEX CONCURRENTLY new_%d`, round),
	}
}

// writes changes rows of the writer's own (by parity), so that writers never
// wait for each other: HOT and other updates, deletes, inserts and aborts.
func writes(writer, step int) []string {
	id := (step*617)%990*2 + writer
	return []string{
		fmt.Sprintf(`UPDATE facts SET big = 'changed %d' WHERE id = %d`, step, id),
		fmt.Sprintf(`UPDATE facts SET n = n + 1 WHERE id = %d`, id+2),
		fmt.Sprintf(`DELETE FROM facts WHERE id = %d`, id+4),
		fmt.Sprintf(`INSERT INTO facts VALUES (%d, %d, 'w', repeat(md5('%d'), 150)) ON CONFLICT (id) DO UPDATE SET n = 0`, id+4, step%50, step),
		fmt.Sprintf(`BEGIN; UPDATE facts SET n = -1 WHERE id = %d; ROLLBACK`, id),
	}
}

// execAll runs statements one by one on a connection of its own.
func execAll(ctx context.Context, c *cluster.Cluster, statements func(yield func(string) bool)) error {
	conn, err := c.Connect(ctx, "postgres")
	if err != nil {
		return err
	}
	for sql := range statements {
		if _, err = conn.Exec(ctx, sql); err != nil {
			err = fmt.Errorf("%s: %w", sql, err)
			break
		}
	}
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// parallel runs n functions at the same time and joins their errors.
func parallel(n int, f func(i int) error) error {
	results := make(chan error)
	for i := range n {
		go func() { results <- f(i) }()
	}
	var err error
	for range n {
		err = errors.Join(err, <-results)
	}
	return err
}
