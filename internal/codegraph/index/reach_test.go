package index

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sortedheap/internal/codegraph/graph"
	"sortedheap/internal/codegraph/store"
)

// change is one of a file in a tree.
type change struct {
	name, file, after string
	files             map[string]string
	bound             int // of the files; 0 for all, where it is looked at
}

// Changes of one file that mean something for another in ways of their own: a
// patched graph is that of a whole run, differs from the one before, and is patched.
func TestChangesReachOtherFiles(t *testing.T) {
	for _, c := range slices.Concat(scriptChanges(), typedChanges()) {
		t.Run(c.name, func(t *testing.T) {
			root, cache := t.TempDir(), t.TempDir()
			write(t, root, "filler.rb", "def filler; end\n")
			for name, text := range c.files {
				write(t, root, name, text)
			}
			before, _ := run1(t, root, cache)
			write(t, root, c.file, c.after)
			got, s := run1(t, root, cache)
			want, whole := run1(t, root, "")
			if a, b := dump(t, got), dump(t, want); a != b {
				t.Errorf("a patched graph is another:\n%s", difference(a, b))
			}
			if !maps.Equal(s.Edges, whole.Edges) || !maps.Equal(s.Nodes, whole.Nodes) {
				t.Errorf("counts %v, %v, of a whole run %v, %v", s.Nodes, s.Edges, whole.Nodes, whole.Edges)
			}
			if s.Bound >= s.Files {
				t.Errorf("%d of %d files are bound again", s.Bound, s.Files)
			}
			if !elsewhere(before, got, c.file) && !elsewhere(got, before, c.file) {
				t.Error("the change changes nothing elsewhere")
			}
		})
	}
}

// scriptChanges are in languages that find by import; a.* is what each reaches.
func scriptChanges() []change {
	return []change{
		{
			"passed on under another name", "m.js", "export function g() {}\n",
			map[string]string{
				"m.js": "export function f() {}\nexport function g() {}\n", "i.js": "export {f as h} from './m.js';\n",
				"a.js": "import {h} from './i.js';\nh();\n",
			}, 0,
		},
		{
			"passed on twice", "m.js", "export function g() {}\n",
			map[string]string{
				"m.js": "export function f() {}\nexport function g() {}\n", "i.js": "export {f as h} from './m.js';\n",
				"k.js": "export {h as z} from './i.js';\n", "a.js": "import {z} from './k.js';\nz();\n",
			}, 0,
		},
		{
			"the default of a module", "m.js", "export function f() {}\n",
			map[string]string{"m.js": "export default function f() {}\n", "a.js": "import other from './m.js';\nother();\n"}, 0,
		},
		{
			"a name that is free again", "m.py", "def g(): pass\n",
			map[string]string{"m.py": "def f(): pass\ndef g(): pass\n", "a.py": "from m import f\nf()\n"}, 0,
		},
	}
}

