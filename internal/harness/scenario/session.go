package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
)

// Session is a scenario whose engines are loaded. It can be measured again and
// again, with other parameters and searches tuned otherwise, on one load.
type Session struct {
	scenario Scenario
	env      Env
	info     corpus.Facts
	engines  []*loaded
	missing  []result.Row // of engines that cannot run
	tuning   engine.Tuning
}

// Run measures a scenario once and returns its rows and warnings. On an
// EquivalenceError or ErrNoEngine the rows so far come along.
func Run(ctx context.Context, s Scenario, env Env) (rows []result.Row, warnings []string, err error) {
	session, err := Open(ctx, s, env)
	// A cancelled run must still close its sessions.
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return session.Missing(), nil, err
	}
	return session.Measure(ctx, env.Params, engine.Tuning{})
}

// Open loads all engines. The session is to be closed also when there is an
// error; on ErrNoEngine it knows which engines are missing. Of the parameters in
// env none matters here.
func Open(ctx context.Context, s Scenario, env Env) (*Session, error) {
	opened := &Session{scenario: s, env: env, info: env.Source.Info()}
	if err := env.Params.Validate(); err != nil {
		return opened, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if len(opened.info.Queries) == 0 {
		return opened, fmt.Errorf("scenario %s: corpus %s has no queries", s.Name, opened.info.Name)
	}
	if err := opened.load(ctx); err != nil {
		return opened, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return opened, nil
}

// Missing are the rows of engines that cannot run.
func (s *Session) Missing() []result.Row { return slices.Clone(s.missing) }

// Close closes all engines.
func (s *Session) Close(ctx context.Context) error {
	var errs []error
	for _, e := range s.env.Engines {
		errs = append(errs, e.Close(ctx))
	}
	return errors.Join(errs...)
}

// Measure checks, grades and times every case with these parameters, the engines'
// searches tuned as asked. On an EquivalenceError the rows so far come along.
func (s *Session) Measure(ctx context.Context, p Params, t engine.Tuning) ([]result.Row, []string, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", s.scenario.Name, err)
	}
	if t != s.tuning {
		if err := s.tune(ctx, t); err != nil {
			return s.Missing(), nil, fmt.Errorf("scenario %s: %w", s.scenario.Name, err)
		}
	}
	env := s.env
	env.Params = p
	r := &run{Env: env, scenario: s.scenario, info: s.info, engines: s.engines, rows: s.Missing(),
		questions: map[engine.SeedBy][]engine.Question{}, baselines: map[string][][]engine.Row{}, texts: map[string]string{}}
	for _, step := range []func(context.Context) error{
		r.prepare, r.ask, r.checkAgreement, r.grade, r.measure, r.profile, r.first,
	} {
		if err := step(ctx); err != nil {
			return r.rows, r.warnings, fmt.Errorf("scenario %s: %w", s.scenario.Name, err)
		}
	}
	return r.rows, r.warnings, nil
}

func (s *Session) tune(ctx context.Context, t engine.Tuning) error {
	for _, e := range s.engines {
		if tunable, ok := e.Engine.(engine.Tunable); ok {
			if err := tunable.Tune(ctx, t); err != nil {
				return err
			}
		}
	}
	s.tuning = t
	return nil
}

// load opens and fills every engine; one that cannot run becomes a row.
func (s *Session) load(ctx context.Context) error {
	for _, e := range s.env.Engines {
		if err := e.Open(ctx); err != nil {
			var missing *engine.UnavailableError
			if !errors.As(err, &missing) {
				return err
			}
			s.env.Progress.Note("%v", err)
			s.missing = append(s.missing, emptyRow(s.scenario, s.info, e, "", err))
			continue
		}
		s.env.Progress.Step("load "+e.Name(), 0)
		b, err := e.Load(ctx, s.env.Source)
		if err != nil {
			return err
		}
		s.env.Progress.Note("loaded %s: %d rows in %.1f s, table %.1f MB, indexes %.1f MB",
			e.Name(), b.Rows, b.Seconds, float64(b.TableBytes)/1e6, float64(b.IndexBytes)/1e6)
		s.engines = append(s.engines, &loaded{Engine: e, build: result.Build{
			Seconds: b.Seconds, IndexBytes: b.IndexBytes, TableBytes: b.TableBytes, WALBytes: b.WALBytes, Rows: b.Rows,
			StoreSeconds: b.Store, StoreBytes: b.StoreBytes}})
	}
	if len(s.engines) == 0 {
		return ErrNoEngine
	}
	_, err := s.env.Oracle.Load(ctx, s.env.Source)
	return err
}

// emptyRow stands for what could not be measured.
func emptyRow(s Scenario, info corpus.Facts, e engine.Engine, name string, err error) result.Row {
	return result.Row{Scenario: s.Name, Corpus: info.Name, Engine: e.Name(), EngineVersion: e.Version(),
		Case: name, Params: map[string]any{}, Queries: len(info.Queries), Error: err.Error()}
}
