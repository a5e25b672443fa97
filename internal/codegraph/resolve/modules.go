package resolve

import (
	"path"
	"slices"
	"strings"

	"sortedheap/internal/syntax"
)

// Roots is what a tree says of its modules outside of sources.
type Roots struct {
	// GoModules has the module path of each folder with a go.mod.
	GoModules map[string]string
}

// modules finds the files that imports lead to.
type modules struct {
	p         *program
	roots     Roots
	goPackage map[string]string // package of a folder that is not a test's
	goFiles   map[string][]int32
	bySuffix  map[string][]int32 // by the last element of the path without extension
}

func newModules(p *program, roots Roots) *modules {
	m := &modules{p: p, roots: roots, goPackage: map[string]string{}, goFiles: map[string][]int32{}, bySuffix: map[string][]int32{}}
	for i, f := range p.files {
		if f.Lang == syntax.Go {
			dir := path.Dir(f.Path)
			m.goFiles[dir] = append(m.goFiles[dir], int32(i))
			if old, ok := m.goPackage[dir]; !ok || strings.HasSuffix(old, "_test") || old == "main" {
				m.goPackage[dir] = f.Package
			}
			continue
		}
		key := stem(f.Path)
		if base := path.Base(key); base == "__init__" || base == "index" || base == "mod" {
			m.bySuffix[path.Base(path.Dir(key))] = append(m.bySuffix[path.Base(path.Dir(key))], int32(i))
		}
		m.bySuffix[path.Base(key)] = append(m.bySuffix[path.Base(key)], int32(i))
	}
	return m
}