// typedChanges are in the others.
func typedChanges() []change {
	return []change{
		{
			"a method of a base", "b.php", "<?php class B { }",
			map[string]string{"b.php": "<?php class B { function run() {} }", "a.php": "<?php class A extends B { function run() {} }"}, 0,
		},
		{
			"a method between", "b.php", "<?php class B extends C { function run() {} }",
			map[string]string{
				"c.php": "<?php class C { function run() {} }", "b.php": "<?php class B extends C { }",
				"a.php": "<?php class A extends B { function run() {} }",
			}, 0,
		},
		{
			"an interface of fewer methods", "i.go", "package p\n\ntype I interface { Run(int) }\n",
			map[string]string{
				"i.go": "package p\n\ntype I interface { Run(int); Stop() }\n",
				"a.go": "package p\n\ntype A struct{}\n\nfunc (A) Run(n int) {}\n",
			}, 0,
		},
		{
			"a method of what is embedded", "e.go", "package p\n\ntype E struct{}\n\nfunc (E) Run(n int) {}\n",
			map[string]string{
				"i.go": "package p\n\ntype I interface { Run(int) }\n", "e.go": "package p\n\ntype E struct{}\n",
				"a.go": "package p\n\ntype A struct{ E }\n",
			}, 0,
		},
		{
			"the place among namesakes", "u.c", "int f(int a) { return 1; }\nint f(int a);\n",
			map[string]string{"u.c": "int f(int a);\nint f(int a) { return 1; }\n", "a.c": "#include \"u.c\"\nint g(int a) { return f(a); }\n"}, 0,
		},
		{
			"a class that comes", "m.php", "<?php class N { function __construct() {} function run() {} }",
			map[string]string{"m.php": "<?php", "a.php": "<?php (new N())->run();"}, 0,
		},
		{
			"a class that goes", "m.php", "<?php",
			map[string]string{"m.php": "<?php class N extends B { }", "b.php": "<?php class B { function run() {} }", "a.php": "<?php (new N())->run();"}, 0,
		},
		{
			"a type of Go", "m.go", "package p\n\ntype N struct{}\n\nfunc (N) Run() {}\n",
			map[string]string{"m.go": "package p\n", "a.go": "package p\n\nfunc a() { N{}.Run() }\n"}, 0,
		},
	}
}

// What a type or an import means for others, through definitions that did not
// change, is found; what means nothing for others binds no other file again.
func TestTypesAndImports(t *testing.T) {
	for _, c := range slices.Concat(changesOfTypes(), changesOfImports()) {
		t.Run(c.name, func(t *testing.T) {
			root, cache := t.TempDir(), t.TempDir()
			write(t, root, "filler.rb", "def filler; end\n")
			for name, text := range c.files {
				write(t, root, name, text)
			}
			run1(t, root, cache)
			write(t, root, c.file, c.after)
			got, s := run1(t, root, cache)
			want, _ := run1(t, root, "")
			if a, b := dump(t, got), dump(t, want); a != b {
				t.Errorf("a patched graph is another:\n%s", difference(a, b))
			}
			if want := cmp.Or(c.bound, len(c.files)+1); s.Bound != want {
				t.Errorf("%d of %d files are bound again, want %d", s.Bound, s.Files, want)
			}
		})
	}
}

func changesOfTypes() []change {
	const made = "<?php function made(): N {}"
	return []change{
		{
			"a class that a result is of", "m.php", "<?php class N extends B { }",
			map[string]string{"m.php": "<?php", "b.php": "<?php class B { function run() {} }", "g.php": made, "a.php": "<?php made()->run();"}, 0,
		},
		{
			"a class that is a base", "m.php", "<?php class N extends B { }",
			map[string]string{
				"m.php": "<?php", "b.php": "<?php class B { function run() {} }", "g.php": "<?php class G extends N { }", "a.php": "<?php (new G())->run();",
			}, 0,
		},
		{
			"a class with other bases", "m.php", "<?php class N { }",
			map[string]string{"m.php": "<?php class N extends B { }", "b.php": "<?php class B { function run() {} }", "a.php": "<?php (new N())->run();"}, 0,
		},
		{
			"a constructor", "m.php", "<?php class N { }",
			map[string]string{"m.php": "<?php class N { function __construct() {} }", "g.php": "<?php class G extends N { }", "a.php": "<?php new G();"}, 0,
		},
		{
			"a class under another name", "m.js", "export default class N extends B {}\nclass B { run() {} }\n",
			map[string]string{
				"m.js": "class B { run() {} }\n", "g.js": "import O from './m.js';\nexport class G extends O {}\n", "a.js": "import {G} from './g.js';\nnew G().run();\n",
			}, 0,
		},
		{
			"a class by another name", "m.js", "export class N extends B {}\nclass B { run() {} }\n",
			map[string]string{
				"m.js": "class B { run() {} }\n", "g.js": "import {N as O} from './m.js';\nexport class G extends O {}\n", "a.js": "import {G} from './g.js';\nnew G().run();\n",
			}, 0,
		},
	}
}

