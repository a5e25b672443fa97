package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sortedheap/internal/corpus"
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
		return nil, fmt.Errorf("%w (name a directory of books with --books)", err)
	}
	return library, nil
}
