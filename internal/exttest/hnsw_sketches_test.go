package exttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// sketchedDim is enough for a version to have sketches.
const sketchedDim = 160

// sketchedTable has rows in 40 clusters with much in common, and an index of l2, cosine or ip.
func sketchedTable(t *testing.T, conn *pgx.Conn, name, class string, rows int) {
	t.Helper()
	pgtest.Exec(t, conn,
		`CREATE OR REPLACE FUNCTION near(i int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
			SELECT array_agg((0.3 + ((hashint4extended(i % 40, k) & 65535)::float8
				+ 0.3 * (hashint4extended(i, k + 1000) & 65535)::float8) / 65536)::real
				ORDER BY k)::real[]::svec FROM generate_series(1, `+fmt.Sprint(sketchedDim)+`) k $$`,
		fmt.Sprintf(`CREATE TABLE %s (id int, kind int, v svec(%d)) WITH (autovacuum_enabled = off)`, name, sketchedDim),
		fmt.Sprintf(`INSERT INTO %s SELECT i, i %% 50, near(i) FROM generate_series(1, %d) i`, name, rows),
		fmt.Sprintf(`CREATE INDEX %[1]s_v ON %[1]s USING sorted_hnsw (v svec_%[2]s_ops, kind) WITH (m = 12, ef_construction = 60)`, name, class),
		`SET enable_seqscan = off`, `SET enable_sort = off`)
}

var operators = map[string]string{"l2": "<->", "cosine": "<=>", "ip": "<#>"}

// sketchedAnswers gives the ids and distances of the rows nearest to some vectors that are not in the table.
func sketchedAnswers(t *testing.T, conn *pgx.Conn, table, class, where string, limit int) [][]string {
	t.Helper()
	var all [][]string
	for q := range 25 {
		all = append(all, pgtest.Column[string](t, conn, fmt.Sprintf(
			`SELECT id || ' ' || (v %[2]s near(%[3]d)) FROM %[1]s %[4]s ORDER BY v %[2]s near(%[3]d) LIMIT %[5]d`,
			table, operators[class], 1_000_000+17*q, where, limit)))
	}
	return all
}

// awaitSketches scans until a scan goes by sketches of a version.
func awaitSketches(t *testing.T, conn *pgx.Conn, table, class string) {
	t.Helper()
	var source string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		pgtest.Exec(t, conn, fmt.Sprintf(`SELECT id FROM %s ORDER BY v %s near(1) LIMIT 1`, table, operators[class]))
		source = pgtest.One[string](t, conn, `SELECT last_source FROM sorted_hnsw_scan_stats()`)
		if strings.HasSuffix(source, ", sketches") {
			return
		}
	}
	t.Fatalf("no scan of %s goes by sketches: the last was answered from %s", table, source)
}

// exactly runs something with the index out of use.
func exactly(t *testing.T, conn *pgx.Conn, run func()) {
	t.Helper()
	// Plans of prepared statements outlive settings.
	pgtest.Exec(t, conn, `SET enable_seqscan = on`, `SET enable_sort = on`, `SET enable_indexscan = off`, `DISCARD PLANS`)
	run()
	pgtest.Exec(t, conn, `SET enable_seqscan = off`, `SET enable_sort = off`, `SET enable_indexscan = on`, `DISCARD PLANS`)
}

// common counts rows of one answer that are in another.
func common(a, b [][]string) (n int) {
	for q := range a {
		for _, row := range a[q] {
			if slices.Contains(b[q], row) {
				n++
			}
		}
	}
	return n
}