func changesOfImports() []change {
	return []change{
		{
			"an import of who declares a field", "m.java", "package p;\nimport r.T;\nclass M { T t; }\n",
			map[string]string{
				"m.java": "package p;\nimport q.T;\nclass M { T t; }\n", "q/T.java": "package q;\npublic class T { public void run() {} }\n",
				"r/T.java": "package r;\npublic class T { public void run() {} }\n", "a.java": "package p;\nclass A { void a(M m) { m.t.run(); } }\n",
				"z.java": "package p;\nclass Z { void z() {} }\n",
			}, 2,
		},
		{
			"an import from outside", "m.java", "package p;\nimport out.T;\nclass M { T t; }\n",
			map[string]string{
				"m.java": "package p;\nimport q.T;\nclass M { T t; }\n", "q/T.java": "package q;\npublic class T { public void run() {} }\n",
				"a.java": "package p;\nclass A { void a(M m) { m.t.run(); } }\n", "z.java": "package p;\nclass Z { void z() {} }\n",
			}, 2,
		},
		{
			"an import that makes another the nearest", "m.php", "<?php use q\\D; class M { function m(): \\q\\C {} }",
			map[string]string{
				"m.php": "<?php class M { function m(): \\q\\C {} }", "x/c.php": "<?php namespace q; class C { function run() {} } class D {}",
				"y/c.php": "<?php namespace q; class C { function run() {} }", "a.php": "<?php (new M())->m()->run();",
			}, 2,
		},
		{
			"an import of a base", "m.java", "package p;\nimport r.T;\nclass M extends T { }\n",
			map[string]string{
				"m.java": "package p;\nimport q.T;\nclass M extends T { }\n", "q/T.java": "package q;\npublic class T { public void run() {} }\n",
				"r/T.java": "package r;\npublic class T { public void run() {} }\n", "a.java": "package p;\nclass A { void a(M m) { m.run(); } }\n",
			}, 0,
		},
		{
			"an import for a body", "m.php", "<?php use q\\T; class M { function m(): int { return T::run(); } }",
			map[string]string{
				"m.php": "<?php class M { function m(): int { return T::run(); } }", "t.php": "<?php namespace q; class T { static function run() {} }",
				"a.php": "<?php (new M())->m();",
			}, 1,
		},
		{
			"an import that is passed on", "m.py", "from q import f\n",
			map[string]string{"m.py": "from r import f\n", "q.py": "def f(): pass\n", "r.py": "def f(): pass\n", "a.py": "import m\nm.f()\n"}, 0,
		},
	}
}

// elsewhere reports whether a graph has an edge of another file than the one that
// another graph lacks.
func elsewhere(g, other *graph.Graph, file string) bool {
	ids := func(g *graph.Graph) map[string]bool {
		set := map[string]bool{}
		for _, e := range g.Edges() {
			if e.File != file {
				set[g.Node(e.Source).ID+" "+e.Relation.String()+" "+g.Node(e.Target).ID] = true
			}
		}
		return set
	}
	has := ids(other)
	for edge := range ids(g) {
		if !has[edge] {
			return true
		}
	}
	return false
}

// A run without the graph of the last, or with one that is damaged or of another
// run, makes it again.
func TestGraphOfAnotherRun(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, root, "a.php", "<?php function f() { g(); } function g() {}")
	want, _ := run1(t, root, cache)
	for name, spoil := range map[string]func() error{
		"none":    func() error { return store.SaveFolder(cache, &store.Parts{}) },
		"damaged": func() error { return damage(cache, store.GraphFile) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got, s := run1(t, root, cache); dump(t, got) != dump(t, want) || s.Parsed != 0 || s.Bound != 1 {
			t.Errorf("%s: %d files parsed, %d bound", name, s.Parsed, s.Bound)
		}
	}
}

// damage changes a byte in the middle of a file.
func damage(dir, name string) error {
	file := filepath.Join(dir, name)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text[len(text)/2] ^= 0x41
	return os.WriteFile(file, text, 0o644)
}
