package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/ann"
	"sortedheap/internal/harness/engine/all"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/ui"
)

// annCorpus is which vectors to search: a folder of them, clusters, or by default
// the synthetic graph's.
type annCorpus struct {
	dir                     string
	clusters                int
	rows, dim, queries      int
	seed                    int64
	rowsGiven, queriesGiven bool
}

// addFlags shows the defaults of the synthetic vectors, which serve for all.
func (c *annCorpus) addFlags(cmd *cobra.Command) {
	o := corpus.DefaultSyntheticVectors()
	f := cmd.Flags()
	f.StringVar(&c.dir, "vectors", "", "folder with base.f16.npy, query-NAME.f16.npy and truth-NAME.i32.npy; default: the synthetic graph's vectors")
	f.IntVar(&c.clusters, "clusters", 0, "generate vectors in so many clusters instead")
	f.IntVar(&c.rows, "rows", o.Rows, "rows; of a folder the first ones, by default all")
	f.IntVar(&c.dim, "dim", o.Dim, "components of generated vectors")
	f.IntVar(&c.queries, "queries", o.Queries, "queries of each set; of a folder by default all")
	f.Int64Var(&c.seed, "seed", corpus.DefaultClustered().Seed, "of generated clusters, and of the values that filters go by")
}

// check finds mistakes before a server is started.
func (c *annCorpus) check(cmd *cobra.Command) error {
	c.rowsGiven, c.queriesGiven = cmd.Flags().Changed("rows"), cmd.Flags().Changed("queries")
	switch {
	case c.dir != "" && c.clusters != 0:
		return errors.New("--vectors and --clusters exclude each other")
	case c.dir != "" && cmd.Flags().Changed("dim"):
		return errors.New("--dim: the folder decides")
	case c.dir != "":
		if c.rowsGiven && c.rows < 1 || c.queriesGiven && c.queries < 1 {
			return fmt.Errorf("--rows is %d and --queries %d, must be at least 1", c.rows, c.queries)
		}
		return nil
	case c.clusters != 0:
		return c.clustered().Validate()
	}
	return c.synthetic().Validate()
}

func (c *annCorpus) clustered() corpus.ClusteredOptions {
	return corpus.ClusteredOptions{Rows: c.rows, Dim: c.dim, Clusters: c.clusters, Queries: c.queries, Seed: c.seed}
}

func (c *annCorpus) synthetic() corpus.SyntheticVectorsOptions {
	return corpus.SyntheticVectorsOptions{Rows: c.rows, Dim: c.dim, Queries: c.queries}
}

func (c *annCorpus) open(ctx context.Context) (*corpus.Vectors, error) {
	switch {
	case c.dir != "":
		o := corpus.VectorsDirOptions{Dir: c.dir}
		if c.rowsGiven {
			o.Rows = c.rows
		}
		if c.queriesGiven {
			o.Queries = c.queries
		}
		return corpus.OpenVectors(ctx, o)
	case c.clusters != 0:
		return corpus.Clustered(ctx, c.clustered())
	}
	return corpus.SyntheticVectors(ctx, c.synthetic())
}

func newAnnCommand(start startFunc) *cobra.Command {
	run := &job{server: roomyServer}
	o := ann.Default()
	var from annCorpus
	var rivals outsideOptions
	var cases string
	cmd := &cobra.Command{
		Use:   ann.Name,
		Short: ann.Short,
		Long: ann.Short + "\n\nThe default takes a few minutes: 10,000 synthetic vectors. Every engine's index is built\n" +
			"with the same m, ef_construction, workers and memory. Rows at equal recall are interpolated\n" +
			"between neighbouring ef. Cases are curve, clients, filter and churn.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if cases != "" {
				if o.Cases, err = regexp.Compile(cases); err != nil {
					return usageError{fmt.Errorf("--cases: %w", err)}
				}
			}
			o.Seed = from.seed
			if err := errors.Join(o.Validate(), from.check(cmd)); err != nil {
				return usageError{err}
			}
			run.params = o.Map()
			run.prepare = func(ctx context.Context, progress ui.Progress) error {
				return run.openVectors(ctx, &from, &o, rivals, progress)
			}
			return start(cmd.Context(), run)
		},
	}
	run.addFlags(cmd)
	from.addFlags(cmd)
	addAnnFlags(cmd, &o)
	rivals.addFlags(cmd)
	cmd.Flags().StringVar(&cases, "cases", "", "only cases that match this regular expression")
	return cmd
}

