package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/crud"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/openshare"
	"sortedheap/internal/harness/pgstat"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/harness/stats"
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
	fresh          int  // sessions that are asked their first query
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
	return newScenariosCommand(cobra.Command{
		Use:   "run SCENARIO",
		Short: "Measure all engines on one scenario",
		Long: "run loads the scenario's corpus into every engine, checks that the engines agree,\n" +
			"grades the answers, then times all cases side by side. The table goes to standard\n" +
			"output, the result file to --out.\n\n" + exitCodes,
	}, p.getenv, func(ctx context.Context, j *job) error { return j.run(ctx, p) }, newAskScenarioCommand(p))
}

// newScenariosCommand is a command with a sub-command for each scenario, which
// makes a job of its flags and hands it to start; others need no server and are
// sub-commands as they are.
func newScenariosCommand(cmd cobra.Command, getenv func(string) string, start startFunc, others ...*cobra.Command) *cobra.Command {
	withSearches := scenario.SyntheticSearch()
	questions := []runner{
		{scenario.Multihop(), nil, runOptions{annK: 64, topK: 10, m: 24, efConstruction: 200, efSearch: 128,
			engines: all.Contestants(), server: publishedServer}, newMultihopOptions(getenv)},
		{scenario.Gutenberg(), nil, runOptions{annK: 32, topK: 10, m: 16, efConstruction: 64, efSearch: 64,
			engines: all.Contestants(), server: publishedServer}, newGutenbergOptions(getenv)},
		{scenario.Synthetic(), &withSearches, runOptions{annK: 16, topK: 10, m: 16, efConstruction: 64, efSearch: 32,
			engines: all.Inside(), server: roomyServer}, newSyntheticOptions()},
		{scenario.Butler(), nil, runOptions{annK: 4, topK: 4, m: 24, efConstruction: 200, efSearch: 64,
			engines: all.Contestants(), server: publishedServer}, newButlerOptions(getenv)},
	}
	var names []string
	for _, r := range questions {
		names = append(names, r.scenario.Name)
	}
	names = append(names, openshare.Name, crud.Name, ann.Name, code.Name)
	for _, other := range others {
		names = append(names, other.Name())
		cmd.AddCommand(other)
	}
	list := strings.Join(names, ", ")
	cmd.RunE = func(*cobra.Command, []string) error {
		return usageError{fmt.Errorf("name a scenario: %s", list)}
	}
	for _, r := range questions {
		cmd.AddCommand(newScenarioCommand(r, start))
	}
	cmd.AddCommand(newOpenShareCommand(start), newCrudCommand(start), newAnnCommand(start), newCodeCommand(getenv, start))
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown scenario %q, the scenarios are %s", args[0], list)
		}
		return nil
	}
	return &cmd
}

func newScenarioCommand(r runner, start startFunc) *cobra.Command {
	o := r.defaults
	cmd := &cobra.Command{
		Use:   r.scenario.Name,
		Short: r.scenario.Short,
		Long:  r.scenario.Short + "\n\n" + exitCodes,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			j, err := newQuestionJob(r, o)
			if err != nil {
				return err
			}
			return start(cmd.Context(), j)
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
		f.IntVar(&o.fresh, "fresh-backend", 0, "new sessions that are asked their first query, by one call and by SQL; 50 are enough")
	}
	f.StringVar(&o.cases, "cases", "", "only cases that match this regular expression")
	f.StringVar(&o.out, "out", "", "result file to write")
	return cmd
}

// check finds mistakes that would otherwise show after the load.
func (o runOptions) check(s scenario.Scenario) (*regexp.Regexp, error) {
	var errs []error
	for _, c := range []struct {
		name                 string
		value, lowest, upper int
	}{
		{"--runs", o.runs, 0, math.MaxInt32}, {"--warm-up", o.warmUp, 0, math.MaxInt32}, {"--fresh-backend", o.fresh, 0, 10000},
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
	if _, err := o.server.provider(); err != nil {
		errs = append(errs, err)
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

// serverClock opens the server's clock. A server that cannot serve as one gives
// a warning and no clock.
func serverClock(ctx context.Context, dsn string) (clockFunc, []string, func(context.Context) error, error) {
	reader, err := pgstat.Open(ctx, dsn)
	if errors.Is(err, pgstat.ErrNotLoaded) || errors.Is(err, pgstat.ErrNoPlanning) || errors.Is(err, pgstat.ErrNotAllowed) {
		return nil, []string{fmt.Sprintf("no server clock: %v", err)}, func(context.Context) error { return nil }, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return reader.Clock, nil, reader.Close, nil
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
