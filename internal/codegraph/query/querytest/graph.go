// Package querytest reads small graphs and cases that tests write as text.
//
// A graph has one line for each node, edge and unresolved call:
//
//	node ID KIND "LABEL" FILE:LINE [qual=NAME] [form=F] [end=LINE] [community=N] [test] [doc="TEXT"] [lang=L]
//	edge SOURCE RELATION TARGET [ctx=CONTEXT] [conf=inferred|ambiguous] [at=FILE:LINE] [why="TEXT"]
//	maybe SOURCE NAME CANDIDATE,... [recv=TEXT] [at=FILE:LINE]
//
// FILE may be "-" for none. Without ctx, calls are of context "call", imports of
// "import", and all else has none. "*N" before a line writes it N times with "%"
// replaced by 1 to N.
package querytest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"sortedheap/internal/codegraph/graph"
)

// Graph reads a graph.
func Graph(t testing.TB, text string) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(graph.Info{Corpus: "fixture", Commit: "0123456789abcdef"})
	for i, line := range Lines(text) {
		if err := addLine(b, line); err != nil {
			t.Fatalf("graph line %d, %q: %v", i+1, line, err)
		}
	}
	return b.Build()
}

// Lines are the lines of text without comments and empty ones, repetitions
// written out.
func Lines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		times, rest, repeated := strings.Cut(line, " ")
		n, err := strconv.Atoi(strings.TrimPrefix(times, "*"))
		if !repeated || !strings.HasPrefix(times, "*") || err != nil {
			lines = append(lines, line)
			continue
		}
		for k := range n {
			lines = append(lines, strings.ReplaceAll(rest, "%", strconv.Itoa(k+1)))
		}
	}
	return lines
}

func addLine(b *graph.Builder, line string) error {
	words, err := split(line)
	if err != nil {
		return err
	}
	if len(words) < 4 {
		return fmt.Errorf("%d words", len(words))
	}
	options := map[string]string{}
	for _, w := range words[4:] {
		name, value, _ := strings.Cut(w, "=")
		options[name] = value
	}
	switch words[0] {
	case "node":
		for _, w := range words[5:] {
			name, value, _ := strings.Cut(w, "=")
			options[name] = value
		}
		return addNode(b, words, options)
	case "edge":
		return addEdge(b, words, options)
	case "maybe":
		return addMaybe(b, words, options)
	}
	return fmt.Errorf("unknown word %q", words[0])
}

func addNode(b *graph.Builder, words []string, options map[string]string) error {
	n := graph.Node{ID: words[1], Label: words[3], Qualified: options["qual"], Form: options["form"], Lang: options["lang"],
		Doc: options["doc"], FileType: graph.Code}
	if err := n.Kind.UnmarshalText([]byte(words[2])); err != nil {
		return err
	}
	if n.Kind == graph.Section || strings.HasSuffix(n.Label, ".md") {
		n.FileType = graph.Document
	}
	if n.Kind == graph.Prose {
		n.FileType = graph.Rationale
	}
	if n.Qualified == "" && n.Kind != graph.File && n.Kind != graph.Section && n.Kind != graph.Prose {
		n.Qualified = n.Label
	}
	if len(words) > 4 && words[4] != "-" {
		var err error
		if n.File, n.Line, err = place(words[4]); err != nil {
			return err
		}
	}
	var err error
	for name, to := range map[string]*int{"end": &n.EndLine, "community": &n.Community} {
		if v, ok := options[name]; ok {
			if *to, err = strconv.Atoi(v); err != nil {
				return err
			}
		}
	}
	_, n.Test = options["test"]
	_, err = b.AddNode(n)
	return err
}

func addEdge(b *graph.Builder, words []string, options map[string]string) error {
	relation, ok := graph.RelationNamed(words[2])
	if !ok {
		return fmt.Errorf("unknown relation %q", words[2])
	}
	source, ok1 := b.Number(words[1])
	target, ok2 := b.Number(words[3])
	if !ok1 || !ok2 {
		return fmt.Errorf("unknown end: source %v, target %v", ok1, ok2)
	}
	e := graph.Edge{Source: source, Target: target, Relation: relation, Context: options["ctx"], Why: options["why"]}
	if _, given := options["ctx"]; !given {
		e.Context = map[graph.Relation]string{graph.Calls: graph.ContextCall, graph.Imports: graph.ContextImport}[relation]
	}
	switch options["conf"] {
	case "":
	case "inferred":
		e.Confidence = graph.Inferred
	case "ambiguous":
		e.Confidence = graph.Ambiguous
	default:
		return fmt.Errorf("unknown confidence %q", options["conf"])
	}
	if at, ok := options["at"]; ok {
		var err error
		if e.File, e.Line, err = place(at); err != nil {
			return err
		}
	}
	return b.AddEdge(e)
}

func addMaybe(b *graph.Builder, words []string, options map[string]string) error {
	source, ok := b.Number(words[1])
	if !ok {
		return fmt.Errorf("unknown source %q", words[1])
	}
	u := graph.Unresolved{Source: source, Relation: graph.Calls, Name: words[2], Receiver: options["recv"]}
	for id := range strings.SplitSeq(words[3], ",") {
		n, ok := b.Number(id)
		if !ok {
			return fmt.Errorf("unknown candidate %q", id)
		}
		u.Candidates = append(u.Candidates, n)
	}
	if at, ok := options["at"]; ok {
		var err error
		if u.File, u.Line, err = place(at); err != nil {
			return err
		}
	}
	return b.AddUnresolved(u)
}

func place(s string) (string, int, error) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, nil
	}
	line, err := strconv.Atoi(s[i+1:])
	return s[:i], line, err
}

// split cuts a line at spaces outside of double quotes, which go.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted, any := false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				words = append(words, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteRune(r)
			any = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("open quote")
	}
	if any {
		words = append(words, word.String())
	}
	return words, nil
}

// Fixture is a graph and cases about it, in one txtar archive: a file "graph",
// and one file "case NAME" each with lines "key: value". A graph "include PATH"
// is that of another archive.
type Fixture struct {
	Graph string
	Cases []Case
}

// Case has the values of each key in their order.
type Case struct {
	Name   string
	Values map[string][]string
}

// Get returns the only value of a key, or "".
func (c Case) Get(key string) string {
	if v := c.Values[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Read reads a fixture. Keys that no test knows are mistakes.
func Read(t testing.TB, path string, keys ...string) Fixture {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, k := range keys {
		known[k] = true
	}
	var f Fixture
	for _, file := range txtar.Parse(text).Files {
		if file.Name == "graph" {
			f.Graph = string(file.Data)
			if other, ok := strings.CutPrefix(strings.TrimSpace(f.Graph), "include "); ok {
				f.Graph = graphOf(t, filepath.Join(filepath.Dir(path), other))
			}
			continue
		}
		c := Case{Name: strings.TrimPrefix(file.Name, "case "), Values: map[string][]string{}}
		for _, line := range Lines(string(file.Data)) {
			key, value, ok := strings.Cut(line, ":")
			if !ok || !known[key] {
				t.Fatalf("%s, case %s: unknown line %q", path, c.Name, line)
			}
			c.Values[key] = append(c.Values[key], strings.TrimSpace(value))
		}
		f.Cases = append(f.Cases, c)
	}
	if f.Graph == "" || len(f.Cases) == 0 {
		t.Fatalf("%s has no graph or no case", path)
	}
	return f
}

func graphOf(t testing.TB, path string) string {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "graph" {
			return string(file.Data)
		}
	}
	t.Fatalf("%s has no graph", path)
	return ""
}
