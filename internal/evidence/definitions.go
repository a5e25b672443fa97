package evidence

import (
	"path"
	"slices"
	"strings"
)

// definitions are the fragments that define a name. They are for one goroutine.
type definitions map[string]*named

// named are fragments of one name, ascending, and who of them has a key of a kind,
// from the first question that many of them make worth an index.
type named struct {
	at []int32
	by [keyEnd]map[string][]int32
}

// Kinds of keys that tell fragments of one name apart.
const (
	keyFile = iota
	keySymbol
	keyHint // plain names of its type, what that implements, its file and its folder
	keyEnd
)

// keys are the keys of a kind that a fragment has.
func (f *Fragment) keys(kind int) []string {
	switch kind {
	case keyFile:
		return []string{f.File}
	case keySymbol:
		return []string{f.Symbol}
	}
	dir, base := path.Split(f.File)
	hints := []string{plainName(lastName(f.qualifier())), plainName(strings.TrimSuffix(base, path.Ext(base))), plainName(path.Base(dir))}
	for _, name := range f.Implements {
		owner, _, _ := strings.Cut(name, ".")
		hints = append(hints, plainName(owner))
	}
	return hints
}

// plainName is a name without case and underscores, so that a variable meets the
// type that it is called after.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// all are the fragments; none of a name that nothing defines.
func (n *named) all() []int32 {
	if n == nil {
		return nil
	}
	return n.at
}

// with are the fragments that have a key, in order.
func (n *named) with(fragments []Fragment, kind int, key string) []int32 {
	if n == nil {
		return nil
	}
	if len(n.at) <= maxDefinitions {
		return among(fragments, n.at, kind, key)
	}
	if n.by[kind] == nil {
		by := map[string][]int32{}
		for _, i := range n.at {
			for _, k := range fragments[i].keys(kind) {
				if had := by[k]; len(had) == 0 || had[len(had)-1] != i {
					by[k] = append(had, i)
				}
			}
		}
		n.by[kind] = by
	}
	return n.by[kind][key]
}

func among(fragments []Fragment, targets []int32, kind int, key string) []int32 {
	var out []int32
	for _, i := range targets {
		if slices.Contains(fragments[i].keys(kind), key) {
			out = append(out, i)
		}
	}
	return out
}

// memberMark begins the names of fields, which are none of variables.
const memberMark = "."

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
		if d[name] == nil {
			d[name] = at
		}
	}
	return d
}

func (d definitions) add(name string, i int32) {
	n := d[name]
	if n == nil {
		n = &named{}
		d[name] = n
	}
	if len(n.at) == 0 || n.at[len(n.at)-1] != i {
		n.at = append(n.at, i)
	}
}

// meant are the definitions that a name in a fragment stands for; none where that
// is one itself. Fields count only after a value, or in what belongs to the same
// type. Of several, it is those whose type, file or folder is called as what stands
// before the name, else those of the same file, else all unless they are too many
// to tell anything.
func (d definitions) meant(fragments []Fragment, from int32, word, before string) []int32 {
	plain, members := d[word], d[memberMark+word]
	fields := members.all()
	if before == "" && len(fields) > 0 {
		fields = nil
		if owner := fragments[from].owner(); owner != "" {
			fields = members.with(fragments, keySymbol, owner)
		}
	}
	if holds(plain.all(), from) || holds(fields, from) {
		return nil
	}
	if len(plain.all())+len(fields) == 1 {
		return slices.Concat(plain.all(), fields)
	}
	file := fragments[from].File
	near := func() []int32 { return among(fragments, fields, keyFile, file) }
	if before != "" {
		hint := plainName(before)
		owned := slices.Concat(plain.with(fragments, keyHint, hint), members.with(fragments, keyHint, hint))
		if len(owned) > 0 {
			return owned[:min(len(owned), maxDefinitions)]
		}
		near = func() []int32 { return members.with(fragments, keyFile, file) }
	}
	if here := slices.Concat(plain.with(fragments, keyFile, file), near()); len(here) > 0 {
		return fewEnough(here)
	}
	return fewEnough(plain.all(), fields)
}

// holds reports whether ascending numbers hold one.
func holds(all []int32, i int32) bool {
	_, found := slices.BinarySearch(all, i)
	return found
}

// fewEnough joins definitions, unless they are too many to tell anything.
func fewEnough(lists ...[]int32) []int32 {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n > maxDefinitions {
		return nil
	}
	return slices.Concat(lists...)
}
