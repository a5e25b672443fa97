package resolve

import (
	"path"
	"slices"
	"strings"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/syntax"
)

// scope is what a file can name besides its own definitions.
type scope struct {
	names map[string]target // by local name
	wild  []target          // everything in these
	files map[int32]bool    // files that are imported, directly
}

// target is what an import leads to. With nothing set it is outside of the tree.
type target struct {
	path    string  // as the import writes it
	files   []int32 // a module's files
	dir     string  // a Go package
	isDir   bool
	symbols []symbol
}

func (t target) outside() bool { return len(t.files) == 0 && !t.isDir && len(t.symbols) == 0 }

// newScope follows the imports of a file.
func (p *program) newScope(file int32) scope {
	f := p.files[file]
	if len(f.Imports) == 0 {
		return scope{}
	}
	s := scope{names: make(map[string]target, len(f.Imports)), files: make(map[int32]bool, len(f.Imports))}
	for _, i := range f.Imports {
		t := p.modules.follow(file, i)
		for _, to := range t.files {
			s.files[to] = true
		}
		for _, to := range t.symbols {
			s.files[p.fileOf[to]] = true
		}
		local := i.Local(f.Lang)
		if f.Lang == syntax.Go && i.Alias == "" && t.isDir {
			local = p.modules.goPackage[t.dir]
		}
		switch {
		case i.Name == "*" && i.Alias == "", local == ".", f.Lang.Family() == "c", f.Lang == syntax.Ruby:
			s.wild = append(s.wild, t)
		case local != "":
			s.names[local] = t
		}
	}
	return s
}

// Marks of PHP's types that the class around them tells.
const (
	phpSelf   = "self"
	phpStatic = "static"
	phpParent = "parent"
)

// typeNamed finds the types that a name means in a file, within definition s or
// none. weak says how sure it is. No type found means that it is outside of the
// tree.
func (p *program) typeNamed(file int32, s symbol, name string) (found []symbol, weak strength) {
	f := p.files[file]
	switch f.Lang {
	case syntax.PHP:
		switch name {
		case phpSelf, phpStatic:
			return p.enclosing(s), sure
		case phpParent:
			return p.parents(s), sure
		}
		return p.nearest(file, p.types[nameKey{"php", strings.ToLower(name)}]), sure
	case syntax.Go:
		return p.goNamed(file, name, p.types), sure
	}
	return p.genericType(file, s, name)
}

// enclosing is the type around a definition, the definition itself when it is a
// type.
func (p *program) enclosing(s symbol) []symbol {
	for s != none {
		if p.def(s).Kind == graph.Type {
			return []symbol{s}
		}
		if p.owner[s] != none {
			return []symbol{p.owner[s]}
		}
		parent := p.def(s).Parent
		if parent < 0 {
			break
		}
		s = p.first[p.fileOf[s]] + parent
	}
	return nil
}

// parents are the classes that the class around a definition extends.
func (p *program) parents(s symbol) []symbol {
	var found []symbol
	for _, t := range p.enclosing(s) {
		for _, b := range p.bases[t] {
			if b.symbol != none && isExtending(b.relation) {
				found = append(found, b.symbol)
			}
		}
	}
	return found
}

