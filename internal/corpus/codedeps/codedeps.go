// Package codedeps finds the files of a source tree that a file depends on: what it
// includes, requires or imports, as far as that leads to a file of the tree.
//
// It reads text, not syntax: an import inside a comment or a string that stands
// like an import counts as one. Libraries outside of the tree lead nowhere.
//
// Vocabulary:
//
//   - path: a file's place below the root, with slashes, never absolute.
//   - root: the folder that paths are relative to.
//   - module: in Go, the prefix of import paths that a go.mod gives to its folder.
package codedeps

import (
	"path"
	"slices"
	"strings"
)

// Tree is a set of paths to look names up in. It is not changed once made.
type Tree struct {
	paths   map[string]bool
	folders map[string][]string // paths in each folder, ascending
	bases   map[string][]string // paths by last element, ascending
	modules map[string]string   // module by folder; "." for the root
}

// NewTree returns a tree of paths. modules gives Go modules by the folder of their
// go.mod, "." for the root; nil where there are none.
func NewTree(paths []string, modules map[string]string) *Tree {
	t := &Tree{paths: map[string]bool{}, folders: map[string][]string{}, bases: map[string][]string{}, modules: modules}
	for _, p := range slices.Sorted(slices.Values(paths)) {
		t.paths[p] = true
		t.folders[path.Dir(p)] = append(t.folders[path.Dir(p)], p)
		t.bases[path.Base(p)] = append(t.bases[path.Base(p)], p)
	}
	return t
}

// Of returns the paths that a file depends on, each once, in the order in which the
// text names them. A file does not depend on itself. Languages are told by suffix;
// a file of none of them depends on nothing.
func (t *Tree) Of(file, text string) []string {
	find := t.language(path.Ext(file))
	if find == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{file: true}
	for _, found := range find(file, text) {
		if !seen[found] {
			seen[found] = true
			out = append(out, found)
		}
	}
	return out
}

// language is what finds the dependencies of files with a suffix; they may repeat.
func (t *Tree) language(suffix string) func(file, text string) []string {
	switch strings.ToLower(suffix) {
	case ".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".inc", ".inl", ".m", ".mm":
		return t.includes
	case ".cr":
		return t.crystal
	case ".rb":
		return t.ruby
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return t.script
	case ".go":
		return t.golang
	case ".py", ".pyi":
		return t.python
	case ".java":
		return t.java
	case ".php":
		return t.php
	case ".rs":
		return t.rust
	}
	return nil
}

// first returns the first of several paths that is in the tree, or none.
func (t *Tree) first(candidates ...string) []string {
	for _, c := range candidates {
		if c = path.Clean(c); t.paths[c] {
			return []string{c}
		}
	}
	return nil
}

// withSuffix returns the files right in a folder that end in a suffix.
func (t *Tree) withSuffix(folder, suffix string) []string {
	var out []string
	for _, p := range t.folders[path.Clean(folder)] {
		if strings.HasSuffix(p, suffix) {
			out = append(out, p)
		}
	}
	return out
}
