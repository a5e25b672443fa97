package scenario

import (
	"slices"

	"sortedheap/internal/harness/engine"
)

// SyntheticSeeds is how many seeds the questions of the synthetic scenario
// must have.
const SyntheticSeeds = 64

// syntheticRelation is the filter of its filtered cases; every entity has facts
// of it.
const syntheticRelation int16 = 1

// Synthetic looks up the facts of given entities, one and many at a time, with
// and without a relation filter, and walks two hops from them. No search for
// seeds takes part, so it measures access paths alone.
func Synthetic() Scenario {
	return Scenario{
		Name:   "synthetic",
		Short:  "a regular graph: one and two hops from 1 and 64 given entities",
		SeedBy: engine.SeedByEntity,
		Tasks: func(annK, topK int) []engine.Task {
			var tasks []engine.Task
			for _, given := range []int{1, SyntheticSeeds} {
				base := engine.Task{Seeding: engine.SeedGiven, SeedBy: engine.SeedByEntity, Given: given,
					Output: engine.OutputRows, AnnK: annK, TopK: topK}
				for _, relation := range []int16{engine.AnyRelation, syntheticRelation} {
					tasks = append(tasks, lookUp(base, relation)...)
				}
				base.Hops = []int16{syntheticRelation, syntheticRelation}
				tasks = append(tasks, walkTwice(base)...)
			}
			return tasks
		},
	}
}

// lookUp is one hop, unranked and ranked.
func lookUp(t engine.Task, relation int16) []engine.Task {
	t.Hops = []int16{relation}
	all, ranked := t, t
	all.Score, ranked.Score = engine.ScoreNone, engine.ScoreEndpoint
	return slices.Concat(
		counted(forms(all, engine.FormIn, engine.FormExpand)),
		forms(ranked, engine.FormIn, engine.FormTopK))
}

// walkTwice is two hops, under both scores.
func walkTwice(t engine.Task) []engine.Task {
	endpoint, path := t, t
	endpoint.Score, path.Score = engine.ScoreEndpoint, engine.ScorePath
	return slices.Concat(
		forms(endpoint, engine.FormIn, engine.FormJoin, engine.FormFused),
		forms(path, engine.FormIn, engine.FormJoin, engine.FormFused))
}
