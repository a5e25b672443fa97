package outside

import (
	"context"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
)

// Facts is the table in PostgreSQL that expansion and ranking go over. All
// outside engines of a run share one, for it would be the same for each.
type Facts struct {
	sql    *postgres.Engine
	users  int
	source corpus.Source // what is loaded
	build  engine.Build
}

// NewFacts returns the table for a server: heap, btree, svec, and the given
// toast_tuple_target (0: the largest). It does no I/O.
func NewFacts(dsn string, toastTarget int) *Facts {
	f := &Facts{sql: postgres.New(dsn, postgres.Config{
		Name: "outside", Extension: "sorted_heap", VectorType: "svec", Table: "facts_outside",
		Settings: map[string]string{"jit": "off"},
		Capabilities: engine.Capabilities{
			Forms:    []engine.Form{engine.FormIn, engine.FormJoin},
			Seedings: []engine.Seeding{engine.SeedGiven},
			MaxHops:  2,
		},
	})}
	f.sql.SetToastTarget(toastTarget)
	return f
}

// open connects for the first user.
func (f *Facts) open(ctx context.Context) error {
	if f.users == 0 {
		if err := f.sql.Open(ctx); err != nil {
			return err
		}
	}
	f.users++
	return nil
}

// load fills the table, unless it holds this very source already.
func (f *Facts) load(ctx context.Context, src corpus.Source) (engine.Build, error) {
	if f.source == src {
		return f.build, nil
	}
	f.source = nil
	build, err := f.sql.Load(ctx, src)
	if err != nil {
		return engine.Build{}, err
	}
	f.source, f.build = src, build
	return build, nil
}

// close disconnects after the last user.
func (f *Facts) close(ctx context.Context) error {
	if f.users--; f.users > 0 {
		return nil
	}
	f.source = nil
	return f.sql.Close(ctx)
}
