package evidence

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgvector/pgvector-go"

	"sortedheap/internal/embed"
)

// Index answers questions from the tables that Build made. It is used by one
// goroutine at a time, for it has one session.
type Index struct {
	conn     *pgx.Conn
	embedder embed.Embedder
	counter  Counter
	about    about
	weights  weights
	stems    stems
}

// Codes of errors about a table or a column that is not there.
const (
	undefinedTable  = "42P01"
	undefinedColumn = "42703"
)

func isError(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}

type about struct {
	fragments, dim int
	embedder       string
}

// Open prepares a session for questions. The embedder must be the one that the
// index was built with.
func Open(ctx context.Context, conn *pgx.Conn, o Options) (*Index, error) {
	x := &Index{conn: conn, embedder: o.Embedder, counter: o.Counter, weights: defaultWeights(), stems: stems{}}
	err := conn.QueryRow(ctx, "SELECT fragments, embedder, dim FROM evidence_about").
		Scan(&x.about.fragments, &x.about.embedder, &x.about.dim)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errors.New("open evidence: the index was not built to its end")
	}
	if isError(err, undefinedTable) {
		return nil, errors.New("open evidence: the database holds no index; benchgraph evidence --dsn makes one")
	}
	if err != nil {
		return nil, fmt.Errorf("open evidence: %w", err)
	}
	if x.about.embedder != o.Embedder.Name() || x.about.dim != o.Embedder.Dim() {
		return nil, fmt.Errorf("open evidence: the index was built with embedder %s of %d dimensions, not with %s of %d",
			x.about.embedder, x.about.dim, o.Embedder.Name(), o.Embedder.Dim())
	}
	if err := registerVector(ctx, conn); err != nil {
		return nil, fmt.Errorf("open evidence: %w", err)
	}
	for _, s := range statements {
		if _, err := conn.Prepare(ctx, s.name, s.sql); isError(err, undefinedColumn) {
			return nil, errors.New("open evidence: the index was made by another version; make it anew with benchgraph evidence --dsn")
		} else if err != nil {
			return nil, fmt.Errorf("open evidence: prepare %s: %w", s.name, err)
		}
	}
	if hasFeedback(o.Embedder) {
		if _, err := conn.Prepare(ctx, feedbackStatement, feedbackSQL); err != nil {
			return nil, fmt.Errorf("open evidence: prepare %s: %w", feedbackStatement, err)
		}
	}
	return x, nil
}

// candidate is a fragment that may be evidence, and what speaks for it.
type candidate struct {
	id       int32
	lexical  float64 // BM25F of the question's terms
	symbol   float64 // BM25F of its symbols
	meaning  float64 // BM25F of the question's terms and those of near fragments
	distance float64 // cosine distance to the question, when near
	rescue   float64 // weight of references from and to seeds
	ranks    [sources]int
	score    float64         // see fuse and rank
	lines    [][]string      // words of each line
	words    map[string]bool // in its text
	terms    map[string]bool // of the question, in it
	affinity float64         // share of the question's terms that it holds, weighed; 1 for the best candidate
	*Fragment
	rarity float64
}

// seed is trip one: fragments by terms and symbols, and near the vector.
func (x *Index) seed(ctx context.Context, q *question, vector []float32) ([]candidate, error) {
	terms, weights, symbols := q.lookups()
	found := newGathering()
	batch := &pgx.Batch{}
	batch.Queue(annStatement, pgvector.NewVector(vector)).Query(func(rows pgx.Rows) error {
		var id int32
		var distance float64
		_, err := pgx.ForEachRow(rows, []any{&id, &distance}, func() error {
			found.at(id).distance = distance
			return nil
		})
		return err
	})
	held := lists{}
	batch.Queue(listsStatement, terms).Query(held.read)
	if err := x.conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("find seeds: %w", err)
	}
	for _, s := range held.best(terms, weights, symbols, lexicalRows) {
		c := found.at(s.id)
		c.lexical, c.symbol = s.lexical, s.symbol
	}
	if hasFeedback(x.embedder) && q.speaksPlainly() {
		if err := x.feedback(ctx, q, found, held); err != nil {
			return nil, err
		}
	}
	return found.all, nil
}

// read notes the words of a fetched candidate.
func (c *candidate) read(q *question) {
	text := c.Fragment.lines()
	c.lines, c.words, c.terms = make([][]string, len(text)), map[string]bool{}, map[string]bool{}
	note := func(word string) {
		if !c.words[word] {
			c.words[word] = true
			for _, term := range q.in(word) {
				c.terms[term] = true
			}
		}
	}
	for i, line := range text {
		identifiers(line, func(_ int, word string) {
			c.lines[i] = append(c.lines[i], word)
			note(word)
		})
	}
	for _, more := range []string{c.Symbol, c.Head} {
		identifiers(more, func(_ int, word string) { note(word) })
	}
}

// gathering collects candidates by number.
type gathering struct {
	all  []candidate
	byID map[int32]int
}

func newGathering() *gathering { return &gathering{byID: map[int32]int{}} }

// at returns the candidate with a number, valid until the next call.
func (g *gathering) at(id int32) *candidate {
	i, ok := g.byID[id]
	if !ok {
		i = len(g.all)
		g.byID[id] = i
		g.all = append(g.all, candidate{id: id, distance: farAway})
	}
	return &g.all[i]
}
