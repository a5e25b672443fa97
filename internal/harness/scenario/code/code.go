// Package code asks questions about a source tree: which rows of a budget's worth
// show what a right answer needs. Every case answers the same questions on the same
// tables; answers are graded by the question's keywords, and timed.
//
// Vocabulary:
//
//   - case: one way to answer a question. Cases are data: a list is handed to Run, so
//     other packages bring cases of their own.
//   - store: the tables of one engine, and the session that asks them.
//   - asker: a case made ready on a store.
//   - keyword coverage: the share of a question's keywords that the answer's texts
//     contain, in any case of letters. Full: all of them.
//   - budget: as many tokens of the answer, in its order, as a reader takes. Coverage
//     within it cannot be bought with longer texts.
//   - oracle case: one that looks at the keywords. It tells what is lost where, and
//     is no way to answer.
package code

import (
	"context"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
)

// Name of the scenario on the command line and in result files, and one line for
// people.
const (
	Name  = "code"
	Short = "questions about a source tree: keywords shown within a budget of tokens"
)

// Case is one way to answer questions.
type Case struct {
	Name string
	// Equals is the case whose rows this one must return, in order, on the same
	// engine; empty: none.
	Equals string
	// Exact says that no search by an index takes part, so that engines with the same
	// type of vectors must return the same rows.
	Exact bool
	// Engines are those that can run the case; nil: all.
	Engines []string
	// Load makes what the case needs beside the facts and the lexical seeds, once a
	// store, after these are loaded; nil: nothing. Cases that share tables share a
	// Load that does nothing the second time. Its time is not the facts' build time.
	Load func(ctx context.Context, s *Store) error
	// Open makes the case ready.
	Open func(ctx context.Context, s *Store, b Bounds) (Asker, error)
}

// Bounds are how much a case may look at and return.
type Bounds struct {
	AnnK   int // nearest rows that become seeds, at least 1
	TopK   int // rows of an answer, at least 1
	Budget int // tokens that will be read of it, at least 1
}

// Store is what a case finds on an engine.
type Store struct {
	Engine      string
	Conn        *pgx.Conn // the engine's session, one user at a time
	Table       string    // of facts; needs no quotes
	Seeds       string    // table of lexical seeds: entity_id, embedding, payload
	Vector      string    // type of embeddings: svec or vector
	Approximate bool      // an index serves the order by distance
	Corpus      *corpus.Code

	walk string // statement that tells how the last search went through the index
}

// Asker answers questions, one after another.
type Asker interface {
	// Ask answers one question. All of it is timed; each statement that Plans tells
	// of runs exactly once, and no other one of these runs between two calls.
	Ask(ctx context.Context, q *corpus.AskedQuestion) (Answer, error)
	// Plans tells how the server runs each statement of Ask now, untimed.
	Plans(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Plan, error)
	// Text is the statements, for the result file.
	Text() string
}

// Answer is what a reader gets, the best first.
type Answer struct {
	Rows []engine.Row
	// Spans tell where in the source the rows' texts are from, one a row; nil for
	// cases that return whole rows of facts.
	Spans []Span
	// Stages are parts of the time of Ask, the same ones after every call; nil for
	// cases that have one.
	Stages []engine.Stage
}

// Span is a part of a file.
type Span struct {
	File       string
	Start, End int    // lines, from 1, the last included
	Symbol     string // that is defined there; may be empty
}
