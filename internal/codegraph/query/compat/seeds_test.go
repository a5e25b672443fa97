package compat_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query/compat"
)

func TestGapWindow(t *testing.T) {
	var nodes []compat.Node
	for i := range 12 {
		nodes = append(nodes, compat.Node{ID: fmt.Sprintf("n%02d", i), Label: fmt.Sprintf("label%d", i)})
	}
	g := newGraph(t, nil, nodes...)
	for _, c := range []struct {
		name   string
		scores []float64
		want   int
	}{
		{"one far above", []float64{1000, 1, 0.9}, 1},
		{"three together", []float64{10, 9, 8.5}, 3},
		{"none", nil, 0},
		{"one", []float64{0.1}, 1},
		{"ten equal", []float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 3},
		{"exactly a fifth", []float64{10, 2}, 2},
		{"just under", []float64{10, 1.999}, 1},
	} {
		var s compat.Scores
		for i, score := range c.scores {
			s.Ranked = append(s.Ranked, compat.Ranked{Node: int32(i), Score: score})
		}
		if got := (compat.Picker{Plain: true}).Pick(g, s); len(got) != c.want {
			t.Errorf("%s: seeds %v, want %d", c.name, got, c.want)
		}
	}
}

// The plain window gives every label its seat, and no term one of its own.
func TestPlainWindow(t *testing.T) {
	g := newGraph(t, nil, compat.Node{ID: "a", Label: "GET"}, compat.Node{ID: "b", Label: "Get"}, compat.Node{ID: "c", Label: "users"})
	s := compat.Scores{Ranked: []compat.Ranked{{Node: 0, Score: 9}, {Node: 1, Score: 9}}, Best: map[string]int32{"users": 2}}
	if got := (compat.Picker{Plain: true}).Pick(g, s); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("plain window picks %v", got)
	}
	if got := (compat.Picker{}).Pick(g, s); !slices.Equal(got, []int32{0, 2}) {
		t.Errorf("picks %v, want one GET and users", got)
	}
}

var syllables = strings.Fields("ba be bi bo bu da de di do du ka ke ki ko ku ma me mi mo mu ra re")

func randomGraph(t testing.TB, r *rand.Rand, n int) *compat.Graph {
	nodes := make([]compat.Node, n)
	word := func() string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		return b.String()
	}
	for i := range nodes {
		label := word()
		switch r.IntN(5) {
		case 0:
			label = "." + label + "()"
		case 1:
			label += "()"
		case 2:
			label = strings.ToUpper(label[:1]) + label[1:] + "_" + word()
		}
		nodes[i] = compat.Node{ID: fmt.Sprintf("%s_%d", word(), i), Label: label, File: word() + "/" + word() + ".go"}
	}
	edges := make([]compat.Edge, 2*n)
	for i := range edges {
		edges[i] = compat.Edge{Source: int32(r.IntN(n)), Target: int32(r.IntN(n)), Relation: "calls", Context: "call"}
	}
	return newGraph(t, edges, nodes...)
}

// With an index and without, scores, winners and seeds are the same; the winner
// of a term is the first of a scoring of that term alone, ties broken by degree.
func TestIndexChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for round := range 30 {
		g := randomGraph(t, r, 20+r.IntN(181))
		for words := 1; words <= 10; words++ {
			var query []string
			for range words {
				w := syllables[r.IntN(len(syllables))]
				for range r.IntN(3) {
					w += syllables[r.IntN(len(syllables))]
				}
				query = append(query, w)
			}
			scan, plain := g.Score(query, true), compat.Query(g, strings.Join(query, " "), compat.Options{Depth: 2, Budget: 500})
			fresh, err := compat.New(g.Nodes, g.Edges)
			if err != nil {
				t.Fatal(err)
			}
			fresh.BuildIndex()
			if indexed := fresh.Score(query, true); !reflect.DeepEqual(scan, indexed) {
				t.Fatalf("round %d, %q: the scan gives %v, the index %v", round, query, scan, indexed)
			}
			if indexed := compat.Query(fresh, strings.Join(query, " "), compat.Options{Depth: 2, Budget: 500}); !reflect.DeepEqual(plain, indexed) {
				t.Fatalf("round %d, %q: answers differ", round, query)
			}
			for _, term := range scan.Terms {
				if want, got := alone(g, term), scan.Best[term]; want != got {
					t.Fatalf("round %d, %q: winner of %q is %d, alone %d", round, query, term, got, want)
				}
			}
		}
	}
}

// alone is the best node of a scoring of one term.
func alone(g *compat.Graph, term string) int32 {
	s := g.Score([]string{term}, false)
	if len(s.Ranked) == 0 {
		return 0
	}
	best := s.Ranked[0].Node
	for _, r := range s.Ranked {
		if r.Score == s.Ranked[0].Score && g.Degree(r.Node) > g.Degree(best) {
			best = r.Node
		}
	}
	return best
}
