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
			return givenEntities(engine.Task{SeedBy: engine.SeedByEntity, AnnK: annK, TopK: topK})
		},
	}
}

// SyntheticSearch is Synthetic and, as in the published results, one hop from the
// targets of the nearest rows, along any relation and along the question's own.
func SyntheticSearch() Scenario {
	s := Synthetic()
	s.SeedBy = engine.SeedByTarget
	s.Tasks = func(annK, topK int) []engine.Task {
		base := engine.Task{SeedBy: engine.SeedByTarget, Output: engine.OutputRows, AnnK: annK, TopK: topK}
		tasks := slices.Concat(givenEntities(base), seedOnly(base))
		for _, relation := range []int16{engine.AnyRelation, engine.QueryRelation} {
			base.Hops = []int16{relation}
			tasks = append(tasks, nearestThenHop(base)...)
		}
		return tasks
	}
	return s
}

// givenEntities starts from one and from many entities that the corpus names.
func givenEntities(t engine.Task) []engine.Task {
	t.Seeding, t.Output = engine.SeedGiven, engine.OutputRows
	var tasks []engine.Task
	for _, t.Given = range []int{1, SyntheticSeeds} {
		for _, relation := range []int16{engine.AnyRelation, syntheticRelation} {
			tasks = append(tasks, lookUp(t, relation)...)
		}
		if t.Given == 1 { // from many, the rows of two hops are as good as all
			tasks = append(tasks, allOfTwoHops(t)...)
		}
		filtered := t
		filtered.Hops = []int16{syntheticRelation, syntheticRelation}
		tasks = append(tasks, walkTwice(filtered)...)
	}
	return tasks
}

// nearestThenHop is one hop from searched seeds, unranked and ranked, and ranked
// from exact ones.
func nearestThenHop(t engine.Task) []engine.Task {
	t.Seeding, t.Output = engine.SeedSearch, engine.OutputRows
	all, ranked := t, t
	all.Score, ranked.Score = engine.ScoreNone, engine.ScoreEndpoint
	exact := ranked
	exact.Seeding = engine.SeedExact
	return slices.Concat(
		counted(forms(all, engine.FormIn, engine.FormJoin, engine.FormExpand)),
		forms(ranked, engine.FormIn, engine.FormJoin, engine.FormExpand, engine.FormTopK, engine.FormOneCall),
		forms(exact, engine.FormIn, engine.FormTopK))
}

// allOfTwoHops is every row two hops away, unranked.
func allOfTwoHops(t engine.Task) []engine.Task {
	t.Hops, t.Score = []int16{engine.AnyRelation, engine.AnyRelation}, engine.ScoreNone
	return counted(forms(t, engine.FormIn, engine.FormJoin, engine.FormExpand))
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
