package evidence

import (
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	for identifier, want := range map[string]string{
		"ShouldDelayEdge": "Should Delay Edge", "HTTPServer_v2": "HTTP Server v 2", "want_": "want", "__init__": "init",
		"sha256Sum": "sha 256 Sum", "ID": "ID", "x": "x", "ÜberGröße": "Über Größe", "_": "", "parseURLs": "parse UR Ls",
	} {
		if got := strings.Join(parts(identifier), " "); got != want {
			t.Errorf("parts of %q are %q, want %q", identifier, got, want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	var got []string
	text := "plan_.FindWork(é9, \"a-b\")"
	identifiers(text, func(at int, word string) {
		got = append(got, word)
		if text[at:at+len(word)] != word {
			t.Errorf("%q is not at %d", word, at)
		}
	})
	if want := []string{"plan_", "FindWork", "é9", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIsCompound(t *testing.T) {
	for word, want := range map[string]bool{
		"findWork": true, "FindWork": true, "find_work": true, "want_": true, "MAX": true, "sha256": true,
		"find": false, "Find": false, "work": false, "2024": false, "A": false, "_": false,
	} {
		if isCompound(word) != want {
			t.Errorf("%q: compound is %v", word, !want)
		}
	}
}

func TestStemsMeet(t *testing.T) {
	for _, words := range [][]string{{"schedule", "Scheduled", "scheduling"}, {"cancel", "cancelled", "cancels"}, {"edge", "edges"}} {
		for _, w := range words[1:] {
			if stemmed(w) != stemmed(words[0]) {
				t.Errorf("%q and %q have terms %q and %q", words[0], w, stemmed(words[0]), stemmed(w))
			}
		}
	}
	long := strings.Repeat("é", 100)
	if got := stemmed(long); len(got) > maxTermBytes || !strings.HasPrefix(long, got) {
		t.Errorf("term of %d bytes has %d", len(long), len(got))
	}
}

func TestQuestion(t *testing.T) {
	q := parseQuestion("How does Plan::FindWork use want_, and what calls run() in Pool?", stems{})
	got := map[string]float32{}
	for i, s := range q.symbols {
		got[s] = q.sure[i]
	}
	want := map[string]float32{"Plan.FindWork": 1, "Plan": qualifierSymbol, "FindWork": unqualified, "want_": 1, "run": 1, "Pool": wordSymbol}
	if len(got) != len(want) {
		t.Errorf("symbols %v", got)
	}
	for s, weight := range want {
		if got[s] != weight {
			t.Errorf("symbol %q weighs %g, want %g", s, got[s], weight)
		}
	}
	for term, weight := range map[string]float32{"findwork": 1, "find": partWeight, "work": partWeight, "pool": 1} {
		if i := slices.Index(q.terms, term); term != "work" && (i < 0 || q.weights[i] != weight) {
			t.Errorf("terms %q %v: %q is not there with %g", q.terms, q.weights, term, weight)
		}
	}
	if slices.Contains(q.terms, "how") || slices.Contains(q.terms, "does") {
		t.Errorf("terms %q have stop words", q.terms)
	}
	if q.aboutTests || !parseQuestion("Which tests cover it?", stems{}).aboutTests {
		t.Error("questions about tests are not told from others")
	}
}
