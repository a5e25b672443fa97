package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/crud"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/openshare"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/ui"
)

// runOptions are the flags that every scenario has.
type runOptions struct {
	server         serverOptions
	engines        []string
	runs           int
	warmUp         int
	caseSeconds    float64
	annK, topK     int
	m              int
	efConstruction int
	efSearch       int
	scanMode       string
	toastTarget    int
	searches       bool // of a scenario that can do without: find seeds by search, too
	outside        outsideOptions
	cases          string
	out            string
}

// maxToastTarget keeps vectors in line.
const maxToastTarget = 8160

// defaultCaseSeconds bounds a run: fast cases get all their samples within it,
// slow ones fewer, and their rows say so.
const defaultCaseSeconds = 1

// Settings of a server that hold while nobody asks for others.
var (
	publishedServer = serverOptions{sharedBuffers: "64MB"}
	// roomyServer holds the tables of all engines, so that access paths are
	// compared and not the operating system's cache.
	roomyServer = serverOptions{sharedBuffers: "512MB"}
)

// runner is one scenario on the command line: its own flags and its corpus.
type runner struct {
	scenario scenario.Scenario
	// searching is the scenario with cases that find their seeds by search, where
	// these are left out unless asked for; nil: there is no choice.
	searching *scenario.Scenario
	defaults  runOptions
	corpus    corpusOptions
}

func newRunCommand(p process) *cobra.Command {
	withSearches := scenario.SyntheticSearch()
	questions := []runner{
		{scenario.Multihop(), nil, runOptions{annK: 64, topK: 10, m: 24, efConstruction: 200, efSearch: 128,
			engines: all.Contestants(), server: publishedServer}, newMultihopOptions()},
		{scenario.Gutenberg(), nil, runOptions{annK: 32, topK: 10, m: 16, efConstruction: 64, efSearch: 64,
			engines: all.Contestants(), server: publishedServer}, newGutenbergOptions()},
		{scenario.Synthetic(), &withSearches, runOptions{annK: 16, topK: 10, m: 16, efConstruction: 64, efSearch: 32,
			engines: all.Inside(), server: roomyServer}, newSyntheticOptions()},
		{scenario.Butler(), nil, runOptions{annK: 4, topK: 4, m: 24, efConstruction: 200, efSearch: 64,
			engines: all.Contestants(), server: publishedServer}, newButlerOptions()},
	}
	var names []string
	for _, r := range questions {
		names = append(names, r.scenario.Name)
	}
	names = append(names, openshare.Name, crud.Name, ann.Name)
	list := strings.Join(names, ", ")
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Measure all engines on one scenario",
		Long: "run loads the scenario's corpus into every engine, checks that the engines agree,\n" +
			"grades the answers, then times all cases side by side. The table goes to standard\n" +
			"output, the result file to --out.\n\n" + exitCodes,
		RunE: func(*cobra.Command, []string) error {
			return usageError{fmt.Errorf("name a scenario: %s", list)}
		},
	}
	for _, r := range questions {
		cmd.AddCommand(newScenarioCommand(p, r))
	}
	cmd.AddCommand(newOpenShareCommand(p), newCrudCommand(p), newAnnCommand(p))
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown scenario %q, the scenarios are %s", args[0], list)
		}
		return nil
	}
	return cmd
}

