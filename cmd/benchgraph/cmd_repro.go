package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
	"sortedheap/internal/harness/zvecrepro"
	"sortedheap/internal/ui"
	"sortedheap/internal/zvec"
)

// reproOptions are the flags of repro zvec.
type reproOptions struct {
	zvecLib, python      string
	rows                 int
	dims, batches        []int
	topK, probes, builds int
	index                zvecrepro.Index
	gutenberg            *gutenbergOptions
	only                 []string
}

// Sets of data that the fault is looked for on.
var reproData = []string{"synthetic", "gutenberg"}

func newReproCommand(p process) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "repro zvec",
		Short: "Find the smallest case of a known fault of zvec, as a report",
		Long: "repro zvec looks for searches of zvec that return scores and no ids, on vectors made by\n" +
			"formula and on paragraphs of books, and reports the smallest case it finds, or that\n" +
			"there is none in the installed version.\n\n" + exitCodes,
		RunE: func(*cobra.Command, []string) error { return usageError{errors.New("say what to reproduce: zvec")} },
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown fault of %q, there is: zvec", args[0])
		}
		return nil
	}
	o := reproOptions{rows: 12_000, dims: []int{16, 24, 32}, batches: []int{zvec.MaxBatch}, topK: 16, probes: 100, builds: 3, index: zvecrepro.Index{M: 16, EfConstruction: 64, Ef: 64}, only: reproData}
	g := corpus.DefaultGutenberg("")
	g.MaxBooks, g.MaxParagraphs, g.Queries, g.Set = 128, 256, 1, corpus.Original
	o.gutenberg = &gutenbergOptions{g, questionFlags{set: string(g.Set), originals: g.Queries}, newEmbedderOptions(p.getenv, hashLexical)}
	sub := &cobra.Command{
		Use: "zvec", Short: cmd.Short, Long: cmd.Long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return reproduce(cmd.Context(), p, o) },
	}
	f := sub.Flags()
	f.StringVar(&o.zvecLib, "zvec-lib", "libzvec_c_api.so", "zvec's C library; `make zvec` fetches it")
	f.StringVar(&o.python, "zvec-python", "", "Python with another zvec to look at instead, or \"venv\" to make one with the newest")
	f.StringSliceVar(&o.only, "data", reproData, "vectors to look on, of "+strings.Join(reproData, ", "))
	f.IntVar(&o.rows, "rows", o.rows, "the most rows to try")
	f.IntSliceVar(&o.dims, "dim", o.dims, "components of each vector")
	f.IntSliceVar(&o.batches, "batch", o.batches, fmt.Sprintf("rows to insert at once, up to %d", zvec.MaxBatch))
	f.IntVar(&o.topK, "top-k", o.topK, "the most rows to ask for")
	f.IntVar(&o.probes, "probes", o.probes, "searches of each collection")
	f.IntVar(&o.builds, "builds", o.builds, "times to build the smallest failing case again")
	f.IntVar(&o.index.Ef, "ef-search", o.index.Ef, "candidates of a search")
	f.StringVar(&o.gutenberg.Dir, "books", "", "directory of books as *.txt; default: a few short texts inside this program")
	cmd.AddCommand(sub)
	return cmd
}

func (o reproOptions) check() error {
	var errs []error
	for _, c := range []struct {
		name  string
		value int
	}{{"--rows", o.rows}, {"--dim", slices.Min(o.dims)}, {"--batch", slices.Min(o.batches)}, {"--top-k", o.topK}, {"--probes", o.probes}, {"--builds", o.builds}, {"--ef-search", o.index.Ef}} {
		if c.value < 1 {
			errs = append(errs, fmt.Errorf("%s is %d, must be at least 1", c.name, c.value))
		}
	}
	if slices.Max(o.batches) > zvec.MaxBatch {
		errs = append(errs, fmt.Errorf("--batch is %d, must be at most %d", slices.Max(o.batches), zvec.MaxBatch))
	}
	for _, name := range o.only {
		if !slices.Contains(reproData, name) {
			errs = append(errs, fmt.Errorf("--data: unknown %q, there are %s", name, strings.Join(reproData, ", ")))
		}
	}
	return errors.Join(errs...)
}

