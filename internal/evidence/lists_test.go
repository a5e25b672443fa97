package evidence

import (
	"slices"
	"testing"
)

func TestBestAddsListsUp(t *testing.T) {
	l := lists{
		"edge":  {{1, 4}, {2, 2}, {3, 1}},
		"plan":  {{3, 4}, {2, 2}},
		"=Plan": {{2, 8}},
	}
	got := l.best([]string{"edge", "absent", "plan", "=Plan"}, []float32{1, 1, 0.5, 0.25}, []bool{false, false, false, true}, 2)
	// 2: 2 + 2/2 by terms, 8/4 by its symbol; 1: 4; 3: 1 + 4/2.
	want := []scored{{2, 3, 2}, {1, 4, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRescuedAddsReferencesUp(t *testing.T) {
	seeds := []candidate{{id: 1, score: 1}, {id: 2, score: 0.5}, {id: 3, score: 0.1}}
	edges := []edge{
		{from: 1, to: 10, rel: relMentions}, // 0.4
		{from: 2, to: 11, rel: relCalls},    // 0.5
		{from: 2, to: 10, rel: relMentions}, // 0.2 more
		{from: 3, to: 12, rel: relCalls},    // 0.1
		{from: 1, to: 13, rel: 99},          // a relation that no build makes
	}
	got := rescued(seeds, edges, 2)
	if len(got) != 2 || got[0].id != 10 || got[1].id != 11 {
		t.Fatalf("got %v, want 10 and 11", got)
	}
	if d := got[0].weight - 0.6; d > 1e-9 || d < -1e-9 {
		t.Errorf("10 weighs %g, want 0.6", got[0].weight)
	}
}
