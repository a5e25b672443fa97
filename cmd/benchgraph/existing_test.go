package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/harness/cluster"
	"sortedheap/internal/harness/provider"
	"sortedheap/internal/pgtest"
)

// In a database that is somebody's, a run changes nothing but its own schema, which
// is gone afterwards: every row of every catalog and of every table is what it was.
func TestExistingDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	c := pgtest.Start(t)
	guest := inhabit(t, c, "inhabited")
	// Another one, where a superuser meets no extension.
	bare := inhabit(t, c, "bare")
	pgtest.Exec(t, pgtest.Connect(t, c, "bare"), "DROP EXTENSION sorted_heap, pg_prewarm")
	owner := strings.Replace(bare, "user=guest", "user=postgres", 1)
	small := "--queries 3 --runs 1 --warm-up 1 "
	for _, r := range []struct {
		name, dsn, args, until string
		code                   int
	}{
		{"a guest's questions", guest, "multihop --chains 40 --cases seed_only " + small, "", exitOK},
		{"a guest's run that is interrupted", guest, "multihop --chains 40 --queries 3 --runs 100000 --case-seconds 0 --cases seed_only", "measure", exitInterrupted},
		{"a guest without an extension", bare, "multihop --chains 40 " + small, "", exitFailure},
		{"a superuser's questions", owner, "multihop --chains 40 --cases seed_only " + small, "", exitOK},
		{"lookups", owner, "openshare --entities 100 --shares 10 --stray-entities 0 --keys 2 " + small, "", exitOK},
		{"writes", owner, "crud --rows 1000 --copy-rows 10 --wide-copy-rows 10 --pairs 1 --seconds 0.001", "", exitOK},
		{"vectors", owner, "ann --rows 300 --dim 8 --ef-search 16 --clients 1 --client-seconds 0.01 --client-rounds 1 --selectivities 50 " + small, "", exitOK},
	} {
		t.Run(r.name, func(t *testing.T) {
			watcher := pgtest.Connect(t, c, databaseOf(t, r.dsn))
			before := everything(t, watcher)
			dir := serverDir(t)
			args := append([]string{"run"}, strings.Fields(r.args)...)
			var code int
			var said string
			if r.until == "" {
				code, said = runIn(t, dir, append(args, "--pg", r.dsn)...)
			} else {
				cmd := exec.CommandContext(t.Context(), "benchgraph", append(args, "--pg", r.dsn)...)
				cmd.Env = append(os.Environ(), "TMPDIR="+dir)
				heard, wait := startUntil(t, cmd, r.until)
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
				code = wait()
				said = heard.String()
			}
			if code != r.code {
				t.Errorf("exit code %d, want %d; it said\n%s", code, r.code, said)
			}
			after := everything(t, watcher)
			for _, name := range slices.Sorted(maps.Keys(before)) {
				if before[name] != after[name] {
					t.Errorf("%s changed", name)
				}
			}
			if len(before) != len(after) || len(before) < 60 {
				t.Errorf("%d catalogs and tables before, %d after", len(before), len(after))
			}
			nothingLeft(t, dir)
		})
	}
}

// The comparison sees what it is to see.
func TestEverythingSees(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	c := pgtest.Start(t)
	inhabit(t, c, "inhabited")
	conn := pgtest.Connect(t, c, "inhabited")
	for _, sql := range []string{
		"UPDATE app.notes SET text = 'other'", "CREATE SCHEMA left_behind", "ALTER ROLE guest SET work_mem = '1MB'",
		"DROP INDEX facts_pgv_embedding_idx", "CREATE TABLE more (a int)", "COMMENT ON TABLE app.notes IS 'x'", "TRUNCATE app.notes",
	} {
		before := everything(t, conn)
		pgtest.Exec(t, conn, sql)
		if maps.Equal(before, everything(t, conn)) {
			t.Errorf("%s is not seen", sql)
		}
	}
}

// A table of the run that others have come to depend on stays, with its schema and
// with what depends on it.
func TestExistingDatabaseKeepsDependents(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	c := pgtest.Start(t)
	dsn := inhabit(t, c, "inhabited")
	p, err := provider.Parse(dsn, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := pgx.Connect(t.Context(), s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close(context.Background())
	// A session that still works is ended, and only the run's.
	other := pgtest.Connect(t, c, "inhabited")
	schema := pgtest.One[string](t, run, "SELECT current_schema()::text")
	pgtest.Exec(t, run, "CREATE TABLE facts_heap (a int)", "BEGIN", "LOCK TABLE facts_heap")
	pgtest.Exec(t, run, "COMMIT", "GRANT USAGE ON SCHEMA "+schema+" TO PUBLIC")
	pgtest.Exec(t, other, "CREATE VIEW app.over_it AS SELECT * FROM "+schema+".facts_heap")
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "drop schema "+schema+": ") || !strings.Contains(err.Error(), "other objects depend on it") {
		t.Errorf("close with a view over its table: %v", err)
	}
	if n := pgtest.One[int64](t, other, "SELECT count(*) FROM app.over_it"); n != 0 {
		t.Errorf("%d rows in the view", n)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
	if !run.IsClosed() && run.Ping(t.Context()) == nil {
		t.Error("a session of the run outlives it")
	}
}

// inhabit makes a database with tables of the names that a run uses, in two schemas,
// with the extensions in a third, and returns how a role without rights to any of
// them reaches it.
func inhabit(t *testing.T, c *cluster.Cluster, name string) (dsn string) {
	t.Helper()
	admin := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, admin, "CREATE DATABASE "+name,
		"DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
		"GRANT CREATE ON DATABASE "+name+" TO guest")
	conn := pgtest.Connect(t, c, name)
	pgtest.Exec(t, conn, "CREATE EXTENSION sorted_heap", "CREATE EXTENSION pg_prewarm",
		"CREATE SCHEMA app", "CREATE TABLE app.notes (id int PRIMARY KEY, text text)", "INSERT INTO app.notes VALUES (1, 'kept')",
		// Extensions are in public, and so are these.
		"CREATE TABLE facts_pgv (a int)", "CREATE INDEX facts_pgv_embedding_idx ON facts_pgv (a)")
	for _, table := range []string{"facts_heap", "facts_sh", "facts_map", "facts_outside", "facts_open_0", "crud_plain", "crud_mapped", "ann_pgvector", "ann_sorted_heap"} {
		for _, schema := range []string{"app", "public"} {
			pgtest.Exec(t, conn, "CREATE TABLE "+schema+"."+table+" AS SELECT 42 AS kept")
		}
	}
	return "host=" + c.Dir() + " user=guest dbname=" + name
}

func databaseOf(t *testing.T, dsn string) string {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return config.Database
}

// everything digests each catalog and each table. What a reader or a checkpoint may
// change is left out: statistics, freeze horizons, schemas of temporary tables.
func everything(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	tables := pgtest.Column[string](t, conn, `SELECT format('%I.%I', nspname, relname) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind = 'r' AND nspname NOT IN ('information_schema', 'pg_toast') AND nspname !~ '^pg_temp' AND relname NOT IN ('pg_statistic', 'pg_statistic_ext_data')`)
	seen := map[string]string{}
	for _, table := range tables {
		seen[table] = pgtest.One[string](t, conn, `SELECT count(*) || ' ' || coalesce(md5(string_agg(row, E'\n' ORDER BY row)), '') FROM (
SELECT (to_jsonb(t) - '{relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,datfrozenxid,datminmxid}'::text[])::text AS row FROM `+table+` t) r
WHERE row !~ '"nspname": "pg_(toast_)?temp_'`)
	}
	return seen
}
