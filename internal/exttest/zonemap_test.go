package exttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// zoneTable makes a table in key order with a zone map, all of it sealed.
func zoneTable(t *testing.T, conn *pgx.Conn, name, am string) {
	t.Helper()
	pgtest.Exec(t, conn,
		fmt.Sprintf(`CREATE TABLE %s (a int, b smallint, pad text, PRIMARY KEY (b, a)) USING %s WITH (autovacuum_enabled = off)`, name, am),
		fmt.Sprintf(`INSERT INTO %s SELECT i / 5, i %% 5, repeat('x', 200) FROM generate_series(0, 9999) i`, name),
		fmt.Sprintf(`CREATE INDEX %[1]s_zone ON %[1]s USING sorted_zone (a, b)`, name))
}

// byMap counts rows by key through the zone map.
func byMap(t *testing.T, conn *pgx.Conn, table, condition string) int64 {
	t.Helper()
	pgtest.Exec(t, conn, `SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off`)
	return pgtest.One[int64](t, conn, fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s`, table, condition))
}

// soundMap fails the test if the check finds a fault.
func soundMap(t *testing.T, conn *pgx.Conn, table string) {
	t.Helper()
	for _, fault := range pgtest.Column[string](t, conn, fmt.Sprintf(`SELECT format('%%s %%s %%s', object, block, fault) FROM sorted_heap_check('%s') WHERE severity = 'fault'`, table)) {
		t.Errorf("%s: %s", table, fault)
	}
}

// A restored table has its map, sealed, without a manual step, however many
// indexes were built at the same time.
func TestZoneMapParallelRestore(t *testing.T) {
	c := pgtest.Start(t)
	source := pgtest.Database(t, c)
	tables := []string{"on_heap", "on_sorted", "part1", "part2"}
	zoneTable(t, source, "on_heap", "heap")
	zoneTable(t, source, "on_sorted", "sorted_heap")
	pgtest.Exec(t, source,
		`CREATE INDEX ON on_sorted USING sorted_zone (b, a)`,
		`CREATE INDEX ON on_sorted (a)`,
		`CREATE TABLE parted (a int, pad text) PARTITION BY RANGE (a)`,
		`CREATE INDEX ON parted USING sorted_zone (a)`,
		`CREATE TABLE part1 PARTITION OF parted FOR VALUES FROM (0) TO (500) USING sorted_heap`,
		`CREATE TABLE part2 PARTITION OF parted FOR VALUES FROM (500) TO (1000)`,
		`INSERT INTO parted SELECT i, repeat('p', 100) FROM generate_series(0, 999) i`)

	dump := filepath.Join(c.Dir(), "dump")
	run(t, c, "pg_dump", "-Fd", "-j", "2", "-f", dump, source.Config().Database)
	run(t, c, "createdb", "restored")
	run(t, c, "pg_restore", "--exit-on-error", "-j", "4", "-d", "restored", dump)
	restored := pgtest.Connect(t, c, "restored")
	for _, table := range tables {
		soundMap(t, restored, table)
		if unsealed := pgtest.One[int64](t, restored, fmt.Sprintf(`SELECT sum(open + loose + gathering) FROM sorted_heap_zonemap_stats('%s')`, table)); unsealed != 0 {
			t.Errorf("%s: %d blocks are not sealed", table, unsealed)
		}
		if got, want := byMap(t, restored, table, "a BETWEEN 100 AND 777"), byMap(t, source, table, "a BETWEEN 100 AND 777"); got != want {
			t.Errorf("%s: %d rows, want %d", table, got, want)
		}
	}
	pgtest.Exec(t, restored, `RESET ALL`)
	if plan := plan(t, restored, `SELECT pad FROM on_heap WHERE a = 700`); !strings.Contains(plan, "on_heap_zone") {
		t.Errorf("the planner does not use the restored map:\n%s", plan)
	}
}

// A standby reads the map that the primary keeps, and goes on with it when it
// is promoted.
func TestZoneMapPromotion(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	zoneTable(t, conn, "facts", "heap")
	standby, err := c.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, conn, `INSERT INTO facts VALUES (-7, 1, 'before'), (777777, 1, 'after')`,
		`UPDATE facts SET a = 888888 WHERE a = 1000`)
	if err := c.WaitReplay(t.Context(), standby); err != nil {
		t.Fatal(err)
	}
	replica := pgtest.Connect(t, standby, "postgres")
	if got := byMap(t, replica, "facts", "a < 0 OR a > 700000"); got != 7 {
		t.Errorf("standby: %d rows, want 7", got)
	}
	soundMap(t, replica, "facts")
	if _, err := replica.Exec(t.Context(), `SELECT sorted_heap_rebuild_zonemap('facts')`); err == nil {
		t.Error("a standby rebuilt the map")
	}

	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, replica, `INSERT INTO facts VALUES (-8, 1, 'promoted')`, `VACUUM facts`)
	if got := byMap(t, replica, "facts", "a < 0 OR a > 700000"); got != 8 {
		t.Errorf("promoted: %d rows, want 8", got)
	}
	soundMap(t, replica, "facts")
}

// A heap that needs more than one directory page: most of it is a hole in the
// file, which reads as pages never used.
func TestZoneMapSecondDirectory(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	zoneTable(t, conn, "facts", "heap")
	path := pgtest.One[string](t, conn, `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('facts')`)
	stretch(t, c, path, 512<<20)
	conn = pgtest.Connect(t, c, "postgres")

	pgtest.Exec(t, conn, `REINDEX INDEX facts_zone`)
	if got := pgtest.One[int64](t, conn, `SELECT empty FROM sorted_heap_zonemap_stats('facts')`); got < 60000 {
		t.Errorf("%d blocks are empty for the map", got)
	}
	pgtest.Exec(t, conn, `INSERT INTO facts SELECT 5000 + i, 1, repeat('y', 200) FROM generate_series(1, 5000) i`)
	if block := pgtest.One[int64](t, conn, `SELECT max((ctid::text::point)[0])::bigint FROM facts`); block < 53760 {
		t.Fatalf("the last row is on block %d", block)
	}
	for _, step := range []string{"after inserts", "VACUUM facts", "SELECT sorted_heap_rebuild_zonemap('facts')"} {
		if step != "after inserts" {
			pgtest.Exec(t, conn, step)
		}
		for condition, want := range map[string]int64{"a = 7": 5, "a = 5007": 1, "a IN (3, 9999, 6000, 12345)": 7, "a > 1990": 5045} {
			if got := byMap(t, conn, "facts", condition); got != want {
				t.Errorf("%s: %s: %d rows, want %d", step, condition, got, want)
			}
		}
		soundMap(t, conn, "facts")
	}
}

// stretch makes a table's file longer while the server is down.
func stretch(t *testing.T, c *cluster.Cluster, path string, size int64) {
	t.Helper()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	if err := c.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}