// reproduce runs the search over the chosen data and writes the report.
func reproduce(ctx context.Context, p process, o reproOptions) (err error) {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	if o.python != "" {
		return reproduceInChild(ctx, p, o)
	}
	dir, err := os.MkdirTemp("", "benchgraph-repro-")
	if err != nil {
		return fmt.Errorf("repro zvec: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	library, err := zvec.Load(o.zvecLib, dir)
	if errors.Is(err, zvec.ErrNoLibrary) {
		return fmt.Errorf("%w: %w (--zvec-lib names it, `make zvec` fetches it)", scenario.ErrNoEngine, err)
	}
	if err != nil {
		return err
	}
	findings, err := o.find(ctx, p, func(index zvecrepro.Index) buildFunc { return zvecrepro.Builder(library, dir, index) })
	if err != nil {
		return err
	}
	log, err := faultLines(dir)
	if err != nil {
		return err
	}
	return writeFindings(p, zvecrepro.About{Version: library.Version(), Through: "its C interface", Index: o.index, Log: log}, findings)
}

func writeFindings(p process, about zvecrepro.About, findings []zvecrepro.Finding) error {
	env := result.Machine(p.commit)
	about.CPU, about.Kernel = env.CPU, env.Kernel
	return zvecrepro.WriteReport(p.stdout, about, findings)
}

// buildFunc is zvecrepro.Config.Build.
type buildFunc = func(ctx context.Context, d zvecrepro.Data, rows int) (zvecrepro.Collection, error)

// find looks for the fault in every combination of data, dimension and batch.
func (o reproOptions) find(ctx context.Context, p process, builder func(zvecrepro.Index) buildFunc) ([]zvecrepro.Finding, error) {
	progress := ui.New(p.stderr)
	defer progress.Close()
	var findings []zvecrepro.Finding
	for _, name := range o.only {
		for _, dim := range o.dims {
			data, err := o.data(ctx, name, dim)
			if err != nil {
				return nil, err
			}
			for _, batch := range o.batches {
				index := o.index
				index.Batch = batch
				title := fmt.Sprintf("%s, %d components, batches of %d", name, dim, batch)
				progress.Step("try "+title, 0)
				f, err := zvecrepro.Find(ctx, zvecrepro.Config{
					Build: builder(index), Batch: batch, TopK: o.topK, Probes: o.probes, Builds: o.builds,
					Tell: func(c zvecrepro.Case) { progress.Note("%s, %s", title, describeCase(c)) },
				}, data)
				if err != nil {
					return nil, err
				}
				findings = append(findings, f)
			}
		}
	}
	return findings, nil
}

func (o reproOptions) data(ctx context.Context, name string, dim int) (zvecrepro.Data, error) {
	if name == "synthetic" {
		return zvecrepro.Synthetic(o.rows, dim), nil
	}
	o.gutenberg.Dim = dim
	source, err := o.gutenberg.open(ctx)
	if err != nil {
		return zvecrepro.Data{}, err
	}
	return zvecrepro.Corpus(ctx, source, o.rows)
}

func describeCase(c zvecrepro.Case) string {
	if c.Bad() {
		return fmt.Sprintf("%d rows: fails from top_k %d, %d of %d searches", c.Rows, c.TopK, c.Failed, c.Probes)
	}
	return fmt.Sprintf("%d rows: sound", c.Rows)
}

// maxLogLines is how many lines of the library's log a report quotes.
const maxLogLines = 3

// faultLines quotes what the library logged about the fault.
func faultLines(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "zvec*"))
	if err != nil {
		return nil, fmt.Errorf("find the library's log: %w", err)
	}
	var lines []string
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the library's log: %w", err)
		}
		defer file.Close()
		for scan := bufio.NewScanner(file); scan.Scan() && len(lines) < maxLogLines; {
			if strings.Contains(scan.Text(), "chunk") {
				lines = append(lines, scan.Text())
			}
		}
	}
	return lines, nil
}
