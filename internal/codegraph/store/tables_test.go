package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/graph/graphtest"
	"sortedheap/internal/pgtest"
)

func TestTablesBackend(t *testing.T) {
	c := pgtest.Start(t)
	dsn := c.DSN("postgres")
	n := 0
	graphtest.Run(t, func(t *testing.T, g *graph.Graph) graph.Backend {
		n++
		schema := fmt.Sprintf(`odd "schema' \%d`, n)
		if err := SaveTables(t.Context(), dsn, schema, g); err != nil {
			t.Fatal(err)
		}
		b, done, err := Open(t.Context(), dsn, schema)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := done(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return b
	})
}

func TestTablesAreReplaced(t *testing.T) {
	c := pgtest.Start(t)
	dsn := c.DSN("postgres")
	if _, err := OpenTables(t.Context(), dsn, "codegraph"); !errors.Is(err, ErrNoGraph) {
		t.Errorf("no schema yet: %v", err)
	}
	for _, nodes := range []int{10, 30} {
		g := graphtest.Random(t, 9, nodes, 40)
		if err := SaveTables(t.Context(), dsn, "codegraph", g); err != nil {
			t.Fatal(err)
		}
		b, err := OpenTables(t.Context(), dsn, "codegraph")
		if err != nil {
			t.Fatal(err)
		}
		if info, err := b.Info(t.Context()); err != nil || info.Nodes != nodes {
			t.Errorf("%d nodes are stored, want %d; %v", info.Nodes, nodes, err)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	g := graphtest.Random(t, 9, 3, 3)
	for name, f := range map[string]func(schema string) error{
		"stored":  func(schema string) error { return SaveTables(t.Context(), dsn, schema, g) },
		"checked": func(schema string) error { return CheckTables(t.Context(), dsn, schema) },
	} {
		if err := f("public"); err == nil || !strings.Contains(err.Error(), "not a code graph") {
			t.Errorf("a schema of somebody else, %s: %v", name, err)
		}
	}
	if err := CheckTables(t.Context(), dsn, "codegraph"); err != nil {
		t.Errorf("a schema of ours: %v", err)
	}
	b, err := OpenTables(t.Context(), dsn, "codegraph")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := b.Info(t.Context()); err != nil || info.Nodes != 30 {
		t.Errorf("%d nodes are left by a check, want 30; %v", info.Nodes, err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	conn := pgtest.Connect(t, c, "postgres")
	pgtest.Exec(t, conn, `CREATE ROLE nobody LOGIN`, `REVOKE CREATE ON DATABASE postgres FROM public`)
	if err := CheckTables(t.Context(), strings.Replace(dsn, "user=postgres", "user=nobody", 1), "other"); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a role without rights: %v", err)
	}
}
