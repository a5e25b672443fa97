package syntax

import (
	"path"
	"strings"
)

// ImportKind is the way in which a source takes in another.
type ImportKind string

// The kinds of imports.
const (
	ImportPlain    ImportKind = "import"
	ImportFunction ImportKind = "function"         // PHP use function; a static import of Java
	ImportConst    ImportKind = "const"            // PHP use const
	ImportInclude  ImportKind = "include"          // by file: C include, PHP include and require
	ImportRequire  ImportKind = "require"          // Ruby require, by load path
	ImportRelative ImportKind = "require_relative" // Ruby require_relative
	ImportExport   ImportKind = "re-export"        // what is imported is exported again
	ImportDynamic  ImportKind = "dynamic"          // while the program runs
)

// Import is one thing that a source imports.
type Import struct {
	Kind ImportKind
	// Path is what it is imported from, as written without quotes: "fmt", "./x",
	// `App\Charge`, "os.path", "crate::a".
	Path string
	// Name is which part of Path: "" for all of it under its own name, "*" for
	// every name in it, "default" for the default export.
	Name string
	// Alias is what the source calls it, "" where the language's rule decides.
	Alias string
	// System says that the path is looked up outside of the tree first: <stdio.h>.
	System bool
	Line   int
}

// Local returns the name under which the source knows what it imports, "" when
// there is no such name.
func (i Import) Local(l Language) string {
	switch {
	case i.Alias != "":
		return i.Alias
	case i.Name == "*":
		return ""
	case i.Name != "":
		return i.Name
	}
	switch l {
	case Go:
		return goPackageName(i.Path)
	case PHP:
		return i.Path[strings.LastIndexByte(i.Path, '\\')+1:]
	case Java:
		return i.Path[strings.LastIndexByte(i.Path, '.')+1:]
	case Python:
		name, _, _ := strings.Cut(i.Path, ".")
		return name
	case Rust:
		return lastName(i.Path)
	default:
		return ""
	}
}

// goPackageName guesses a package's name from its path: the last element that is
// no major version, without "go-" and what follows a dot.
func goPackageName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base = strings.TrimPrefix(base, "go-")
	base, _, _ = strings.Cut(base, ".")
	return strings.TrimSuffix(base, "-go")
}

// Imports returns what a source imports, in source order.
func Imports(t *Tree) []Import {
	i := &importer{t: t}
	visit := i.visitorOf(t.Lang)
	if visit != nil {
		t.Within(Root, visit)
	}
	return i.found
}

// importer collects imports.
type importer struct {
	t     *Tree
	found []Import
}

func (i *importer) visitorOf(l Language) func(NodeID) bool {
	switch l {
	case C, CPP:
		return i.c
	case Go:
		return i.golang
	case Java:
		return i.java
	case JavaScript, TypeScript, TSX:
		return i.javascript
	case PHP:
		return i.php
	case Python:
		return i.python
	case Ruby:
		return i.ruby
	case Rust:
		return i.rust
	default:
		return nil
	}
}

func (i *importer) add(n NodeID, im Import) {
	if im.Path == "" {
		return
	}
	im.Path, im.Name, im.Alias, im.Line = clean(im.Path), clean(im.Name), clean(im.Alias), i.t.Line(n)
	if im.Kind == "" {
		im.Kind = ImportPlain
	}
	i.found = append(i.found, im)
}

func (i *importer) c(n NodeID) bool {
	if i.t.Kind(n) != "preproc_include" {
		return true
	}
	p := i.t.Child(n, "path")
	switch i.t.Kind(p) {
	case "string_literal":
		i.add(n, Import{Kind: ImportInclude, Path: strings.Trim(i.t.Text(p), `"`)})
	case "system_lib_string":
		i.add(n, Import{Kind: ImportInclude, Path: strings.Trim(i.t.Text(p), "<>"), System: true})
	}
	return false
}

