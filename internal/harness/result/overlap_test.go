package result_test

import (
	"testing"

	"sortedheap/internal/harness/result"
)

func TestCompareAnswers(t *testing.T) {
	a := result.Row{AnswerRows: []string{"AAAABBBB", "AAAABBBB", "AAAABBBB", "AAAABBBBCCCCDDDD", ""}}
	b := result.Row{AnswerRows: []string{"AAAABBBB", "BBBBAAAA", "AAAACCCC", "CCCC", ""}}
	got, ok := result.CompareAnswers(a, b)
	want := result.Overlap{Queries: 5, SameOrder: 2, SameRows: 3, Shared: (1 + 1 + 0.5 + 0.25 + 1) / 5}
	if !ok || got.Queries != want.Queries || got.SameOrder != want.SameOrder || got.SameRows != want.SameRows || got.Shared-want.Shared > 1e-9 || want.Shared-got.Shared > 1e-9 {
		t.Errorf("overlap %+v (%v), want %+v", got, ok, want)
	}
	for name, other := range map[string]result.Row{
		"an old file":   {Answers: []string{"00000000"}},
		"other queries": {AnswerRows: []string{"AAAA"}},
	} {
		if _, ok := result.CompareAnswers(a, other); ok {
			t.Errorf("%s is compared", name)
		}
	}
	repeated, _ := result.CompareAnswers(result.Row{AnswerRows: []string{"AAAAAAAA"}}, result.Row{AnswerRows: []string{"AAAABBBB"}})
	if repeated.Shared != 0.5 {
		t.Errorf("a row returned twice is shared %g times of two", 2*repeated.Shared)
	}
}
