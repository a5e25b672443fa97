package compat

import (
	"maps"
	"slices"
	"strings"
)

// Seeds by merit, and how far below the best one they may be.
const (
	maxSeeds = 3
	gapRatio = 0.2
)

// Picker chooses the nodes that a walk starts from.
type Picker struct {
	// Plain is the bare window: no label counts twice, and no term is owed a seed.
	Plain bool
	// SkipCovered owes no seed to a term that is part of the label of a seed
	// picked before.
	SkipCovered bool
}

// Pick returns the seeds in the order they were picked.
func (p Picker) Pick(g *Graph, s Scores) []int32 {
	if len(s.Ranked) == 0 {
		return nil
	}
	var seeds []int32
	taken := map[string]bool{}
	add := func(n int32) {
		seeds = append(seeds, n)
		taken[labelKey(g, n)] = true
	}
	floor := gapRatio * s.Ranked[0].Score
	for _, r := range s.Ranked {
		if len(seeds) == maxSeeds || len(seeds) > 0 && r.Score < floor {
			break
		}
		if p.Plain || !taken[labelKey(g, r.Node)] {
			add(r.Node)
		}
	}
	if p.Plain {
		return seeds
	}
	for _, term := range slices.Sorted(maps.Keys(s.Best)) {
		n := s.Best[term]
		if slices.Contains(seeds, n) || taken[labelKey(g, n)] || p.SkipCovered && covered(g, seeds, term) {
			continue
		}
		add(n)
	}
	return seeds
}

// labelKey tells labels apart: as a whole, folded.
func labelKey(g *Graph, n int32) string {
	if key := g.Nodes[n].Norm; key != "" {
		return key
	}
	return g.Nodes[n].ID
}

func covered(g *Graph, seeds []int32, term string) bool {
	return slices.ContainsFunc(seeds, func(n int32) bool { return strings.Contains(g.Nodes[n].Norm, term) })
}

// relationalWords say which relation is asked for: the words of the filter's
// tables, and verbs and nouns that imply no filter.
func relationalWords() map[string]bool {
	words := map[string]bool{}
	for _, h := range contextHints() {
		for _, w := range h.words {
			words[w] = true
		}
	}
	for w := range contextAliases() {
		words[w] = true
	}
	for _, w := range strings.Fields("caller callers use uses used using usage listen listens listener listeners") {
		words[w] = true
	}
	return words
}

// demote takes the relational words out of the terms that are owed a seed,
// unless no other would be left.
func demote(best map[string]int32) map[string]int32 {
	relational := relationalWords()
	kept := map[string]int32{}
	for term, n := range best {
		if !relational[term] {
			kept[term] = n
		}
	}
	if len(kept) == 0 {
		return best
	}
	return kept
}
