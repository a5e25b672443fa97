// Package ann measures approximate nearest neighbour search: the same vectors in
// the same kind of table, with each engine's index built from the same
// parameters, and the same queries by one statement.
//
// The cases:
//
//   - curve: recall and latency at every ef_search, and what the index cost to
//     build. Rows at equal recall are interpolated from the curve.
//   - clients: queries per second of several clients at once.
//   - filter: searches among the rows that a condition leaves, at several
//     selectivities, beside exact search in SQL.
//   - churn: the curve again after rows were deleted, vacuumed and inserted anew.
//
// Truth is exact search by internal/ccore, or comes with the corpus. A row
// counts as found when it is as near as the true k-th, so ties are fair, and a
// row that comes twice counts once. An engine that cannot run, or whose
// statement fails, has a row with the reason, and the others go on.
package ann

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/vectorstore"
)

// Name is the scenario's name.
const Name = "ann"

// Short is one line for people.
const Short = "nearest neighbour search: recall and latency by ef_search, build, filters, churn, clients"

// The cases, in the order of a run.
const (
	caseCurve   = "curve"
	caseClients = "clients"
	caseFilter  = "filter"
	caseChurn   = "churn"
)

var allCases = []string{caseCurve, caseClients, caseFilter, caseChurn}

// exactName is the engine that searches without an index.
const exactName = "exact"

// EngineNames lists the engines in the order of reports.
func EngineNames() []string {
	return append([]string{"pgvector", "sorted_heap", exactName}, outsideNames...)
}

// Params are the choices of a run.
type Params struct {
	Engines        []string // of EngineNames; one with an index at least
	Metric         string   // cosine, l2, ip or l1
	Element        string   // of the stored vectors: float or half
	TopK           int      // rows of an answer
	M              int      // links per node of every index
	EfConstruction int      // candidates while building
	EfSearch       []int    // candidates of a search, ascending
	Refine         string   // option of sorted_hnsw; empty: its default
	ScanMode       string   // setting of sorted_hnsw; empty: its default
	BuildWorkers   int      // beside the building process itself
	BuildMemory    string   // maintenance_work_mem
	Clients        []int    // that ask at once
	ClientSeconds  float64  // of each engine in each round
	ClientRounds   int
	Selectivities  []float64 // of the filter, percent; whole multiples of 0.1
	Seed           int64     // of the filter's values
	Passes         int       // over the queries; 0: enough for stats.MinSamples
	WarmUp         int       // untimed calls per engine before
	Budget         float64   // seconds that one engine may take for its timed calls; 0: no limit
	// Cases keeps only cases with a matching name; nil keeps all.
	Cases *regexp.Regexp
}

// Default is what targets are stated for.
func Default() Params {
	return Params{
		Engines: EngineNames(), Metric: "cosine", Element: "float", TopK: 10, M: 16, EfConstruction: 200,
		EfSearch:     []int{10, 16, 24, 32, 48, 64, 96, 128, 200, 256},
		BuildWorkers: 1, BuildMemory: "1GB",
		Clients: []int{1, 2}, ClientSeconds: 1, ClientRounds: 3,
		Selectivities: []float64{50, 10, 1, 0.1}, Seed: 42, WarmUp: 16, Budget: 1,
	}
}