// Searches by sketches find what searches by records find, flat and by the graph.
func TestHnswSketchedRecall(t *testing.T) {
	c := cacheServer(t, 32*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	for class := range operators {
		sketchedTable(t, conn, class, class, 4000)
		awaitSketches(t, conn, class, class)
		var truth [][]string
		exactly(t, conn, func() { truth = sketchedAnswers(t, conn, class, class, "", 10) })
		for _, mode := range []struct {
			ef   int
			flat bool
		}{{20, false}, {60, false}, {300, true}} {
			pgtest.Exec(t, conn, fmt.Sprintf(`SET sorted_hnsw.ef_search = %d`, mode.ef), `SET sorted_hnsw.scan_mode = auto`)
			sketched := common(sketchedAnswers(t, conn, class, class, "", 10), truth)
			how := pgtest.One[string](t, conn, `SELECT last_flat || ' ' || last_source FROM sorted_hnsw_scan_stats()`)
			if want := fmt.Sprintf("%v shared, sketches", mode.flat); how != want {
				t.Errorf("%s, ef_search %d: scans were %q, want %q", class, mode.ef, how, want)
			}
			pgtest.Exec(t, conn, `SET sorted_hnsw.scan_mode = graph`)
			var paged int
			uncached(t, conn, func() { paged = common(sketchedAnswers(t, conn, class, class, "", 10), truth) })
			if sketched+2 < paged || sketched < 200 || (mode.flat && sketched < 249) {
				t.Errorf("%s, ef_search %d: of 250 rows %d by sketches and %d from pages", class, mode.ef, sketched, paged)
			}
		}
		pgtest.Exec(t, conn, `RESET sorted_hnsw.ef_search`, `RESET sorted_hnsw.scan_mode`)
	}
}

// A way that is asked for gives the rows that it gives without a cache.
func TestHnswSketchesNotAskedFor(t *testing.T) {
	c := cacheServer(t, 32*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	sketchedTable(t, conn, "kept", "cosine", 3000)
	awaitSketches(t, conn, "kept", "cosine")
	for _, mode := range []string{"graph", "flat"} {
		pgtest.Exec(t, conn, `SET sorted_hnsw.scan_mode = `+mode)
		cached := sketchedAnswers(t, conn, "kept", "cosine", "", 20)
		if source := pgtest.One[string](t, conn, `SELECT last_source FROM sorted_hnsw_scan_stats()`); source != "shared" {
			t.Errorf("%s: the last scan was answered from %s", mode, source)
		}
		var paged [][]string
		uncached(t, conn, func() { paged = sketchedAnswers(t, conn, "kept", "cosine", "", 20) })
		for q := range paged {
			if !slices.Equal(cached[q], paged[q]) {
				t.Errorf("%s, query %d: %d rows by the cache are not those of pages", mode, q, len(cached[q]))
			}
		}
	}
	// Where a scan ends with its first rows, a flat pass owes all that tie with the last.
	pgtest.Exec(t, conn, `SET sorted_hnsw.scan_mode = auto`, `SET sorted_hnsw.iterative_scan = off`, `SET sorted_hnsw.ef_search = 400`)
	sketchedAnswers(t, conn, "kept", "cosine", "", 20)
	if how := pgtest.One[string](t, conn, `SELECT last_flat || ' ' || last_source FROM sorted_hnsw_scan_stats()`); how != "true shared" {
		t.Errorf("a flat scan that may not go on was %q", how)
	}
}

// What goes by sketches misses no row that is asked for, shows none that is gone, and keeps
// to order and conditions.
func TestHnswSketchedTruth(t *testing.T) {
	for _, cache := range []string{"shared", "local"} {
		t.Run(cache, func(t *testing.T) {
			c := cacheServer(t, 32*1024, cache == "shared")
			conn := pgtest.Connect(t, c, "postgres")
			if cache == "local" {
				pgtest.Exec(t, conn, `SET sorted_hnsw.shared_cache = off`)
			}
			sketchedTable(t, conn, "kept", "cosine", 3000)
			awaitSketches(t, conn, "kept", "cosine")
			all := func(when string) {
				t.Helper()
				want := pgtest.One[int64](t, conn, `SELECT count(*) FROM kept`)
				for _, ef := range []int{10, 400} {
					pgtest.Exec(t, conn, fmt.Sprintf(`SET sorted_hnsw.ef_search = %d`, ef), `SET sorted_hnsw.iterative_scan = relaxed`)
					got := pgtest.One[string](t, conn, `SELECT count(*) || ' ' || count(DISTINCT ctid) FROM (
						SELECT ctid FROM kept ORDER BY v <=> near(7) LIMIT 10000000) s`)
					if got != fmt.Sprintf("%d %[1]d", want) {
						t.Errorf("%s, ef_search %d: rows and different rows are %s of %d", when, ef, got, want)
					}
					pgtest.Exec(t, conn, `SET sorted_hnsw.iterative_scan = strict`)
					falls := pgtest.One[int64](t, conn, `SELECT count(*) FROM (SELECT d - lag(d) OVER () AS step FROM (
						SELECT v <=> near(7) AS d FROM kept ORDER BY v <=> near(7) LIMIT 1000) s) s WHERE step < 0`)
					if falls != 0 {
						t.Errorf("%s, ef_search %d: %d rows of a strict scan come after farther ones", when, ef, falls)
					}
				}
				pgtest.Exec(t, conn, `RESET sorted_hnsw.ef_search`, `RESET sorted_hnsw.iterative_scan`)
			}
			all("as made")

			for _, where := range []string{"WHERE kind = 7", "WHERE kind < 5", "WHERE kind IN (3, 30)"} {
				var truth [][]string
				exactly(t, conn, func() { truth = sketchedAnswers(t, conn, "kept", "cosine", where, 10) })
				for _, ef := range []int{20, 400} {
					pgtest.Exec(t, conn, fmt.Sprintf(`SET sorted_hnsw.ef_search = %d`, ef))
					if n := common(sketchedAnswers(t, conn, "kept", "cosine", where, 10), truth); n < 240 {
						t.Errorf("%s, ef_search %d: %d of 250 rows", where, ef, n)
					}
				}
			}

			// Rows that came, went and moved since the version was made.
			pgtest.Exec(t, conn, `INSERT INTO kept SELECT i, 1, near(i) FROM generate_series(3001, 3060) i`)
			lost := pgtest.One[int64](t, conn, `SELECT count(*) FROM generate_series(3001, 3060) i
				WHERE i <> (SELECT id FROM kept ORDER BY v <=> near(i) LIMIT 1)`)
			if lost != 0 {
				t.Errorf("%d of 60 rows that were added are not found", lost)
			}
			all("with rows added")
			pgtest.Exec(t, conn, `BEGIN`, `DELETE FROM kept WHERE id % 2 = 0`)
			all("with rows being deleted")
			pgtest.Exec(t, conn, `ROLLBACK`)
			all("with rows not deleted")
			pgtest.Exec(t, conn, `DELETE FROM kept WHERE id % 3 = 0`, `VACUUM (INDEX_CLEANUP on) kept`)
			all("after a vacuum")
			awaitSketches(t, conn, "kept", "cosine")
			all("by the next version")
			pgtest.Exec(t, conn, `TRUNCATE kept`, `INSERT INTO kept SELECT i, 1, near(i) FROM generate_series(1, 500) i`)
			all("after TRUNCATE")
		})
	}
}
