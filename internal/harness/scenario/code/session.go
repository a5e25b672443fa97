package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// Params are the choices of a run.
type Params struct {
	Bounds
	Passes int            // over all questions, at least 1
	WarmUp int            // untimed calls per case
	Limit  float64        // seconds that the timed calls of one case may take; 0: no limit
	Filter *regexp.Regexp // only cases with a matching name; nil: all
}

// Validate reports every parameter that is out of range.
func (p Params) Validate() error {
	var errs []error
	for _, c := range []struct {
		name          string
		value, lowest int
	}{{"ann_k", p.AnnK, 1}, {"top_k", p.TopK, 1}, {"token budget", p.Budget, 1}, {"runs", p.Passes, 1}, {"warm-up", p.WarmUp, 0}} {
		if c.value < c.lowest {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least %d", c.name, c.value, c.lowest))
		}
	}
	if p.Limit < 0 {
		errs = append(errs, fmt.Errorf("time per case is %g s, must not be negative", p.Limit))
	}
	return errors.Join(errs...)
}

// Env is what a run gets from outside.
type Env struct {
	Engines  []engine.Engine                                                       // in report order; opened, and closed again, by the session
	Corpus   *corpus.Code                                                          // with questions
	Cases    []Case                                                                // in report order
	Clock    func(ctx context.Context, queryID int64) (measure.ServerClock, error) // nil: client clock only
	Progress scenario.Progress
}

// relational is an engine with a session that can be asked anything.
type relational interface {
	engine.Engine
	engine.SQL
	Session() postgres.Session
}

// loaded is an engine that takes part.
type loaded struct {
	relational
	store *Store
	build result.Build
}

// Session is a source tree loaded into engines. It can be measured again and again.
type Session struct {
	env     Env
	engines []*loaded
	missing []result.Row
}

// Run loads, measures once and closes.
func Run(ctx context.Context, p Params, env Env) (rows []result.Row, warnings []string, err error) {
	session, err := Open(ctx, env)
	// A cancelled run must still close its sessions.
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return session.missing, nil, err
	}
	return session.Measure(ctx, p)
}

// Open loads all engines. The session is to be closed also when there is an error.
func Open(ctx context.Context, env Env) (*Session, error) {
	s := &Session{env: env}
	if len(env.Corpus.Asked) == 0 {
		return s, fmt.Errorf("scenario %s: there is no question to ask", Name)
	}
	for _, e := range env.Engines {
		if err := s.load(ctx, e); err != nil {
			return s, fmt.Errorf("scenario %s: %w", Name, err)
		}
	}
	if len(s.engines) == 0 {
		return s, fmt.Errorf("scenario %s: %w", Name, scenario.ErrNoEngine)
	}
	return s, nil
}

// Close closes all engines.
func (s *Session) Close(ctx context.Context) error {
	var errs []error
	for _, e := range s.env.Engines {
		errs = append(errs, e.Close(ctx))
	}
	return errors.Join(errs...)
}

// load opens and fills an engine; one that cannot run becomes a row.
func (s *Session) load(ctx context.Context, e engine.Engine) error {
	inside, ok := e.(relational)
	if !ok {
		return fmt.Errorf("engine %s: only engines inside PostgreSQL hold source trees", e.Name())
	}
	if err := e.Open(ctx); err != nil {
		var missing *engine.UnavailableError
		if !errors.As(err, &missing) {
			return err
		}
		s.env.Progress.Note("%v", err)
		s.missing = append(s.missing, s.emptyRow(e, "", err))
		return nil
	}
	s.env.Progress.Step("load "+e.Name(), 0)
	b, err := e.Load(ctx, &s.env.Corpus.Facts)
	if err != nil {
		return err
	}
	session := inside.Session()
	l := &loaded{relational: inside, build: result.Build{Seconds: b.Seconds, IndexBytes: b.IndexBytes, TableBytes: b.TableBytes,
		WALBytes: b.WALBytes, Rows: b.Rows}}
	l.store = &Store{Engine: e.Name(), Conn: session.Conn, Table: session.Table, Seeds: session.Table + "_seed", Vector: session.Vector,
		Approximate: session.Approximate, Corpus: s.env.Corpus, walk: session.Walk}
	if err := l.store.loadSeeds(ctx); err != nil {
		return fmt.Errorf("load lexical seeds into engine %s: %w", e.Name(), err)
	}
	for _, c := range s.env.Cases {
		if c.Load == nil || !c.runsOn(e.Name()) {
			continue
		}
		if err := c.Load(ctx, l.store); err != nil {
			return fmt.Errorf("load case %s into engine %s: %w", c.Name, e.Name(), err)
		}
	}
	s.env.Progress.Note("loaded %s: %d rows in %.1f s, table %.1f MB, indexes %.1f MB",
		e.Name(), b.Rows, b.Seconds, float64(b.TableBytes)/1e6, float64(b.IndexBytes)/1e6)
	s.engines = append(s.engines, l)
	return nil
}

// loadSeeds makes the table of lexical seeds.
func (s *Store) loadSeeds(ctx context.Context) error {
	create := fmt.Sprintf("CREATE TABLE %s (entity_id int4 PRIMARY KEY, embedding %s(%d) NOT NULL, payload text NOT NULL)", s.Seeds, s.Vector, s.Corpus.Dim)
	for _, sql := range []string{postgres.DropOwn("TABLE", s.Seeds), create} {
		if _, err := s.Conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	seeds := s.Corpus.Seeds
	_, err := s.Conn.CopyFrom(ctx, pgx.Identifier{s.Seeds}, []string{"entity_id", "embedding", "payload"},
		pgx.CopyFromSlice(len(seeds), func(i int) ([]any, error) {
			return []any{seeds[i].Entity, pgvector.NewVector(seeds[i].Embedding), seeds[i].Payload}, nil
		}))
	if err != nil {
		return err
	}
	_, err = s.Conn.Exec(ctx, "VACUUM (ANALYZE) "+s.Seeds)
	return err
}

// RunsOnAny says whether one of the engines can run the case.
func (c Case) RunsOnAny(engineNames []string) bool { return slices.ContainsFunc(engineNames, c.runsOn) }

func (c Case) runsOn(engineName string) bool {
	return c.Engines == nil || slices.Contains(c.Engines, engineName)
}

// emptyRow stands for what could not be measured.
func (s *Session) emptyRow(e engine.Engine, name string, err error) result.Row {
	return result.Row{Scenario: Name, Corpus: s.env.Corpus.Name, Engine: e.Name(), EngineVersion: e.Version(), Case: name,
		Params: map[string]any{}, Queries: len(s.env.Corpus.Asked), Error: err.Error()}
}

// params are what a row records of how it came about.
func (t *trial) params(p Params) map[string]any {
	settings := map[string]string{}
	maps.Copy(settings, t.owner.Settings())
	return map[string]any{"ann_k": p.AnnK, "top_k": p.TopK, "token_budget": p.Budget, "session": settings, "sql": t.asker.Text(),
		"question": cmp.Or(t.use.Equals, t.use.Name), "equals": t.use.Equals, "first_pass_ms": t.firstPass, "questions": t.marks}
}
