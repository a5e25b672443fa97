package evidence

import (
	"slices"
	"testing"
)

func TestPartsOfAFunctionComeUp(t *testing.T) {
	all := []candidate{
		{score: 4, Fragment: &Fragment{File: "a.go", Symbol: "a.run", Kind: "function"}},
		{score: 1, Fragment: &Fragment{File: "a.go", Symbol: "a.run", Kind: "function"}},
		{score: 1, Fragment: &Fragment{File: "b.go", Symbol: "a.run", Kind: "function"}},
		{score: 1, Fragment: &Fragment{File: "a.go", Kind: "lines"}},
	}
	w := weights{part: 0.5}
	w.shareParts(all)
	got := []float64{all[0].score, all[1].score, all[2].score, all[3].score}
	if want := []float64{4, 2.5, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("scores are %v, want %v", got, want)
	}
}

func TestNamesakesThatAreAskedForStay(t *testing.T) {
	all := []candidate{
		{score: 4, Fragment: &Fragment{Symbol: "pump.Close"}},
		{score: 2, Fragment: &Fragment{Symbol: "valve.Close"}},
		{score: 2, Fragment: &Fragment{Symbol: "door.Close"}},
	}
	q := parseQuestion("what closes the valve of a pump?", stems{})
	w := weights{again: 0.5}
	w.demoteNamesakes(&q, all)
	if all[1].score != 2 || all[2].score != 1 {
		t.Errorf("valve.Close has %g, door.Close %g, want 2 and 1", all[1].score, all[2].score)
	}
}

func TestNearestDefinition(t *testing.T) {
	all := make([]candidate, maxDefinitions+2)
	targets := make([]int, 0, len(all))
	for i := range all {
		all[i].Fragment = &Fragment{File: "far.go"}
		targets = append(targets, i)
	}
	if got := nearest(all, targets, "a.go"); got != nil {
		t.Errorf("a name of %d definitions stands for %v", len(all), got)
	}
	all[3].File = "a.go"
	if got := nearest(all, targets, "a.go"); !slices.Equal(got, []int{3}) {
		t.Errorf("a name stands for %v, want the definition of its file", got)
	}
}

func TestAcronymsAreDoubted(t *testing.T) {
	q := parseQuestion("Which SQL does fetchRows send?", stems{})
	at := slices.Index(q.symbols, "SQL")
	if at < 0 || q.sure[at] != wordSymbol {
		t.Errorf("symbols %v are sure by %v, want SQL by %g", q.symbols, q.sure, wordSymbol)
	}
	if at := slices.Index(q.symbols, "fetchRows"); at < 0 || q.sure[at] != 1 {
		t.Errorf("symbols %v are sure by %v, want fetchRows by 1", q.symbols, q.sure)
	}
}

func TestCopiesAreShownOnce(t *testing.T) {
	all := []candidate{
		{id: 1, Fragment: &Fragment{File: "a.go", Text: "x := 1"}},
		{id: 2, Fragment: &Fragment{File: "b.go", Text: "x := 1"}},
		{id: 3, Fragment: &Fragment{File: "b.go", Text: "y := 1"}},
	}
	all = distinct(all)
	if len(all) != 2 || all[0].id != 1 || all[1].id != 3 {
		t.Errorf("%d candidates are left, want the first and the third", len(all))
	}
}
