package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/scenario"
)

// corpusOptions is a corpus on the command line.
type corpusOptions interface {
	addFlags(cmd *cobra.Command)
	open(ctx context.Context) (corpus.Source, error)
}

// multihopOptions generates the person-parent-city corpus.
type multihopOptions struct{ corpus.MultihopOptions }

func newMultihopOptions() corpusOptions { return &multihopOptions{corpus.DefaultMultihop()} }

func (o *multihopOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Chains, "chains", o.Chains, "persons with a parent who lives in a city; two facts each")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	f.IntVar(&o.Queries, "queries", o.Queries, "questions about distinct persons")
	f.Int64Var(&o.Seed, "seed", o.Seed, "of the cities and the choice of questions")
}

func (o *multihopOptions) open(ctx context.Context) (corpus.Source, error) {
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return corpus.Multihop(ctx, o.MultihopOptions)
}

// gutenbergOptions reads the paragraph graph of books.
type gutenbergOptions struct {
	corpus.GutenbergOptions
	plan string
}

func newGutenbergOptions() corpusOptions {
	o := corpus.DefaultGutenberg("")
	return &gutenbergOptions{GutenbergOptions: o, plan: string(o.Plan)}
}

func (o *gutenbergOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Dir, "books", o.Dir, "directory of books as *.txt; default: a few short texts inside this program")
	f.IntVar(&o.MaxBooks, "max-books", o.MaxBooks, "books to read, in the order of names; 0: all")
	f.IntVar(&o.MaxParagraphs, "max-paragraphs", o.MaxParagraphs, "paragraphs to keep of each book; 0: all")
	f.IntVar(&o.SkipParagraphs, "skip-paragraphs", o.SkipParagraphs, "paragraphs to drop at the start of each book")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	f.IntVar(&o.Queries, "queries", o.Queries, "questions, at most")
	f.StringVar(&o.plan, "query-plan", o.plan, "opening: paragraphs at the start of the first book, as published; fair: spread over all books")
}

func (o *gutenbergOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Plan = corpus.QueryPlan(o.plan)
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	library, err := corpus.OpenGutenberg(ctx, o.GutenbergOptions)
	if err != nil {
		return nil, booksError(o.Dir, err)
	}
	return library, nil
}

// booksError adds what to do; err already tells which directory and why.
func booksError(dir string, err error) error {
	if dir == "" {
		return fmt.Errorf("%w: the texts inside this program are damaged, name a directory of books with --books", err)
	}
	return fmt.Errorf("--books %s: %w; it must be a directory with books as *.txt files", dir, err)
}

// syntheticOptions generates the regular graph.
type syntheticOptions struct {
	corpus.SyntheticOptions
	plan string
}

// newSyntheticOptions has the larger published graph, asked about rows that are
// spread over it: the published queries all start at one entity, which stays in
// the CPU's cache.
func newSyntheticOptions() corpusOptions {
	o := corpus.DefaultSynthetic()
	o.Entities, o.Degree, o.Queries, o.Seeds = 20_000, 16, 64, scenario.SyntheticSeeds
	return &syntheticOptions{SyntheticOptions: o, plan: string(corpus.Fair)}
}

func (o *syntheticOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Entities, "entities", o.Entities, fmt.Sprintf("entities, at least %d", scenario.SyntheticSeeds))
	f.IntVar(&o.Degree, "degree", o.Degree, "facts of each entity")
	f.IntVar(&o.Relations, "relations", o.Relations, "relations that the facts are dealt to")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	f.IntVar(&o.PayloadBytes, "payload-bytes", o.PayloadBytes, "bytes to which payloads are filled; 0: only the fact's name")
	f.IntVar(&o.Queries, "queries", o.Queries, "questions, each with 64 seed entities")
	f.StringVar(&o.plan, "query-plan", o.plan, "opening: the first rows, as published; fair: spread over all entities")
}

func (o *syntheticOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Plan = corpus.QueryPlan(o.plan)
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return corpus.Synthetic(ctx, o.SyntheticOptions)
}

// butlerOptions makes the facts of an assistant's memory.
type butlerOptions struct {
	corpus.ButlerOptions
	plan string
}

func newButlerOptions() corpusOptions {
	o := corpus.DefaultButler()
	return &butlerOptions{ButlerOptions: o, plan: string(o.Plan)}
}

func (o *butlerOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	f.IntVar(&o.Queries, "queries", o.Queries, "questions, at most")
	f.StringVar(&o.plan, "query-plan", o.plan, "opening: the two published questions; fair: other wordings of both")
}

func (o *butlerOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Plan = corpus.QueryPlan(o.plan)
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return corpus.Butler(ctx, o.ButlerOptions)
}