// goNamed finds a name of Go, qualified by an import or of the package.
func (p *program) goNamed(file int32, name string, table map[nameKey][]symbol) []symbol {
	f := p.files[file]
	if pkg, member, ok := strings.Cut(name, "."); ok {
		t, known := p.scopes[file].names[pkg]
		if !known || !t.isDir {
			return nil
		}
		return table[nameKey{"go", goKey(t.dir, p.modules.goPackage[t.dir], member)}]
	}
	if found := table[nameKey{"go", goKey(path.Dir(f.Path), f.Package, name)}]; len(found) > 0 {
		return found
	}
	for _, t := range p.scopes[file].wild {
		if t.isDir {
			if found := table[nameKey{"go", goKey(t.dir, p.modules.goPackage[t.dir], name)}]; len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// genericType finds a type of the languages that find by bare name first: in the
// definitions around, by import, in the folder, and last by being the only one.
func (p *program) genericType(file int32, s symbol, name string) ([]symbol, strength) {
	f := p.files[file]
	if name == "Self" && f.Lang == syntax.Rust {
		return p.enclosing(s), sure
	}
	if f.Lang == syntax.Java {
		if found := p.javaType(file, s, name); len(found) > 0 {
			return found, sure
		}
	}
	if first, rest, ok := cutName(name); ok {
		if t, known := p.scopes[file].names[first]; known {
			if found := p.inTarget(t, lastPart(rest), p.types); len(found) > 0 {
				return found, sure
			}
			if t.outside() {
				return nil, sure
			}
		}
		name = lastPart(name)
	}
	if t, known := p.scopes[file].names[name]; known {
		found := p.inTarget(t, name, p.types)
		return found, sure
	}
	return p.byPlace(file, p.types[nameKey{f.Lang.Family(), name}])
}

// cutName splits a qualified name at its first separator.
func cutName(name string) (first, rest string, ok bool) {
	i := strings.IndexAny(name, ".:")
	if i <= 0 {
		return name, "", false
	}
	return name[:i], strings.TrimLeft(name[i:], ".:"), true
}

// inTarget finds a name in what an import leads to; for an import of a symbol it
// is the symbol, whatever its local name.
func (p *program) inTarget(t target, name string, table map[nameKey][]symbol) []symbol {
	var found []symbol
	for _, s := range t.symbols {
		if slices.Contains(table[nameKey{p.lang(s).Family(), typeKey(p.file(s), p.def(s))}], s) {
			found = append(found, s)
		}
	}
	if len(found) > 0 || len(t.files) == 0 {
		return found
	}
	for _, s := range table[nameKey{p.files[t.files[0]].Lang.Family(), name}] {
		if slices.Contains(t.files, p.fileOf[s]) {
			found = append(found, s)
		}
	}
	return found
}

// rank orders definitions by how near they are to a file that names them.
func (p *program) rank(file int32, s symbol) int {
	to := p.fileOf[s]
	switch {
	case to == file:
		return 0
	case p.scopes != nil && p.scopes[file].files[to]:
		return 1
	case p.def(s).Test && !p.files[file].Test:
		return 4
	case path.Dir(p.files[to].Path) == path.Dir(p.files[file].Path):
		return 2
	default:
		return 3
	}
}

// nearest keeps the definitions of the best rank, and of those the ones with a
// body.
func (p *program) nearest(file int32, found []symbol) []symbol {
	if len(found) < 2 {
		return found
	}
	if p.files[file].Lang.Family() == "c" {
		found = p.defined(found)
	}
	best, kept := 9, []symbol(nil)
	for _, s := range found {
		r := 2 * p.rank(file, s)
		if p.def(s).Declared {
			r++
		}
		if r < best {
			best, kept = r, kept[:0]
		}
		if r == best {
			kept = append(kept, s)
		}
	}
	return kept
}

// defined leaves out declarations where there are definitions: a prototype in a
// header is nearer to who includes it than what it declares.
func (p *program) defined(found []symbol) []symbol {
	var kept []symbol
	for _, s := range found {
		if !p.def(s).Declared {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return found
	}
	return kept
}

// byPlace is nearest for names without an import: what is only the nearest by
// chance is not sure, and several at the same distance are none.
func (p *program) byPlace(file int32, found []symbol) ([]symbol, strength) {
	kept := p.nearest(file, found)
	if len(kept) == 0 {
		return nil, sure
	}
	if p.files[file].Lang.Family() == "c" && len(kept) == 1 {
		for _, s := range found { // a header that is included declares it
			if p.def(s).Declared && p.rank(file, s) <= 1 {
				return kept, sure
			}
		}
	}
	switch p.rank(file, kept[0]) {
	case 0, 1:
		return kept, sure
	case 2:
		if len(kept) == 1 {
			return kept, inferred
		}
	default:
		if len(kept) == 1 {
			return kept, byNameOnly
		}
	}
	return nil, sure
}
