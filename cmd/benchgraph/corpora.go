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

// questionFlags choose what is asked.
type questionFlags struct {
	set     string
	queries int
	// originals is how many questions the original set has.
	originals int
}

func (q *questionFlags) addFlags(cmd *cobra.Command, original, fair string) {
	f := cmd.Flags()
	f.StringVar(&q.set, "query-set", q.set, "original: "+original+", as published; fair: "+fair)
	f.IntVar(&q.queries, "queries", 0, fmt.Sprintf("questions, at most; 0: %d of the original set, %d of the fair one", q.originals, corpus.FairQueries))
}

// chosen is the set and how many of its questions to ask.
func (q *questionFlags) chosen() (corpus.QuestionSet, int) {
	set := corpus.QuestionSet(q.set)
	switch {
	case q.queries != 0:
		return set, q.queries
	case set == corpus.Fair:
		return set, corpus.FairQueries
	}
	return set, q.originals
}

// multihopOptions generates the person-parent-city corpus.
type multihopOptions struct {
	corpus.MultihopOptions
	asked    questionFlags
	embedder embedderOptions
}

func newMultihopOptions(getenv func(string) string) corpusOptions {
	o := corpus.DefaultMultihop()
	return &multihopOptions{o, questionFlags{set: string(corpus.Original), originals: o.Queries}, newEmbedderOptions(getenv, hashMultihop)}
}

func (o *multihopOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Chains, "chains", o.Chains, "persons with a parent who lives in a city; two facts each")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	o.embedder.addFlags(f)
	o.asked.addFlags(cmd, "about persons drawn from all", "about one person of each of as many equal stretches")
	f.Int64Var(&o.Seed, "seed", o.Seed, "of the cities and the choice of questions")
}

func (o *multihopOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Set, o.Queries = o.asked.chosen()
	if o.asked.queries == 0 {
		o.Queries = min(o.Queries, max(o.Chains, 0)) // one a person at most
	}
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	embedder, err := o.embedder.open(ctx, o.Dim)
	if err != nil {
		return nil, err
	}
	o.Embedder, o.Dim = embedder, embedder.Dim()
	return corpus.Multihop(ctx, o.MultihopOptions)
}

// gutenbergOptions reads the paragraph graph of books.
type gutenbergOptions struct {
	corpus.GutenbergOptions
	asked    questionFlags
	embedder embedderOptions
}

func newGutenbergOptions(getenv func(string) string) corpusOptions {
	o := corpus.DefaultGutenberg("")
	return &gutenbergOptions{o, questionFlags{set: string(corpus.Original), originals: o.Queries}, newEmbedderOptions(getenv, hashLexical)}
}

func (o *gutenbergOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Dir, "books", o.Dir, "directory of books as *.txt; default: a few short texts inside this program")
	f.IntVar(&o.MaxBooks, "max-books", o.MaxBooks, "books to read, in the order of names; 0: all")
	f.IntVar(&o.MaxParagraphs, "max-paragraphs", o.MaxParagraphs, "paragraphs to keep of each book; 0: all")
	f.IntVar(&o.SkipParagraphs, "skip-paragraphs", o.SkipParagraphs, "paragraphs to drop at the start of each book")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	o.embedder.addFlags(f)
	o.asked.addFlags(cmd, "the paragraphs at the start of the first book", "halves of paragraphs spread over all books")
}

func (o *gutenbergOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Set, o.Queries = o.asked.chosen()
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	embedder, err := o.embedder.open(ctx, o.Dim)
	if err != nil {
		return nil, err
	}
	o.Embedder, o.Dim = embedder, embedder.Dim()
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
	asked questionFlags
}

// newSyntheticOptions has the larger published graph, asked about rows that are
// spread over it: the published queries all start at one entity, which stays in
// the CPU's cache.
func newSyntheticOptions() corpusOptions {
	o := corpus.DefaultSynthetic()
	originals := o.Queries
	o.Entities, o.Degree, o.Seeds = 20_000, 16, scenario.SyntheticSeeds
	return &syntheticOptions{o, questionFlags{set: string(corpus.Fair), originals: originals}}
}

func (o *syntheticOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Entities, "entities", o.Entities, fmt.Sprintf("entities, at least %d", scenario.SyntheticSeeds))
	f.IntVar(&o.Degree, "degree", o.Degree, "facts of each entity")
	f.IntVar(&o.Relations, "relations", o.Relations, "relations that the facts are dealt to")
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	f.IntVar(&o.PayloadBytes, "payload-bytes", o.PayloadBytes, "bytes to which payloads are filled; 0: only the fact's name")
	o.asked.addFlags(cmd, "the first rows", "beside rows spread over all entities")
	f.Int64Var(&o.Seed, "seed", o.Seed, "of the choice of fair questions and of the 64 seed entities of each question")
}

func (o *syntheticOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Set, o.Queries = o.asked.chosen()
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return corpus.Synthetic(ctx, o.SyntheticOptions)
}

// butlerOptions makes the facts of an assistant's memory.
type butlerOptions struct {
	corpus.ButlerOptions
	asked    questionFlags
	embedder embedderOptions
}

func newButlerOptions(getenv func(string) string) corpusOptions {
	o := corpus.DefaultButler()
	return &butlerOptions{o, questionFlags{set: string(corpus.Original), originals: o.Queries}, newEmbedderOptions(getenv, hashMultihop)}
}

func (o *butlerOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.Dim, "dim", o.Dim, "components of each embedding")
	o.embedder.addFlags(f)
	o.asked.addFlags(cmd, "two questions", "other wordings of both")
}

func (o *butlerOptions) open(ctx context.Context) (corpus.Source, error) {
	o.Set, o.Queries = o.asked.chosen()
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	embedder, err := o.embedder.open(ctx, o.Dim)
	if err != nil {
		return nil, err
	}
	o.Embedder, o.Dim = embedder, embedder.Dim()
	return corpus.Butler(ctx, o.ButlerOptions)
}