// Validate reports every parameter that is out of range for one of the indexes.
func (p Params) Validate() error {
	errs := p.validateNumbers()
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	indexed := 0
	for _, name := range p.Engines {
		if !slices.Contains(EngineNames(), name) {
			fault("unknown engine %q, the engines are %s", name, strings.Join(EngineNames(), ", "))
		} else if name != exactName && !slices.Contains(outsideNames, name) {
			indexed++
		}
	}
	if indexed == 0 {
		fault("engines are %v, one with an index is needed", p.Engines)
	}
	for _, c := range []struct {
		name, value string
		allowed     []string
	}{
		{"metric", p.Metric, metricNames()}, {"element", p.Element, []string{"float", "half"}},
		{"refine", p.Refine, []string{"", "auto", "heap", "f16"}}, {"scan-mode", p.ScanMode, []string{"", "auto", "flat", "graph"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			fault("%s is %q, must be one of %s", c.name, c.value, strings.TrimPrefix(strings.Join(c.allowed, ", "), ", "))
		}
	}
	if p.Cases != nil && !slices.ContainsFunc(allCases, p.runs) {
		fault("no case matches %q, the cases are %s", p.Cases, strings.Join(allCases, ", "))
	}
	return errors.Join(errs...)
}

func (p Params) validateNumbers() (errs []error) {
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, c := range []struct {
		name               string
		value, least, most int
	}{
		{"top-k", p.TopK, 1, 1000}, {"m", p.M, 2, 100}, {"ef-construction", p.EfConstruction, max(4, 2*min(p.M, 100)), 1000},
		{"build-workers", p.BuildWorkers, 0, 64}, {"client-rounds", p.ClientRounds, 1, 1000},
		{"runs", p.Passes, 0, 1_000_000}, {"warm-up", p.WarmUp, 0, 1_000_000},
	} {
		if c.value < c.least || c.value > c.most {
			fault("%s is %d, must be in %d..%d", c.name, c.value, c.least, c.most)
		}
	}
	for _, ef := range p.EfSearch {
		if ef < 1 || ef > 1000 {
			fault("ef-search is %d, must be in 1..1000", ef)
		}
	}
	if len(p.EfSearch) == 0 || !slices.IsSorted(p.EfSearch) {
		fault("ef-search is %v, want ascending numbers", p.EfSearch)
	}
	for _, n := range p.Clients {
		if n < 1 || n > 64 {
			fault("clients is %d, must be in 1..64", n)
		}
	}
	for _, s := range p.Selectivities {
		if !(s > 0 && s <= 100) || bucketLimit(s) < 1 {
			fault("selectivity is %g %%, must be in %g..100", s, 100.0/corpus.BucketValues)
		}
	}
	if !(p.ClientSeconds > 0) || p.Budget < 0 {
		fault("client-seconds is %g and case-seconds %g, must be above 0 and not negative", p.ClientSeconds, p.Budget)
	}
	return errs
}

// runs says whether a case is chosen.
func (p Params) runs(name string) bool { return p.Cases == nil || p.Cases.MatchString(name) }

// Map is the parameters for the result file.
func (p Params) Map() map[string]any {
	params := map[string]any{"scenario": Name, "metric": p.Metric, "element": p.Element, "top_k": p.TopK, "m": p.M,
		"ef_construction": p.EfConstruction, "ef_search": p.EfSearch, "refine": p.Refine, "scan_mode": p.ScanMode,
		"build_workers": p.BuildWorkers, "build_memory": p.BuildMemory, "clients": p.Clients,
		"client_seconds": p.ClientSeconds, "client_rounds": p.ClientRounds, "selectivities": p.Selectivities,
		"seed": p.Seed, "warm_up": p.WarmUp, "case_seconds": p.Budget}
	if p.Passes > 0 {
		params["runs"] = p.Passes
	}
	return params
}

// Env is what a run gets from outside.
type Env struct {
	DSN      string
	Vectors  *corpus.Vectors                                                       // the run may round its rows and queries
	Stores   []vectorstore.Store                                                   // of the engines outside of PostgreSQL; closed by Run
	Clock    func(ctx context.Context, queryID int64) (measure.ServerClock, error) // nil: client clock only
	Progress scenario.Progress
}

// Run measures the chosen cases. It returns the rows that it has also when it
// fails on the way. The database must allow CREATE EXTENSION and CHECKPOINT.
func Run(ctx context.Context, p Params, env Env) (rows []result.Row, warnings []string, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, fmt.Errorf("scenario %s: %w", Name, err)
	}
	b := &bench{params: p, env: env, vectors: env.Vectors}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	steps := []func(context.Context) error{b.prepare, b.load, b.curve}
	for _, c := range []struct {
		name string
		run  func(context.Context) error
	}{{caseClients, b.clients}, {caseFilter, b.filter}, {caseChurn, b.churn}} {
		if p.runs(c.name) {
			steps = append(steps, c.run)
		}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return b.rows, b.warnings, fmt.Errorf("scenario %s: %w", Name, err)
		}
	}
	b.warnFew()
	return b.rows, b.warnings, nil
}