func newScenarioCommand(p process, r runner) *cobra.Command {
	o := r.defaults
	cmd := &cobra.Command{
		Use:   r.scenario.Name,
		Short: r.scenario.Short,
		Long:  r.scenario.Short + "\n\n" + exitCodes,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runScenario(cmd.Context(), p, r, o)
		},
	}
	o.server.addFlags(cmd)
	r.corpus.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.engines, "engines", r.defaults.engines, "engines to measure, of "+strings.Join(all.Names(), ", "))
	f.IntVar(&o.runs, "runs", 0, fmt.Sprintf("timed passes over the queries; 0: enough for %d samples a row", stats.MinSamples))
	f.IntVar(&o.warmUp, "warm-up", 16, "untimed calls per case before")
	f.Float64Var(&o.caseSeconds, "case-seconds", defaultCaseSeconds,
		"cut the samples of a slow case to this much time, but to no less than one pass; 0: never")
	f.IntVar(&o.annK, "ann-k", r.defaults.annK, "nearest rows that become seeds")
	f.IntVar(&o.topK, "top-k", r.defaults.topK, "rows of a ranked answer")
	f.IntVar(&o.m, "m", r.defaults.m, "links per node of every hnsw index")
	f.IntVar(&o.efConstruction, "ef-construction", r.defaults.efConstruction, "candidates while building an hnsw index")
	f.IntVar(&o.efSearch, "ef-search", r.defaults.efSearch, "candidates of an hnsw search")
	f.IntVar(&o.toastTarget, "toast-tuple-target", maxToastTarget, "bytes up to which rows of the facts tables stay in line; PostgreSQL's own default is 2032")
	if r.searching != nil {
		f.BoolVar(&o.searches, "searches", false, "also cases that find their seeds by search, as published; builds vector indexes")
	}
	if r.scenario.Searches() || r.searching != nil {
		f.StringVar(&o.scanMode, "scan-mode", "", "setting of sorted_hnsw: auto, flat or graph; default: not set")
		o.outside.addFlags(cmd)
	}
	f.StringVar(&o.cases, "cases", "", "only cases that match this regular expression")
	f.StringVar(&o.out, "out", "", "result file to write")
	return cmd
}

// runScenario does one run from start to report.
func runScenario(ctx context.Context, p process, r runner, o runOptions) (err error) {
	if o.searches {
		r.scenario = *r.searching
	}
	filter, err := o.check(r.scenario)
	if err != nil {
		return usageError{err}
	}
	progress := ui.New(p.stderr)
	defer progress.Close()
	started := p.now()

	progress.Step("make corpus "+r.scenario.Name, 0)
	source, err := r.corpus.open(ctx)
	if err != nil {
		return err
	}
	queries := len(source.Info().Queries)
	if queries == 0 {
		return usageError{errors.New("there is no question to ask: --queries must be at least 1, and the corpus must hold a row to ask about")}
	}
	if o.runs == 0 {
		o.runs = int(math.Ceil(float64(stats.MinSamples) / float64(queries)))
	}
	progress.Step("start server", 0)
	srv, err := o.server.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.close()) }()

	file, runErr := measureScenario(ctx, r.scenario, source, srv.dsn, o, filter, progress)
	if file == nil || ctx.Err() != nil {
		return runErr
	}
	complete(file, p, r.scenario, source, o, started)
	return errors.Join(runErr, finish(p, file, o.out, progress))
}

// check finds mistakes that would otherwise show after the load.
func (o runOptions) check(s scenario.Scenario) (*regexp.Regexp, error) {
	var errs []error
	for _, c := range []struct {
		name                 string
		value, lowest, upper int
	}{
		{"--runs", o.runs, 0, math.MaxInt32}, {"--warm-up", o.warmUp, 0, math.MaxInt32},
		{"--ann-k", o.annK, 1, math.MaxInt32}, {"--top-k", o.topK, 1, math.MaxInt32},
		{"--toast-tuple-target", o.toastTarget, 128, maxToastTarget},
		{"--m", o.m, 2, 100}, {"--ef-construction", o.efConstruction, max(4, 2*min(o.m, 100)), 1000}, {"--ef-search", o.efSearch, 1, 1000},
	} {
		if c.value < c.lowest || c.value > c.upper {
			errs = append(errs, fmt.Errorf("%s is %d, must be in %d..%d", c.name, c.value, c.lowest, c.upper))
		}
	}
	if !slices.Contains([]string{"", "auto", "flat", "graph"}, o.scanMode) {
		errs = append(errs, fmt.Errorf("--scan-mode is %q, must be auto, flat or graph", o.scanMode))
	}
	if o.caseSeconds < 0 {
		errs = append(errs, fmt.Errorf("--case-seconds is %g, must not be negative", o.caseSeconds))
	}
	engines, err := all.New(o.engines, all.Options{})
	if err != nil {
		errs = append(errs, fmt.Errorf("--engines: %w", err))
	}
	if o.cases == "" {
		return nil, errors.Join(errs...)
	}
	filter, err := regexp.Compile(o.cases)
	if err != nil {
		errs = append(errs, fmt.Errorf("--cases: %w", err))
	} else if len(errs) == 0 && !s.HasCase(engines, scenario.Params{AnnK: o.annK, TopK: o.topK, Cases: filter}) {
		errs = append(errs, fmt.Errorf("--cases: no case of the chosen engines matches %q; a run without the flag lists them all", o.cases))
	}
	return filter, errors.Join(errs...)
}

