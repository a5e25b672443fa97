package evidence

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"

	"sortedheap/internal/embed"
	"sortedheap/internal/ui"
)

// Options choose how an index is made.
type Options struct {
	Counter  Counter        // of the tokens of lines; for several goroutines at a time
	Embedder embed.Embedder // of fragments, and of questions later
	Progress ui.Progress    // of a build; nil: nobody looks on
}

// Stats tell what an index holds.
type Stats struct {
	Files, Fragments, Terms int
	Postings, Edges         int
	// Windows is how many fragments were cut by counting lines.
	Windows int
}

// Build makes the tables of an index, replacing any that are there, from the
// files of a tree. The session must be outside of a transaction. It fails when
// a fragment cannot be counted or embedded, or the server refuses.
func Build(ctx context.Context, conn *pgx.Conn, files []File, o Options) (Stats, error) {
	fragments, err := Cut(ctx, files)
	if err != nil {
		return Stats{}, err
	}
	return BuildFrom(ctx, conn, fragments, o)
}

// BuildFrom is Build of fragments that were cut already, in the order given.
func BuildFrom(ctx context.Context, conn *pgx.Conn, fragments []Fragment, o Options) (Stats, error) {
	if len(fragments) == 0 {
		return Stats{}, errors.New("no fragments: the tree has no text")
	}
	implement(fragments)
	l := &loader{conn: conn, o: o, fragments: fragments}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"make tables", l.createTables}, {"store fragments", l.copyFragments}, {"store terms", l.copyPostings},
		{"store vectors", l.copyVectors}, {"store terms of fragments", l.copyTerms}, {"index", l.finish},
	} {
		if o.Progress != nil {
			o.Progress.Step(step.name, 0)
		}
		if err := step.run(ctx); err != nil {
			return l.stats, fmt.Errorf("%s of evidence: %w", step.name, err)
		}
	}
	return l.stats, nil
}

// loader is one build.
type loader struct {
	conn      *pgx.Conn
	o         Options
	fragments []Fragment
	kept      [][]impact // of each fragment, where they are stored
	stats     Stats
}

func (l *loader) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := l.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", firstWords(sql), err)
		}
	}
	return nil
}

func (l *loader) createTables(ctx context.Context) error {
	if err := registerVector(ctx, l.conn); err != nil {
		return err
	}
	for _, t := range tables {
		// Only a table of the schema that new ones are made in, none further
		// down the search path.
		drop := fmt.Sprintf("DO $$ BEGIN EXECUTE format('DROP TABLE IF EXISTS %%I.%s', current_schema()); END $$", t)
		if err := l.exec(ctx, drop); err != nil {
			return err
		}
	}
	return l.exec(ctx, createTables(l.o.Embedder.Dim())...)
}

func (l *loader) copyFragments(ctx context.Context) error {
	edges, rarity, err := references(ctx, l.fragments)
	if err != nil {
		return err
	}
	edges = sortedEdges(edges)
	if err := countLines(ctx, l.fragments, l.o.Counter); err != nil {
		return err
	}
	files := map[string]bool{}
	for i := range l.fragments {
		f := &l.fragments[i]
		files[f.File] = true
		if f.Cut == CutWindow {
			l.stats.Windows++
		}
	}
	l.stats.Files, l.stats.Fragments, l.stats.Edges = len(files), len(l.fragments), len(edges)
	rest := edges
	_, err = l.conn.CopyFrom(ctx, pgx.Identifier{"evidence_fragments"},
		[]string{"fragment", "file", "symbol", "kind", "head", "figures", "refs", "body"},
		pgx.CopyFromSlice(len(l.fragments), func(i int) ([]any, error) {
			n := 0
			for n < len(rest) && rest[n].from == int32(i) {
				n++
			}
			own := rest[:n]
			rest = rest[n:]
			f := &l.fragments[i]
			return []any{int32(i + 1), f.File, f.Symbol, f.Kind, f.Head, packFigures(f, rarity[i]), packReferences(own), f.Text}, nil
		}))
	return err
}

