package exttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// Seeds by the vector index alone while VACUUM stands in the middle of its work on
// indexes: a cursor keeps a leaf of the btree pinned and VACUUM waits for it, with
// its part on the vector index done, where that is the older index, or not begun.
// Rows that are gone are never seeds, those that are left are, also in the places
// that others had.
func TestIndexOnlySeedsWhileVacuumWaits(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE FUNCTION at(i float8) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
		SELECT (ARRAY[cos(i / 40), sin(i / 40)] || array_fill(0::float8, ARRAY[38]))::real[]::svec $$`,
		`SET sorted_heap.graph_seeds = index`, `SET sorted_hnsw.scan_mode = flat`)
	vector := `CREATE INDEX ON %s USING sorted_hnsw (embedding) INCLUDE (entity_id, target_id) WITH (refine = f16)`
	codes := strings.Replace(vector, "f16", "heap", 1)
	btree := `CREATE INDEX ON %s (entity_id)`
	for table, indexes := range map[string][2]string{
		"vector_first": {vector, btree}, "btree_first": {btree, vector},
		"codes_first": {codes, btree}, "codes_last": {btree, codes},
	} {
		t.Run(table, func(t *testing.T) {
			pgtest.Exec(t, conn, fmt.Sprintf(`CREATE TABLE %s (entity_id int, relation_id int2, target_id int, embedding svec(40), payload text)
					WITH (autovacuum_enabled = off)`, table),
				fmt.Sprintf(`INSERT INTO %s SELECT i, 1, i, at(i), 'old' FROM generate_series(1, 120) i`, table),
				fmt.Sprintf(indexes[0], table), fmt.Sprintf(indexes[1], table), `VACUUM `+table)
			nearest(t, conn, table, "old 1-5")
			if rows := pgtest.One[int](t, conn, `SELECT seed_rows FROM sorted_heap_graph_rag_stats()`); rows > 3 {
				t.Errorf("%d rows were read for 5 seeds, want few", rows)
			}
			pgtest.Exec(t, conn, fmt.Sprintf(`DELETE FROM %s WHERE entity_id <= 10`, table))
			nearest(t, conn, table, "old 11-15")

			pin := pgtest.Connect(t, c, "postgres")
			pgtest.Exec(t, pin, `BEGIN`, `SET LOCAL enable_seqscan = off`, `SET LOCAL enable_bitmapscan = off`,
				fmt.Sprintf(`DECLARE c CURSOR FOR SELECT entity_id FROM %s WHERE entity_id > 0 ORDER BY 1`, table), `FETCH 1 FROM c`)
			vacuum := pgtest.Connect(t, c, "postgres")
			pid := pgtest.One[int](t, vacuum, `SELECT pg_backend_pid()`)
			ended := make(chan error, 1)
			go func() {
				_, err := vacuum.Exec(t.Context(), `VACUUM `+table)
				ended <- err
			}()
			pgtest.WaitFor(t, conn, `SELECT coalesce(wait_event = 'BufferPin', false) FROM pg_stat_activity WHERE pid = $1`, pid)
			nearest(t, conn, table, "old 11-15")
			pgtest.Exec(t, pin, `COMMIT`)
			if err := <-ended; err != nil {
				t.Fatalf("vacuum: %v", err)
			}
			nearest(t, conn, table, "old 11-15")
			pgtest.Exec(t, conn, fmt.Sprintf(`INSERT INTO %s SELECT 1000 + i, 1, 1000 + i, at(i), 'new' FROM generate_series(1, 10) i`, table))
			nearest(t, conn, table, "new 1001-1005")
			pgtest.Exec(t, conn, `VACUUM `+table)
			nearest(t, conn, table, "new 1001-1005")
		})
	}
}

// nearest compares the facts about the five entities nearest to at(0).
func nearest(t *testing.T, conn *pgx.Conn, table, want string) {
	t.Helper()
	got := pgtest.One[string](t, conn, `SELECT format('%s %s-%s', string_agg(DISTINCT payload, ','), min(entity_id), max(entity_id))
		FROM sorted_heap_graph_rag_twohop_scan($1::text::regclass, at(0), 5, 50)`, table)
	if got != want {
		t.Errorf("entities are %s, want %s", got, want)
	}
}
