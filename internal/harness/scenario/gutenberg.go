package scenario

import (
	"slices"

	"sortedheap/internal/harness/engine"
)

// relationNext leads from a paragraph to the next one of its book.
const relationNext int16 = 2

// Gutenberg looks for the paragraphs that follow the nearest ones: seeds are
// the targets of the nearest rows, expanded once or twice along "next". There
// is no answer key; answers are graded by recall against brute force.
func Gutenberg() Scenario {
	return Scenario{
		Name:   "gutenberg",
		Short:  "paragraphs of books, one and two hops to the following ones",
		SeedBy: engine.SeedByTarget,
		Tasks: func(annK, topK int) []engine.Task {
			base := engine.Task{SeedBy: engine.SeedByTarget, Output: engine.OutputRows, AnnK: annK, TopK: topK,
				Hops: []int16{relationNext, relationNext}}
			return slices.Concat(seedOnly(base), nextParagraph(base), secondNext(base), givenOneHop(base), givenTwoHops(base))
		},
	}
}

// nextParagraph is one hop, unranked and ranked.
func nextParagraph(t engine.Task) []engine.Task {
	t.Seeding, t.Hops = engine.SeedSearch, t.Hops[:1]
	all, ranked := t, t
	all.Score, ranked.Score = engine.ScoreNone, engine.ScoreEndpoint
	exact := ranked
	exact.Seeding = engine.SeedExact
	return slices.Concat(
		counted(forms(all, engine.FormIn, engine.FormExpand)),
		forms(ranked, engine.FormIn, engine.FormJoin, engine.FormExpand, engine.FormTopK, engine.FormOneCall),
		forms(exact, engine.FormIn, engine.FormTopK))
}

// secondNext is two hops. The one call over two hops seeds by entity, so it
// comes with a statement of its own to compare with.
func secondNext(t engine.Task) []engine.Task {
	t.Seeding, t.Score = engine.SeedSearch, engine.ScoreEndpoint
	byEntity, exact := t, t
	byEntity.SeedBy = engine.SeedByEntity
	exact.Seeding = engine.SeedExact
	return slices.Concat(
		forms(t, engine.FormIn, engine.FormJoin, engine.FormTopK, engine.FormFused),
		forms(byEntity, engine.FormIn, engine.FormOneCall),
		forms(exact, engine.FormIn, engine.FormFused))
}
