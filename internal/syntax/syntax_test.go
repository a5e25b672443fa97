package syntax

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func parsers(t *testing.T, limits Limits) *Parsers {
	t.Helper()
	p, err := NewParsers(limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func parse(t *testing.T, l Language, source string) *Tree {
	t.Helper()
	tree, err := parsers(t, DefaultLimits()).Parse(t.Context(), l, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Each archive has a source, what it defines and what it imports.
func TestDefinitionsAndImports(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	seen := map[Language]bool{}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil || len(archive.Files) != 3 {
				t.Fatalf("%d files, %v; want a source, definitions and imports", len(archive.Files), err)
			}
			source := archive.Files[0]
			l, ok := Detect(source.Name, source.Data)
			if !ok {
				t.Fatalf("%s is in no language", source.Name)
			}
			seen[l] = true
			tree := parse(t, l, string(source.Data))
			if tree.Errors != 0 {
				t.Errorf("%d places did not parse", tree.Errors)
			}
			got := []string{listDefinitions(tree), listImports(tree)}
			for i := range got {
				want := &archive.Files[i+1]
				if *update {
					want.Data = []byte(got[i])
				} else if got[i] != string(want.Data) {
					t.Errorf("%s:\n%s\nwant:\n%s", want.Name, got[i], want.Data)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for _, l := range Languages() {
		if l != TSX && !seen[l] {
			t.Errorf("no archive is in %v", l)
		}
	}
}

// listDefinitions writes a line per definition: kind, name, lines with the line
// of the name, what it is in, and marks; then signature and documentation.
func listDefinitions(tree *Tree) string {
	var b strings.Builder
	definitions := Definitions(tree)
	for _, d := range definitions {
		fmt.Fprintf(&b, "%s %s %d-%d@%d", d.Kind, d.Qualified, d.Line, d.EndLine, d.NameLine)
		if d.Parent >= 0 {
			fmt.Fprintf(&b, " in %s", definitions[d.Parent].Name)
		}
		if d.Owner != "" {
			fmt.Fprintf(&b, " of %s", d.Owner)
		}
		if d.Static {
			b.WriteString(" static")
		}
		if d.Declared {
			b.WriteString(" declared")
		}
		fmt.Fprintf(&b, "\n    %s\n", d.Signature)
		if d.Doc != "" {
			fmt.Fprintf(&b, "    # %s\n", d.Doc)
		}
	}
	return b.String()
}

func listImports(tree *Tree) string {
	var b strings.Builder
	for _, i := range Imports(tree) {
		fmt.Fprintf(&b, "%d %s %s", i.Line, i.Kind, i.Path)
		if i.Name != "" {
			fmt.Fprintf(&b, " name %s", i.Name)
		}
		if i.System {
			b.WriteString(" system")
		}
		if local := i.Local(tree.Lang); local != "" {
			fmt.Fprintf(&b, " as %s", local)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       Language
	}{
		{"a/b.PHP", "", PHP},
		{"index.inc", "", PHP},
		{"x.h", "#include <a>\nint f(void);\n", C},
		{"x.h", "#pragma once\nnamespace a {\n", CPP},
		{"tool", "#!/usr/bin/env -S LANG=C python3.11 -u\n", Python},
		{"tool", "#!/usr/bin/php8.2\n", PHP},
		{"bin/run", "#! /usr/bin/node\n", JavaScript},
		{"Rakefile", "", Ruby},
		{"notes.md", "#!/usr/bin/php\n", NoLanguage},
		{"empty", "", NoLanguage},
		{"sh", "#!/bin/sh\n", NoLanguage},
		{"odd", "#!\n", NoLanguage},
		{"v.tsx", "", TSX},
	} {
		got, ok := Detect(c.name, []byte(c.head))
		if got != c.want || ok != (c.want != NoLanguage) {
			t.Errorf("Detect(%q, %q) = %v, %v; want %v", c.name, c.head, got, ok, c.want)
		}
	}
	for _, l := range Languages() {
		if back, ok := LanguageNamed(l.String()); !ok || back != l {
			t.Errorf("%v is not found by its name", l)
		}
	}
}

func TestTreeIsSound(t *testing.T) {
	tree := parse(t, Go, "package a\n\nfunc f() int { return g(1, \"x\") }\n")
	for n := range NodeID(tree.Len()) {
		start, end := tree.Span(n)
		if p := tree.Parent(n); p != None {
			outerStart, outerEnd := tree.Span(p)
			if start < outerStart || end > outerEnd || p >= n {
				t.Errorf("node %d [%d,%d) is not inside of its parent %d [%d,%d)", n, start, end, p, outerStart, outerEnd)
			}
		} else if n != Root {
			t.Errorf("node %d has no parent", n)
		}
		for c := range tree.Children(n) {
			if tree.Parent(c) != n {
				t.Errorf("child %d of %d has parent %d", c, n, tree.Parent(c))
			}
		}
	}
	found := None
	tree.Within(Root, func(n NodeID) bool {
		if tree.Kind(n) == "call_expression" {
			found = n
		}
		return true
	})
	if tree.Text(found) != `g(1, "x")` || tree.Line(found) != 3 || tree.Text(tree.Child(found, "function")) != "g" {
		t.Errorf("the call is %q on line %d", tree.Text(found), tree.Line(found))
	}
}

func TestLimits(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxBytes, limits.MaxDepth = 100_000, 40
	p := parsers(t, limits)
	if _, err := p.Parse(t.Context(), C, bytes.Repeat([]byte(" "), 100_001)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large text: %v", err)
	}
	if _, err := p.Parse(t.Context(), C, []byte("int a;\x00")); !errors.Is(err, ErrBinary) {
		t.Errorf("a NUL byte: %v", err)
	}
	deep := "int a = " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + ";"
	tree, err := p.Parse(t.Context(), C, []byte(deep))
	if err != nil || !tree.Cut || tree.Len() > 50 {
		t.Errorf("deep nesting: %v, cut %v, %d nodes", err, tree.Cut, tree.Len())
	}
	if d := Definitions(tree); len(d) != 1 || d[0].Name != "a" {
		t.Errorf("deep nesting defines %+v", d)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Parse(cancelled, C, bytes.Repeat([]byte("f(1);"), 15_000)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if tree, err := p.Parse(t.Context(), C, []byte("int f(void) { return 1; }")); err != nil || tree.Errors != 0 {
		t.Errorf("after a cancelled parse: %v", err)
	}
	limits.MaxTime = 1
	if _, err := parsers(t, limits).Parse(t.Context(), C, bytes.Repeat([]byte("f(1);"), 15_000)); !errors.Is(err, ErrTooSlow) {
		t.Errorf("slow: %v", err)
	}
	for _, bad := range []Limits{{}, {MaxBytes: 1, MaxTime: 1}, {MaxBytes: 1 << 40, MaxTime: 1, MaxDepth: 1}} {
		if _, err := NewParsers(bad); err == nil {
			t.Errorf("limits %+v are taken", bad)
		}
	}
}

// Texts that are not what they claim to be have trees too.
func TestBrokenTexts(t *testing.T) {
	p := parsers(t, DefaultLimits())
	texts := []string{
		"", "\xff\xfe\xfd", "\xef\xbb\xbf", "}}}}((((", "class", "<?php class { function", "def f(:\n", "\x1b[31m red \x1b[0m", "'; DROP TABLE x; --",
		strings.Repeat("{[(", 2000), strings.Repeat("\"", 999), "func (", "import", "use {", "#include", "# ", "/**", "//", "\r\r\n",
	}
	for _, l := range Languages() {
		for _, text := range texts {
			tree, err := p.Parse(t.Context(), l, []byte(text))
			if err != nil {
				t.Errorf("%v %q: %v", l, text, err)
				continue
			}
			for _, d := range Definitions(tree) {
				if d.Start < 0 || d.End > len(text) || d.Start > d.End || d.Line < 1 || d.EndLine < d.Line {
					t.Errorf("%v %q: definition %+v", l, text, d)
				}
			}
			Imports(tree)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(uint8(PHP), []byte("<?php /** x */ class A { function b() {} }"))
	f.Add(uint8(CPP), []byte("template <class T> int A<T>::f() {}"))
	p, err := NewParsers(DefaultLimits())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, l uint8, text []byte) {
		tree, err := p.Parse(t.Context(), Language(l%uint8(languageEnd-1)+1), text)
		if err != nil {
			return
		}
		for _, d := range Definitions(tree) {
			if d.Start < 0 || d.End > len(text) || d.Start > d.End || strings.ContainsRune(d.Signature+d.Doc+d.Name, 0) {
				t.Errorf("definition %+v", d)
			}
		}
		Imports(tree)
	})
}
