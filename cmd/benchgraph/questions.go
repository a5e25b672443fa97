package main

import (
	"context"
	"errors"
	"maps"
	"math"
	"regexp"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/ui"
)

// questionJob is a scenario that asks questions about facts, with its flags.
type questionJob struct {
	scenario scenario.Scenario
	options  runOptions
	filter   *regexp.Regexp
	corpus   corpusOptions
	source   corpus.Source // once prepared
}

// newQuestionJob checks the flags.
func newQuestionJob(r runner, o runOptions) (*job, error) {
	if o.searches {
		r.scenario = *r.searching
	}
	filter, err := o.check(r.scenario)
	if err != nil {
		return nil, usageError{err}
	}
	q := &questionJob{scenario: r.scenario, options: o, filter: filter, corpus: r.corpus}
	j := &job{server: o.server, out: o.out, params: map[string]any{}, questions: q}
	j.prepare = func(ctx context.Context, progress ui.Progress) error {
		if err := q.prepare(ctx, progress); err != nil {
			return err
		}
		j.describe()
		return nil
	}
	j.measure = func(ctx context.Context, dsn string, progress ui.Progress) (_ []result.Row, _ []string, err error) {
		loaded, warnings, err := q.load(ctx, dsn, progress)
		defer func() { err = errors.Join(err, loaded.close(context.WithoutCancel(ctx))) }()
		if err != nil {
			return loaded.missing(), warnings, err
		}
		rows, doubts, err := loaded.measure(ctx, q)
		return rows, append(warnings, doubts...), err
	}
	return j, nil
}

// prepare makes the corpus.
func (q *questionJob) prepare(ctx context.Context, progress ui.Progress) error {
	progress.Step("make corpus "+q.scenario.Name, 0)
	source, err := q.corpus.open(ctx)
	if err != nil {
		return err
	}
	return q.ask(source)
}

// ask takes a corpus that is there.
func (q *questionJob) ask(source corpus.Source) error {
	queries := len(source.Info().Queries)
	if queries == 0 {
		return usageError{errors.New("there is no question to ask: --queries must be at least 1, and the corpus must hold a row to ask about")}
	}
	if q.options.runs == 0 {
		q.options.runs = int(math.Ceil(float64(stats.MinSamples) / float64(queries)))
	}
	q.source = source
	return nil
}

// describe fills the parameters that a result file records.
func (j *job) describe() {
	q := j.questions
	info, o := q.source.Info(), q.options
	maps.Copy(j.params, map[string]any{
		"scenario": q.scenario.Name, "runs": o.runs, "warm_up": o.warmUp, "case_seconds": o.caseSeconds, "ann_k": o.annK, "top_k": o.topK,
		"m": o.m, "ef_construction": o.efConstruction, "ef_search": o.efSearch, "rows": q.source.RowCount(),
		"toast_tuple_target": o.toastTarget,
	})
	maps.Copy(j.params, info.Params)
	j.params["queries"] = len(info.Queries)
	if seed, ok := info.Params["seed"].(int64); ok {
		j.seed = seed
	}
}

// loadedQuestions are engines that hold a corpus.
type loadedQuestions struct {
	session    *scenario.Session
	closeClock func(context.Context) error
}

// load fills the engines. What it returns is to be closed also after an error;
// the warnings are of the server.
func (q *questionJob) load(ctx context.Context, dsn string, progress ui.Progress) (*loadedQuestions, []string, error) {
	loaded := &loadedQuestions{}
	o := q.options
	options := all.Options{DSN: dsn, M: o.m, EfConstruction: o.efConstruction, EfSearch: o.efSearch, ScanMode: o.scanMode,
		ToastTarget: o.toastTarget, NoSearch: !q.scenario.Searches()}
	o.outside.complete(&options)
	engines, err := all.New(o.engines, options)
	if err != nil {
		return loaded, nil, err
	}
	clock, warnings, closeClock, err := serverClock(ctx, dsn)
	if err != nil {
		return loaded, nil, err
	}
	loaded.closeClock = closeClock
	loaded.session, err = scenario.Open(ctx, q.scenario, scenario.Env{Engines: engines, Oracle: all.Oracle(), Source: q.source,
		Progress: progress, Params: q.params(), Clock: clock})
	return loaded, warnings, err
}

func (q *questionJob) params() scenario.Params {
	o := q.options
	return scenario.Params{AnnK: o.annK, TopK: o.topK, Passes: o.runs, WarmUp: o.warmUp, Budget: o.caseSeconds, FreshSessions: o.fresh, Cases: q.filter}
}

// measure measures one job of those that share the load.
func (l *loadedQuestions) measure(ctx context.Context, q *questionJob) ([]result.Row, []string, error) {
	return l.session.Measure(ctx, q.params(), engine.Tuning{EfSearch: q.options.efSearch, ScanMode: q.options.scanMode})
}

func (l *loadedQuestions) missing() []result.Row {
	if l.session == nil {
		return nil
	}
	return l.session.Missing()
}

func (l *loadedQuestions) close(ctx context.Context) error {
	var errs []error
	if l.session != nil {
		errs = append(errs, l.session.Close(ctx))
	}
	if l.closeClock != nil {
		errs = append(errs, l.closeClock(ctx))
	}
	return errors.Join(errs...)
}