// countLines counts the tokens of each line with its end, on all processors. The
// sum of a fragment is at least the count of the whole.
func countLines(ctx context.Context, fragments []Fragment, c Counter) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		group.Go(func() error {
			for i := first; i < len(fragments); i += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := fragments[i].countLines(c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (f *Fragment) countLines(c Counter) error {
	lines := f.lines()
	f.Tokens = make([]int, len(lines))
	for i, line := range lines {
		n, err := c.Count(line + "\n")
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.File, f.StartLine+i, err)
		}
		f.Tokens[i] = n
	}
	return nil
}

func (l *loader) copyPostings(ctx context.Context) error {
	x := newInverted()
	for i := range l.fragments {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.add(&l.fragments[i])
	}
	mean := x.means()
	if hasFeedback(l.o.Embedder) {
		l.kept = make([][]impact, len(l.fragments))
	}
	terms := slices.Sorted(maps.Keys(x.terms))
	l.stats.Terms = len(terms)
	var (
		rest []posting // of the term at hand
		all  int
		part int16
		term string
		next int
	)
	_, err := l.conn.CopyFrom(ctx, pgx.Identifier{"evidence_postings"},
		[]string{"term", "part", "holders", "postings"}, pgx.CopyFromFunc(func() ([]any, error) {
			if len(rest) == 0 {
				if next == len(terms) {
					return nil, nil
				}
				term = terms[next]
				next++
				rest, part = x.list(term, &mean), 0
				l.keepTerms(term, rest)
				all = len(rest)
				l.stats.Postings += all
			} else {
				part++
			}
			n := min(len(rest), postingsPerPart)
			head := rest[:n]
			for i := range head {
				head[i].fragment++ // the table counts from 1
			}
			rest = rest[n:]
			return []any{term, part, int32(all), packPostings(head)}, nil
		}))
	return err
}

// embedBatch is how many fragments are embedded and stored at a time.
const embedBatch = 64

// copyVectors stores the vectors of all fragments but those of tests, which
// questions find by terms.
func (l *loader) copyVectors(ctx context.Context) error {
	var embedded []int32
	for i := range l.fragments {
		if !isTest(l.fragments[i].File) {
			embedded = append(embedded, int32(i))
		}
	}
	var batch [][]float32
	next := 0
	_, err := l.conn.CopyFrom(ctx, pgx.Identifier{"evidence_vectors"}, []string{"fragment", "embedding"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if next == len(embedded) {
				return nil, nil
			}
			if len(batch) == 0 {
				texts := make([]string, min(embedBatch, len(embedded)-next))
				for i := range texts {
					texts[i] = l.fragments[embedded[next+i]].Description()
				}
				var err error
				if batch, err = l.o.Embedder.Embed(ctx, texts); err != nil {
					return nil, fmt.Errorf("embed fragments: %w", err)
				}
			}
			v := batch[0]
			batch = batch[1:]
			next++
			return []any{embedded[next-1] + 1, pgvector.NewVector(v)}, nil
		}))
	return err
}

func (l *loader) finish(ctx context.Context) error {
	_, err := l.conn.Exec(ctx, "INSERT INTO evidence_about VALUES ($1, $2, $3, $4, $5, $6, $7)",
		l.stats.Fragments, l.stats.Files, l.stats.Terms, l.stats.Postings, l.stats.Edges, l.o.Embedder.Name(), l.o.Embedder.Dim())
	if err != nil {
		return fmt.Errorf("describe: %w", err)
	}
	if err := l.exec(ctx, createIndexes...); err != nil {
		return err
	}
	for _, t := range tables {
		if err := l.exec(ctx, "VACUUM (ANALYZE) "+t); err != nil {
			return err
		}
	}
	return nil
}

// firstWords tells a statement in an error.
func firstWords(sql string) string {
	words := strings.Fields(sql)
	return strings.Join(words[:min(len(words), 4)], " ")
}
