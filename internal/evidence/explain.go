package evidence

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// Plans are what EXPLAIN (VERBOSE, FORMAT JSON) says now of the statements that an
// answer runs, each once: seeds by vector, seeds by terms, rows of the best with
// their references, rows of the rest, and
// terms of near fragments where the embedder tells meanings.
func (x *Index) Plans(ctx context.Context, text string, vector []float32) ([]string, error) {
	q := parseQuestion(text, x.stems)
	terms, _, _ := q.lookups()
	values := []string{
		annStatement + "(" + quoted(pgvector.NewVector(vector).String()) + ")",
		listsStatement + "(" + array(terms, quotedElement) + ")",
		bestStatement + "('{1}')",
		restStatement + "('{1}')",
	}
	if hasFeedback(x.embedder) {
		values = append(values, feedbackStatement+"('{1}')")
	}
	plans := make([]string, len(values))
	for i, v := range values {
		err := x.conn.QueryRow(ctx, "EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE "+v, pgx.QueryExecModeSimpleProtocol).Scan(&plans[i])
		if err != nil {
			return nil, fmt.Errorf("explain %s: %w", v, err)
		}
	}
	return plans, nil
}

// Statements are the texts of the statements of an answer.
func Statements() []string {
	texts := make([]string, len(statements))
	for i, s := range statements {
		texts[i] = s.sql
	}
	return texts
}

func array[T any](values []T, write func(T) string) string {
	written := make([]string, len(values))
	for i, v := range values {
		written[i] = write(v)
	}
	return quoted("{" + strings.Join(written, ",") + "}")
}

func quotedElement(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
