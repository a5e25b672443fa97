package scenario

import (
	"slices"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
)

// Multihop asks for the city where a person's parent lives: two hops from the
// nearest facts, by endpoint and by path score. Each question has one right
// answer. Given the same seeds, every helper also meets its SQL alone.
func Multihop() Scenario {
	return Scenario{
		Name:   "multihop",
		Short:  "person -> parent -> city facts, two hops, with an answer key",
		SeedBy: engine.SeedByEntity,
		Tasks: func(annK, topK int) []engine.Task {
			base := engine.Task{SeedBy: engine.SeedByEntity, Output: engine.OutputRows, AnnK: annK, TopK: topK,
				Hops: []int16{corpus.RelationParent, corpus.RelationLivesIn}}
			return slices.Concat(seedOnly(base), twoHops(base), givenOneHop(base), givenTwoHops(base))
		},
	}
}

// seedOnly is the bare search.
func seedOnly(t engine.Task) []engine.Task {
	t.Hops, t.Score, t.Form, t.Seeding = nil, engine.ScoreEndpoint, engine.FormIn, engine.SeedSearch
	exact := t
	exact.Seeding = engine.SeedExact
	return []engine.Task{t, exact}
}

// twoHops is the whole question, under both scores, with searched seeds and,
// for approximate engines, with exact ones: what is lost without a search.
func twoHops(t engine.Task) []engine.Task {
	t.Seeding = engine.SeedSearch
	endpoint, path := t, t
	endpoint.Score, path.Score = engine.ScoreEndpoint, engine.ScorePath
	exactEndpoint, exactPath := endpoint, path
	exactEndpoint.Seeding, exactPath.Seeding = engine.SeedExact, engine.SeedExact
	return slices.Concat(
		forms(endpoint, engine.FormIn, engine.FormJoin, engine.FormTopK, engine.FormFused, engine.FormOneCall),
		forms(path, engine.FormIn, engine.FormJoin, engine.FormFused, engine.FormOneCall),
		forms(exactEndpoint, engine.FormIn, engine.FormFused),
		forms(exactPath, engine.FormIn, engine.FormFused))
}

// givenOneHop is the first hop from given seeds, unranked and ranked.
func givenOneHop(t engine.Task) []engine.Task {
	t.Seeding, t.Hops = engine.SeedGiven, t.Hops[:1]
	all, ranked := t, t
	all.Score, ranked.Score = engine.ScoreNone, engine.ScoreEndpoint
	return slices.Concat(
		counted(forms(all, engine.FormIn, engine.FormJoin, engine.FormExpand)),
		forms(ranked, engine.FormIn, engine.FormJoin, engine.FormTopK))
}

// givenTwoHops is both hops from given seeds, under both scores.
func givenTwoHops(t engine.Task) []engine.Task {
	t.Seeding = engine.SeedGiven
	endpoint, path := t, t
	endpoint.Score, path.Score = engine.ScoreEndpoint, engine.ScorePath
	return slices.Concat(
		forms(endpoint, engine.FormIn, engine.FormJoin, engine.FormTopK, engine.FormFused),
		forms(path, engine.FormIn, engine.FormJoin, engine.FormFused))
}
