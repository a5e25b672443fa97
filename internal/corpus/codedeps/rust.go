package codedeps

import (
	"path"
	"regexp"
	"strings"
)

var (
	rustMod = regexp.MustCompile(`(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;`)
	rustUse = regexp.MustCompile(`(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+((?:crate|self|super)(?:::\w+)+)(?:::\{([^}]*)\})?`)
)

// rust follows modules that are declared, and uses of modules of the crate.
func (t *Tree) rust(file, text string) []string {
	inside := rustFolder(file)
	var out []string
	for _, m := range rustMod.FindAllStringSubmatch(text, -1) {
		out = append(out, t.rustModule(path.Join(inside, m[1]))...)
	}
	for _, m := range rustUse.FindAllStringSubmatch(text, -1) {
		if m[2] == "" {
			out = append(out, t.rustPath(file, m[1])...)
		}
		for _, name := range names(m[2]) {
			out = append(out, t.rustPath(file, m[1]+"::"+name)...)
		}
	}
	return out
}

// rustFolder is where the modules that a file declares lie.
func rustFolder(file string) string {
	switch path.Base(file) {
	case "mod.rs", "lib.rs", "main.rs":
		return path.Dir(file)
	}
	return strings.TrimSuffix(file, ".rs")
}

func (t *Tree) rustModule(at string) []string { return t.first(at+".rs", at+"/mod.rs") }

// rustPath is the module of a path: the longest beginning of it that is one.
func (t *Tree) rustPath(file, name string) []string {
	parts := strings.Split(name, "::")
	at := rustFolder(file)
	for ; len(parts) > 0; parts = parts[1:] {
		switch parts[0] {
		case "crate":
			at = t.crate(file)
		case "super":
			at = path.Dir(at)
		case "self":
		default:
			for ; len(parts) > 0; parts = parts[:len(parts)-1] {
				if found := t.rustModule(path.Join(at, path.Join(parts...))); found != nil {
					return found
				}
			}
			return nil
		}
	}
	return nil
}

// crate is the folder of the nearest root of a crate above a file.
func (t *Tree) crate(file string) string {
	for folder := path.Dir(file); ; folder = path.Dir(folder) {
		if t.first(path.Join(folder, "lib.rs"), path.Join(folder, "main.rs")) != nil || folder == "." {
			return folder
		}
	}
}
