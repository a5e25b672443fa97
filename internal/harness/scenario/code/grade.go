package code

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/stats"
	"sortedheap/internal/tokens"
)

// Mark is what the answer to one question is worth. Shares are fractions of 1.
type Mark struct {
	Label   string   `json:"label"`
	Keyword float64  `json:"keyword"`        // share of keywords in the whole answer
	Budget  float64  `json:"keyword_budget"` // within the budget
	Tokens  int      `json:"tokens"`         // of the whole answer
	Missing []string `json:"missing"`        // keywords beyond the budget or nowhere
}

// grade fills qualities.
func (r *run) grade(context.Context) error {
	counter := tokens.NewCounter()
	r.env.Progress.Step("grade answers", len(r.trials))
	for i, t := range r.trials {
		t.marks = nil
		for k, answer := range t.answers {
			mark, err := Grade(counter, &r.env.Corpus.Asked[k], answer, r.p.Budget)
			if err != nil {
				return fmt.Errorf("grade case %s: %w", t.name(), err)
			}
			t.marks = append(t.marks, mark)
		}
		t.quality = qualityOf(t.marks)
		r.env.Progress.Done(i + 1)
	}
	return nil
}

// Grade compares an answer with the question's keywords: the whole answer, and as
// many tokens of its texts, in order, as the budget pays for.
func Grade(counter *tokens.Counter, q *corpus.AskedQuestion, a Answer, budget int) (Mark, error) {
	texts := make([]string, len(a.Rows))
	for i, row := range a.Rows {
		texts[i] = row.Payload
	}
	whole := strings.Join(texts, "\n")
	n, err := counter.Count(whole)
	if err != nil {
		return Mark{}, err
	}
	read, err := counter.Cut(whole, budget)
	if err != nil {
		return Mark{}, err
	}
	missing := missingKeywords(read, q.Keywords)
	of := float64(len(q.Keywords))
	return Mark{Label: q.Label, Tokens: n, Missing: missing,
		Budget: 1 - float64(len(missing))/of, Keyword: 1 - float64(len(missingKeywords(whole, q.Keywords)))/of}, nil
}

// missingKeywords are those that a text does not contain, in any case of letters.
func missingKeywords(text string, keywords []string) []string {
	text = strings.ToLower(text)
	missing := []string{}
	for _, k := range keywords {
		if !strings.Contains(text, strings.ToLower(k)) {
			missing = append(missing, k)
		}
	}
	return missing
}

func qualityOf(marks []Mark) *result.Quality {
	var keyword, full, budget, fullBudget, n []float64
	for _, m := range marks {
		keyword, budget, n = append(keyword, m.Keyword), append(budget, m.Budget), append(n, float64(m.Tokens))
		full, fullBudget = append(full, math.Floor(m.Keyword)), append(fullBudget, math.Floor(m.Budget))
	}
	mean := func(values []float64) *float64 {
		m := stats.Summarize(values).Mean
		return &m
	}
	return &result.Quality{KeywordPct: mean(keyword), FullPct: mean(full), KeywordBudget: mean(budget), FullBudget: mean(fullBudget), TokensMean: mean(n)}
}

// fingerprint is a hash of the rows' keys and texts in order.
func fingerprint(rows []engine.Row) string {
	h := fnv.New32a()
	for _, row := range rows {
		for _, id := range []int32{row.Entity, int32(row.Relation), row.Target} {
			_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(id))) // a hash takes every write
		}
		_, _ = h.Write([]byte(row.Payload)) // as above
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// difference compares answers question by question, distances to six decimals; ""
// when they agree.
func difference(got, want []Answer) string {
	for q := range want {
		g, w := got[q].Rows, want[q].Rows
		for i := range min(len(g), len(w)) {
			if g[i].Payload != w[i].Payload || g[i].Entity != w[i].Entity || g[i].Relation != w[i].Relation || g[i].Target != w[i].Target ||
				math.Round(g[i].Distance*1e6) != math.Round(w[i].Distance*1e6) {
				return fmt.Sprintf("question %d, row %d is %s, want %s", q+1, i+1, describe(g[i]), describe(w[i]))
			}
		}
		if len(g) != len(w) {
			return fmt.Sprintf("question %d has %d rows, want %d", q+1, len(g), len(w))
		}
	}
	return ""
}

func describe(r engine.Row) string {
	return fmt.Sprintf("(%d, %d, %d, %.6f, %d bytes)", r.Entity, r.Relation, r.Target, r.Distance, len(r.Payload))
}
