package code_test

import (
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/scenario/code"
	"sortedheap/internal/tokens"
)

func TestGrade(t *testing.T) {
	counter := tokens.NewCounter()
	q := &corpus.AskedQuestion{CodeQuestion: corpus.CodeQuestion{Label: "q", Keywords: []string{"FindWork", "want_", "Plan", "Edge"}}}
	rows := func(texts ...string) code.Answer {
		var a code.Answer
		for _, text := range texts {
			a.Rows = append(a.Rows, engine.Row{Payload: text})
		}
		return a
	}
	filler := strings.Repeat("nothing of use ", 100)
	for name, c := range map[string]struct {
		answer         code.Answer
		whole, paid    float64
		missing        []string
		longerThanPaid bool
	}{
		"no rows":           {rows(), 0, 0, []string{"FindWork", "want_", "Plan", "Edge"}, false},
		"all, any case":     {rows("findwork WANT_", "replanned edges"), 1, 1, []string{}, false},
		"not across rows":   {rows("Find", "Work want_ plan edge"), 0.75, 0.75, []string{"FindWork"}, false},
		"beyond the budget": {rows("plan edge "+filler, "FindWork want_"), 1, 0.5, []string{"FindWork", "want_"}, true},
	} {
		mark, err := code.Grade(counter, q, c.answer, 50)
		if err != nil {
			t.Fatal(err)
		}
		if mark.Label != "q" || mark.Keyword != c.whole || mark.Budget != c.paid || !slices.Equal(mark.Missing, c.missing) || mark.Tokens > 50 != c.longerThanPaid {
			t.Errorf("%s: %+v", name, mark)
		}
	}
}
