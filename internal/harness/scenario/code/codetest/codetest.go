// Package codetest is what tests of cases over source text share: a server with its
// clock, and the small tree inside this program with its questions.
package codetest

import (
	"context"
	"io/fs"
	"testing"

	"sortedheap/fixtures"
	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/pgtest"
)

type silent struct{}

func (silent) Step(string, int)    {}
func (silent) Done(int)            {}
func (silent) Note(string, ...any) {}

// Server starts a server that keeps the clocks of statements, and returns its
// connection string. It skips the test where there is no PostgreSQL.
func Server(t *testing.T) string {
	t.Helper()
	return pgtest.Start(t, pgtest.WithSettings(map[string]string{
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"})).DSN("")
}

// Embedder is the embedder of the tree's vectors.
func Embedder(t *testing.T) *embed.Hash {
	t.Helper()
	hash, err := embed.NewHash(embed.CodeAware, 64)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// Environment has engines of a server, its clock, and the lighthouse with all of its
// questions. The caller sets Cases.
func Environment(t *testing.T, dsn string, engineNames ...string) code.Env {
	t.Helper()
	engines, err := all.New(engineNames, all.Options{DSN: dsn, M: 16, EfConstruction: 64, EfSearch: 64})
	if err != nil {
		t.Fatal(err)
	}
	clock, err := pgstat.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := clock.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return code.Env{Engines: engines, Corpus: lighthouse(t), Progress: silent{},
		Clock: func(ctx context.Context, id int64) (measure.ServerClock, error) { return clock.Clock(ctx, id) }}
}

func lighthouse(t *testing.T) *corpus.Code {
	t.Helper()
	dir, err := fixtures.Questions()
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(dir, "lighthouse.json")
	if err != nil {
		t.Fatal(err)
	}
	questions, err := corpus.ParseQuestions("lighthouse", text)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := corpus.OpenCode(t.Context(), corpus.CodeOptions{Embedder: Embedder(t), Questions: questions})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
