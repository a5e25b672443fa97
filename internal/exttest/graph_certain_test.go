package exttest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// factsDim is enough for a version of the index to have sketches.
const factsDim = 160

// seedsDiffer counts queries whose answer is not that of an exact scan, and gives the mean
// of rows that were read for the seeds of those by the index.
func seedsDiffer(t *testing.T, conn *pgx.Conn, seeds int) (differ int, read float64) {
	t.Helper()
	const queries = 20
	answer := func(how string, q int) string {
		t.Helper()
		pgtest.Exec(t, conn, `SET sorted_heap.graph_seeds = `+how)
		return pgtest.One[string](t, conn, fmt.Sprintf(`SELECT coalesce(string_agg(s::text, ';'), '')
			FROM sorted_heap_graph_rag_twohop_path_scan('facts', around(%d), %d, 40, 1, 2) s`, 1_000_000+q, seeds))
	}
	for q := range queries {
		exact := answer("exact", q)
		if answer("index", q) != exact {
			differ++
		}
		read += pgtest.One[float64](t, conn, `SELECT seed_rows::float8 FROM sorted_heap_graph_rag_stats()`) / queries
	}
	return differ, read
}

// Seeds that codes leave no doubt about are told without their vectors, and without their
// rows where all see these: from pages and from sketches, with rows deleted, changed, new,
// and after VACUUM. Answers are those of exact scans; a flat pass by sketches may
// miss a seed at the boundary.
func TestGraphSeedsToldByCodes(t *testing.T) {
	c := cacheServer(t, 64*1024, true)
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, fmt.Sprintf(`CREATE FUNCTION around(i int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
			SELECT array_agg((0.4 + (hashint4extended(i, k) & 65535)::float8 / 65536)::real ORDER BY k)::real[]::svec
			FROM generate_series(1, %d) k $$`, factsDim),
		fmt.Sprintf(`CREATE TABLE facts (entity_id int, relation_id int2, target_id int, embedding svec(%d), payload text)
			WITH (autovacuum_enabled = off, toast_tuple_target = 8160)`, factsDim),
		`ALTER TABLE facts ALTER embedding SET STORAGE plain`,
		`INSERT INTO facts SELECT i, 1 + i % 2, i + 1, around(i), 'fact ' || i FROM generate_series(1, 3000) i`,
		`CREATE INDEX ON facts (entity_id)`,
		`CREATE INDEX facts_v ON facts USING sorted_hnsw (embedding) INCLUDE (entity_id) WITH (m = 12, ef_construction = 80)`,
		`VACUUM facts`)

	check := func(state string, mostDiffer int, mostRead float64) {
		t.Helper()
		differ, read := seedsDiffer(t, conn, 64)
		if differ > mostDiffer {
			t.Errorf("%s: %d answers of 20 differ from those of exact scans", state, differ)
		}
		if read > mostRead {
			t.Errorf("%s: %.1f rows were read for 64 seeds, want at most %v", state, read, mostRead)
		}
	}
	source := func() string {
		return pgtest.One[string](t, conn, `SELECT seed_source FROM sorted_heap_graph_rag_stats()`)
	}
	pgtest.Exec(t, conn, `SET sorted_hnsw.scan_mode = flat`, `SET sorted_hnsw.shared_cache = off`, `SET sorted_hnsw.local_cache_size = 0`)
	check("pages", 0, 45)
	// More than are read at a time.
	if differ, read := seedsDiffer(t, conn, 900); differ > 0 || read > 600 {
		t.Errorf("of 900 seeds: %d answers of 20 differ from those of exact scans, %.1f rows were read", differ, read)
	}
	pgtest.Exec(t, conn, `RESET sorted_hnsw.shared_cache`, `RESET sorted_hnsw.scan_mode`)
	pgtest.WaitFor(t, conn, `WITH scan AS MATERIALIZED (SELECT count(*) FROM sorted_heap_graph_rag_scan('facts', around(1), 5, 5, 1))
		SELECT EXISTS (SELECT FROM scan) AND EXISTS (SELECT FROM sorted_hnsw_cache_stats() WHERE state = 'ready')`)
	check("sketches", 1, 45)
	if got := source(); got != "shared, sketches" {
		t.Errorf("seeds come from %q", got)
	}

	pgtest.Exec(t, conn, `DELETE FROM facts WHERE entity_id % 3 = 0`,
		`UPDATE facts SET embedding = around(entity_id + 500000) WHERE entity_id % 50 = 1`,
		`INSERT INTO facts SELECT 5000 + i, 1 + i % 2, 5001 + i, around(1000000 + i), 'new' FROM generate_series(0, 19) i`)
	check("rows that came and went", 1, 150)
	pgtest.Exec(t, conn, `BEGIN`, `DELETE FROM facts WHERE entity_id % 7 = 0`)
	check("a deletion under way", 1, 150)
	pgtest.Exec(t, conn, `ROLLBACK`)
	check("rolled back", 1, 150)
	pgtest.Exec(t, conn, `VACUUM facts`)
	check("after VACUUM", 1, 45)
}
