package exttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/pgtest"
)

// upgradeFrom names the pg_config of the older installation, with the extension
// in it; PG_CONFIG names the newer one.
const upgradeFrom = "SORTED_HEAP_UPGRADE_FROM"

// pg_upgrade takes the files of maps over as they are; they go on without a
// manual step, sealed, widened and loose blocks included.
func TestUpgrade(t *testing.T) {
	from := os.Getenv(upgradeFrom)
	if from == "" {
		t.Skipf("no older installation to upgrade from: %s is not set", upgradeFrom)
	}
	older := startAt(t, from)
	newer := startAt(t, pgtest.Need(t))
	source := pgtest.Connect(t, older, "postgres")
	tables := upgradeTables(t, source)
	before := map[string]string{}
	for _, table := range tables {
		before[table] = mapFigures(t, source, table)
	}

	upgrade(t, older, newer, source)
	if err := newer.StartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, newer, "postgres")
	t.Logf("from %s to %s", older.Install.Version, newer.Install.Version)
	for _, table := range tables {
		soundMap(t, conn, table)
		if got := mapFigures(t, conn, table); got != before[table] {
			t.Errorf("%s: %s, before %s", table, got, before[table])
		}
		if plan := plan(t, conn, `SELECT pad FROM `+table+` WHERE a = 700`); !strings.Contains(plan, table+"_zone") && !strings.Contains(plan, table+"_a") {
			t.Errorf("%s: the planner does not use the map:\n%s", table, plan)
		}
	}
	pgtest.Exec(t, conn, `SELECT sorted_heap_graph_register('on_sorted', 'a', 'b', 't', 'v', 'pad')`, `SET sorted_heap.graph_access = zone`)
	if got := pgtest.One[int64](t, conn, `SELECT count(*) FROM sorted_heap_expand_ids('on_sorted', ARRAY[7, 1200, 900001])`); got != 11 {
		t.Errorf("expanded by the map: %d rows, want 11", got)
	}

	for _, table := range tables {
		pgtest.Exec(t, conn, `INSERT INTO `+table+` (a, b, pad) VALUES (-70, 3, 'after'), (1000, 9, 'after'), (950000, 3, 'after')`,
			`UPDATE `+table+` SET a = -80 WHERE a = 1500`, `VACUUM `+table)
		soundMap(t, conn, table)
		if got := byMap(t, conn, table, "a < 0 OR a > 940000 OR (a, b) = (1000, 9)"); got != 8 {
			t.Errorf("%s: %d rows written after the upgrade, want 8", table, got)
		}
	}
}

func startAt(t *testing.T, pgConfig string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Config{PGConfig: pgConfig, Settings: cluster.TestSettings()})
	if err != nil {
		t.Fatalf("start server: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close server: %v", err)
		}
	})
	return c
}

// upgradeTables makes tables whose maps have blocks of every state.
func upgradeTables(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	pgtest.Exec(t, conn, `CREATE EXTENSION sorted_heap`,
		`CREATE TABLE parted (a int, b smallint, t int, v svec, pad text) PARTITION BY RANGE (a)`,
		`CREATE INDEX ON parted USING sorted_zone (a, b)`,
		`CREATE TABLE part PARTITION OF parted DEFAULT USING sorted_heap`,
		`CREATE UNLOGGED TABLE unlogged (a int, b smallint, t int, v svec, pad text)`,
		`CREATE TABLE on_heap (a int, b smallint, t int, v svec, pad text)`,
		`CREATE TABLE on_sorted (a int, b smallint, t int, v svec, pad text) USING sorted_heap`)
	tables := []string{"part", "unlogged", "on_heap", "on_sorted"}
	for _, table := range tables {
		pgtest.Exec(t, conn, `ALTER TABLE `+table+` SET (autovacuum_enabled = off)`,
			`INSERT INTO `+table+` SELECT i / 5, i % 5, i, '[1,2]', repeat('x', 200) FROM generate_series(0, 9999) i`)
		if table != "part" {
			pgtest.Exec(t, conn, `CREATE INDEX `+table+`_zone ON `+table+` USING sorted_zone (a, b)`)
		}
		pgtest.Exec(t, conn, `VACUUM ANALYZE `+table, `DELETE FROM `+table+` WHERE a BETWEEN 300 AND 320`, `VACUUM `+table,
			`INSERT INTO `+table+` VALUES (900001, 1, 7, '[1,2]', 'stray')`,
			`INSERT INTO `+table+` SELECT 2000 + i, 1, i, '[1,2]', repeat('y', 200) FROM generate_series(1, 300) i`)
	}
	return tables
}

// mapFigures is what a map knows, and what a lookup finds by it.
func mapFigures(t *testing.T, conn *pgx.Conn, table string) string {
	t.Helper()
	states := pgtest.One[string](t, conn, `SELECT s::text FROM sorted_heap_zonemap_stats('`+table+`') s`)
	pgtest.Exec(t, conn, `SET enable_seqscan = off`)
	defer pgtest.Exec(t, conn, `RESET ALL`)
	return states + pgtest.One[string](t, conn, `SELECT format(' %s rows, %s', count(*), sum(hashtextextended(x::text, 0))) FROM `+table+` x
		WHERE a BETWEEN 250 AND 777 OR a IN (7, 1200, 2200, 900001) OR a < 3`)
}

func plan(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	return strings.Join(pgtest.Column[string](t, conn, `EXPLAIN (COSTS off) `+query), "\n")
}

// upgrade stops both servers and turns the older cluster into the newer.
func upgrade(t *testing.T, older, newer *cluster.Cluster, source *pgx.Conn) {
	t.Helper()
	target := pgtest.Connect(t, newer, "postgres")
	dirs := map[*cluster.Cluster]string{
		older: pgtest.One[string](t, source, `SHOW data_directory`),
		newer: pgtest.One[string](t, target, `SHOW data_directory`),
	}
	checksums := pgtest.One[string](t, target, `SHOW data_checksums`) != pgtest.One[string](t, source, `SHOW data_checksums`)
	for c := range dirs {
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if checksums { // the default has changed in version 18
		run(t, older, "pg_checksums", "--enable", "-D", dirs[older])
	}
	cmd := newer.Command(t.Context(), "pg_upgrade", "-b", older.Install.BinDir, "-B", newer.Install.BinDir, "-d", dirs[older], "-D", dirs[newer], "-U", "postgres")
	if out, err := cmd.CombinedOutput(); err != nil {
		logs, globErr := filepath.Glob(filepath.Join(dirs[newer], "pg_upgrade_output.d", "*", "log", "*.log"))
		for _, log := range logs {
			text, readErr := os.ReadFile(log)
			t.Logf("%s (%v):\n%s", filepath.Base(log), readErr, text)
		}
		t.Fatalf("pg_upgrade: %v (%v)\n%s", err, globErr, out)
	}
}
