package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is a file of a random tree: lines on top, such as imports, and
// definitions, each of which can move to another file of its language.
type source struct {
	lang      string
	top, defs []string
}

// forest draws trees in several languages and edits them.
type forest struct {
	*rand.Rand
	files map[string]*source
	langs []string
}

// n draws a small number, so that names meet.
func (f *forest) n() int { return f.IntN(5) }

var langs = []string{"php", "go", "js", "py", "c", "java", "md"}

// place draws the name of a file.
func (f *forest) place(lang string) string {
	switch lang {
	case "c":
		return fmt.Sprintf("c/u%d.%s", f.n(), []string{"c", "h"}[f.IntN(2)])
	case "java":
		return fmt.Sprintf("j/C%d.java", f.n())
	default:
		return fmt.Sprintf("%s%d/m%d.%s", lang, f.IntN(2), f.IntN(4), lang)
	}
}

// line draws a line for the top of a file.
func (f *forest) line(lang string) string {
	switch lang {
	case "php":
		return fmt.Sprintf("use function N%d\\f%d;", f.IntN(2), f.n())
	case "go":
		return fmt.Sprintf("import %s\"m/go%d\"", []string{"", ". ", "x "}[f.IntN(3)], f.IntN(2))
	case "js":
		from := fmt.Sprintf("'../js%d/m%d.js'", f.IntN(2), f.IntN(4))
		return []string{
			fmt.Sprintf("import {f%d} from %s;", f.n(), from), fmt.Sprintf("import f%d from %s;", f.n(), from),
			fmt.Sprintf("export {f%d as f%d} from %s;", f.n(), f.n(), from), "export * from " + from + ";",
		}[f.IntN(4)]
	case "py":
		return []string{fmt.Sprintf("from py%d.m%d import f%d", f.IntN(2), f.IntN(4), f.n()), fmt.Sprintf("import py%d.m%d", f.IntN(2), f.IntN(4))}[f.IntN(2)]
	case "c":
		return fmt.Sprintf("#include \"u%d.h\"", f.n())
	case "java":
		return fmt.Sprintf("import static j.C%d.f%d;", f.n(), f.n())
	default:
		return ""
	}
}

// calls draws statements; each language reads some of them.
func (f *forest) calls(sigil string) string {
	var b strings.Builder
	for range 1 + f.IntN(3) {
		switch f.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "f%d(1); ", f.n())
		case 1:
			fmt.Fprintf(&b, "%sa%sm%d(1); ", sigil, map[string]string{"$": "->"}[sigil]+map[string]string{"": "."}[sigil], f.n())
		default:
			fmt.Fprintf(&b, "f%d(f%d(2)); ", f.n(), f.n())
		}
	}
	return b.String()
}

// def draws a definition.
func (f *forest) def(lang string) string {
	kind := f.IntN(4)
	base := f.IntN(3) == 0
	switch lang {
	case "php":
		if kind > 0 {
			return fmt.Sprintf("function f%d(C%d $a) { %s }", f.n(), f.n(), f.calls("$"))
		}
		extends := ""
		if base {
			extends = fmt.Sprintf(" extends C%d", f.n())
		}
		return fmt.Sprintf("class C%d%s { function m%d(C%d $a): C%d { %s }\n function m%d(C%d $a) { $a->m%d()->m%d(); $b->m%d(); } }",
			f.n(), extends, f.n(), f.n(), f.n(), f.calls("$"), f.n(), f.n(), f.n(), f.n(), f.n())
	case "go":
		switch kind {
		case 0:
			return fmt.Sprintf("type C%d struct { C%d }", f.n(), f.n())
		case 1:
			return fmt.Sprintf("type I%d interface { m%d(int); m%d(int) }", f.n(), f.n(), f.n())
		case 2:
			return fmt.Sprintf("func (a *C%d) m%d(x int) { a.m%d(1); x.m%d(2); f%d(3) }", f.n(), f.n(), f.n(), f.n(), f.n())
		default:
			return fmt.Sprintf("func f%d(a C%d) { %s; go1.f%d() }", f.n(), f.n(), f.calls(""), f.n())
		}
	case "js":
		word := []string{"", "export ", "export default "}[f.IntN(3)]
		if kind == 0 {
			return fmt.Sprintf("%sclass C%d extends C%d { m%d(a) { this.m%d(); %s } }", word, f.n(), f.n(), f.n(), f.n(), f.calls(""))
		}
		return fmt.Sprintf("%sfunction f%d(a) { %s }", word, f.n(), f.calls(""))
	case "py":
		if kind == 0 {
			return fmt.Sprintf("class C%d(C%d):\n    def m%d(self, a):\n        self.m%d(); %s", f.n(), f.n(), f.n(), f.n(), f.calls(""))
		}
		return fmt.Sprintf("def f%d(a):\n    %s", f.n(), f.calls(""))
	case "c":
		if kind == 0 {
			return fmt.Sprintf("int f%d(int a);", f.n())
		}
		return fmt.Sprintf("int f%d(int a) { %s return 0; }", f.n(), f.calls(""))
	case "java":
		return fmt.Sprintf("class C%d extends C%d { static int f%d(int a) { %s return 0; } void m%d(C%d a) { %s } }",
			f.n(), f.n(), f.n(), f.calls(""), f.n(), f.n(), f.calls(""))
	default:
		return fmt.Sprintf("# f%d%s", f.n(), []string{"", "#2", "#3"}[f.IntN(3)])
	}
}