func addAnnFlags(cmd *cobra.Command, o *ann.Params) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Engines, "engines", o.Engines, "engines to measure, of "+strings.Join(ann.EngineNames(), ", "))
	f.StringVar(&o.Metric, "metric", o.Metric, "cosine, l2, ip or l1")
	f.StringVar(&o.Element, "element", o.Element, "type of the stored components, float or half")
	f.IntVar(&o.TopK, "top-k", o.TopK, "rows of an answer")
	f.IntVar(&o.M, "m", o.M, "links per node of every index")
	f.IntVar(&o.EfConstruction, "ef-construction", o.EfConstruction, "candidates while building an index")
	f.IntSliceVar(&o.EfSearch, "ef-search", o.EfSearch, "candidates of a search, ascending")
	f.Lookup("ef-search").DefValue = fmt.Sprint(o.EfSearch)
	f.StringVar(&o.Refine, "refine", "", "option of sorted_hnsw: auto, heap or f16; default: not set")
	f.StringVar(&o.ScanMode, "scan-mode", "", "setting of sorted_hnsw: auto, flat or graph; default: not set")
	f.IntVar(&o.BuildWorkers, "build-workers", o.BuildWorkers, "parallel workers of every index build, beside the building process")
	f.StringVar(&o.BuildMemory, "build-memory", o.BuildMemory, "maintenance_work_mem of every index build")
	f.IntSliceVar(&o.Clients, "clients", o.Clients, "clients that ask at once, a row for each number")
	f.Lookup("clients").DefValue = fmt.Sprint(o.Clients)
	f.Float64Var(&o.ClientSeconds, "client-seconds", o.ClientSeconds, "seconds of each engine in each round of clients")
	f.IntVar(&o.ClientRounds, "client-rounds", o.ClientRounds, "rounds in turns")
	f.Float64SliceVar(&o.Selectivities, "selectivities", o.Selectivities, "`percent` of the rows that pass a filter, a row for each")
	f.Lookup("selectivities").DefValue = fmt.Sprint(o.Selectivities)
	f.IntVar(&o.Passes, "runs", o.Passes, "timed passes over the queries; 0: enough for 1000 samples a row")
	f.IntVar(&o.WarmUp, "warm-up", o.WarmUp, "untimed calls per engine and case before")
	f.Float64Var(&o.Budget, "case-seconds", o.Budget, "cut the samples of a slow case to this much time, but to no less than one pass; 0: never")
}

// openVectors reads or makes the corpus, before there is a server, and arranges
// what comes then.
func (j *job) openVectors(ctx context.Context, from *annCorpus, o *ann.Params, rivals outsideOptions, progress ui.Progress) error {
	progress.Step("make corpus "+ann.Name, 0)
	vectors, err := from.open(ctx)
	if err != nil {
		return err
	}
	maps.Copy(j.params, vectors.Params)
	j.params["corpus"] = vectors.Name
	j.measure = func(ctx context.Context, dsn string, progress ui.Progress) (_ []result.Row, _ []string, err error) {
		clock, warnings, closeClock, err := serverClock(ctx, dsn)
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, closeClock(context.WithoutCancel(ctx))) }()
		options := all.Options{M: o.M, EfConstruction: o.EfConstruction}
		rivals.complete(&options)
		rows, doubts, err := ann.Run(ctx, *o, ann.Env{DSN: dsn, Vectors: vectors, Clock: clock, Progress: progress,
			Stores: all.Stores(o.Engines, options)})
		return rows, append(warnings, doubts...), err
	}
	return nil
}
