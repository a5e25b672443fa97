package code

import (
	"context"
	"fmt"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/measure"
)

// snippetAsker puts below each summary that a statement returns the lines of the
// file that the question is about. It remembers what it has cut, as the published
// client did: only the first answer to a question pays for cutting.
type snippetAsker struct {
	*Statement
	files []corpus.CodeFile
	known map[snippetKey]string
}

type snippetKey struct {
	file     int32
	question string
}

func newSnippetAsker(s *Statement, c *corpus.Code) *snippetAsker {
	return &snippetAsker{Statement: s, files: c.Files, known: map[snippetKey]string{}}
}

func (a *snippetAsker) Ask(ctx context.Context, q *corpus.AskedQuestion) (Answer, error) {
	sql := measure.Start()
	rows, err := a.Rows(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	sqlMS := 1000 * sql.Seconds()
	cutting := measure.Start()
	for i := range rows {
		snippet, err := a.snippet(rows[i].Entity, q.Text)
		if err != nil {
			return Answer{}, err
		}
		rows[i].Payload += "\n" + snippet
	}
	return Answer{Rows: rows, Stages: []engine.Stage{{Name: "sql", MS: sqlMS}, {Name: "snippet", MS: 1000 * cutting.Seconds()}}}, nil
}

func (a *snippetAsker) snippet(file int32, question string) (string, error) {
	key := snippetKey{file, question}
	if known, ok := a.known[key]; ok {
		return known, nil
	}
	if file < 1 || int(file) > len(a.files) {
		return "", fmt.Errorf("cut snippet: no file has id %d", file)
	}
	a.known[key] = cutSnippet(a.files[file-1], question)
	return a.known[key], nil
}

func (a *snippetAsker) Plans(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Plan, error) {
	plan, err := a.Plan(ctx, q)
	return []engine.Plan{plan}, err
}