// measureScenario runs a scenario on a database and returns what there is to
// write, also when it failed on the way.
func measureScenario(ctx context.Context, s scenario.Scenario, source corpus.Source, dsn string, o runOptions,
	filter *regexp.Regexp, progress ui.Progress) (*result.File, error) {
	options := all.Options{DSN: dsn, M: o.m, EfConstruction: o.efConstruction, EfSearch: o.efSearch, ScanMode: o.scanMode,
		ToastTarget: o.toastTarget, NoSearch: !s.Searches()}
	o.outside.complete(&options)
	engines, err := all.New(o.engines, options)
	if err != nil {
		return nil, err
	}
	env := scenario.Env{
		Engines: engines, Oracle: all.Oracle(), Source: source, Progress: progress,
		Params: scenario.Params{AnnK: o.annK, TopK: o.topK, Passes: o.runs, WarmUp: o.warmUp, Budget: o.caseSeconds, Cases: filter},
	}
	clock, warnings, closeClock, err := serverClock(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = closeClock(context.WithoutCancel(ctx)) }()
	env.Clock = clock
	file := &result.File{Schema: result.Schema}
	var doubts []string
	file.Rows, doubts, err = scenario.Run(ctx, s, env)
	file.Warnings = append(warnings, doubts...)
	if ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	described, envErr := describeServer(ctx, dsn)
	file.Env = described
	return file, errors.Join(err, envErr)
}

// serverClock opens the server's clock. A server that cannot serve as one gives
// a warning and no clock.
func serverClock(ctx context.Context, dsn string) (clockFunc, []string, func(context.Context) error, error) {
	reader, err := pgstat.Open(ctx, dsn)
	if errors.Is(err, pgstat.ErrNotLoaded) || errors.Is(err, pgstat.ErrNoPlanning) {
		return nil, []string{fmt.Sprintf("no server clock: %v", err)}, func(context.Context) error { return nil }, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return reader.Clock, nil, reader.Close, nil
}

// complete adds what the run itself does not know.
func complete(f *result.File, p process, s scenario.Scenario, source corpus.Source, o runOptions, started time.Time) {
	f.Env = machine(p, f.Env, started)
	info := source.Info()
	f.Params = map[string]any{
		"scenario": s.Name, "runs": o.runs, "warm_up": o.warmUp, "case_seconds": o.caseSeconds, "ann_k": o.annK, "top_k": o.topK,
		"m": o.m, "ef_construction": o.efConstruction, "ef_search": o.efSearch, "rows": source.RowCount(),
		"toast_tuple_target": o.toastTarget,
	}
	for k, v := range info.Params {
		f.Params[k] = v
	}
	f.Params["queries"] = len(info.Queries)
	if seed, ok := info.Params["seed"].(int64); ok {
		f.Env.Seed = seed
	}
}

// failedCases is an error when a case of an engine that runs did not run.
func failedCases(f *result.File) error {
	failed := 0
	for _, r := range f.Rows {
		if r.Error != "" && r.Case != "" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d cases did not run; their rows say why", failed)
	}
	return nil
}
