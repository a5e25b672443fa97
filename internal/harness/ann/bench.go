package ann

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/stats"
)

// bench is the state of a run.
type bench struct {
	params    Params
	env       Env
	vectors   *corpus.Vectors
	buckets   []int32 // of each row; what filters go by, and what churn deletes
	truths    []*truth
	digest    string
	figures   reference
	control   *pgx.Conn
	stores    []*store
	outsiders []*outsider
	rows      []result.Row
	warnings  []string
}

// store is a system with its table in this run.
type store struct {
	system
	vector   string // type of the column
	half     bool
	version  string
	admin    *session // builds and maintains
	plain    *session // searches without a filter; its ef is set before each use
	build    *result.Build
	filtered bool                // the index is that of filtered searches
	bare     bool                // there is no index: the one of filtered searches was refused
	curves   map[string][]point  // of the fresh index, by query set
	grades   map[string][]*grade // likewise, by ef
	out      bool                // failed; its rows say why
}

// prepare makes the truth before any server is asked.
func (b *bench) prepare(ctx context.Context) (err error) {
	b.env.Progress.Step("digest of corpus", 0)
	if b.digest, err = b.vectors.Digest(ctx); err != nil {
		return err
	}
	if b.figures, err = hnswlib(); err != nil {
		return err
	}
	if b.params.Element == "half" {
		roundHalves(b.vectors)
	}
	b.buckets = corpus.Buckets(b.vectors.Len(), b.params.Seed)
	for _, set := range b.vectors.Queries {
		t, err := b.ofCorpus(set)
		if err == nil && t == nil {
			t, err = b.exactly(ctx, set, nil)
		}
		if err != nil {
			return err
		}
		b.truths = append(b.truths, t)
	}
	return nil
}

func (b *bench) close(ctx context.Context) error {
	var errs []error
	if b.control != nil {
		errs = append(errs, b.control.Close(ctx))
	}
	for _, s := range b.stores {
		for _, opened := range []*session{s.admin, s.plain} {
			if opened != nil {
				errs = append(errs, opened.close(ctx))
			}
		}
	}
	for _, s := range b.env.Stores {
		errs = append(errs, s.Close(ctx))
	}
	return errors.Join(errs...)
}

// live are the engines that have not failed.
func (b *bench) live() []*store {
	var out []*store
	for _, s := range b.stores {
		if !s.out {
			out = append(out, s)
		}
	}
	return out
}

// failed turns a statement that the server refused, or a wrong answer, into a
// row, and returns nil. What ends a connection or the run is returned.
func (b *bench) failed(ctx context.Context, s *store, name string, err error) error {
	var refused *pgconn.PgError
	var wrong *wrongRowError
	gone := errors.As(err, &refused) && strings.HasPrefix(refused.Code, "57P")
	if refused == nil && !errors.As(err, &wrong) || gone || ctx.Err() != nil {
		return err
	}
	b.env.Progress.Note("%s %s: %v", s.name, name, err)
	b.rows = append(b.rows, result.Row{Scenario: Name, Corpus: b.vectors.Name, Engine: s.name, EngineVersion: s.version,
		Case: name, Params: map[string]any{}, Error: err.Error()})
	return nil
}

// contender is one search that takes turns with others.
type contender struct {
	name    string
	session *session
	outside *outsider // in place of a session
	set     corpus.QuerySet
}

// time warms up and measures contenders side by side over the first inputs
// queries. tick hears of rounds.
func (b *bench) time(ctx context.Context, contenders []contender, inputs int, tick func(done int)) ([]measure.Samples, error) {
	trials := make([]measure.Trial, len(contenders))
	for i, c := range contenders {
		var asks asker = c.session
		if c.outside != nil {
			asks = c.outside
			trials[i].Parts = c.outside.parts
		}
		trials[i].Name = c.name
		trials[i].Call = func(ctx context.Context, q int) (int, error) {
			ids, err := asks.search(ctx, b.query(c.set, q))
			return len(ids), err
		}
	}
	if err := measure.WarmUp(ctx, trials, inputs, b.params.WarmUp, nil); err != nil {
		return nil, err
	}
	for i, c := range contenders {
		if b.env.Clock == nil || c.outside != nil {
			continue
		}
		plan, err := c.session.plan(ctx, b.query(c.set, 0))
		if err != nil {
			return nil, err
		}
		if trials[i].Server, err = b.env.Clock(ctx, plan.QueryID); err != nil {
			return nil, err
		}
	}
	plan := measure.Plan{Inputs: inputs, Passes: b.passes(inputs), Budget: 1000 * b.params.Budget}
	return measure.Interleave(ctx, trials, plan, func(done, _ int) { tick(done) })
}

// passes over so many queries that rows have enough samples.
func (b *bench) passes(inputs int) int {
	if b.params.Passes > 0 {
		return b.params.Passes
	}
	return (stats.MinSamples + inputs - 1) / inputs
}

// row is what was measured of one search.
func (b *bench) row(ctx context.Context, s *store, c contender, name string, m measure.Samples, g *grade) (result.Row, error) {
	plan, err := c.session.plan(ctx, b.query(c.set, 0))
	if err != nil {
		return result.Row{}, err
	}
	if plan.Summary, err = b.walked(ctx, s, c, plan.Summary); err != nil {
		return result.Row{}, err
	}
	row := result.Row{
		Scenario: Name, Corpus: b.vectors.Name, Engine: s.name, EngineVersion: s.version, Case: name, Plan: plan.Summary,
		Params:  map[string]any{"set": c.set.Name, "sql": c.session.sql},
		Queries: b.queries(c.set), Build: s.build,
	}
	scenario.AddSamples(&row, m)
	if g != nil {
		row.Quality = &result.Quality{RecallAtK: &g.recall, FullCounts: &g.full}
	}
	return row, nil
}

// walked adds to a plan how the search goes through the index, where the engine
// tells; it searches once more.
func (b *bench) walked(ctx context.Context, s *store, c contender, plan string) (string, error) {
	if s.walk == "" {
		return plan, nil
	}
	if _, err := c.session.search(ctx, b.query(c.set, 0)); err != nil {
		return "", err
	}
	var how string
	switch err := c.session.conn.QueryRow(ctx, s.walk).Scan(&how); {
	case errors.Is(err, pgx.ErrNoRows): // no index was walked
		return plan, nil
	case err != nil:
		return "", fmt.Errorf("engine %s: read how the index was walked: %w", s.name, err)
	}
	return plan + " (" + how + ")", nil
}

// warnFew adds what makes the figures doubtful.
func (b *bench) warnFew() {
	least, most, short, reading := math.MaxInt, 0, 0, 0
	for _, r := range b.rows {
		if r.Error != "" || r.Load != nil {
			continue
		}
		if stats.TooFew(r.Samples, r.Samples) != "" {
			least, most, short = min(least, r.Samples), max(most, r.Samples), short+1
		}
		if r.Buffers != nil && r.Buffers.Read >= 0.5 {
			reading++
		}
	}
	if short > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("%d of %d rows: %s", short, len(b.rows), stats.TooFew(least, most)))
	}
	if reading > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("%d rows read pages in: tables and indexes do not fit into shared_buffers (--shared-buffers)", reading))
	}
}
