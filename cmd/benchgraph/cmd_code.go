package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/harness/scenario/code/evidencecase"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/tokens"
	"sortedheap/internal/ui"
)

// codeEngines are those that hold source trees.
var codeEngines = []string{"heap", "heap_hnsw", "sorted_heap", "pgvector"}

// codeRun is scenario code on the command line.
type codeRun struct {
	code.Params
	engines               []string
	m, efConstruction, ef int
	scanMode, cases       string
	corpus                *codeOptions
	toastTarget           int
}

// codeCases are all the cases there are; embedder is that of the corpus.
func codeCases(embedder embed.Embedder) []code.Case {
	return append(code.Cases(), evidencecase.Case(embedder, tokens.NewCounter()))
}

func newCodeCommand(getenv func(string) string, start startFunc) *cobra.Command {
	run := &job{server: publishedServer}
	o := &codeRun{corpus: newCodeOptions(getenv)}
	cmd := &cobra.Command{
		Use:   code.Name,
		Short: code.Short,
		Long: code.Short + "\n\nEvery file is an entity with chunks, a summary and the files it requires. An answer is graded\n" +
			"by the question's keywords that it shows: in all of it, and in as many tokens as --token-budget\n" +
			"pays for. Without --source a few lines of code inside this program are asked about.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usageError{err}
			}
			run.params = map[string]any{"scenario": code.Name, "runs": o.Passes, "warm_up": o.WarmUp, "case_seconds": o.Limit,
				"ann_k": o.AnnK, "top_k": o.TopK, "token_budget": o.Budget, "tokens": tokens.NewCounter().Name(),
				"m": o.m, "ef_construction": o.efConstruction, "ef_search": o.ef, "toast_tuple_target": o.toastTarget}
			run.prepare = func(ctx context.Context, progress ui.Progress) error { return run.openCode(ctx, o, progress) }
			return start(cmd.Context(), run)
		},
	}
	run.addFlags(cmd)
	o.corpus.addFlags(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.engines, "engines", codeEngines, "engines to measure, of "+strings.Join(codeEngines, ", "))
	f.IntVar(&o.Passes, "runs", 0, fmt.Sprintf("timed passes over the questions; 0: enough for %d samples a row", stats.MinSamples))
	f.IntVar(&o.WarmUp, "warm-up", 16, "untimed calls per case before")
	f.Float64Var(&o.Limit, "case-seconds", defaultCaseSeconds, "cut the samples of a slow case to this much time, but to no less than one pass; 0: never")
	f.IntVar(&o.AnnK, "ann-k", 16, "nearest rows that become seeds")
	f.IntVar(&o.TopK, "top-k", 4, "rows of an answer")
	f.IntVar(&o.Budget, "token-budget", tokens.Budget, "tokens of an answer that are read")
	f.IntVar(&o.m, "m", 24, "links per node of every hnsw index")
	f.IntVar(&o.efConstruction, "ef-construction", 200, "candidates while building an hnsw index")
	f.IntVar(&o.ef, "ef-search", 64, "candidates of an hnsw search")
	f.StringVar(&o.scanMode, "scan-mode", "", "setting of sorted_hnsw: auto, flat or graph; default: not set")
	f.IntVar(&o.toastTarget, "toast-tuple-target", maxToastTarget, "bytes up to which rows of the facts tables stay in line; PostgreSQL's own default is 2032")
	f.StringVar(&o.cases, "cases", "", "only cases that match this regular expression")
	return cmd
}

// check finds mistakes that would otherwise show after the load.
func (o *codeRun) check() error {
	var errs []error
	for _, name := range o.engines {
		if !slices.Contains(codeEngines, name) {
			errs = append(errs, fmt.Errorf("--engines: unknown engine %q, the engines are %s", name, strings.Join(codeEngines, ", ")))
		}
	}
	for _, c := range []struct {
		name                 string
		value, lowest, upper int
	}{
		{"--runs", o.Passes, 0, math.MaxInt32}, {"--m", o.m, 2, 100}, {"--ef-construction", o.efConstruction, max(4, 2*min(o.m, 100)), 1000},
		{"--ef-search", o.ef, 1, 1000}, {"--toast-tuple-target", o.toastTarget, 128, maxToastTarget},
	} {
		if c.value < c.lowest || c.value > c.upper {
			errs = append(errs, fmt.Errorf("%s is %d, must be in %d..%d", c.name, c.value, c.lowest, c.upper))
		}
	}
	if !slices.Contains([]string{"", "auto", "flat", "graph"}, o.scanMode) {
		errs = append(errs, fmt.Errorf("--scan-mode is %q, must be auto, flat or graph", o.scanMode))
	}
	p := o.Params
	p.Passes = max(1, p.Passes) // 0 is decided once the questions are known
	errs = append(errs, p.Validate())
	if o.cases != "" {
		filter, err := regexp.Compile(o.cases)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("--cases: %w", err))
		case !slices.ContainsFunc(codeCases(nil), func(c code.Case) bool { return filter.MatchString(c.Name) && c.RunsOnAny(o.engines) }):
			errs = append(errs, fmt.Errorf("--cases: no case of the chosen engines matches %q; a run without the flag lists them all", o.cases))
		}
		o.Filter = filter
	}
	return errors.Join(errs...)
}

// openCode reads the corpus, before there is a server, and arranges what comes then.
func (j *job) openCode(ctx context.Context, o *codeRun, progress ui.Progress) error {
	progress.Step("make corpus "+code.Name, 0)
	tree, err := o.corpus.openCode(ctx)
	if err != nil {
		return err
	}
	if len(tree.Asked) == 0 {
		return usageError{errors.New("there is no question to ask: name a file of them with --questions")}
	}
	if o.Passes == 0 {
		o.Passes = int(math.Ceil(float64(stats.MinSamples) / float64(len(tree.Asked))))
	}
	maps.Copy(j.params, tree.Params)
	j.params["runs"], j.params["rows"], j.params["corpus"] = o.Passes, tree.RowCount(), tree.Name
	j.measure = func(ctx context.Context, dsn string, progress ui.Progress) ([]result.Row, []string, error) {
		return o.measure(ctx, dsn, tree, progress)
	}
	return nil
}

func (o *codeRun) measure(ctx context.Context, dsn string, tree *corpus.Code, progress ui.Progress) (_ []result.Row, _ []string, err error) {
	engines, err := all.New(o.engines, all.Options{DSN: dsn, M: o.m, EfConstruction: o.efConstruction, EfSearch: o.ef,
		ScanMode: o.scanMode, ToastTarget: o.toastTarget})
	if err != nil {
		return nil, nil, err
	}
	clock, warnings, closeClock, err := serverClock(ctx, dsn)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, closeClock(context.WithoutCancel(ctx))) }()
	rows, doubts, err := code.Run(ctx, o.Params, code.Env{Engines: engines, Corpus: tree, Cases: codeCases(o.corpus.Embedder), Clock: clock, Progress: progress})
	return rows, append(warnings, doubts...), err
}
