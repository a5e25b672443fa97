package scenario

import (
	"slices"

	"sortedheap/internal/harness/engine"
)

// Butler asks two-hop questions of an assistant's memory of seven facts: a smoke
// test with an answer key, too small to tell anything of search. Each question
// names the relations of its hops.
func Butler() Scenario {
	return Scenario{
		Name:   "butler",
		Short:  "seven facts of an assistant's memory, two hops, with an answer key",
		SeedBy: engine.SeedByEntity,
		Tasks: func(annK, topK int) []engine.Task {
			base := engine.Task{SeedBy: engine.SeedByEntity, Output: engine.OutputRows, AnnK: annK, TopK: topK,
				Hops: []int16{engine.QueryRelation, engine.QueryRelation}}
			return slices.Concat(seedOnly(base), twoHops(base), givenTwoHops(base))
		},
	}
}
