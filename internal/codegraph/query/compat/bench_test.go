package compat_test

import (
	"math/rand/v2"
	"testing"

	"sortedheap/internal/codegraph/query/compat"
)

// A question over 50,000 nodes and 100,000 edges, scoring included.
func BenchmarkQuery(b *testing.B) {
	g := randomGraph(b, rand.New(rand.NewPCG(1, 2)), 50000)
	for _, index := range []bool{false, true} {
		name := "scan"
		if index {
			name = "index"
			g.BuildIndex()
		}
		b.Run("score="+name, func(b *testing.B) {
			for b.Loop() {
				compat.Query(g, "who calls Bakedumira to kimore the rebada", compat.Options{Depth: 2, Budget: 2000, Fixes: compat.AllFixes()})
			}
		})
	}
}

func BenchmarkBuildIndex(b *testing.B) {
	g := randomGraph(b, rand.New(rand.NewPCG(1, 2)), 50000)
	for b.Loop() {
		g.BuildIndex()
	}
}
