// Package outside makes engines of vector stores outside of PostgreSQL: the store
// finds the nearest rows, the client turns them into seed ids, and one SQL
// statement over a heap table expands and ranks.
//
// The client keeps the keys of all rows in memory, which is the cheapest way a
// program could do it; a bare search is answered from there, without SQL.
package outside

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/vectorstore"
)

// Engine is a store with SQL behind it.
type Engine struct {
	store vectorstore.Store
	facts *Facts
	ef    int
	open  bool
	rows  []engine.Row // by load order; distance 0
}

var (
	_ engine.Engine = (*Engine)(nil)
	_ engine.SQL    = (*Engine)(nil)

	_ engine.Tunable = (*Engine)(nil)
)

// New returns the engine of a store; ef is the number of candidates of its
// searches. It does no I/O.
func New(store vectorstore.Store, facts *Facts, ef int) *Engine {
	return &Engine{store: store, facts: facts, ef: ef}
}

// Name implements engine.Engine.
func (e *Engine) Name() string { return e.store.Name() }

// Version implements engine.Engine.
func (e *Engine) Version() string { return e.store.Version() }

// Capabilities implements engine.Engine. Given seeds are left to the engine
// heap, whose statements would be the same.
func (*Engine) Capabilities() engine.Capabilities {
	return engine.Capabilities{
		Forms:            []engine.Form{engine.FormIn, engine.FormJoin},
		Seedings:         []engine.Seeding{engine.SeedSearch, engine.SeedExact},
		ApproximateSeeds: true,
		MaxHops:          2,
	}
}

// Settings implements engine.SQL: the session's and the store's.
func (e *Engine) Settings() map[string]string {
	all := e.facts.sql.Settings()
	maps.Copy(all, e.store.Settings())
	return all
}

// Open implements engine.Engine.
func (e *Engine) Open(ctx context.Context) error {
	if err := e.store.Open(ctx); err != nil {
		return err
	}
	if err := e.facts.open(ctx); err != nil {
		var missing *engine.UnavailableError
		if errors.As(err, &missing) {
			err = &engine.UnavailableError{Engine: e.Name(), Reason: "expansion in SQL: " + missing.Reason, Hint: missing.Hint}
		}
		return errors.Join(err, e.store.Close(context.WithoutCancel(ctx)))
	}
	e.open = true
	return nil
}

// Close implements engine.Engine.
func (e *Engine) Close(ctx context.Context) error {
	e.rows = nil
	err := e.store.Close(ctx)
	if e.open {
		e.open = false
		err = errors.Join(err, e.facts.close(ctx))
	}
	return err
}

// Tune implements engine.Tunable.
func (e *Engine) Tune(_ context.Context, t engine.Tuning) error {
	if t.EfSearch != 0 {
		e.ef = t.EfSearch
	}
	return nil
}

// Load implements engine.Engine: the table, then the store.
func (e *Engine) Load(ctx context.Context, src corpus.Source) (engine.Build, error) {
	build, err := e.facts.load(ctx, src)
	if err != nil {
		return engine.Build{}, err
	}
	e.rows = e.rows[:0]
	stored, err := e.store.Load(ctx, src.Info().Dim, e.remember(src.All(ctx)))
	if err != nil {
		return engine.Build{}, fmt.Errorf("load %s into engine %s: %w", src.Info().Name, e.Name(), err)
	}
	build.Rows = stored.Rows
	build.Store, build.StoreBytes = stored.Seconds, stored.Bytes
	build.Seconds += stored.Seconds
	build.IndexBytes += stored.Bytes
	return build, nil
}

// remember keeps the keys of facts while it hands on their vectors.
func (e *Engine) remember(facts iter.Seq2[corpus.Fact, error]) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		for fact, err := range facts {
			if err == nil {
				e.rows = append(e.rows, engine.Row{Entity: fact.Entity, Relation: fact.Relation, Target: fact.Target, Payload: fact.Payload})
			}
			if !yield(fact.Embedding, err) {
				return
			}
		}
	}
}

// Ask implements engine.Engine.
func (e *Engine) Ask(ctx context.Context, t engine.Task, q engine.Question) ([]engine.Row, error) {
	if t.Output != engine.OutputRows {
		return nil, fmt.Errorf("ask engine %s: task %s returns no rows", e.Name(), t)
	}
	if err := e.accepts(t); err != nil {
		return nil, err
	}
	answer, err := e.search(ctx, t, q)
	if err != nil {
		return nil, err
	}
	if len(t.Hops) > 0 {
		return e.facts.sql.Ask(ctx, given(t), engine.Question{Embedding: q.Embedding, Relations: q.Relations, Seeds: e.seeds(nil, t, answer)})
	}
	return e.nearest(nil, answer), nil
}

func (e *Engine) accepts(t engine.Task) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if reason := e.Capabilities().Refuses(t); reason != "" {
		return fmt.Errorf("engine %s: %s", e.Name(), reason)
	}
	return nil
}

