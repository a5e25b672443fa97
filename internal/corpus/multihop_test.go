package corpus_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
)

// The digests were computed by an independent Python implementation of the
// same corpus: of its rows in Dump's form, and of one line per question,
// "answer, tab, vector".
func TestMultihopDigests(t *testing.T) {
	for _, c := range []struct {
		chains, dim, queries int
		rows, questions      string
	}{
		{200, 32, 16,
			"8149338823e2b95119fdba0c4c983c0c394cddf982ad76f398fa149a64dd613d",
			"c30dc0e57220bda9618c5a15d12b61a86ff1c5b8d09d9956b2e4bfff98618196"},
		{5000, 384, 64,
			"ebce769e59a0c8c4ae72949ddf00847d2ceb6c5cb2dfceeb9a62023141b90b1c",
			"ce166bfb6760e787b4c709b0160c3121eef8c9c77f8578dcc3cc9200fd98160c"},
		{10000, 384, 1000,
			"6d79d0d505bfd39a1c08cb64dc8d1b6f6f1114a3ff3c723bc45e2fddf4182f24",
			"999c4ab2e72e88e3d64d848f98cd2e4ec98b350b57dbe190581f7b2055e95758"},
	} {
		if testing.Short() && c.chains > 200 {
			continue
		}
		facts := multihop(t, corpus.MultihopOptions{Chains: c.chains, Dim: c.dim, Queries: c.queries, Seed: 42})
		if got := digest(t, facts); got != c.rows {
			t.Errorf("%d chains: rows have digest %s, want %s", c.chains, got, c.rows)
		}
		var lines strings.Builder
		for _, q := range facts.Queries {
			fmt.Fprintf(&lines, "%d\t%s\n", q.Answer, written(q.Embedding))
		}
		sum := sha256.Sum256([]byte(lines.String()))
		if got := hex.EncodeToString(sum[:]); got != c.questions {
			t.Errorf("%d chains: questions have digest %s, want %s", c.chains, got, c.questions)
		}
	}
}

func TestMultihopShape(t *testing.T) {
	const n = 50
	facts := multihop(t, corpus.MultihopOptions{Chains: n, Dim: 8, Queries: n, Seed: 7})
	if len(facts.Rows) != 2*n || facts.RowCount() != 2*n {
		t.Fatalf("%d rows of %d chains", len(facts.Rows), n)
	}
	for i := int32(1); i <= n; i++ {
		parent, home := facts.Rows[2*i-2], facts.Rows[2*i-1]
		if parent.Entity != i || parent.Relation != corpus.RelationParent || parent.Target != n+i {
			t.Errorf("chain %d: parent fact is %d -%d-> %d", i, parent.Entity, parent.Relation, parent.Target)
		}
		if home.Entity != n+i || home.Relation != corpus.RelationLivesIn || home.Target != 2*n+i {
			t.Errorf("chain %d: city fact is %d -%d-> %d", i, home.Entity, home.Relation, home.Target)
		}
	}
	asked := map[int32]bool{}
	for _, q := range facts.Queries {
		if asked[q.Answer] || q.Answer <= 2*n || q.Answer > 3*n {
			t.Errorf("answer %d is repeated or no city", q.Answer)
		}
		asked[q.Answer] = true
		if want := fmt.Sprintf("Where does the parent of Person_%d live?", q.Answer-2*n); q.Text != want {
			t.Errorf("question %q, want %q", q.Text, want)
		}
	}
	if other := multihop(t, corpus.MultihopOptions{Chains: n, Dim: 8, Seed: 8}); digest(t, other) == digest(t, facts) {
		t.Error("the seed changes nothing")
	}
}

// Fair questions are about one person out of each of as many stretches, in the
// words of the original ones, and none is a row.
func TestMultihopFairQuestions(t *testing.T) {
	o := corpus.MultihopOptions{Chains: 3001, Dim: 8, Queries: corpus.FairQueries, Seed: 42, Set: corpus.Fair}
	facts, again := multihop(t, o), multihop(t, o)
	rows := map[string]bool{}
	for _, f := range facts.Rows {
		rows[f.Payload] = true
	}
	middles := 0
	for i, q := range facts.Queries {
		person := int(q.Entity)
		if low, high := i*o.Chains/o.Queries, (i+1)*o.Chains/o.Queries; person <= low || person > high {
			t.Errorf("question %d is about person %d, want one of %d..%d", i, person, low+1, high)
		} else if person == low+2 {
			middles++
		}
		if q.Text != fmt.Sprintf("Where does the parent of Person_%d live?", person) || int(q.Answer) != 2*o.Chains+person || rows[q.Text] {
			t.Errorf("question %d is %q with answer %d", i, q.Text, q.Answer)
		}
		if q.Text != again.Queries[i].Text {
			t.Errorf("question %d is %q, then %q", i, q.Text, again.Queries[i].Text)
		}
	}
	if middles < 200 || middles > 500 {
		t.Errorf("%d of %d persons are the second of their stretch of three: the choice within is not even", middles, o.Queries)
	}
	o.Seed = 43
	if other := multihop(t, o); other.Queries[0].Text == facts.Queries[0].Text && other.Queries[1].Text == facts.Queries[1].Text && other.Queries[2].Text == facts.Queries[2].Text {
		t.Error("the seed changes nothing")
	}
}

func TestMultihopRefuses(t *testing.T) {
	for name, o := range map[string]corpus.MultihopOptions{
		"no chains":        {Chains: 0, Dim: 8},
		"ids beyond int4":  {Chains: corpus.MaxChains + 1, Dim: 8},
		"no dimension":     {Chains: 5},
		"too many queries": {Chains: 5, Dim: 8, Queries: 6},
		"negative queries": {Chains: 5, Dim: 8, Queries: -1},
		"unknown set":      {Chains: 5, Dim: 8, Set: "best"},
	} {
		if _, err := corpus.Multihop(context.Background(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func multihop(t *testing.T, o corpus.MultihopOptions) *corpus.Facts {
	t.Helper()
	facts, err := corpus.Multihop(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func digest(t *testing.T, s corpus.Source) string {
	t.Helper()
	got, err := corpus.Digest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func written(v []float32) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = fmt.Sprintf("%.6f", x)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
