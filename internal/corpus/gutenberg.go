package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"sortedheap/fixtures"
	"sortedheap/internal/embed"
)

// Relations of the paragraph graph.
const (
	RelationHolds int16 = 1 // book -> paragraph
	RelationNext  int16 = 2 // paragraph -> the paragraph after it
)

// GutenbergOptions says which paragraph graph to load.
type GutenbergOptions struct {
	Dir            string         // holds the books, as *.txt; empty for the built-in few
	MaxBooks       int            // how many, in filename order; 0 for all
	MaxParagraphs  int            // kept per book, after the skipped; 0 for all
	SkipParagraphs int            // dropped at the start of each book: licence text
	Dim            int            // components of each embedding, 1 to embed.MaxDim
	Embedder       embed.Embedder // of Dim components; nil: the hash of embed.Lexical, as published
	Queries        int            // at most; a small corpus has fewer
	Set            QuestionSet
}

// DefaultGutenberg returns the options of the smaller published corpus: 64
// books of at most 128 paragraphs, 8 skipped, 32 dimensions, 64 queries. An
// empty dir stands for the few built-in books.
func DefaultGutenberg(dir string) GutenbergOptions {
	return GutenbergOptions{
		Dir: dir, MaxBooks: 64, MaxParagraphs: 128, SkipParagraphs: 8,
		Dim: 32, Queries: 64,
	}
}

// Validate reports every option that is out of range.
func (o GutenbergOptions) Validate() error {
	var errs []error
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"books", o.MaxBooks}, {"paragraphs", o.MaxParagraphs},
		{"skipped paragraphs", o.SkipParagraphs}, {"queries", o.Queries},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("number of %s %d is negative", limit.name, limit.value))
		}
	}
	if err := checkDim(o.Dim, o.Embedder); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, o.Set.check())...)
}

// builtIn names the built-in books in a result.
const builtIn = "built-in"

func (o GutenbergOptions) folder() (fs.FS, error) {
	if o.Dir == "" {
		return fixtures.Books()
	}
	return os.DirFS(o.Dir), nil
}

// directory names the books in a result without the path that leads to them.
func (o GutenbergOptions) directory() string {
	if o.Dir == "" {
		return builtIn
	}
	return filepath.Base(o.Dir)
}

// Library is a paragraph graph with its texts in memory and its vectors still
// to be computed: rows are embedded as they are read, one book at a time.
type Library struct {
	options    GutenbergOptions
	embedder   embed.Embedder
	books      [][]string // paragraphs, per book; a book may have none
	paragraphs int
	rows       int
	firstID    int // id of the first paragraph
	queries    []Query
}

var _ Source = (*Library)(nil)

// OpenGutenberg reads the books.
//
// Books have the ids 1, 2, ... in filename order. Paragraph ids start above
// the most books that the options allow and run on over all books. Each
// paragraph has a row (book, 1, paragraph) and, unless it is the last of its
// book, is followed by (paragraph, 2, next paragraph), which carries the text
// and vector of the next one; so nearly every text occurs twice.
func OpenGutenberg(ctx context.Context, o GutenbergOptions) (*Library, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("open gutenberg corpus: %w", err)
	}
	embedder, err := orHash(o.Embedder, embed.Lexical, o.Dim)
	if err != nil {
		return nil, fmt.Errorf("open gutenberg corpus: %w", err)
	}
	folder, err := o.folder()
	if err != nil {
		return nil, fmt.Errorf("open gutenberg corpus: %w", err)
	}
	files, err := bookFiles(folder, o.MaxBooks)
	if err != nil {
		return nil, fmt.Errorf("open gutenberg corpus in %q: %w", o.Dir, err)
	}
	l := &Library{options: o, embedder: embedder}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("open gutenberg corpus: %w", err)
		}
		book, err := readParagraphs(folder, file, o.SkipParagraphs, o.MaxParagraphs)
		if err != nil {
			return nil, fmt.Errorf("open gutenberg corpus: %w", err)
		}
		l.books = append(l.books, book)
		l.paragraphs += len(book)
		l.rows += max(0, 2*len(book)-1)
	}
	l.firstID = max(o.MaxBooks, len(files)) + 1
	if l.firstID > math.MaxInt32-l.paragraphs {
		return nil, fmt.Errorf("open gutenberg corpus: %d paragraphs exceed the ids of int4", l.paragraphs)
	}
	if l.queries, err = l.ask(ctx); err != nil {
		return nil, fmt.Errorf("open gutenberg corpus: %w", err)
	}
	return l, nil
}

// Gutenberg loads a whole paragraph graph with its vectors: two rows a
// paragraph, which share one vector.
func Gutenberg(ctx context.Context, o GutenbergOptions) (*Facts, error) {
	l, err := OpenGutenberg(ctx, o)
	if err != nil {
		return nil, err
	}
	return Collect(ctx, l)
}

// Books returns the number of books, those without paragraphs included.
func (l *Library) Books() int { return len(l.books) }

// Paragraphs returns the number of paragraphs.
func (l *Library) Paragraphs() int { return l.paragraphs }

// RowCount returns the number of rows: twice the paragraphs, less one for each
// book that has any.
func (l *Library) RowCount() int { return l.rows }

// Info returns the corpus without its rows.
func (l *Library) Info() Facts {
	o := l.options
	return Facts{
		Name:    "gutenberg",
		Dim:     o.Dim,
		Queries: l.queries,
		Params: map[string]any{
			"books": len(l.books), "paragraphs": l.paragraphs, "directory": o.directory(),
			"max_books": o.MaxBooks, "max_paragraphs": o.MaxParagraphs, "skip_paragraphs": o.SkipParagraphs,
			"dim": o.Dim, "queries": len(l.queries), "query_set": string(o.Set.orOriginal()), "embedder": l.embedder.Name(),
		},
	}
}

// All yields the rows book by book, embedding each book when it is reached.
func (l *Library) All(ctx context.Context) iter.Seq2[Fact, error] {
	return func(yield func(Fact, error) bool) {
		id := int32(l.firstID)
		for i, texts := range l.books {
			vectors, err := l.embedder.Embed(ctx, texts)
			if err != nil {
				yield(Fact{}, fmt.Errorf("read book %d: %w", i+1, err))
				return
			}
			for j, text := range texts {
				held := Fact{int32(i + 1), RelationHolds, id, vectors[j], text}
				if !yield(held, nil) {
					return
				}
				if j+1 < len(texts) && !yield(Fact{id, RelationNext, id + 1, vectors[j+1], texts[j+1]}, nil) {
					return
				}
				id++
			}
		}
	}
}
