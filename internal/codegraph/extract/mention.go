package extract

import (
	"slices"
	"strings"
)

// Mentions returns the names that the bodies, references and imports of a file
// depend on, in lower case, sorted, each once: whatever they bind to has one of
// these names or is found on the way to one.
func (f *File) Mentions() []string {
	set := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			n = strings.Trim(n, "$:>-")
			set[strings.ToLower(n[strings.LastIndexAny(n, `.:\`)+1:])] = true
		}
	}
	for _, i := range f.Imports {
		add(i.Path, i.Name, i.Alias)
	}
	for _, r := range f.Refs {
		add(r.Name, r.Member)
	}
	for i := range f.Bodies {
		for _, e := range f.Bodies[i].Exprs {
			add(e.Name)
			add(e.Type.Names()...)
		}
	}
	names := make([]string, 0, len(set))
	for n := range set {
		if n != "" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}
