package resolve

import (
	"strings"

	"sortedheap/internal/syntax"
)

// javaType finds a type as Java does: nested in the types around, imported by
// name, of the package, or of a package imported as a whole.
func (p *program) javaType(file int32, s symbol, name string) []symbol {
	f := p.files[file]
	at := func(full string) []symbol { return p.nearest(file, p.types[nameKey{"java", full}]) }
	for outer := s; outer != none; {
		d := p.def(outer)
		if found := at(d.Qualified + "." + name); len(found) > 0 {
			return found
		}
		if d.Parent < 0 {
			break
		}
		outer = p.first[file] + d.Parent
	}
	first, rest, qualified := strings.Cut(name, ".")
	if t, ok := p.scopes[file].names[first]; ok {
		if !qualified {
			return t.symbols
		}
		return at(t.path + "." + rest)
	}
	if found := at(javaIn(f.Package, name)); len(found) > 0 {
		return found
	}
	if found := at(name); qualified && len(found) > 0 {
		return found
	}
	for _, i := range f.Imports {
		if i.Name == "*" && i.Kind == syntax.ImportPlain {
			if found := at(javaIn(i.Path, name)); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

func javaIn(pkg, name string) string {
	if pkg == "" {
		return name
	}
	return pkg + "." + name
}
