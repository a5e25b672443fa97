// Package evidencecase brings the case of scenario code that answers with lines of
// the source, chosen by package evidence.
package evidencecase

import (
	"context"
	"fmt"
	"strings"

	"sortedheap/internal/corpus"
	"sortedheap/internal/embed"
	"sortedheap/internal/evidence"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/postgres"
	"sortedheap/internal/harness/scenario/code"
)

// Name of the case.
const Name = "evidence"

// Case returns the case. It builds an index whose fragments are embedded by the
// embedder of the corpus; that may be nil where only the name is wanted.
func Case(embedder embed.Embedder, counter evidence.Counter) code.Case {
	l := &loader{options: evidence.Options{Embedder: embedder, Counter: counter}}
	return code.Case{Name: Name, Engines: []string{"sorted_heap"}, Load: l.load, Open: l.open}
}

type loader struct {
	options evidence.Options
}

func (l *loader) load(ctx context.Context, s *code.Store) error {
	files := make([]evidence.File, len(s.Corpus.Files))
	for i, f := range s.Corpus.Files {
		files[i] = evidence.File{Path: f.Path, Text: f.Text}
	}
	_, err := evidence.Build(ctx, s.Conn, files, l.options)
	return err
}

func (l *loader) open(ctx context.Context, s *code.Store, b code.Bounds) (code.Asker, error) {
	index, err := evidence.Open(ctx, s.Conn, l.options)
	if err != nil {
		return nil, err
	}
	a := &asker{index: index, ids: map[string]int32{}, budget: evidence.Budget{Tokens: b.Budget, Files: b.TopK}}
	for i, f := range s.Corpus.Files {
		a.ids[f.Path] = int32(i + 1)
	}
	return a, nil
}

// asker answers with a row for each file.
type asker struct {
	index  *evidence.Index
	ids    map[string]int32 // of files
	budget evidence.Budget
}

var _ code.Asker = (*asker)(nil)

// separator is what the scenario counts between the texts of two rows, in tokens.
const separator = 1

// Ask implements code.Asker. The question's vector was made before, as for all cases.
func (a *asker) Ask(ctx context.Context, q *corpus.AskedQuestion) (code.Answer, error) {
	budget := a.budget
	budget.Tokens -= min(separator*(budget.Files-1), budget.Tokens-1)
	found, err := a.index.AskEmbedded(ctx, q.Text, q.Embedding, budget)
	if err != nil {
		return code.Answer{}, err
	}
	stages := []engine.Stage{{Name: "seeds", MS: found.Stages.Seeds}, {Name: "rescue", MS: found.Stages.Rescue},
		{Name: "pack", MS: found.Stages.Pack}}
	answer := code.Answer{Stages: stages}
	for _, s := range found.Sections() {
		id := a.ids[s.File]
		answer.Rows = append(answer.Rows, engine.Row{Entity: id, Relation: corpus.RelationSummary, Target: id, Payload: s.Text})
	}
	return answer, nil
}

// Plans implements code.Asker.
func (a *asker) Plans(ctx context.Context, q *corpus.AskedQuestion) ([]engine.Plan, error) {
	explained, err := a.index.Plans(ctx, q.Text, q.Embedding)
	if err != nil {
		return nil, err
	}
	plans := make([]engine.Plan, len(explained))
	for i, raw := range explained {
		if plans[i], err = postgres.ParsePlan(raw); err != nil {
			return nil, fmt.Errorf("read plan of evidence: %w", err)
		}
	}
	return plans, nil
}

// Text implements code.Asker.
func (a *asker) Text() string { return strings.Join(evidence.Statements(), ";\n") }
