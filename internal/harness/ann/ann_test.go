package ann

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"sortedheap/internal/harness/result"
)

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	bad := Params{
		Engines: []string{"exact", "warp"}, Metric: "cos", Element: "byte", TopK: 0, M: 1, EfSearch: []int{64, 10, 2000},
		Refine: "all", ScanMode: "walk", BuildWorkers: -1, Clients: []int{0}, Selectivities: []float64{0.04, math.NaN(), 101},
		Passes: -1, Cases: regexp.MustCompile("nothing"),
	}
	err := bad.Validate()
	for _, want := range []string{"unknown engine \"warp\"", "one with an index is needed", "metric is", "element is", "top-k", "m is 1",
		"ef-construction", "ef-search is 2000", "ascending", "refine is", "scan-mode is", "build-workers", "clients is 0",
		"selectivity is 0.04", "selectivity is NaN", "selectivity is 101", "client-seconds", "client-rounds", "runs is -1", "no case matches"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not mention %s", err, want)
		}
	}
}

// The statements that both extensions get differ in names alone.
func TestStatements(t *testing.T) {
	p := Default()
	p.M, p.EfConstruction, p.Refine = 24, 100, "f16"
	for _, c := range []struct{ element, name, plain, filtered, search string }{
		{"float", "pgvector",
			"CREATE INDEX ann_pgvector_ann ON ann_pgvector USING hnsw (embedding vector_cosine_ops) WITH (m = 24, ef_construction = 100)",
			"CREATE INDEX ann_pgvector_ann ON ann_pgvector USING hnsw (embedding vector_cosine_ops) WITH (m = 24, ef_construction = 100)",
			"SELECT id FROM ann_pgvector WHERE bucket < 100 ORDER BY embedding <=> $1 LIMIT 10"},
		{"half", "sorted_heap",
			"CREATE INDEX ann_sorted_heap_ann ON ann_sorted_heap USING sorted_hnsw (embedding hsvec_cosine_ops) WITH (m = 24, ef_construction = 100, refine = f16)",
			"CREATE INDEX ann_sorted_heap_ann ON ann_sorted_heap USING sorted_hnsw (embedding hsvec_cosine_ops, bucket) WITH (m = 24, ef_construction = 100, refine = f16)",
			"SELECT id FROM ann_sorted_heap WHERE bucket < 100 ORDER BY embedding <=> $1 LIMIT 10"},
	} {
		for _, sys := range systems() {
			if sys.name != c.name {
				continue
			}
			s := &store{system: sys, vector: sys.types[c.element]}
			for _, got := range [][2]string{{s.createIndex(p, false), c.plain}, {s.createIndex(p, true), c.filtered}, {s.searchSQL(p, 10), c.search}} {
				if got[0] != got[1] {
					t.Errorf("%s: got\n%s\nwant\n%s", c.name, got[0], got[1])
				}
			}
			if plain := s.searchSQL(p, 100); strings.Contains(plain, "WHERE") {
				t.Errorf("a search without filter is %s", plain)
			}
		}
	}
}

func TestBucketLimit(t *testing.T) {
	for selectivity, want := range map[float64]int{50: 500, 10: 100, 1: 10, 0.1: 1, 0.3: 3, 99.9: 999} {
		if got := bucketLimit(selectivity); got != want {
			t.Errorf("%g %% is bucket < %d, want %d", selectivity, got, want)
		}
	}
}

func latency(p50 float64) *result.Latency {
	return &result.Latency{P50: p50, P95: 2 * p50, P99: 3 * p50, Mean: p50}
}

func TestAtRecall(t *testing.T) {
	curve := []point{
		{ef: 10, recall: 0.80, client: latency(2), server: latency(1)},
		{ef: 20, recall: 0.90, client: latency(3), server: latency(2)},
		{ef: 40, recall: 0.98, client: latency(7), server: latency(6)},
		{ef: 80, recall: 0.97, client: latency(9), server: latency(8)}, // recall may fall a little
	}
	m, ok := atRecall(curve, 0.94)
	if !ok || m.atFirst() || !near(m.ef(), 30) || !near(m.recall(), 0.94) || !near(m.median(), 4) {
		t.Errorf("0.94: ef %g, recall %g, median %g", m.ef(), m.recall(), m.median())
	}
	if l := m.latency(clientOf); !near(l.P50, 5) || !near(l.P95, 10) || !near(l.P99, 15) || l.P50Lo != nil {
		t.Errorf("0.94: client %+v", l)
	}
	if m, ok := atRecall(curve, 0.90); !ok || !near(m.ef(), 20) || !near(m.median(), 2) {
		t.Errorf("a recall of the curve itself: ef %g", m.ef())
	}
	if m, ok := atRecall(curve, 0.5); !ok || !m.atFirst() || m.ef() != 10 || m.recall() != 0.80 || m.median() != 1 {
		t.Errorf("below the curve: %+v", m)
	}
	if _, ok := atRecall(curve, 0.99); ok {
		t.Error("0.99 is never reached")
	}
	if _, ok := atRecall(nil, 0.5); ok {
		t.Error("a curve without points has a recall")
	}
	for i := range curve {
		curve[i].server = nil
	}
	if m, _ := atRecall(curve, 0.94); m.latency(serverOf) != nil || !near(m.median(), 5) {
		t.Errorf("without a server clock: median %g", m.median())
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestFirstWith(t *testing.T) {
	grades := []*grade{{recall: 0.5}, {recall: 0.95}, {recall: 0.99}}
	for recall, want := range map[float64]int{0.4: 0, 0.95: 1, 0.96: 2, 1: 2} {
		if got := firstWith(grades, recall); got != want {
			t.Errorf("recall %g: grade %d, want %d", recall, got, want)
		}
	}
}

// The figures are of one corpus and one way to build; others have none.
func TestReference(t *testing.T) {
	r, err := hnswlib()
	if err != nil {
		t.Fatal(err)
	}
	p := Default()
	if recall, ok := r.of(r.Corpora[0].Digest, p, "sentence", 96); !ok || recall != 0.9572 {
		t.Errorf("m 16, ef 96: %g, %t", recall, ok)
	}
	for name, change := range map[string]func(*Params, *string, *int){
		"corpus":          func(_ *Params, digest *string, _ *int) { *digest = "another" },
		"m":               func(p *Params, _ *string, _ *int) { p.M = 20 },
		"ef":              func(_ *Params, _ *string, ef *int) { *ef = 97 },
		"ef_construction": func(p *Params, _ *string, _ *int) { p.EfConstruction = 100 },
		"metric":          func(p *Params, _ *string, _ *int) { p.Metric = "l2" },
		"top-k":           func(p *Params, _ *string, _ *int) { p.TopK = 100 },
	} {
		p, digest, ef := Default(), r.Corpora[0].Digest, 96
		change(&p, &digest, &ef)
		if _, ok := r.of(digest, p, "sentence", ef); ok {
			t.Errorf("another %s has a figure", name)
		}
	}
}
