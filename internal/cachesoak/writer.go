package cachesoak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// writer makes up changes.
type writer struct {
	random *rand.Rand
	next   int // id of the next row, of a range of its own
}

func newWriter(seed uint64, round, i int) *writer {
	return &writer{
		random: rand.New(rand.NewPCG(seed, uint64(1000*round+i))),
		next:   1_000_000*(i+1) + 10_000_000*round,
	}
}

// change is a list of statements; each is a transaction of its own, unless it
// begins one.
func (w *writer) change() []string {
	worked := tables[w.random.IntN(len(tables))]
	table, dim := worked.name, worked.dim
	insert := func() string {
		first, count := w.next, 1+w.random.IntN(60)
		w.next += count
		// Some vectors are there already: those rows are twins.
		return fmt.Sprintf(`INSERT INTO %s SELECT i, i %% 10, vec(i %% %d, %d) FROM generate_series(%d, %d) i`,
			table, 1+w.random.IntN(1_000_000), dim, first, first+count-1)
	}
	remove := func(share int) string {
		return fmt.Sprintf(`DELETE FROM %s WHERE hashint4extended(id, %d) %% %d = 0`, table, w.random.IntN(1_000_000), share)
	}
	switch n := w.random.IntN(100); {
	case n < 40:
		return []string{insert()}
	case n < 50:
		return []string{`BEGIN`, insert(), `SAVEPOINT s`, insert(), `ROLLBACK TO s`, insert(), `COMMIT`}
	case n < 58:
		return []string{`BEGIN`, insert(), remove(20), `ROLLBACK`}
	case n < 68:
		return []string{remove(10)}
	case n < 76:
		return []string{fmt.Sprintf(`UPDATE %s SET v = vec(id + %d, %d), kind = kind %% 7 WHERE hashint4extended(id, %d) %% 40 = 0`,
			table, w.random.IntN(1000), dim, w.random.IntN(1_000_000))}
	case n < 90:
		return []string{fmt.Sprintf(`VACUUM (INDEX_CLEANUP on) %s`, table)}
	case n < 94:
		return []string{fmt.Sprintf(`REINDEX INDEX %s_v`, table)}
	case n < 95:
		return []string{fmt.Sprintf(`REINDEX INDEX CONCURRENTLY %s_v`, table)}
	case n < 97:
		return []string{`BEGIN`, fmt.Sprintf(`DROP INDEX %s_v`, table),
			fmt.Sprintf(`CREATE INDEX %s_v ON %[1]s %s`, table, worked.index), []string{`COMMIT`, `ROLLBACK`}[w.random.IntN(2)]}
	case n < 98:
		return []string{`BEGIN`, fmt.Sprintf(`TRUNCATE %s`, table), insert(), insert(), `ROLLBACK`}
	default:
		return []string{`BEGIN`, fmt.Sprintf(`TRUNCATE %s`, table),
			fmt.Sprintf(`INSERT INTO %s SELECT i, i %% 10, vec(i, %d) FROM generate_series(1, 1000) i`, table, dim), `COMMIT`}
	}
}

// refusals are errors that concurrency brings and that change nothing.
var refusals = []string{
	"40P01", // deadlock
	"55P03", // lock timeout
	"42704", // an index that another has dropped
	"42P07", // or made
	"0A000", // not in the state that another has left
}

func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && slices.Contains(refusals, e.Code)
}

func (r *runner) write(ctx context.Context, conn *pgx.Conn, w *writer, until int64) error {
	if _, err := conn.Exec(ctx, `SET lock_timeout = '1s'`); err != nil {
		return err
	}
	for r.operations.Add(1) <= until {
		for _, statement := range w.change() {
			_, err := conn.Exec(ctx, statement)
			if refused(err) {
				r.refused.Add(1)
				if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
					return err
				}
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	r.operations.Add(-1)
	return nil
}
