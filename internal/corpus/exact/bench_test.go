package exact_test

import (
	"context"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/corpus/exact"
)

// BenchmarkSeeds is one exact seed scan of 10,000 rows of 384 dimensions.
func BenchmarkSeeds(b *testing.B) {
	facts, err := corpus.Multihop(context.Background(), corpus.DefaultMultihop())
	if err != nil {
		b.Fatal(err)
	}
	g, err := exact.New(facts.Rows, facts.Dim)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := g.Seeds(facts.Queries[i%len(facts.Queries)].Embedding, 64, exact.AnyRelation); err != nil {
			b.Fatal(err)
		}
	}
}
