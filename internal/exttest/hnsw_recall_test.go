package exttest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// shareFound tells which share of the nearest rows that a condition leaves, by
// an exact scan, a scan of the index gives, over a number of queries.
func shareFound(t *testing.T, conn *pgx.Conn, table, distance, condition string, queries, nearest int) float64 {
	t.Helper()
	found, wanted := 0, 0
	for q := range queries {
		query := fmt.Sprintf(`SELECT id FROM %s WHERE %s ORDER BY %s LIMIT %d`,
			table, condition, fmt.Sprintf(distance, q+1), nearest)
		got := pgtest.Column[int32](t, conn, query)
		pgtest.Exec(t, conn, `SET enable_indexscan = off`, `SET enable_seqscan = on`)
		want := pgtest.Column[int32](t, conn, query)
		pgtest.Exec(t, conn, `RESET enable_indexscan`, `SET enable_seqscan = off`)
		wanted += len(want)
		for _, id := range want {
			if slices.Contains(got, id) {
				found++
			}
		}
	}
	return float64(found) / float64(wanted)
}

// However an index is built, by one process, with workers, beyond its memory or
// by inserts of ten sessions at once, a walk finds nearly all of the nearest,
// under each metric and type.
func TestHnswRecallOfBuilds(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const sessions = 10
	pgtest.Exec(t, conn, `CREATE FUNCTION vec(i int, dim int) RETURNS svec LANGUAGE sql IMMUTABLE AS $$
			SELECT array_agg(((hashint4extended(i, k) & 65535)::float8 / 65536)::real
				ORDER BY k)::real[]::svec FROM generate_series(1, dim) k $$`,
		`CREATE TABLE source AS SELECT i AS id, vec(i, 3) AS v FROM generate_series(1, 2000) i`)
	metrics := []struct {
		class, operator string
		least           float64
	}{{"l2", "<->", 0.99}, {"ip", "<#>", 0.97}, {"cosine", "<=>", 0.99}, {"l1", "<+>", 0.99}}
	for _, how := range []struct{ name, workers, memory string }{
		{"serial", "0", "64MB"}, {"parallel", "2", "64MB"}, {"spilled", "2", "1MB"}, {"inserted", "", ""},
	} {
		for _, typ := range []string{"svec", "hsvec"} {
			t.Run(how.name+"/"+typ, func(t *testing.T) {
				table := how.name + "_" + typ
				pgtest.Exec(t, conn, fmt.Sprintf(`CREATE TABLE %s (id int, v %s(3)) WITH (parallel_workers = 2)`, table, typ))
				fill := fmt.Sprintf(`INSERT INTO %s SELECT id, v::%s(3) FROM source WHERE id > 0 AND id %% %d = `, table, typ, sessions)
				build := func() {
					for _, m := range metrics {
						pgtest.Exec(t, conn, fmt.Sprintf(`CREATE INDEX ON %s USING sorted_hnsw (v %s_%s_ops)`, table, typ, m.class))
					}
				}
				if how.workers == "" {
					build()
				} else {
					pgtest.Exec(t, conn, fmt.Sprintf(`SET max_parallel_maintenance_workers = %s`, how.workers),
						fmt.Sprintf(`SET maintenance_work_mem = '%s'`, how.memory),
						`SET client_min_messages = warning`)
				}
				atOnce(t, c, sessions, func(ctx context.Context, conn *pgx.Conn, session int) error {
					_, err := conn.Exec(ctx, fmt.Sprintf("%s%d", fill, session))
					return err
				})
				if how.workers != "" {
					build()
				}
				walk(t, conn)
				pgtest.Exec(t, conn, `SET sorted_hnsw.ef_search = 40`)
				for _, m := range metrics {
					distance := fmt.Sprintf(`v %s vec(-%%d, 3)::%s(3)`, m.operator, typ)
					if recall := shareFound(t, conn, table, distance, "true", 20, 10); recall < m.least {
						t.Errorf("%s: recall is %.3f, want %.2f", m.class, recall, m.least)
					}
				}
			})
		}
	}
}

// Under conditions that few rows meet, on a column of the index or on another,
// there are as many rows as the LIMIT asks for and they are nearly all the
// nearest, in order or relaxed.
func TestHnswRecallUnderConditions(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	const dim = 8
	hnswTable(t, conn, "filtered", 10000, dim, "m = 16, ef_construction = 64")
	pgtest.Exec(t, conn, `ALTER TABLE filtered ADD kind int`, `UPDATE filtered SET kind = id`, `VACUUM FULL filtered`)
	walk(t, conn)
	pgtest.Exec(t, conn, `SET sorted_hnsw.ef_search = 100`)
	recalls := func(what string) {
		for _, scan := range []string{"strict", "relaxed"} {
			pgtest.Exec(t, conn, `SET sorted_hnsw.iterative_scan = `+scan)
			for _, share := range []int{2, 50, 500} {
				t.Run(fmt.Sprintf("%s/%s/%d", what, scan, share), func(t *testing.T) {
					recall := shareFound(t, conn, "filtered", fmt.Sprintf(`v <-> vec(-%%d, %d)`, dim),
						fmt.Sprintf(`kind %% %d = 0`, share), 10, 10)
					if what == "in the index" {
						recall = shareFound(t, conn, "filtered", fmt.Sprintf(`v <-> vec(-%%d, %d)`, dim),
							fmt.Sprintf(`kind <= %d`, 10000/share), 10, 10)
					}
					if recall < 0.99 {
						t.Errorf("recall is %.3f", recall)
					}
				})
			}
		}
	}
	recalls("on rows")
	pgtest.Exec(t, conn, `DROP INDEX filtered_v`,
		`CREATE INDEX filtered_v ON filtered USING sorted_hnsw (v svec_l2_ops, kind) WITH (m = 16, ef_construction = 64)`)
	recalls("in the index")
}