func (i *importer) golang(n NodeID) bool {
	t := i.t
	switch t.Kind(n) {
	case "import_declaration", "import_spec_list":
		return true
	case "import_spec":
		i.add(n, Import{Path: strings.Trim(t.Text(t.Child(n, "path")), "\"`"), Alias: t.Text(t.Child(n, "name"))})
	}
	return false
}

func (i *importer) java(n NodeID) bool {
	t := i.t
	if t.Kind(n) != "import_declaration" {
		return false
	}
	im := Import{Path: t.Text(t.ChildOf(n, "scoped_identifier", "identifier"))}
	switch {
	case t.ChildOf(n, "asterisk") != None:
		im.Name = "*"
	case hasWord(t, n, "static"):
		im.Kind = ImportFunction
		if dot := strings.LastIndexByte(im.Path, '.'); dot > 0 {
			im.Path, im.Name = im.Path[:dot], im.Path[dot+1:]
		}
	}
	i.add(n, im)
	return false
}

func (i *importer) python(n NodeID) bool {
	t := i.t
	switch t.Kind(n) {
	case "import_statement":
		for c := range t.Children(n) {
			switch t.Kind(c) {
			case "dotted_name":
				i.add(c, Import{Path: t.Text(c)})
			case "aliased_import":
				i.add(c, Import{Path: t.Text(t.Child(c, "name")), Alias: t.Text(t.Child(c, "alias"))})
			}
		}
		return false
	case "import_from_statement":
		module := t.Child(n, "module_name")
		from := t.Text(module)
		for c := range t.Children(n) {
			switch {
			case t.Kind(c) == "wildcard_import":
				i.add(c, Import{Path: from, Name: "*"})
			case t.Field(c) != "name":
			case t.Kind(c) == "aliased_import":
				i.add(c, Import{Path: from, Name: t.Text(t.Child(c, "name")), Alias: t.Text(t.Child(c, "alias"))})
			default:
				i.add(c, Import{Path: from, Name: t.Text(c)})
			}
		}
		return false
	}
	return true
}

func (i *importer) ruby(n NodeID) bool {
	t := i.t
	if t.Kind(n) != "call" || t.Child(n, "receiver") != None {
		return true
	}
	kind := ImportKind("")
	switch t.Text(t.Child(n, "method")) {
	case "require":
		kind = ImportRequire
	case "require_relative":
		kind = ImportRelative
	default:
		return true
	}
	arg := t.ChildOf(t.Child(n, "arguments"), "string")
	i.add(n, Import{Kind: kind, Path: t.Text(t.ChildOf(arg, "string_content"))})
	return false
}

func (i *importer) rust(n NodeID) bool {
	if i.t.Kind(n) != "use_declaration" {
		return true
	}
	kind := ImportPlain
	if i.t.ChildOf(n, "visibility_modifier") != None {
		kind = ImportExport
	}
	i.rustTree(i.t.Child(n, "argument"), "", kind)
	return false
}

// rustTree flattens the tree of a use declaration.
func (i *importer) rustTree(n NodeID, prefix string, kind ImportKind) {
	t := i.t
	join := func(name string) string {
		if prefix == "" || name == "" {
			return prefix + name
		}
		return prefix + "::" + name
	}
	switch t.Kind(n) {
	case "use_list":
		for c := range t.Children(n) {
			i.rustTree(c, prefix, kind)
		}
	case "scoped_use_list":
		i.rustTree(t.Child(n, "list"), join(t.Text(t.Child(n, "path"))), kind)
	case "use_as_clause":
		i.add(n, Import{Kind: kind, Path: join(t.Text(t.Child(n, "path"))), Alias: t.Text(t.Child(n, "alias"))})
	case "use_wildcard":
		i.add(n, Import{Kind: kind, Path: join(t.Text(firstNamed(t, n))), Name: "*"})
	case "self":
		i.add(n, Import{Kind: kind, Path: prefix})
	case "identifier", "scoped_identifier", "crate", "super":
		i.add(n, Import{Kind: kind, Path: join(t.Text(n))})
	}
}