// text is a file as it is written.
func (f *forest) text(name string) string {
	s := f.files[name]
	head := map[string]string{
		"php": "<?php\nnamespace N" + strings.TrimPrefix(filepath.Dir(name), "php") + ";", "go": "package " + filepath.Dir(name), "java": "package j;",
	}[s.lang]
	return strings.Join(slices.Concat([]string{head}, s.top, s.defs), "\n") + "\n"
}

func (f *forest) fresh(lang string) *source {
	s := &source{lang: lang}
	for range f.IntN(3) {
		s.top = append(s.top, f.line(lang))
	}
	for range 1 + f.IntN(5) {
		s.defs = append(s.defs, f.def(lang))
	}
	return s
}

// some draws a file that there is.
func (f *forest) some() string {
	names := slices.Sorted(maps.Keys(f.files))
	return names[f.IntN(len(names))]
}

// edit changes the tree in one way and says how.
func (f *forest) edit() string {
	name := f.some()
	s := f.files[name]
	kind := f.IntN(16)
	if len(s.defs) == 0 && kind < 11 {
		kind = 11
	}
	at := f.IntN(max(len(s.defs), 1))
	switch kind {
	case 0, 1, 2: // a name or a number within
		from := []string{"f", "m"}[f.IntN(2)]
		s.defs[at] = strings.Replace(s.defs[at], fmt.Sprint(from, f.n()), fmt.Sprint(from, f.n()), 1)
		return "rename in " + name
	case 3: // a line more
		s.defs = slices.Insert(s.defs, at, "")
		return "move down in " + name
	case 4, 5:
		s.defs[at] = f.def(s.lang)
		return "rewrite in " + name
	case 6:
		s.defs = slices.Delete(s.defs, at, at+1)
		return "delete in " + name
	case 7: // among namesakes
		other := f.IntN(len(s.defs))
		s.defs[at], s.defs[other] = s.defs[other], s.defs[at]
		return "swap in " + name
	case 8, 9: // to another file
		for _, to := range slices.Sorted(maps.Keys(f.files)) {
			if to != name && f.files[to].lang == s.lang {
				f.files[to].defs = append(f.files[to].defs, s.defs[at])
				s.defs = slices.Delete(s.defs, at, at+1)
				return "move from " + name + " to " + to
			}
		}
		return "nothing"
	case 10:
		s.defs = append(s.defs, f.def(s.lang), s.defs[at])
		return "add to " + name
	case 11:
		s.top = []string{f.line(s.lang)}
		return "import in " + name
	case 12:
		delete(f.files, name)
		f.files[f.place(s.lang)] = s
		return "rename file " + name
	case 13:
		if len(f.files) > 4 {
			delete(f.files, name)
		}
		return "delete file " + name
	default:
		lang := f.langs[f.IntN(len(f.langs))]
		to := f.place(lang)
		f.files[to] = f.fresh(lang)
		return "new file " + to
	}
}

// sync makes a folder hold the tree.
func (f *forest) sync(t *testing.T, root string) {
	t.Helper()
	for _, dir := range []string{"c", "j", "php", "go", "js", "py", "md"} {
		there, err := filepath.Glob(filepath.Join(root, dir+"*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range there {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			if f.files[rel] == nil {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name := range f.files {
		text := f.text(name)
		if old, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(old) != text {
			write(t, root, name, text)
		}
	}
}

// After any edits of trees of one language or of all, a patched graph is that of a
// whole run, and so is what the summary counts.
func TestPatchedGraphsAreWholeGraphs(t *testing.T) {
	patched := 0
	for i, lang := range append([]string{"all"}, langs...) {
		t.Run(lang, func(t *testing.T) {
			f := &forest{Rand: rand.New(rand.NewPCG(uint64(i), 11)), files: map[string]*source{}, langs: langs}
			rounds := 60
			if i > 0 {
				f.langs, rounds = []string{lang}, 30
			}
			patched += f.rounds(t, rounds)
		})
	}
	if patched < 100 {
		t.Errorf("only %d runs patched: the test does not test patches", patched)
	}
}

// rounds edits a tree so often and returns how many runs did not bind all of it.
func (f *forest) rounds(t *testing.T, rounds int) (patched int) {
	t.Helper()
	root, cache := t.TempDir(), t.TempDir()
	write(t, root, "go.mod", "module m\n")
	for range 21 / len(f.langs) {
		for _, lang := range f.langs {
			f.files[f.place(lang)] = f.fresh(lang)
		}
	}
	f.sync(t, root)
	run1(t, root, cache)
	for round := range rounds {
		done := []string{f.edit()}
		for f.IntN(3) == 0 {
			done = append(done, f.edit())
		}
		f.sync(t, root)
		got, s := run1(t, root, cache)
		want, whole := run1(t, root, "")
		if a, b := dump(t, got), dump(t, want); a != b {
			t.Fatalf("round %d, after %q:\n%s", round, done, difference(a, b))
		}
		if !maps.Equal(s.Nodes, whole.Nodes) || !maps.Equal(s.Edges, whole.Edges) || s.Unresolved != whole.Unresolved || s.Calls != whole.Calls {
			t.Fatalf("round %d, after %q: the summary counts %+v, a whole run %+v", round, done, s, whole)
		}
		if n := got.Summary(); n.Nodes != total(s.Nodes) || n.Edges != total(s.Edges) || n.Unresolved != s.Unresolved {
			t.Fatalf("round %d: the graph has %+v, the summary %v, %v", round, n, s.Nodes, s.Edges)
		}
		if s.Bound < s.Files {
			patched++
		}
	}
	return patched
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// difference lists the lines that only one of two texts has.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	var out []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			out = append(out, "only patched: "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out = append(out, "only whole: "+line)
		}
	}
	return strings.Join(out, "\n")
}
