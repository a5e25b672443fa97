package evidence

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// relation tells how a fragment leads to another.
type relation int16

const (
	relCalls     relation = 1 // names it before an opening bracket
	relMentions  relation = 2 // names it; from a type always this
	relCalledBy  relation = 3
	relMentioned relation = 4
	relPartOf    relation = 5 // the type that a method belongs to, the definition that a part was cut from
	relParts     relation = 6
)

// edge leads from a fragment to one that defines a name, both by row number.
type edge struct {
	from, to int32
	rel      relation
}

// Limits of edges.
const (
	maxDefinitions = 6  // of a name, above which its uses tell nothing
	maxEdges       = 40 // from a fragment of one relation, the rarest names first
)

// references are the edges between fragments, each once, and how rare it is to be
// referred to for each fragment: 1 for one that nothing refers to, less for hubs.
func references(ctx context.Context, fragments []Fragment) ([]edge, []float32, error) {
	defined := define(fragments)
	uses := make([]map[int32]edge, len(fragments))
	degree := make([]int, len(fragments))
	for i := range fragments {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		uses[i] = used(fragments, int32(i), defined)
		for to := range uses[i] {
			if isTest(fragments[i].File) && !isTest(fragments[to].File) {
				continue
			}
			degree[to]++
		}
	}
	rarity := make([]float32, len(fragments))
	for i, n := range degree {
		rarity[i] = float32(1 / (1 + math.Log(1+float64(n))/3))
	}
	var out []edge
	incoming := map[int32][]edge{}
	for i := range fragments {
		kept := rarest(uses[i], rarity)
		out = append(out, kept...)
		for _, e := range kept {
			back, ok := e.reversed()
			if ok && (isTest(fragments[e.to].File) || !isTest(fragments[i].File)) {
				incoming[e.to] = append(incoming[e.to], back)
			}
		}
	}
	for to := range int32(len(fragments)) {
		if back := incoming[to]; len(back) <= maxEdges {
			out = append(out, back...)
		}
	}
	return append(out, members(fragments)...), rarity, nil
}

func (e edge) reversed() (edge, bool) {
	back := edge{from: e.to, to: e.from}
	switch e.rel {
	case relCalls:
		back.rel = relCalledBy
	case relMentions:
		back.rel = relMentioned
	default:
		return edge{}, false
	}
	return back, true
}

// used are the definitions elsewhere that a fragment names.
func used(fragments []Fragment, from int32, defined definitions) map[int32]edge {
	found := map[int32]edge{}
	f := &fragments[from]
	last, lastEnd := "", 0
	identifiers(f.Text, func(at int, word string) {
		before := ""
		if last != "" && isQualifier(f.Text[lastEnd:at]) {
			before = last
		}
		last, lastEnd = word, at+len(word)
		rel := relMentions
		if !f.isType() && lastEnd < len(f.Text) && f.Text[lastEnd] == '(' {
			rel = relCalls
		}
		for _, to := range defined.meant(fragments, from, word, before) {
			if had, ok := found[to]; !ok || rel < had.rel {
				found[to] = edge{from, to, rel}
			}
		}
	})
	return found
}

func rarest(uses map[int32]edge, rarity []float32) []edge {
	kept := make([]edge, 0, len(uses))
	for _, e := range uses {
		kept = append(kept, e)
	}
	slices.SortFunc(kept, func(a, b edge) int {
		return cmp.Or(cmp.Compare(rarity[b.to], rarity[a.to]), cmp.Compare(a.to, b.to))
	})
	return kept[:min(len(kept), maxEdges)]
}

// members join the fragments of a definition that was cut, and methods and types:
// a fragment whose qualifier is the name of a definition is a part of it.
func members(fragments []Fragment) []edge {
	owners := map[string]int32{}
	for i := range fragments {
		if s := fragments[i].Symbol; s != "" && fragments[i].Head == "" {
			if _, ok := owners[s]; !ok {
				owners[s] = int32(i)
			}
		}
	}
	var out []edge
	for i := range fragments {
		f := &fragments[i]
		owner, ok := owners[f.owner()]
		if !ok || owner == int32(i) || f.Symbol == "" {
			continue
		}
		out = append(out, edge{int32(i), owner, relPartOf}, edge{owner, int32(i), relParts})
	}
	return out
}

// owner is the symbol of what a fragment belongs to.
func (f *Fragment) owner() string {
	if f.Head != "" {
		return f.Symbol
	}
	q := f.qualifier()
	for len(q) > 0 && !isNameByte(q[len(q)-1]) {
		q = q[:len(q)-1]
	}
	return q
}

func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// sortedEdges are edges by the fragment they lead from, each once.
func sortedEdges(edges []edge) []edge {
	slices.SortFunc(edges, compareEdges)
	return slices.Compact(edges)
}

// compareEdges orders edges by where they lead from, relation and where to.
func compareEdges(a, b edge) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.rel, b.rel), cmp.Compare(a.to, b.to))
}
