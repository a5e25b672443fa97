package corpus_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
)

func synthetic(t *testing.T, o corpus.SyntheticOptions) *corpus.Facts {
	t.Helper()
	facts, err := corpus.Synthetic(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// The digests were computed by a few lines of Python from the same formulas.
func TestSyntheticDigests(t *testing.T) {
	for _, c := range []struct {
		o    corpus.SyntheticOptions
		want string
	}{
		{corpus.SyntheticOptions{Entities: 300, Degree: 4, Relations: 4, Dim: 32},
			"beb79a057b2ea70d21ca386bdff3fa757234849abe345494a16c3bd07724c912"},
		{corpus.SyntheticOptions{Entities: 200, Degree: 16, Relations: 4, Dim: 16, PayloadBytes: 100},
			"c519552570e9ebd09609086bd557416728277e7721eddfe200ef6c6bc09384eb"},
	} {
		if got := digest(t, synthetic(t, c.o)); got != c.want {
			t.Errorf("%+v: digest %s, want %s", c.o, got, c.want)
		}
	}
}

func TestSyntheticKeysAndQueries(t *testing.T) {
	facts := synthetic(t, corpus.SyntheticOptions{Entities: 50, Degree: 6, Relations: 4, Dim: 4, Queries: 8})
	type key struct {
		entity   int32
		relation int16
		target   int32
	}
	seen := map[key]bool{}
	for _, f := range facts.Rows {
		k := key{f.Entity, f.Relation, f.Target}
		if seen[k] || f.Target < 1 || f.Target > 50 || f.Relation < 1 || f.Relation > 4 {
			t.Errorf("fact %v is repeated or out of range", k)
		}
		seen[k] = true
	}
	// Facts 0..5 of an entity have the relations 1, 2, 3, 4, 1, 2; in key
	// order 1, 1, 2, 2, 3, 4. The eighth query is the second of entity 2.
	var relations []int16
	for _, q := range facts.Queries {
		relations = append(relations, q.Hop1)
	}
	if want := []int16{1, 1, 2, 2, 3, 4, 1, 1}; !slices.Equal(relations, want) {
		t.Errorf("queries follow %v, want %v", relations, want)
	}
	if q := facts.Queries[7]; !strings.HasPrefix(q.Text, "fact:2:1:") || q.Hop2 != 0 || q.Answer != 0 {
		t.Errorf("eighth query %q", q.Text)
	}
}

// Fair queries are spread over the entities, and their seeds are distinct, begin
// with the query's entity and come out the same every time.
func TestSyntheticFairQueries(t *testing.T) {
	o := corpus.SyntheticOptions{Entities: 100, Degree: 4, Relations: 4, Dim: 4, Queries: 10, Set: corpus.Fair, Seeds: 7}
	first, again := synthetic(t, o), synthetic(t, o)
	for i, q := range first.Queries {
		if low, high := int32(10*i+1), int32(10*i+10); q.Entity < low || q.Entity > high {
			t.Errorf("query %d is about entity %d, want one of %d..%d", i, q.Entity, low, high)
		}
		if len(q.Seeds) != 7 || q.Seeds[0] != q.Entity {
			t.Errorf("query %d about %d has seeds %v", i, q.Entity, q.Seeds)
		}
		sorted := slices.Sorted(slices.Values(q.Seeds))
		if len(slices.Compact(sorted)) != 7 || sorted[0] < 1 || sorted[6] > 100 {
			t.Errorf("query %d: seeds %v are not 7 entities", i, q.Seeds)
		}
		if !slices.Equal(q.Seeds, again.Queries[i].Seeds) {
			t.Errorf("query %d: seeds %v, then %v", i, q.Seeds, again.Queries[i].Seeds)
		}
	}
	o.Seeds = 100
	if all := synthetic(t, o).Queries[3].Seeds; len(all) != 100 {
		t.Errorf("%d seeds of all 100 entities", len(all))
	}
	o.Seeds = 101
	o.Set = "odd"
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "seeds 101") || !strings.Contains(err.Error(), "odd") {
		t.Errorf("101 seeds of 100 entities, an odd set: %v", err)
	}
}

// Fair queries are beside the rows and use every relation alike.
func TestSyntheticFairQueriesAreNoRows(t *testing.T) {
	facts := synthetic(t, corpus.SyntheticOptions{Entities: 1000, Degree: 16, Relations: 4, Dim: 8, Queries: corpus.FairQueries, Set: corpus.Fair, Seed: 42})
	rows := map[[8]float32]bool{}
	for _, f := range facts.Rows {
		rows[[8]float32(f.Embedding)] = true
	}
	relations := map[int16]int{}
	for i, q := range facts.Queries {
		if rows[[8]float32(q.Embedding)] {
			t.Errorf("query %d is a row", i)
		}
		relations[q.Hop1]++
	}
	for relation := int16(1); relation <= 4; relation++ {
		if relations[relation] < 200 || relations[relation] > 300 {
			t.Errorf("%d of %d queries follow relation %d", relations[relation], len(facts.Queries), relation)
		}
	}
}

func TestSyntheticPayload(t *testing.T) {
	o := corpus.SyntheticOptions{Entities: 1, Degree: 1, Relations: 1, Dim: 1}
	for _, c := range []struct {
		size int
		want string
	}{{0, "fact:1:1:1"}, {10, "fact:1:1:1"}, {11, "fact:1:1:1|"}} {
		o.PayloadBytes = c.size
		if got := synthetic(t, o).Rows[0].Payload; got != c.want {
			t.Errorf("%d bytes: got %q, want %q", c.size, got, c.want)
		}
	}
	o.PayloadBytes = 1024
	long := synthetic(t, o).Rows[0].Payload
	if len(long) != 1024 || long[11:75] != long[75:139] || long[11:12] == long[12:13] && long[12:13] == long[13:14] {
		t.Errorf("1024 bytes: %d bytes, %q", len(long), long[:160])
	}
}

func TestSyntheticRefuses(t *testing.T) {
	for name, change := range map[string]func(*corpus.SyntheticOptions){
		"no entities":         func(o *corpus.SyntheticOptions) { o.Entities = 0 },
		"no facts":            func(o *corpus.SyntheticOptions) { o.Degree = 0 },
		"too many relations":  func(o *corpus.SyntheticOptions) { o.Relations = 32768 },
		"too many rows":       func(o *corpus.SyntheticOptions) { o.Entities, o.Degree = 1<<30, 4 },
		"negative payload":    func(o *corpus.SyntheticOptions) { o.PayloadBytes = -1 },
		"repeated keys":       func(o *corpus.SyntheticOptions) { o.Entities = 811 },
		"more facts than ids": func(o *corpus.SyntheticOptions) { o.Entities, o.Degree, o.Relations = 3, 8, 2 },
	} {
		o := corpus.DefaultSynthetic()
		change(&o)
		if _, err := corpus.Synthetic(context.Background(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
