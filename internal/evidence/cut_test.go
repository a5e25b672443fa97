package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func cutOne(t *testing.T, path, text string) []Fragment {
	t.Helper()
	out, err := Cut(context.Background(), []File{{Path: path, Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkCover holds fragments to what they promise: lines in order, none twice,
// none lost that says something, texts as in the file.
func checkCover(t *testing.T, text string, fragments []Fragment) {
	t.Helper()
	lines := sourceLines(text)
	shown := make([]bool, len(lines))
	for _, f := range fragments {
		if f.StartLine < 1 || f.EndLine < f.StartLine || f.EndLine > len(lines) {
			t.Fatalf("fragment %s has lines %d to %d of %d", f.Symbol, f.StartLine, f.EndLine, len(lines))
		}
		if want := strings.Join(lines[f.StartLine-1:f.EndLine], "\n"); f.Text != want {
			t.Errorf("fragment at %d is not what the file has", f.StartLine)
		}
		for i := f.StartLine - 1; i < f.EndLine; i++ {
			if shown[i] {
				t.Errorf("line %d is in two fragments", i+1)
			}
			shown[i] = true
		}
	}
	for i, l := range lines {
		if !shown[i] && strings.ContainsFunc(l, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
			t.Errorf("line %d is in no fragment: %s", i+1, l)
		}
	}
}

const cppSource = `#include "plan.h"

static const int kLimit = 4;

namespace tool {

/// Holds edges back.
struct Pool {
  int depth() const { return depth_; }
  void Delay(Edge* edge);
  int depth_;
};

// Puts an edge aside.
void Pool::Delay(Edge* edge) {
  delayed_.insert(edge);
}

}  // namespace tool
`

func TestCutByDefinitions(t *testing.T) {
	fragments := cutOne(t, "src/pool.cc", cppSource)
	checkCover(t, cppSource, fragments)
	pool := find(t, fragments, "Pool")
	if pool.Cut != CutSyntax || pool.StartLine != 7 || pool.EndLine != 12 {
		t.Errorf("Pool is %+v", pool)
	}
	for _, name := range []string{"depth", "depth_"} {
		if !slices.Contains(pool.Names, name) {
			t.Errorf("Pool defines %q, not %s", pool.Names, name)
		}
	}
	if !slices.Contains(pool.Declares, "Delay") || slices.Contains(pool.Names, "Delay") {
		t.Errorf("Pool defines %q and declares %q", pool.Names, pool.Declares)
	}
	delay := find(t, fragments, "Delay")
	if delay.StartLine != 14 || delay.Lead != 2 || !strings.HasSuffix(delay.Symbol, "Pool::Delay") {
		t.Errorf("Delay is %+v", delay)
	}
}

func find(t *testing.T, fragments []Fragment, name string) *Fragment {
	t.Helper()
	for i := range fragments {
		if f := &fragments[i]; f.Symbol != "" && f.Names[0] == name {
			return f
		}
	}
	t.Fatalf("no fragment of %s", name)
	return nil
}

func TestLongFunctionKeepsItsSignature(t *testing.T) {
	var s strings.Builder
	s.WriteString("package p\n\n// Long is long.\nfunc Long(n int) int {\n")
	for i := range 200 {
		fmt.Fprintf(&s, "\tn += %d\n", i)
		if i%10 == 9 {
			s.WriteString("\n")
		}
	}
	s.WriteString("\treturn n\n}\n")
	fragments := cutOne(t, "p.go", s.String())
	checkCover(t, s.String(), fragments)
	count := 0
	for _, f := range fragments {
		if f.Symbol == "" {
			continue
		}
		count++
		if f.EndLine-f.StartLine+1 > maxLines {
			t.Errorf("fragment at %d has %d lines", f.StartLine, f.EndLine-f.StartLine+1)
		}
		if first := f.StartLine == 3; first != (f.Head == "") || !first && !strings.Contains(f.Head, "func Long(n int) int") {
			t.Errorf("fragment at %d has head %q", f.StartLine, f.Head)
		}
	}
	if count < 5 {
		t.Errorf("%d fragments", count)
	}
}

func TestPlainTextIsCutByLines(t *testing.T) {
	var s strings.Builder
	for i := range 300 {
		fmt.Fprintf(&s, "line %d tells\n", i)
		if i%13 == 12 {
			s.WriteString("\n\n")
		}
	}
	s.WriteString(strings.Repeat("é", 3000) + "\n")
	fragments := cutOne(t, "notes.txt", s.String())
	checkCover(t, s.String(), fragments)
	for _, f := range fragments {
		if f.Cut != CutWindow || f.Symbol != "" || f.EndLine-f.StartLine+1 > maxLines || len(f.Text) > maxTextBytes+maxLineBytes+len(cutMark) {
			t.Errorf("fragment at %d: %s, %d lines, %d bytes", f.StartLine, f.Cut, f.EndLine-f.StartLine+1, len(f.Text))
		}
	}
	last := fragments[len(fragments)-1].Text
	if !strings.HasSuffix(last, cutMark) || !strings.HasPrefix(last[strings.LastIndexByte(last, '\n')+1:], "é") {
		t.Error("a long line is not cut with a mark")
	}
}

func TestFilesWithoutText(t *testing.T) {
	for name, text := range map[string]string{"empty.go": "", "blank.txt": "\n \n\t\n", "brackets.c": "}\n}\n", "no end": "x"} {
		checkCover(t, text, cutOne(t, name, text))
	}
}
