package resolve

import (
	"strings"

	"sortedheap/internal/syntax"
)

// Widen adds to names, in lower case, those under which modules pass them on: a
// change of what a name stands for is one of what the other stands for.
func (g *Program) Widen(names map[string]bool) {
	for grown := true; grown; {
		grown = false
		for _, f := range g.p.files {
			for _, i := range f.Imports {
				if i.Kind != syntax.ImportExport || !names[strings.ToLower(i.Name)] {
					continue
				}
				if local := strings.ToLower(i.Local(f.Lang)); local != "" && !names[local] {
					names[local], grown = true, true
				}
			}
		}
	}
}

// Overriding returns the files with methods of one of the names, in lower case,
// whose types have bases: they may replace others than before.
func (g *Program) Overriding(names map[string]bool) []int {
	p := g.p
	var found []int
	if len(names) == 0 {
		return nil
	}
	for i, f := range p.files {
		for d := range f.Defs {
			owner := p.owner[p.first[i]+symbol(d)]
			if owner != none && len(p.bases[owner]) > 0 && names[strings.ToLower(f.Defs[d].Name)] {
				found = append(found, i)
				break
			}
		}
	}
	return found
}
