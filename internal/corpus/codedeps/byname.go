package codedeps

import (
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file has the languages that name packages, modules or classes.

var (
	pythonFrom   = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#;]*))`)
	pythonImport = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+([^\n#;]+)`)
	javaImport   = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(static[ \t]+)?([\w.]+(?:\.\*)?)[ \t]*;`)
	phpUse       = regexp.MustCompile(`(?m)^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]+)(?:\{([^}]*)\})?`)
	phpRequire   = regexp.MustCompile(`\b(?:require|include)(?:_once)?[ \t(]*(?:__DIR__[ \t]*\.[ \t]*|dirname\(__FILE__\)[ \t]*\.[ \t]*)?["']([^"'\n]+)["']`)
)

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// golang follows imports of packages that a module of the tree holds to all files
// of the package but its tests.
func (t *Tree) golang(file, text string) []string {
	parsed, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly) // what could be read counts
	if parsed == nil {
		return nil
	}
	var out []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // no import path
		}
		folder, ok := t.goFolder(name)
		if !ok {
			continue
		}
		for _, p := range t.withSuffix(folder, ".go") {
			if !strings.HasSuffix(p, "_test.go") {
				out = append(out, p)
			}
		}
	}
	return out
}

// goFolder is the folder of an imported package, of the module with the longest
// matching path.
func (t *Tree) goFolder(name string) (string, bool) {
	best, folder := "", ""
	for at, module := range t.modules {
		rest, ok := strings.CutPrefix(name, module)
		if ok && (rest == "" || rest[0] == '/') && len(module) > len(best) {
			best, folder = module, path.Join(at, rest)
		}
	}
	return folder, best != ""
}

// python follows imports of modules: dotted names from the root, from src or lib,
// or from any folder above the file, and relative ones.
func (t *Tree) python(file, text string) []string {
	var out []string
	for _, m := range pythonFrom.FindAllStringSubmatch(text, -1) {
		for _, name := range names(m[2] + m[3]) {
			module := m[1]
			if !strings.HasSuffix(module, ".") {
				module += "."
			}
			if found := t.pythonModule(file, module+name); found != nil {
				out = append(out, found...)
			} else {
				out = append(out, t.pythonModule(file, m[1])...)
			}
		}
	}
	for _, m := range pythonImport.FindAllStringSubmatch(text, -1) {
		for _, name := range names(m[1]) {
			out = append(out, t.pythonModule(file, name)...)
		}
	}
	return out
}

// names are the things of an import list, without what they are called here.
func names(list string) []string {
	var out []string
	for _, item := range strings.Split(list, ",") {
		if fields := strings.Fields(item); len(fields) > 0 {
			out = append(out, fields[0])
		}
	}
	return out
}

func (t *Tree) pythonModule(file, name string) []string {
	rest := strings.TrimLeft(name, ".")
	below := strings.ReplaceAll(rest, ".", "/")
	roots := []string{".", "src", "lib"}
	if dots := len(name) - len(rest); dots > 0 {
		root := path.Dir(file)
		for range dots - 1 {
			root = path.Dir(root)
		}
		roots = []string{root}
	} else {
		for root := path.Dir(file); root != "."; root = path.Dir(root) {
			roots = append(roots, root)
		}
	}
	var candidates []string
	for _, root := range roots {
		at := path.Join(root, below)
		candidates = append(candidates, at+".py", at+"/__init__.py", at+".pyi", at+"/__init__.pyi")
	}
	return t.first(candidates...)
}

// java follows imports of classes, also of those whose members are imported, and of
// whole packages.
func (t *Tree) java(_, text string) []string {
	var out []string
	for _, m := range javaImport.FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(m[2], ".", "/")
		if folder, ok := strings.CutSuffix(name, "/*"); ok && m[1] == "" {
			for _, at := range slices.Sorted(maps.Keys(t.folders)) {
				if at == folder || strings.HasSuffix(at, "/"+folder) {
					out = append(out, t.withSuffix(at, ".java")...)
				}
			}
			continue
		}
		if m[1] != "" {
			name = path.Dir(name) // a member
		}
		out = append(out, t.endingIn(name+".java")...)
	}
	return out
}

// endingIn returns the first path whose end is a name of several elements.
func (t *Tree) endingIn(name string) []string {
	for _, p := range t.bases[path.Base(name)] {
		if p == name || strings.HasSuffix(p, "/"+name) {
			return []string{p}
		}
	}
	return nil
}

// php follows used classes and required files. A class's namespace need not be its
// folder from the start: the longest end that is one counts, of at least the class
// and one part of the namespace.
func (t *Tree) php(file, text string) []string {
	var out []string
	for _, m := range phpUse.FindAllStringSubmatch(text, -1) {
		classes := []string{m[1]}
		if m[2] != "" {
			classes = nil
			for _, name := range names(m[2]) {
				classes = append(classes, m[1]+name)
			}
		}
		for _, class := range classes {
			out = append(out, t.phpClass(class)...)
		}
	}
	for _, m := range phpRequire.FindAllStringSubmatch(text, -1) {
		out = append(out, t.first(path.Join(path.Dir(file), m[1]), strings.TrimPrefix(m[1], "/"))...)
	}
	return out
}

func (t *Tree) phpClass(class string) []string {
	parts := strings.Split(strings.Trim(class, `\`), `\`)
	for ; len(parts) > 1; parts = parts[1:] {
		if found := t.endingIn(strings.Join(parts, "/") + ".php"); found != nil {
			return found
		}
	}
	return t.first(parts[0] + ".php")
}
