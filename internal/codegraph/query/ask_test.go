package query_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query"
	"sortedheap/internal/codegraph/query/querytest"
	"sortedheap/internal/codegraph/render"
)

func TestAsk(t *testing.T) {
	files, err := filepath.Glob("testdata/ask/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("fixtures %v, %v", files, err)
	}
	for _, path := range files {
		f := querytest.Read(t, path, "ask", "context", "budget", "reading", "rows", "has", "lacks", "order", "tokens")
		g := querytest.Graph(t, f.Graph)
		c, err := query.Open(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range f.Cases {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+test.Name, func(t *testing.T) { check(t, c, test) })
		}
	}
}

func check(t *testing.T, c *query.Catalog, test querytest.Case) {
	var o query.Options
	if v := test.Get("context"); v != "" {
		o.Contexts = strings.Split(v, ",")
	}
	a, err := c.Ask(t.Context(), test.Get("ask"), o)
	if err != nil {
		t.Fatal(err)
	}
	text := render.Answer(a, number(t, test.Get("budget"), render.DefaultBudget), "").Body
	defer func() {
		if t.Failed() {
			t.Logf("answer:\n%s", text[:min(len(text), 4000)])
		}
	}()
	if want := test.Get("reading"); want != "" && !strings.Contains(text, "reading: "+want) {
		t.Errorf("want the reading %q", want)
	}
	if want := test.Get("rows"); want != "" {
		var got []string
		for _, r := range a.Rows {
			got = append(got, c.Node(r.Node).ID)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("rows %s, want %s", strings.Join(got, " "), want)
		}
	}
	if max := number(t, test.Get("tokens"), 0); max > 0 && render.Tokens(text) > max {
		t.Errorf("%d tokens, want at most %d", render.Tokens(text), max)
	}
	for _, want := range test.Values["has"] {
		if !strings.Contains(text, want) {
			t.Errorf("answer lacks %q", want)
		}
	}
	for _, bad := range test.Values["lacks"] {
		if strings.Contains(text, bad) {
			t.Errorf("answer has %q", bad)
		}
	}
	for _, want := range test.Values["order"] {
		rest := text
		for part := range strings.SplitSeq(want, " | ") {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Errorf("%q is not there, or too early", part)
				return
			}
			rest = rest[at:]
		}
	}
}

func number(t *testing.T, text string, otherwise int) int {
	t.Helper()
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
