package openshare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/corpus/pyrand"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/stats"
)

// session is a connection with one setting of the access.
type session struct {
	access string
	conn   *pgx.Conn
}

// lookup is one case.
type lookup struct {
	table     *table
	keys      int
	session   *session
	statement string // its name in the session
	inputs    [][]int32
}

type bench struct {
	params   Params
	env      Env
	control  *pgx.Conn
	sessions []*session
	tables   []*table
	lookups  []*lookup
	version  string
	rows     []result.Row
	warnings []string
}

func (b *bench) connect(ctx context.Context) error {
	var err error
	if b.control, err = pgx.Connect(ctx, b.env.DSN); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := exec(ctx, b.control, "CREATE EXTENSION IF NOT EXISTS sorted_heap"); err != nil {
		return &engine.UnavailableError{Engine: "sorted_heap", Reason: err.Error()}
	}
	err = b.control.QueryRow(ctx, "SELECT extname || ' ' || extversion FROM pg_extension WHERE extname = 'sorted_heap'").Scan(&b.version)
	if err != nil {
		return fmt.Errorf("read extension version: %w", err)
	}
	for _, access := range accesses {
		conn, err := pgx.Connect(ctx, b.env.DSN)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		b.sessions = append(b.sessions, &session{access: access, conn: conn})
		// A call loads the library, which checks the setting.
		if err := exec(ctx, conn, "SELECT '[1]'::svec", "SET jit = off", "SET sorted_heap.graph_access = "+access); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) close(ctx context.Context) error {
	var errs []error
	if b.control != nil {
		errs = append(errs, b.control.Close(ctx))
	}
	for _, s := range b.sessions {
		errs = append(errs, s.conn.Close(ctx))
	}
	return errors.Join(errs...)
}

// load makes the tables and opens their blocks.
func (b *bench) load(ctx context.Context) error {
	for i, percent := range b.params.Shares {
		t := &table{name: fmt.Sprintf("facts_open_%d", i), label: fmt.Sprintf("open_%g%%", percent), entities: b.params.Entities, dim: b.params.Dim}
		b.env.Progress.Step("load "+t.label, 0)
		if err := t.create(ctx, b.control); err != nil {
			return err
		}
		if err := t.openBlocks(ctx, b.control, percent); err != nil {
			return err
		}
		b.tables = append(b.tables, t)
	}
	if b.params.StrayEntities > 0 {
		t := &table{name: "facts_strays", label: fmt.Sprintf("%d_strays_in_%d", b.params.Strays, b.params.StrayEntities*degree),
			entities: b.params.StrayEntities, dim: 1}
		b.env.Progress.Step("load "+t.label, 0)
		if err := t.create(ctx, b.control); err != nil {
			return err
		}
		if err := t.scatter(ctx, b.control, b.params.Strays); err != nil {
			return err
		}
		b.tables = append(b.tables, t)
	}
	if err := exec(ctx, b.control, "CREATE EXTENSION IF NOT EXISTS pg_prewarm"); err != nil {
		return err
	}
	for _, t := range b.tables {
		b.env.Progress.Note("%s: %d of %d blocks open", t.label, t.open, t.blocks)
		if err := exec(ctx, b.control, "SELECT pg_prewarm('"+t.name+"')",
			"SELECT pg_prewarm(indexrelid) FROM pg_index WHERE indrelid = '"+t.name+"'::regclass"); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the cases; each table and number of keys has lookups of its own.
func (b *bench) prepare(ctx context.Context) error {
	draws := pyrand.New(7)
	for _, t := range b.tables {
		for _, keys := range b.params.Keys {
			inputs := make([][]int32, b.params.Inputs)
			for i := range inputs {
				drawn, err := draws.Sample(t.entities, keys)
				if err != nil {
					return fmt.Errorf("draw keys: %w", err)
				}
				inputs[i] = []int32{} // an empty array, not NULL
				for _, d := range drawn {
					inputs[i] = append(inputs[i], int32(d)+1)
				}
			}
			for _, s := range b.sessions {
				l := &lookup{table: t, keys: keys, session: s, statement: fmt.Sprintf("lookup_%d", len(b.lookups)), inputs: inputs}
				if _, err := s.conn.Prepare(ctx, l.statement, l.sql()); err != nil {
					return fmt.Errorf("prepare %s: %w", l.name(), err)
				}
				b.lookups = append(b.lookups, l)
			}
		}
	}
	return nil
}

func (l *lookup) name() string { return l.of(l.session.access) }

// of is the name of the same lookup by an access.
func (l *lookup) of(access string) string {
	return fmt.Sprintf("expand_%d_keys_%s_%s", l.keys, l.table.label, access)
}

func (l *lookup) sql() string {
	return fmt.Sprintf("SELECT count(*), sum(length(payload)) FROM sorted_heap_expand_ids('%s'::regclass, $1::int4[])", l.table.name)
}

func (l *lookup) run(ctx context.Context, i int) (int, error) {
	var n int64
	var sum *int64
	if err := l.session.conn.QueryRow(ctx, l.statement, l.inputs[i]).Scan(&n, &sum); err != nil {
		return 0, err
	}
	return int(n), nil
}

// check compares every lookup with plain SQL on the same table.
func (b *bench) check(ctx context.Context) error {
	b.env.Progress.Step("check answers", len(b.lookups))
	var faults []string
	for done, l := range b.lookups {
		for i, keys := range l.inputs {
			var got, want string
			const sums = "SELECT concat_ws(' ', count(*), sum(target_id), sum(hashtext(payload))) FROM "
			if err := l.session.conn.QueryRow(ctx, sums+"sorted_heap_expand_ids('"+l.table.name+"'::regclass, $1::int4[])", keys).Scan(&got); err != nil {
				return fmt.Errorf("%s: %w", l.name(), err)
			}
			if err := b.control.QueryRow(ctx, sums+l.table.name+" WHERE entity_id = ANY ($1::int4[])", keys).Scan(&want); err != nil {
				return fmt.Errorf("%s in SQL: %w", l.name(), err)
			}
			if got != want {
				faults = append(faults, fmt.Sprintf("%s, lookup %d: sums are %s, want %s", l.name(), i, got, want))
				break
			}
		}
		b.env.Progress.Done(done + 1)
	}
	if len(faults) > 0 {
		return &scenario.EquivalenceError{Faults: faults}
	}
	return nil
}

// measure times all lookups in turns.
func (b *bench) measure(ctx context.Context) error {
	trials := make([]measure.Trial, len(b.lookups))
	for i, l := range b.lookups {
		trials[i] = measure.Trial{Name: l.name(), Call: l.run}
	}
	tick := func(done, _ int) { b.env.Progress.Done(done) }
	b.env.Progress.Step("warm up", b.params.WarmUp)
	if err := measure.WarmUp(ctx, trials, b.params.Inputs, b.params.WarmUp, tick); err != nil {
		return err
	}
	for i, l := range b.lookups {
		if b.env.Clock == nil {
			continue
		}
		id, err := l.queryID(ctx)
		if err != nil {
			return err
		}
		if trials[i].Server, err = b.env.Clock(ctx, id); err != nil {
			return err
		}
	}
	plan := measure.Plan{Inputs: b.params.Inputs, Passes: b.params.Passes, Budget: 1000 * b.params.Budget}
	b.env.Progress.Step("measure "+Name, plan.Inputs*plan.Passes)
	samples, err := measure.Interleave(ctx, trials, plan, tick)
	if err != nil {
		return err
	}
	least, most, short := math.MaxInt, 0, 0
	for i, l := range b.lookups {
		row, err := b.row(ctx, l, samples[i])
		if err != nil {
			return err
		}
		b.rows = append(b.rows, row)
		if stats.TooFew(row.Samples, row.Samples) != "" {
			least, most, short = min(least, row.Samples), max(most, row.Samples), short+1
		}
	}
	if short > 0 {
		b.warnings = append(b.warnings, fmt.Sprintf("%d of %d rows: %s", short, len(b.rows), stats.TooFew(least, most)))
	}
	return nil
}

// queryID is the key of the statement's counters. Lookups of 1 and of 64 keys
// share it, which the clock allows: it insists on one call between readings.
func (l *lookup) queryID(ctx context.Context) (int64, error) {
	var raw string
	if err := l.session.conn.QueryRow(ctx, "EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE "+l.statement+"('{1}')", pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return 0, fmt.Errorf("explain %s: %w", l.name(), err)
	}
	plan, err := postgres.ParsePlan(raw)
	if err != nil {
		return 0, fmt.Errorf("explain %s: %w", l.name(), err)
	}
	return plan.QueryID, nil
}

func (b *bench) row(ctx context.Context, l *lookup, s measure.Samples) (result.Row, error) {
	if _, err := l.run(ctx, 0); err != nil {
		return result.Row{}, err
	}
	var access *string
	if err := l.session.conn.QueryRow(ctx, "SELECT access FROM sorted_heap_graph_rag_stats()").Scan(&access); err != nil {
		return result.Row{}, fmt.Errorf("read statistics of %s: %w", l.name(), err)
	}
	row := result.Row{
		Scenario: Name, Corpus: l.table.label, Engine: "sorted_heap", EngineVersion: b.version, Case: l.name(),
		Params: map[string]any{"keys": l.keys, "access": l.session.access, "blocks": l.table.blocks, "open_blocks": l.table.open,
			"question": fmt.Sprint(l.table.label, l.keys), "reference": l.of(reference), "sql": l.sql()},
		Queries: len(l.inputs), Samples: len(s.ClientMS), ClientMS: result.NewLatency(stats.Summarize(s.ClientMS)), RowsMean: stats.Summarize(s.Rows).Mean,
	}
	if access != nil {
		row.Plan = "rows: " + *access
	}
	if len(s.ServerMS) > 0 {
		row.ServerMS, row.PlanningMS = result.NewLatency(stats.Summarize(s.ServerMS)), result.NewLatency(stats.Summarize(s.PlanMS))
		row.Buffers = &result.Buffers{Hit: stats.Summarize(s.HitPages).Mean, Read: stats.Summarize(s.ReadPages).Mean}
	}
	return row, nil
}