// given is the part of a task that SQL does.
func given(t engine.Task) engine.Task {
	t.Seeding, t.Given = engine.SeedGiven, 0
	return t
}

func (e *Engine) search(ctx context.Context, t engine.Task, q engine.Question) (vectorstore.Answer, error) {
	answer, err := e.store.Search(ctx, q.Embedding, vectorstore.Search{
		K: t.AnnK, Ef: e.ef, Exact: t.Seeding == engine.SeedExact})
	if err != nil {
		return answer, err
	}
	for _, hit := range answer.Hits {
		if hit.Row < 0 || hit.Row >= len(e.rows) {
			return answer, &engine.FaultError{Engine: e.Name(), Err: fmt.Errorf("row %d is returned of %d", hit.Row, len(e.rows))}
		}
	}
	return answer, nil
}

// seeds appends the distinct seed ids of an answer, in the order of nearness.
func (e *Engine) seeds(into []int32, t engine.Task, answer vectorstore.Answer) []int32 {
	for _, hit := range answer.Hits {
		id := e.rows[hit.Row].Entity
		if t.SeedBy == engine.SeedByTarget {
			id = e.rows[hit.Row].Target
		}
		if !slices.Contains(into, id) {
			into = append(into, id)
		}
	}
	return into
}

// nearest appends the rows of an answer.
func (e *Engine) nearest(into []engine.Row, answer vectorstore.Answer) []engine.Row {
	for _, hit := range answer.Hits {
		row := e.rows[hit.Row]
		row.Distance = hit.Distance
		into = append(into, row)
	}
	return into
}

// Prepare implements engine.SQL.
func (e *Engine) Prepare(ctx context.Context, t engine.Task) (engine.Call, error) {
	if err := e.accepts(t); err != nil {
		return nil, err
	}
	c := &call{engine: e, task: t}
	if len(t.Hops) > 0 {
		var err error
		if c.sql, err = e.facts.sql.Prepare(ctx, given(t)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// call is one prepared task: a search, and a statement unless it is a bare
// search.
type call struct {
	engine *Engine
	task   engine.Task
	sql    engine.Call
	seeds  []int32
	rows   []engine.Row
	stages [3]engine.Stage
}

var (
	_ engine.Call   = (*call)(nil)
	_ engine.Staged = (*call)(nil)
)

// Run implements engine.Call.
func (c *call) Run(ctx context.Context, q engine.Question) (int, error) {
	watch := measure.Start()
	answer, err := c.engine.search(ctx, c.task, q)
	if err != nil {
		return 0, err
	}
	var n int
	if c.sql == nil {
		c.rows = c.engine.nearest(c.rows[:0], answer)
		n = len(c.rows)
	} else {
		c.seeds = c.engine.seeds(c.seeds[:0], c.task, answer)
	}
	searched := watch.Seconds()
	if c.sql != nil {
		if n, err = c.sql.Run(ctx, engine.Question{Embedding: q.Embedding, Relations: q.Relations, Seeds: c.seeds}); err != nil {
			return 0, err
		}
	}
	c.stages = [3]engine.Stage{{Name: "search", MS: 1000 * searched}, {Name: "inside", MS: answer.InsideMS},
		{Name: "sql", MS: 1000 * (watch.Seconds() - searched)}}
	return n, nil
}

// Stages implements engine.Staged: search is the whole way to the store and back,
// inside the part of it that the store itself reports, sql the statement.
func (c *call) Stages() []engine.Stage {
	stages := c.stages[:]
	if c.sql == nil {
		stages = stages[:2]
	}
	if stages[1].MS == 0 {
		return slices.Delete(slices.Clone(stages), 1, 2)
	}
	return stages
}

// Plan implements engine.Call.
func (c *call) Plan(ctx context.Context, q engine.Question) (engine.Plan, error) {
	how := fmt.Sprintf("%s hnsw, ef %d", c.engine.Name(), c.engine.ef)
	if c.task.Seeding == engine.SeedExact {
		how = c.engine.Name() + " exact"
	}
	if c.sql == nil {
		return engine.Plan{Summary: how, Outside: true}, nil
	}
	answer, err := c.engine.search(ctx, c.task, q)
	if err != nil {
		return engine.Plan{}, err
	}
	plan, err := c.sql.Plan(ctx, engine.Question{Embedding: q.Embedding, Relations: q.Relations, Seeds: c.engine.seeds(nil, c.task, answer)})
	plan.Summary, plan.Outside = how+"; "+plan.Summary, true
	return plan, err
}

// Text implements engine.Call.
func (c *call) Text() string {
	text := fmt.Sprintf("-- %d nearest rows of engine %s", c.task.AnnK, c.engine.Name())
	if c.sql != nil {
		text += ", their ids as seeds\n" + c.sql.Text()
	}
	return text
}
