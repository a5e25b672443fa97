package ui

import (
	"strings"
	"testing"
	"time"
)

func TestLines(t *testing.T) {
	var out strings.Builder
	at := time.Unix(0, 0)
	l := &Lines{w: &out, now: func() time.Time { return at }}
	l.Step("quick", 4)
	l.Done(2)
	l.Step("slow", 8)
	at = at.Add(time.Minute)
	for i := range 9 {
		l.Done(i)
	}
	l.Step("endless", 0)
	l.Done(3)
	l.Note("%d of %d", 1, 2)
	l.Close()
	want := "quick ...\nslow ...\nslow: 25 %\nslow: 50 %\nslow: 75 %\nendless ...\n1 of 2\n"
	if out.String() != want {
		t.Errorf("lines are\n%s\nwant\n%s", out.String(), want)
	}
}

func TestBarsEnd(t *testing.T) {
	var out strings.Builder
	b := newBars(&out)
	b.Step("work", 10)
	b.Done(10)
	b.Note("a note")
	b.Close() // returns only when the drawing has ended
	b.Close()
	if !strings.Contains(out.String(), "work") || !strings.Contains(out.String(), "a note") {
		t.Errorf("bars drew %q", out.String())
	}
}

func TestNotATerminal(t *testing.T) {
	if IsTerminal(&strings.Builder{}) {
		t.Error("a builder is taken for a terminal")
	}
	if _, ok := New(&strings.Builder{}).(*Lines); !ok {
		t.Error("no lines for a plain writer")
	}
}
