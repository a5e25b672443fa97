package compat_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query/compat"
	"sortedheap/internal/codegraph/query/terms"
)

func newGraph(t testing.TB, edges []compat.Edge, nodes ...compat.Node) *compat.Graph {
	t.Helper()
	g, err := compat.New(nodes, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func chain(t testing.TB) *compat.Graph {
	var nodes []compat.Node
	for i, name := range []string{"extract", "cluster", "build", "report"} {
		nodes = append(nodes, compat.Node{ID: fmt.Sprintf("n%d", i+1), Label: name, File: name + ".py"})
	}
	return newGraph(t, []compat.Edge{{Source: 0, Target: 1}, {Source: 1, Target: 2}, {Source: 2, Target: 3}},
		append(nodes, compat.Node{ID: "n5", Label: "isolated", File: "other.py"})...)
}

func driver(t testing.TB) *compat.Graph {
	return newGraph(t, nil,
		compat.Node{ID: "a", Label: "UOCE: Dehumidifier Driver", File: "u.yaml"},
		compat.Node{ID: "b", Label: "UOCE: Dehumidifier Driver State Machine", File: "u.yaml"},
		compat.Node{ID: "c", Label: "Dehumidifier Driver Helper", File: "u.yaml"})
}

func clients(t testing.TB) *compat.Graph {
	var nodes []compat.Node
	for i, name := range []string{"Index", "Form", "Show"} {
		file := "lib/clients_live/" + strings.ToLower(name) + ".ex"
		nodes = append(nodes, compat.Node{ID: "live" + name, Label: "ClientLive." + name, File: file},
			compat.Node{ID: fmt.Sprintf("list%d", i), Label: "list()", File: fmt.Sprintf("lib/clients_live/part%d.ex", i)})
	}
	for i := range 24 {
		nodes = append(nodes, compat.Node{ID: fmt.Sprintf("shop%d", i), Label: fmt.Sprintf("shopping list %d", i), File: "lib/shop.ex"})
	}
	return newGraph(t, nil, nodes...)
}

func services(t testing.TB) *compat.Graph {
	nodes := []compat.Node{{ID: "fbs", Label: "FooBarService"}, {ID: "sc", Label: "ServiceClient"}}
	for i := range 20 {
		nodes = append(nodes, compat.Node{ID: fmt.Sprintf("e%d", i), Label: fmt.Sprintf("error_handler_%d", i)})
	}
	return newGraph(t, nil, nodes...)
}

// The figures were computed apart from this code.
func TestGoldenScores(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph *compat.Graph
		query []string
		want  map[string]float64
	}{
		{"one name", chain(t), []string{"extract"}, map[string]float64{"n1": 13781.02}},
		{"a word that matches nothing", chain(t), []string{"calls", "extract"}, map[string]float64{"n1": 313.82}},
		{"the whole label", driver(t), []string{"uoce", "dehumidifier", "driver"}, map[string]float64{"a": 7001.91, "b": 763.58, "c": 25.43}},
		{"paths do not count as coverage", clients(t), []string{"clientlive", "index", "clients", "list", "columns"},
			map[string]float64{"liveIndex": 40.12, "list0": 30.85, "liveForm": 10.28, "liveShow": 10.28}},
		{"rare before common", services(t), []string{"foobarservice", "error", "handling"}, map[string]float64{"fbs": 276.10, "e0": 7.96}},
	} {
		got := map[string]float64{}
		for _, r := range c.graph.Score(c.query, false).Ranked {
			got[c.graph.Nodes[r.Node].ID] = r.Score
		}
		for id, want := range c.want {
			if math.Abs(got[id]-want) > 0.006 {
				t.Errorf("%s: %s scores %.3f, want %.2f", c.name, id, got[id], want)
			}
		}
	}
	w := math.Log(1 + 5.0/2)
	if got := chain(t).Score([]string{"extract"}, false).Ranked[0].Score; got != (10*1000+1000+0.5)*w {
		t.Errorf("one exact word scores %v, want %v", got, (10*1000+1000+0.5)*w)
	}
}

// The weights of a published run over 48,529 nodes follow from document
// frequencies of 6 and 150.
func TestPublishedScores(t *testing.T) {
	const n = 48529
	nodes := make([]compat.Node, n)
	for i := range nodes {
		label := fmt.Sprintf("x%d", i)
		switch {
		case i == 0:
			label = "ChargeCustomerService"
		case i < 6:
			label = fmt.Sprintf("x%dChargeCustomerService", i)
		case i < 6+150:
			label = fmt.Sprintf("x%dcalls", i)
		}
		nodes[i] = compat.Node{ID: fmt.Sprint("id", i), Label: label}
	}
	nodes[0].File = "app/ChargeCustomerService.php"
	g := newGraph(t, nil, nodes...)
	if got := g.Score([]string{"chargecustomerservice"}, false).Ranked[0].Score; math.Abs(got-97290) > 1 {
		t.Errorf("alone it scores %.1f, want 97290", got)
	}
	if got := 0.2 * g.Score([]string{"calls", "chargecustomerservice"}, false).Ranked[0].Score; math.Abs(got-443.1) > 0.05 {
		t.Errorf("the gap's floor is %.2f, want 443.1", got)
	}
}

func TestRankingAndWinners(t *testing.T) {
	ranking := func(g *compat.Graph, s compat.Scores) string {
		var ids []string
		for _, r := range s.Ranked {
			ids = append(ids, g.Nodes[r.Node].ID)
		}
		return strings.Join(ids, " ")
	}
	g := chain(t)
	if got := g.Score(nil, true); len(got.Ranked) != 0 {
		t.Errorf("no word ranks %v", got.Ranked)
	}
	if got := g.Score([]string{"zebra"}, true); len(got.Ranked) != 0 || len(got.Best) != 0 {
		t.Errorf("a word of nowhere ranks %v, best %v", got.Ranked, got.Best)
	}
	if got := g.Score([]string{"calls", "extract"}, true); len(got.Best) != 1 || got.Best["extract"] != 0 {
		t.Errorf("best %v, want n1 for extract alone", got.Best)
	}
	if got := g.Score([]string{"extract"}, false); got.Best != nil {
		t.Errorf("best %v though nobody asked", got.Best)
	}
	if got := ranking(g, g.Score(terms.Question("extract?", nil), false)); !strings.HasPrefix(got, "n1") {
		t.Errorf("extract? ranks %s", got)
	}
	if a, b := g.Score([]string{"bar", "extract"}, true), g.Score([]string{"bar", "bar", "extract"}, true); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("a word twice changes %v to %v", a, b)
	}
	// A path alone counts half a weight.
	if got := g.Score([]string{"other"}, true); len(got.Ranked) != 1 || math.Abs(got.Ranked[0].Score-0.5*math.Log(6)) > 1e-9 {
		t.Errorf("a path scores %v", got.Ranked)
	}
	same := newGraph(t, nil, compat.Node{ID: "c", Label: "Run"}, compat.Node{ID: "a", Label: "run"}, compat.Node{ID: "b", Label: "RUN"})
	s := same.Score([]string{"run"}, false)
	if ranking(same, s) != "a b c" || s.Ranked[0].Score != s.Ranked[2].Score {
		t.Errorf("three of one label rank %v", s.Ranked)
	}
	// The method's dot costs it the prefix; alone, its tokens give it back.
	dotted := newGraph(t, nil, compat.Node{ID: "m", Label: ".callStoreWithAmount()"}, compat.Node{ID: "s", Label: "Service"})
	s = dotted.Score([]string{"calls", "service"}, true)
	if ranking(dotted, s) != "s m" || s.Best["calls"] != 0 {
		t.Errorf("ranked %s, best %v", ranking(dotted, s), s.Best)
	}
	if w := math.Log(1 + 2.0/2); math.Abs(s.Ranked[1].Score-w) > 1e-9 {
		t.Errorf("the method scores %v, want %v", s.Ranked[1].Score, w)
	}
}

