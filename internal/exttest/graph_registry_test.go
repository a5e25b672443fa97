package exttest

import (
	"path/filepath"
	"testing"

	"sortedheap/internal/pgtest"
)

// Registered column names follow their table through dump and restore, those
// of dropped tables stay behind.
func TestGraphRegistryRestore(t *testing.T) {
	c := pgtest.Start(t)
	source := pgtest.Database(t, c)
	pgtest.Exec(t, source,
		`CREATE SCHEMA "Graph S"`,
		`CREATE TABLE "Graph S"."e dges" (src int4, kind int2, dst int4, vec svec, txt text, PRIMARY KEY (src, kind, dst)) USING sorted_heap`,
		`INSERT INTO "Graph S"."e dges" VALUES (1, 1, 2, '[1,0]', 'here')`,
		`SELECT sorted_heap_graph_register('"Graph S"."e dges"', 'src', 'kind', 'dst', 'vec', 'txt')`,
		`CREATE TABLE gone (LIKE "Graph S"."e dges" INCLUDING INDEXES)`,
		`SELECT sorted_heap_graph_register('gone', 'src', 'kind', 'dst', 'vec', 'txt')`,
		`DROP TABLE gone`)

	dump := filepath.Join(c.Dir(), "registry.dump")
	run(t, c, "pg_dump", "-Fc", "-f", dump, source.Config().Database)
	run(t, c, "createdb", "registry_restored")
	// Other objects first, so that the table gets another OID.
	restored := pgtest.Connect(t, c, "registry_restored")
	pgtest.Exec(t, restored, `CREATE TABLE before (); DROP TABLE before`)
	run(t, c, "pg_restore", "--exit-on-error", "-d", "registry_restored", dump)

	names := pgtest.Column[string](t, restored, `SELECT relid::text FROM sorted_heap_graph_registry`)
	if len(names) != 1 || names[0] != `"Graph S"."e dges"` {
		t.Errorf("registry holds %q, want the one table that exists", names)
	}
	got := pgtest.One[string](t, restored, `SELECT payload FROM sorted_heap_expand_ids('"Graph S"."e dges"', '{1}')`)
	if got != "here" {
		t.Errorf("payload %q, want %q", got, "here")
	}
}
