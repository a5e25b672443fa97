package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/corpus"
	"sortedheap/internal/evidence"
	"sortedheap/internal/harness/measure"
)

// evidenceGrader grades the answers of an index.
type evidenceGrader struct {
	options *evidenceOptions
	conn    *pgx.Conn
	index   *evidence.Index
	counter evidence.Counter
	out     io.Writer
}

// ndcgRanks is how many passages count for nDCG.
const ndcgRanks = 10

// evidenceMarks add up over questions.
type evidenceMarks struct {
	keyword, full, ndcg, tokens, client float64
	questions                           int
}

func (g *evidenceGrader) file(ctx context.Context, q *corpus.QuestionFile) error {
	heldOut := strings.HasSuffix(q.Name, "held-out")
	for _, wording := range []corpus.Wording{corpus.WordingPrompt, corpus.WordingGeneric} {
		if _, err := g.conn.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
			return fmt.Errorf("reset statistics: %w", err)
		}
		var m evidenceMarks
		for i := range q.Questions {
			text := q.Questions[i].Prompt
			if wording == corpus.WordingGeneric {
				text = q.Questions[i].Generic
			}
			if text == "" {
				continue
			}
			if err := g.question(ctx, &q.Questions[i], text, heldOut, &m); err != nil {
				return err
			}
		}
		if m.questions == 0 {
			continue
		}
		n := float64(m.questions)
		fmt.Fprintf(g.out, "%-18s %-8s %2d questions: keywords %5.1f %%, full %5.1f %%, nDCG@%d %.3f, %4.0f tokens, client %.3f ms",
			q.Name, wording, m.questions, 100*m.keyword/n, 100*m.full/n, ndcgRanks, m.ndcg/n, m.tokens/n, m.client/n)
		if err := g.stages(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (g *evidenceGrader) question(ctx context.Context, q *corpus.CodeQuestion, text string, heldOut bool, m *evidenceMarks) error {
	var answer evidence.Answer
	watch := measure.Start()
	for range g.options.runs {
		var err error
		if answer, err = g.index.Ask(ctx, text, g.options.budget); err != nil {
			return fmt.Errorf("question %s: %w", q.Label, err)
		}
	}
	m.client += 1000 * watch.Seconds() / float64(g.options.runs)
	shown := answer.Text()
	n, err := g.counter.Count(shown)
	if err != nil {
		return err
	}
	if n > g.options.budget.Tokens {
		return fmt.Errorf("question %s: the answer has %d tokens, more than its budget", q.Label, n)
	}
	keyword := evidence.Coverage(shown, q.Keywords)
	spans := make([]evidence.Span, len(q.Spans))
	for i, s := range q.Spans {
		spans[i] = evidence.Span{File: s.File, Symbol: s.Symbol, Grade: s.Grade}
	}
	ndcg := evidence.NDCG(answer.Passages, spans, ndcgRanks)
	m.questions++
	m.keyword, m.ndcg, m.tokens = m.keyword+keyword, m.ndcg+ndcg, m.tokens+float64(n)
	if keyword == 1 {
		m.full++
	}
	if g.options.verbose && !heldOut {
		fmt.Fprintf(g.out, "  %-30s keywords %.2f, nDCG %.2f\n", q.Label, keyword, ndcg)
	}
	return nil
}

// stages tells what the statements took in the server since the last reset.
func (g *evidenceGrader) stages(ctx context.Context) error {
	for _, s := range []struct{ name, from string }{
		{"ann", `.*\sFROM evidence_vectors`}, {"feedback", `.*\sFROM evidence_terms`}, {"lexical", `.*\sFROM evidence_postings`},
		{"best", `.*, refs FROM evidence_fragments`}, {"rest", `.*, body FROM evidence_fragments`},
	} {
		var ms float64
		err := g.conn.QueryRow(ctx, `SELECT coalesce(sum(total_exec_time + total_plan_time) / sum(calls), 0) FROM pg_stat_statements
			WHERE query ~ ('^SELECT ' || $1)`, s.from).Scan(&ms)
		if err != nil {
			return fmt.Errorf("read statistics: %w", err)
		}
		fmt.Fprintf(g.out, ", %s %.3f", s.name, ms)
	}
	_, err := fmt.Fprintln(g.out)
	return err
}