func TestFrequenciesBelongToOneGraph(t *testing.T) {
	first, second := chain(t), chain(t)
	first.Score([]string{"extract"}, true)
	if first.CachedTerms() != 1 || second.CachedTerms() != 0 {
		t.Errorf("caches hold %d and %d terms, want 1 and 0", first.CachedTerms(), second.CachedTerms())
	}
}

func TestTieOfWinners(t *testing.T) {
	// Degree, then shorter label, then id; parallel edges count.
	g := newGraph(t, []compat.Edge{{Source: 1, Target: 4}, {Source: 1, Target: 4}, {Source: 2, Target: 4}},
		compat.Node{ID: "a", Label: "run"}, compat.Node{ID: "b", Label: "run"}, compat.Node{ID: "c", Label: "run"},
		compat.Node{ID: "d", Label: "run"}, compat.Node{ID: "e", Label: "other"})
	if got := g.Score([]string{"run"}, true).Best["run"]; got != 1 {
		t.Errorf("node %d wins, want the one of most edges", got)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := compat.New([]compat.Node{{ID: "a"}, {ID: "a"}}, nil); err == nil {
		t.Error("an id twice is taken")
	}
	if _, err := compat.New([]compat.Node{{ID: "a"}}, []compat.Edge{{Source: 0, Target: 1}}); err == nil {
		t.Error("an edge to nowhere is taken")
	}
}
