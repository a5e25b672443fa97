package evidence

import (
	"slices"
	"testing"
)

func TestTermsTogether(t *testing.T) {
	said := map[int32][]impact{
		1: {{"edge", 2}, {"pool", 1}},
		2: {{"edge", 1}, {"delay", 1}},
	}
	want := []impact{{"edge", 0.5}, {"delay", 0.5 / 3}, {"pool", 0.5 / 3}}
	got := together([]int32{1, 2}, said)
	if !slices.EqualFunc(got, want, func(a, b impact) bool {
		return a.term == b.term && a.share-b.share < 1e-6 && b.share-a.share < 1e-6
	}) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := together(nil, said); len(got) != 0 {
		t.Errorf("no fragment says %v", got)
	}
}

func TestTermsKept(t *testing.T) {
	l := &loader{kept: make([][]impact, 2)}
	for i := range 3 * termsKept {
		l.keepTerms(string(rune('a'+i%26))+string(rune('a'+i/26)), []posting{{1, float32(i)}})
	}
	l.keepTerms(symbolMark+"Push", []posting{{1, 1000}})
	best := bestImpacts(l.kept[1], termsKept)
	if len(best) != termsKept || best[0].share != 3*termsKept-1 || best[termsKept-1].share != 2*termsKept {
		t.Errorf("kept %v", best)
	}
	if len(l.kept[0]) != 0 {
		t.Errorf("the other fragment has %v", l.kept[0])
	}
}

func TestCard(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Fragment
		want string
	}{
		{"method", Fragment{File: "src/build_log.cc", Symbol: "BuildLog::OpenForWrite", Names: []string{"OpenForWrite"}, Text: "int x;"},
			"build log open for write . src build log"},
		{"lines", Fragment{File: "notes.txt", Names: []string{"kMaxJobs"}}, "k max jobs . notes"},
		{"nothing", Fragment{File: "a.go"}, " . a"},
	} {
		if got := c.f.card(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSpeaksPlainly(t *testing.T) {
	for text, want := range map[string]bool{
		"Where does a job wait while its group is full?": true,
		"Does Windows hand a job to the system?":         true,
		"How does Plan::FindWork choose?":                false,
		"Who calls drain()?":                             false,
	} {
		q := parseQuestion(text, stems{})
		if got := q.speaksPlainly(); got != want {
			t.Errorf("%q speaks plainly: %t", text, got)
		}
	}
}
