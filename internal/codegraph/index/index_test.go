package index

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/store"
)

type silent struct{}

func (silent) Step(string, int)    {}
func (silent) Done(int)            {}
func (silent) Note(string, ...any) {}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run1(t *testing.T, root, cache string) (*graph.Graph, *Summary) {
	t.Helper()
	opts := DefaultOptions(root)
	opts.Cache, opts.Graph, opts.Workers, opts.Now = cache, cache, 2, time.Now().Add(time.Hour)
	g, s, err := Run(t.Context(), opts, silent{})
	if err != nil {
		t.Fatal(err)
	}
	if cache != "" {
		if g, err = store.LoadFolder(cache); err != nil {
			t.Fatal(err)
		}
	}
	return g, s
}

// dump is everything of a graph as text.
func dump(t *testing.T, g *graph.Graph) string {
	t.Helper()
	var lines []string
	for i := range int32(g.Len()) {
		lines = append(lines, fmt.Sprintf("%+v", *g.Node(i)))
	}
	for _, e := range g.Edges() {
		lines = append(lines, fmt.Sprintf("%+v", e))
	}
	for _, u := range g.AllUnresolved() {
		lines = append(lines, fmt.Sprintf("%+v", u))
	}
	return strings.Join(lines, "\n")
}

// What a tree holds never ends a run, and the rest of the tree is indexed.
func TestBadInput(t *testing.T) {
	root := t.TempDir()
	write(t, root, "good.go", "package a\n\nfunc F() { G() }\n\nfunc G() {}\n")
	write(t, root, "binary.go", "package a\x00\x01\x02")
	write(t, root, "huge.php", "<?php\n"+strings.Repeat("// x\n", 500_000))
	write(t, root, "broken.php", "<?php class A { function f( { ] } class B extends A { function g() { $this->f(); } }")
	write(t, root, "deep.js", "x = "+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"; function late() {}")
	write(t, root, "odd\n\x1b[31m'; DROP TABLE nodes; --.py", "def f(): pass\n")
	write(t, root, "bytes\xff\xfe.rb", "def f; end\n")
	write(t, root, "vendor/skipped.go", "package v\n")
	write(t, root, "empty.ts", "")
	write(t, root, "note.md", "# A\x1b[0m\n\n## B\n```\n# no heading\n```\n# C\n")
	write(t, root, "latin.php", "<?php /** @return \xe9t\xe9 */ function \xe9t\xe9() { \xe9t\xe9(); }")
	for from, to := range map[string]string{"loop": ".", "dead": "nowhere", "outside": "/etc"} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	cache := t.TempDir()
	g, s := run1(t, root, cache)
	want := map[Reason]int{Binary: 1, TooLarge: 1, SymbolicLink: 3}
	for reason, n := range want {
		if s.Skipped[reason] != n {
			t.Errorf("%d files are %s, want %d", s.Skipped[reason], reason, n)
		}
	}
	if s.Skipped[Faulty] != 0 || s.TooDeep != 1 || s.SyntaxErrors == 0 || s.SyntaxErrorFiles == 0 {
		t.Errorf("summary %+v", s)
	}
	for _, id := range []string{
		"good.go::a.F", "broken.php::B::g", "odd\n\x1b[31m'; DROP TABLE nodes; --.py::f", `bytes\xff\xfe.rb::f`, "note.md::A\x1b[0m > B", "note.md::C",
	} {
		if _, ok := g.Number(id); !ok {
			t.Errorf("node %q is missing", id)
		}
	}
	if _, ok := g.Number("vendor/skipped.go"); ok {
		t.Error("a skipped folder is indexed")
	}
	text, err := json.Marshal(s)
	if err != nil || strings.ContainsAny(string(text), "\x1b\n\x00") {
		t.Errorf("the summary has raw control characters: %q, %v", text, err)
	}
	again, s2 := run1(t, root, cache)
	if s2.Nodes["file"] != s.Nodes["file"] || s2.Hash != s.Hash {
		t.Errorf("a second run counts otherwise: %+v, %+v", s2, s)
	}
	if dump(t, again) != dump(t, g) || s2.Parsed != 0 || s2.Bound != 0 {
		t.Errorf("a second run parses %d and binds %d files", s2.Parsed, s2.Bound)
	}
}

func TestMissingRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	write(t, filepath.Dir(file), "f", "")
	for _, root := range []string{"/no/such/folder", file} {
		if _, _, err := Run(t.Context(), DefaultOptions(root), silent{}); err == nil {
			t.Errorf("root %q is taken", root)
		}
	}
}

// Damaged facts cost time, not answers.
func TestDamagedState(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, root, "a.php", "<?php function f() { g(); } function g() {}")
	g, _ := run1(t, root, cache)
	file := filepath.Join(cache, StateFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 5 {
		broken := slices.Clone(whole)
		broken[i] ^= 0x41
		if err := os.WriteFile(file, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		again, s := run1(t, root, cache)
		if dump(t, again) != dump(t, g) || s.Parsed != 1 {
			t.Fatalf("byte %d changed: %d files parsed", i, s.Parsed)
		}
	}
}

// After any change a run with facts of the last gives the graph of a run without.
func TestIncrementalRunsAreWholeRuns(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	r := rand.New(rand.NewPCG(5, 5))
	const files = 8
	source := func(i int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<?php\nnamespace N%d;\n", i%2)
		for range r.IntN(3) {
			b.WriteString("// a line more\n")
		}
		base := ""
		if r.IntN(8) == 0 {
			base = fmt.Sprintf(" extends \\N%d\\C%d", r.IntN(2), r.IntN(files))
		}
		fmt.Fprintf(&b, "class C%d%s {\n", i, base)
		fmt.Fprintf(&b, "  private \\N%d\\C%d $p;\n", r.IntN(2), r.IntN(files))
		for m := range 3 + r.IntN(2) {
			if r.IntN(6) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  function m%d(\\N%d\\C%d $a)", m, r.IntN(2), r.IntN(files))
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, ": \\N%d\\C%d", r.IntN(2), r.IntN(files))
			}
			fmt.Fprintf(&b, " { $a->m%d($a)->m%d($u); $this->p->m%d($a); $u->m%d($a); new C%d(); $this->m%d($a); }\n",
				r.IntN(5), r.IntN(5), r.IntN(5), r.IntN(5), r.IntN(files), r.IntN(5))
		}
		b.WriteString("}\n")
		return b.String()
	}
	for i := range files {
		write(t, root, fmt.Sprintf("f%d.php", i), source(i))
	}
	run1(t, root, cache)
	reused := 0
	for round := range 30 {
		i := r.IntN(files)
		name := fmt.Sprintf("f%d.php", i)
		switch old, err := os.ReadFile(filepath.Join(root, name)); {
		case r.IntN(12) == 0 && err == nil:
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		case r.IntN(3) > 0 && err == nil: // a line more, or another argument
			write(t, root, name, strings.Replace(string(old), "($a)->m", "($a) /* */\n->m", 1))
		case r.IntN(2) == 0 && err == nil: // a method more
			at := strings.LastIndexByte(string(old), '}')
			write(t, root, name, string(old)[:max(at, 0)]+fmt.Sprintf("  function x%d() { $q->m1($q); }\n}\n", round%4))
		default:
			write(t, root, name, source(i))
		}
		got, s := run1(t, root, cache)
		want, _ := run1(t, root, "")
		if dump(t, got) != dump(t, want) {
			t.Fatalf("round %d, after a change of %s:\n%s\nwant:\n%s", round, name, dump(t, got), dump(t, want))
		}
		reused += s.Files - s.Bound
	}
	if reused < 50 {
		t.Errorf("only %d files were not bound again: the test does not test reuse", reused)
	}
}
