package evidence

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// relation tells how a fragment leads to another. In the table of edges it is the
// relation of a fact, so that the graph functions read them.
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
	name     string
}

// Limits of edges.
const (
	maxDefinitions = 6  // of a name, above which its uses tell nothing
	maxEdges       = 40 // from a fragment of one relation, the rarest names first
)

// definitions are the fragments that define a name.
type definitions map[string][]int32

// define collects definitions, and declarations of what is defined nowhere. Fields
// are marked by memberMark.
func define(fragments []Fragment) definitions {
	d, declared := definitions{}, definitions{}
	for i := range fragments {
		f := &fragments[i]
		for _, name := range f.Names {
			if slices.Contains(f.Members, name) {
				name = memberMark + name
			}
			d.add(name, int32(i))
		}
		for _, name := range f.Declares {
			declared.add(name, int32(i))
		}
	}
	for name, at := range declared {
		if len(d[name]) == 0 {
			d[name] = at
		}
	}
	return d
}

func (d definitions) add(name string, i int32) {
	if at := d[name]; len(at) == 0 || at[len(at)-1] != i {
		d[name] = append(at, i)
	}
}

// memberMark begins the names of fields, which are none of variables.
const memberMark = "."

// of returns the definitions that a name may stand for: fields only after a value,
// or in what belongs to the same type.
func (d definitions) of(fragments []Fragment, from int32, word, before string) []int32 {
	targets := d[word]
	members := d[memberMark+word]
	if len(members) == 0 {
		return targets
	}
	if before == "" {
		owner := fragments[from].owner()
		members = among(fragments, members, func(f *Fragment) bool { return owner != "" && f.Symbol == owner })
	}
	return append(slices.Clone(targets), members...)
}

// references are the edges between fragments, each once, and how rare it is to be
// referred to for each fragment: 1 for one that nothing refers to, less for hubs.
func references(fragments []Fragment) ([]edge, []float32) {
	defined := define(fragments)
	uses := make([]map[int32]edge, len(fragments))
	degree := make([]int, len(fragments))
	for i := range fragments {
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
	return append(out, members(fragments)...), rarity
}

func (e edge) reversed() (edge, bool) {
	back := edge{from: e.to, to: e.from, name: e.name}
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
		targets := defined.of(fragments, from, word, before)
		if len(targets) == 0 || slices.Contains(targets, from) {
			return
		}
		targets = meant(fragments, targets, f.File, before)
		rel := relMentions
		if !f.isType() && lastEnd < len(f.Text) && f.Text[lastEnd] == '(' {
			rel = relCalls
		}
		for _, to := range targets {
			if had, ok := found[to]; !ok || rel < had.rel {
				found[to] = edge{from, to, rel, word}
			}
		}
	})
	return found
}

// meant are the definitions that a name stands for, where it has several: those
// whose type, file or folder is called as what stands before the name, else those
// of the same file, else all unless they are too many to tell anything.
func meant(fragments []Fragment, targets []int32, file, before string) []int32 {
	if len(targets) == 1 {
		return targets
	}
	if before != "" {
		hint := plainName(before)
		if owned := among(fragments, targets, func(f *Fragment) bool { return f.ownedBy(hint) }); len(owned) > 0 {
			return owned[:min(len(owned), maxDefinitions)]
		}
	}
	if near := among(fragments, targets, func(f *Fragment) bool { return f.File == file }); len(near) > 0 {
		targets = near
	}
	if len(targets) > maxDefinitions {
		return nil
	}
	return targets
}

func among(fragments []Fragment, targets []int32, keep func(f *Fragment) bool) []int32 {
	var out []int32
	for _, i := range targets {
		if keep(&fragments[i]) {
			out = append(out, i)
		}
	}
	return out
}

// ownedBy reports whether a fragment's type, what that implements, its file or its
// folder has a plain name.
func (f *Fragment) ownedBy(hint string) bool {
	dir, base := path.Split(f.File)
	return plainName(lastName(f.qualifier())) == hint || plainName(strings.TrimSuffix(base, path.Ext(base))) == hint ||
		plainName(path.Base(dir)) == hint ||
		slices.ContainsFunc(f.Implements, func(name string) bool {
			owner, _, _ := strings.Cut(name, ".")
			return plainName(owner) == hint
		})
}

// plainName is a name without case and underscores, so that a variable meets the
// type that it is called after.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

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
		name := fragments[owner].Names[0]
		out = append(out, edge{int32(i), owner, relPartOf, name}, edge{owner, int32(i), relParts, f.Names[0]})
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

// compareEdges orders edges as their table is.
func compareEdges(a, b edge) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.rel, b.rel), cmp.Compare(a.to, b.to))
}
