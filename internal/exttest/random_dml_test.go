package exttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// twins are the same table on sorted_heap and on heap.
var twins = [2]string{"sorted", "plain"}

// Any sequence of statements leaves a sorted_heap table with the rows of a
// heap table, and every rewrite leaves it in key order.
func TestRandomStatements(t *testing.T) {
	c := pgtest.Start(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			conn := pgtest.Database(t, c)
			pgtest.Exec(t, conn, `CREATE TABLE sorted (id int PRIMARY KEY, n int, v text) USING sorted_heap WITH (fillfactor = 80)`,
				`CREATE TABLE plain (id int PRIMARY KEY, n int, v text) USING heap WITH (fillfactor = 80)`,
				`ALTER TABLE sorted ALTER v SET STORAGE EXTERNAL`,
				`CREATE INDEX ON sorted (n)`, `CREATE INDEX ON sorted (md5(v))`)
			rng := rand.New(rand.NewPCG(seed, 1))
			var history []string
			for range 100 {
				history = append(history, randomStep(t, conn, rng))
				compareTwins(t, conn, history)
			}
			checkIndexes(t, conn, "sorted")
		})
	}
}

// randomStep does the same to both twins, or rewrites the sorted one.
func randomStep(t *testing.T, conn *pgx.Conn, rng *rand.Rand) string {
	t.Helper()
	if rng.IntN(6) == 0 {
		rewrites := []string{`SELECT sorted_heap_compact('sorted')`, `VACUUM FULL sorted`, `CLUSTER sorted USING sorted_n_idx`, `CLUSTER sorted USING sorted_pkey`}
		sql := rewrites[rng.IntN(len(rewrites))]
		pgtest.Exec(t, conn, sql)
		if n := descents(t, conn, "sorted"); n != 0 {
			t.Fatalf("%d descents after %s", n, sql)
		}
		return sql
	}
	if rng.IntN(8) == 0 {
		other := []string{`VACUUM sorted`, `VACUUM (FREEZE) sorted`, `REINDEX TABLE sorted`, `ANALYZE sorted`, `REINDEX TABLE CONCURRENTLY sorted`}
		sql := other[rng.IntN(len(other))]
		pgtest.Exec(t, conn, sql)
		return sql
	}
	sql := randomChange(rng)
	if rng.IntN(4) == 0 {
		sql = []string{`BEGIN; ` + sql + `; ROLLBACK`,
			`BEGIN; SAVEPOINT s; ` + sql + `; ROLLBACK TO s; ` + randomChange(rng) + `; COMMIT`}[rng.IntN(2)]
	}
	for _, name := range twins {
		pgtest.Exec(t, conn, strings.ReplaceAll(sql, "@", name))
	}
	return sql
}

func randomChange(rng *rand.Rand) string {
	from := rng.IntN(3000)
	to := from + rng.IntN(300)
	switch rng.IntN(8) {
	case 0, 1:
		return fmt.Sprintf(`INSERT INTO @ SELECT %d - (i * 37) %% 401, i, repeat('v', i %% 7 * 500) FROM generate_series(1, 300) i ON CONFLICT (id) DO NOTHING`, to)
	case 2:
		return fmt.Sprintf(`INSERT INTO @ VALUES (%d, 1, 'one') ON CONFLICT (id) DO UPDATE SET n = @.n + 1`, from)
	case 3:
		return fmt.Sprintf(`DELETE FROM @ WHERE id BETWEEN %d AND %d`, from, to)
	case 4:
		return fmt.Sprintf(`UPDATE @ SET n = n + 1 WHERE id BETWEEN %d AND %d`, from, to)
	case 5:
		return fmt.Sprintf(`UPDATE @ SET v = v || 'x' WHERE id BETWEEN %d AND %d`, from, to)
	case 6:
		return fmt.Sprintf(`UPDATE @ SET id = id + 100000 * (1 + (SELECT count(*) FROM @ WHERE id > 100000)::int) WHERE id BETWEEN %d AND %d`, from, from+20)
	default:
		return fmt.Sprintf(`DELETE FROM @ WHERE id BETWEEN %[1]d AND %[2]d; COPY @ FROM PROGRAM 'for i in $(seq %[2]d -7 %[1]d) $(seq %[3]d 7 %[2]d); do printf "$i\t1\tcopied\n"; done'`, from, from+70, from+1)
	}
}

func compareTwins(t *testing.T, conn *pgx.Conn, history []string) {
	t.Helper()
	if got, want := checksum(t, conn, twins[0]), checksum(t, conn, twins[1]); got != want {
		t.Fatalf("sorted has %s, heap %s, after:\n%s", got, want, strings.Join(history, "\n"))
	}
}
