package evidence

import (
	"math"
	"slices"
	"testing"
)

// The published formula, for one term and fragment, over counts made anew.
func bm25f(fragments []Fragment, term string, at int) float64 {
	count := func(i int) (n, length [fieldEnd]float64) {
		for f, b := range fragments[i].bags() {
			n[f] = float64(b[term])
			for _, k := range b {
				length[f] += float64(k)
			}
		}
		return n, length
	}
	var mean [fieldEnd]float64
	holders := 0.0
	for i := range fragments {
		n, length := count(i)
		held := false
		for f := range mean {
			mean[f] += length[f] / float64(len(fragments))
			held = held || n[f] > 0
		}
		if held {
			holders++
		}
	}
	n, length := count(at)
	sum := 0.0
	for f := range mean {
		sum += fieldWeight[f] * n[f] / max(1-fieldB[f]+fieldB[f]*length[f]/max(mean[f], 1), 0.1)
	}
	idf := math.Log(1 + (float64(len(fragments))-holders+0.5)/(holders+0.5))
	return idf * sum / (k1 + sum)
}

func TestImpactsAreBM25F(t *testing.T) {
	fragments := append(cutOne(t, "src/pool.cc", cppSource), cutOne(t, "queue.go", goSource)...)
	x := newInverted()
	for i := range fragments {
		x.add(&fragments[i])
	}
	mean := x.means()
	for _, term := range []string{"delay", "edg", "queue", "pool", "depth"} {
		list := x.list(term, &mean)
		if len(list) == 0 {
			t.Fatalf("no fragment holds %q", term)
		}
		for i, p := range list {
			if want := bm25f(fragments, term, int(p.fragment)); math.Abs(float64(p.impact)-want) > 1e-5 {
				t.Errorf("%q in fragment %d has impact %g, want %g", term, p.fragment, p.impact, want)
			}
			if i > 0 && p.impact > list[i-1].impact {
				t.Errorf("postings of %q are out of order", term)
			}
		}
	}
}

const goSource = `package queue

// Queue holds jobs that wait for room.
type Queue struct{ jobs []Job }

// Push delays a job until there is room.
func (q *Queue) Push(j Job) { q.jobs = append(q.jobs, j) }

// Drain starts the jobs that fit.
func (q *Queue) Drain(room int) {
	for room > 0 && len(q.jobs) > 0 {
		start(q.jobs[0])
		q.jobs = q.jobs[1:]
		room--
	}
}

func start(j Job) { j.run() }
`

func edgesOf(t *testing.T, fragments []Fragment) ([]edge, []float32) {
	t.Helper()
	edges, rarity, err := references(t.Context(), fragments)
	if err != nil {
		t.Fatal(err)
	}
	return edges, rarity
}

func TestReferences(t *testing.T) {
	fragments := cutOne(t, "queue.go", goSource)
	edges, rarity := edgesOf(t, fragments)
	if len(rarity) != len(fragments) {
		t.Fatalf("%d rarities of %d fragments", len(rarity), len(fragments))
	}
	has := func(from, to string, rel relation) bool {
		return slices.ContainsFunc(edges, func(e edge) bool {
			return e.rel == rel && lastName(fragments[e.from].Symbol) == from && lastName(fragments[e.to].Symbol) == to
		})
	}
	for _, want := range []struct {
		from, to string
		rel      relation
	}{{"Drain", "start", relCalls}, {"start", "Drain", relCalledBy}, {"Drain", "Queue", relPartOf}, {"Queue", "Push", relParts}} {
		if !has(want.from, want.to, want.rel) {
			t.Errorf("no edge %s -> %s of relation %d", want.from, want.to, want.rel)
		}
	}
	if has("start", "start", relCalls) {
		t.Error("a fragment refers to itself")
	}
}

func TestNamesakesAreToldApart(t *testing.T) {
	reader := "package reader\n\ntype Reader struct{}\n\nfunc (r *Reader) Stop() {}\n"
	timer := "package timer\n\ntype Timer struct{}\n\nfunc (t *Timer) Stop() {}\n"
	user := "package user\n\nfunc halt(c *Conn) { c.reader.Stop() }\n"
	var fragments []Fragment
	for name, text := range map[string]string{"reader/a.go": reader, "timer/b.go": timer, "user/c.go": user} {
		fragments = append(fragments, cutOne(t, name, text)...)
	}
	edges, _ := edgesOf(t, fragments)
	for _, e := range edges {
		if e.rel != relCalls || lastName(fragments[e.from].Symbol) != "halt" {
			continue
		}
		if fragments[e.to].File != "reader/a.go" {
			t.Errorf("halt calls Stop of %s", fragments[e.to].File)
		}
	}
}

func TestNDCG(t *testing.T) {
	spans := []Span{{"a.go", "Queue.Push", 3}, {"a.go", "Queue.Drain", 1}}
	push := Passage{File: "a.go", Symbol: "queue.Queue.Push", Cut: CutSyntax}
	drain := Passage{File: "a.go", Symbol: "queue.Queue.Drain", Cut: CutSyntax}
	other := Passage{File: "b.go", Symbol: "queue.Queue.Push", Cut: CutSyntax}
	window := Passage{File: "a.go", Cut: CutWindow, Lines: []Line{{1, "q.Push(j)"}}}
	ideal := 7 + 1/math.Log2(3)
	for name, c := range map[string]struct {
		passages []Passage
		want     float64
	}{
		"ideal":        {[]Passage{push, drain}, 1},
		"turned":       {[]Passage{drain, push}, (1 + 7/math.Log2(3)) / ideal},
		"one late":     {[]Passage{other, push}, 7 / math.Log2(3) / ideal},
		"seen twice":   {[]Passage{push, push}, 7 / ideal},
		"by its lines": {[]Passage{window}, 7 / ideal},
		"nothing":      {nil, 0},
	} {
		if got := NDCG(c.passages, spans, 10); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	if NDCG([]Passage{push}, nil, 10) != 0 {
		t.Error("gain without spans")
	}
}