func stem(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// follow returns what an import leads to.
func (m *modules) follow(file int32, i syntax.Import) target {
	t := target{path: i.Path}
	f := m.p.files[file]
	switch f.Lang {
	case syntax.Go:
		t.dir, t.isDir = m.goDir(i.Path)
	case syntax.PHP:
		m.php(file, i, &t)
	case syntax.Java:
		m.java(i, &t)
	case syntax.Python:
		m.python(f.Path, i, &t)
	case syntax.C, syntax.CPP:
		t.files = m.included(f.Path, i.Path)
	case syntax.Ruby:
		if i.Kind == syntax.ImportRelative {
			t.files = m.exact(path.Join(path.Dir(f.Path), i.Path) + ".rb")
		} else {
			t.files = m.withSuffix(f.Path, i.Path, syntax.Ruby)
		}
	case syntax.Rust:
		m.rust(file, i, &t)
	default:
		m.javascript(f.Path, i, &t)
	}
	return t
}

func (m *modules) exact(file string) []int32 {
	if i, ok := m.p.byPath[file]; ok {
		return []int32{i}
	}
	return nil
}

// goDir is the folder of a package by its import path.
func (m *modules) goDir(importPath string) (string, bool) {
	best, found := "", false
	bestLen := -1
	for dir, module := range m.roots.GoModules {
		rest, ok := strings.CutPrefix(importPath, module)
		if !ok || rest != "" && rest[0] != '/' || len(module) <= bestLen {
			continue
		}
		at := path.Join(dir, rest)
		if _, known := m.goFiles[at]; known {
			best, bestLen, found = at, len(module), true
		}
	}
	return best, found
}

func (m *modules) php(file int32, i syntax.Import, t *target) {
	key := nameKey{"php", strings.ToLower(i.Path)}
	switch i.Kind {
	case syntax.ImportInclude:
		t.files = m.included(m.p.files[file].Path, i.Path)
	case syntax.ImportPlain:
		t.symbols = m.p.types[key]
	default:
		t.symbols = m.p.functions[key]
	}
}

func (m *modules) java(i syntax.Import, t *target) {
	if i.Name == "*" {
		return
	}
	t.symbols = m.p.types[nameKey{"java", i.Path}]
	if i.Name != "" {
		var found []symbol
		for _, s := range t.symbols {
			more, _ := m.p.member(s, i.Name)
			found = append(found, more...)
		}
		t.symbols = found
	}
}

// python follows "a.b", ".b" and "from a import b", where b may be a module.
func (m *modules) python(from string, i syntax.Import, t *target) {
	module := i.Path
	dots := len(module) - len(strings.TrimLeft(module, "."))
	rest := strings.ReplaceAll(module[dots:], ".", "/")
	lookup := func(rest string) []int32 {
		if dots == 0 {
			return m.withSuffix(from, rest, syntax.Python)
		}
		dir := path.Dir(from)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		at := path.Join(dir, rest)
		return append(m.exact(at+".py"), m.exact(path.Join(at, "__init__.py"))...)
	}
	if i.Name != "" && i.Name != "*" {
		if files := lookup(path.Join(rest, i.Name)); len(files) > 0 {
			t.files = files
			return
		}
	}
	t.files = lookup(rest)
	if i.Name != "" && i.Name != "*" {
		t.symbols = m.topLevel(t.files, i.Name)
		if len(t.symbols) > 0 {
			t.files = nil
		}
	}
}

// topLevel finds a name that files define outside of other definitions.
func (m *modules) topLevel(files []int32, name string) []symbol {
	var found []symbol
	for _, file := range files {
		f := m.p.files[file]
		for d := range f.Defs {
			if f.Defs[d].Name == name && f.Defs[d].Parent < 0 || name == "default" && f.Defs[d].Default {
				found = append(found, m.p.first[file]+symbol(d))
			}
		}
	}
	return found
}

// javascript follows a relative path; all other names are packages outside.
func (m *modules) javascript(from string, i syntax.Import, t *target) {
	if !strings.HasPrefix(i.Path, ".") {
		return
	}
	at := path.Join(path.Dir(from), i.Path)
	bare := at
	switch path.Ext(at) {
	case ".js", ".mjs", ".cjs", ".jsx":
		bare = stem(at) // a source that becomes the file that is named
	}
	for _, candidate := range []string{at, at + ".ts", at + ".tsx", at + ".js", at + ".jsx", at + ".mjs", at + ".cjs", bare + ".ts", bare + ".tsx",
		at + "/index.ts", at + "/index.tsx", at + "/index.js", at + "/index.jsx"} {
		if t.files = m.exact(candidate); len(t.files) > 0 {
			break
		}
	}
	if i.Name != "" && i.Name != "*" {
		t.symbols = m.exported(t.files, i.Name, 0)
	}
}

// exported finds a name that modules export, also what they pass on.
func (m *modules) exported(files []int32, name string, depth int) []symbol {
	found := m.topLevel(files, name)
	if len(found) > 0 || depth > 4 {
		return found
	}
	for _, file := range files {
		for _, i := range m.p.files[file].Imports {
			if i.Kind != syntax.ImportExport || i.Name != "*" && i.Local(syntax.JavaScript) != name {
				continue
			}
			var t target
			plain := i
			plain.Name = ""
			m.javascript(m.p.files[file].Path, plain, &t)
			inner := name
			if i.Name != "*" {
				inner = i.Name
			}
			if found = m.exported(t.files, inner, depth+1); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// included finds the file of an include: beside the one that includes it, or the
// one whose path ends so, the nearest of several.
func (m *modules) included(from, name string) []int32 {
	if files := m.exact(path.Join(path.Dir(from), name)); len(files) > 0 {
		return files
	}
	name = path.Clean(name)
	var found []int32
	for _, i := range m.bySuffix[path.Base(stem(name))] {
		if to := m.p.files[i].Path; to == name || strings.HasSuffix(to, "/"+name) {
			found = append(found, i)
		}
	}
	return m.closest(from, found)
}

// withSuffix finds the files of a language whose path without extension ends so.
func (m *modules) withSuffix(from, name string, l syntax.Language) []int32 {
	var found []int32
	for _, i := range m.bySuffix[path.Base(name)] {
		f := m.p.files[i]
		at := stem(f.Path)
		at = strings.TrimSuffix(strings.TrimSuffix(at, "/__init__"), "/mod")
		if f.Lang == l && (at == name || strings.HasSuffix(at, "/"+name)) {
			found = append(found, i)
		}
	}
	return m.closest(from, found)
}

// closest keeps the files that share most of their path with one.
func (m *modules) closest(from string, files []int32) []int32 {
	if len(files) < 2 {
		return files
	}
	best, kept := -1, []int32(nil)
	for _, i := range files {
		shared := commonFolders(from, m.p.files[i].Path)
		if shared > best {
			best, kept = shared, kept[:0]
		}
		if shared == best {
			kept = append(kept, i)
		}
	}
	return kept
}

func commonFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// rust follows a use by its last names: the item, in a module of the name before
// it where there is one.
func (m *modules) rust(file int32, i syntax.Import, t *target) {
	parts := strings.Split(i.Path, "::")
	if i.Name == "*" {
		t.files = m.withSuffix(m.p.files[file].Path, parts[len(parts)-1], syntax.Rust)
		return
	}
	name := parts[len(parts)-1]
	candidates := slices.Concat(m.p.types[nameKey{"rust", name}], m.p.functions[nameKey{"rust", name}])
	if len(parts) > 1 && parts[len(parts)-2] != "crate" && parts[len(parts)-2] != "self" && parts[len(parts)-2] != "super" {
		candidates = slices.DeleteFunc(candidates, func(s symbol) bool { return !m.inRustModule(s, parts[len(parts)-2]) })
	}
	t.symbols = candidates
	if len(candidates) == 0 {
		t.files = m.withSuffix(m.p.files[file].Path, name, syntax.Rust)
	}
}

func (m *modules) inRustModule(s symbol, module string) bool {
	f, d := m.p.file(s), m.p.def(s)
	at := stem(f.Path)
	if path.Base(at) == "mod" || path.Base(at) == "lib" || path.Base(at) == "main" {
		at = path.Dir(at)
	}
	return path.Base(at) == module || d.Parent >= 0 && f.Defs[d.Parent].Name == module || strings.Contains("/"+at+"/", "/"+module+"/")
}
