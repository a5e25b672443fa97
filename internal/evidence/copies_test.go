package evidence

import (
	"strings"
	"testing"
)

func TestCopies(t *testing.T) {
	tree := []Fragment{{
		File: "src/plan.go", StartLine: 1, EndLine: 3, Symbol: "Plan.scheduleWork", Kind: "method", Cut: CutSyntax,
		Text:  "func (p *Plan) scheduleWork(edge *Edge) {\n\tp.readyQueue.insert(edge, pending_count)\n}",
		Names: []string{"scheduleWork"}, Tokens: []int{1, 2, 3},
	}}
	const copies = 6
	all := copiesOf(t, tree, copies)
	if len(all) != copies {
		t.Fatalf("%d fragments, want %d", len(all), copies)
	}
	if all[0].Text != tree[0].Text || all[0].File != tree[0].File || len(all[0].Tokens) != 3 {
		t.Errorf("the tree itself became %+v", all[0])
	}
	original := words(tree[0].Text)
	files, texts := map[string]bool{}, map[string]bool{}
	changed, kept := 0, 0
	for _, f := range all[1:] {
		files[f.File], texts[f.Text] = true, true
		if f.Tokens != nil {
			t.Errorf("%s keeps the tokens of another text", f.File)
		}
		if got := f.Names[0]; !strings.HasSuffix(f.Symbol, "."+got) || !strings.Contains(f.Text, got+"(") {
			t.Errorf("%s names %q, its symbol is %s, its text\n%s", f.File, got, f.Symbol, f.Text)
		}
		copied := words(f.Text)
		if len(copied) != len(original) {
			t.Fatalf("%s has %d words, want %d:\n%s", f.File, len(copied), len(original), f.Text)
		}
		for i := range copied {
			if copied[i] == original[i] {
				kept++
			} else {
				changed++
			}
		}
	}
	if len(files) != copies-1 || len(texts) != copies-1 {
		t.Errorf("%d different paths and %d different texts in %d copies", len(files), len(texts), copies-1)
	}
	if changed == 0 || kept == 0 {
		t.Errorf("%d words changed and %d kept: copies must share words and have their own", changed, kept)
	}
	if again := copiesOf(t, tree, copies); again[3].Text != all[3].Text {
		t.Error("the same copy differs the second time")
	}
}

func copiesOf(t *testing.T, tree []Fragment, n int) []Fragment {
	t.Helper()
	all, err := Copies(t.Context(), tree, n)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func words(text string) []string {
	var out []string
	identifiers(text, func(_ int, word string) { out = append(out, word) })
	return out
}
