package compat_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query/compat"
	"sortedheap/internal/codegraph/query/querytest"
)

// Each file is a graph and questions about it, with what must be in the answer
// and what must not.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../testdata/compat/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("fixtures %v, %v", files, err)
	}
	for _, path := range files {
		f := querytest.Read(t, path, "ask", "fix", "context", "depth", "dfs", "budget", "graph", "terms", "seeds", "nodes",
			"header", "has", "lacks", "first", "second", "last", "same", "order")
		g, err := compat.View(t.Context(), querytest.Graph(t, f.Graph))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Cases {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+c.Name, func(t *testing.T) { check(t, g, c) })
		}
	}
}

func options(t *testing.T, c querytest.Case, fixes string) compat.Options {
	t.Helper()
	o := compat.Options{GraphName: c.Get("graph"), Depth: number(t, c, "depth", compat.DefaultDepth),
		Budget: number(t, c, "budget", compat.DefaultBudget), DepthFirst: c.Get("dfs") != ""}
	if v := c.Get("context"); v != "" {
		o.Contexts = strings.Split(v, ",")
	}
	for _, fix := range strings.Fields(fixes) {
		switch fix {
		case "c1":
			o.Fixes.DemoteRelational = true
		case "c2":
			o.Fixes.SkipCovered = true
		case "c3":
			o.Fixes.RelaxStarving = true
		case "callers":
			o.Fixes.CallerHints = true
		default:
			t.Fatalf("unknown fix %q", fix)
		}
	}
	return o
}

func number(t *testing.T, c querytest.Case, key string, otherwise int) int {
	t.Helper()
	v := c.Get(key)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func check(t *testing.T, g *compat.Graph, c querytest.Case) {
	a := compat.Query(g, c.Get("ask"), options(t, c, c.Get("fix")))
	defer func() {
		if t.Failed() {
			t.Logf("answer:\n%s", a.Text[:min(len(a.Text), 3000)])
		}
	}()
	if other := c.Get("same"); other != "" && compat.Query(g, c.Get("ask"), options(t, c, other)).Text != a.Text {
		t.Errorf("repairs %s change the answer", other)
	}
	if want := c.Get("terms"); want != "" && strings.Join(a.Terms, " ") != want {
		t.Errorf("terms %q, want %s", a.Terms, want)
	}
	var seeds []string
	for _, s := range a.Seeds {
		seeds = append(seeds, g.Nodes[s].Label)
	}
	if want := c.Get("seeds"); want != "" && strings.Join(seeds, ", ") != want {
		t.Errorf("seeds %s, want %s", strings.Join(seeds, ", "), want)
	}
	if want := number(t, c, "nodes", len(a.Nodes)); len(a.Nodes) != want {
		t.Errorf("%d nodes, want %d", len(a.Nodes), want)
	}
	head, rest, _ := strings.Cut(a.Text, "\n\n")
	for _, want := range c.Values["header"] {
		if !strings.Contains(head, want) {
			t.Errorf("header %q, want %q in it", head, want)
		}
	}
	for _, want := range c.Values["has"] {
		if !strings.Contains(rest, want) {
			t.Errorf("answer lacks %q", want)
		}
	}
	for _, want := range c.Values["order"] {
		before, after, _ := strings.Cut(want, " | ")
		if at := strings.Index(rest, before); at < 0 || !strings.Contains(rest[at:], after) {
			t.Errorf("%q does not come before %q", before, after)
		}
	}
	for _, bad := range c.Values["lacks"] {
		if strings.Contains(a.Text, bad) {
			t.Errorf("answer has %q", bad)
		}
	}
	checkNotice(t, rest)
	lines := strings.Split(rest, "\n")
	for key, at := range map[string]int{"first": 0, "second": 1, "last": len(lines) - 1} {
		if want := c.Get(key); at < len(lines) && !strings.HasPrefix(lines[at], want) {
			t.Errorf("%s line %q, want %q", key, lines[at], want)
		}
	}
}

// checkNotice compares what the notice of a cut says with the lines that are kept.
func checkNotice(t *testing.T, body string) {
	t.Helper()
	var kept, whole, cut int
	notice, _, _ := strings.Cut(body, "\n")
	if n, _ := fmt.Sscanf(notice, "[!] TRUNCATED: showing %d of %d nodes", &kept, &whole); n != 2 {
		if strings.Contains(body, "truncated - ") {
			t.Errorf("a cut without a notice: %q", notice)
		}
		return
	}
	_, end, _ := strings.Cut(body, "... (truncated")
	if n, _ := fmt.Sscanf(end, " - %d more nodes", &cut); n != 1 || kept+cut != whole {
		t.Errorf("%d of %d nodes are shown, and %d cut", kept, whole, cut)
	}
	if n := strings.Count("\n"+body, "\nNODE "); n != kept {
		t.Errorf("the notice says that %d nodes are shown, and %d are", kept, n)
	}
}
