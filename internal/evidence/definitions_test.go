package evidence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// An index of the definitions of one name finds what a look at each of them finds.
func TestDefinitionsByKey(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	fragments := make([]Fragment, 400)
	n := &named{}
	for i := range fragments {
		fragments[i] = Fragment{
			File:   pick("a/pump.go", "b/Pump_valve.go", "pump/c.go", "d.go"),
			Symbol: pick("Pump.Close", "valve.Valve.Close", "Close", ""),
		}
		if random.IntN(3) == 0 {
			fragments[i].Implements = []string{pick("Closer", "Pump") + ".Close"}
		}
		if random.IntN(2) == 0 {
			n.at = append(n.at, int32(i))
		}
	}
	for kind := range keyEnd {
		found := 0
		for _, key := range []string{"a/pump.go", "d.go", "Pump.Close", "", "pump", "valve", "closer", "pumpvalve", "none"} {
			want := among(fragments, n.at, kind, key)
			if got := n.with(fragments, kind, key); !slices.Equal(got, want) {
				t.Errorf("kind %d, key %q: %v, want %v", kind, key, got, want)
			}
			found += len(want)
		}
		if found == 0 {
			t.Errorf("no fragment has a key of kind %d", kind)
		}
	}
	if (*named)(nil).with(fragments, keyFile, "d.go") != nil {
		t.Error("a name that nothing defines has definitions")
	}
}

// What a name stands for does not depend on how many copies of the tree there are
// that call it otherwise.
func TestManyDefinitions(t *testing.T) {
	var fragments []Fragment
	for i := range 3 * maxDefinitions {
		file := fmt.Sprintf("part%d/tank.go", i)
		fragments = append(fragments, cutOne(t, file, fmt.Sprintf("package part%d\n\ntype Tank struct{}\n\nfunc (t *Tank) Fill() {}\n\nfunc use(t *Tank) { t.Fill() }\n", i))...)
	}
	defined := define(fragments)
	for i := range fragments {
		if lastName(fragments[i].Symbol) != "use" {
			continue
		}
		got := defined.meant(fragments, int32(i), "Fill", "t")
		if len(got) != 1 || fragments[got[0]].File != fragments[i].File {
			t.Errorf("Fill in %s is of %d fragments", fragments[i].File, len(got))
		}
		if got := defined.meant(fragments, int32(i), "Fill", "part3"); len(got) != 1 || fragments[got[0]].File != "part3/tank.go" {
			t.Errorf("part3.Fill in %s stands for %v", fragments[i].File, got)
		}
		if got := defined.meant(fragments, int32(i), "Fill", "tank"); len(got) != maxDefinitions {
			t.Errorf("tank.Fill in %s stands for %d fragments, want the first %d", fragments[i].File, len(got), maxDefinitions)
		}
	}
}

// oneEach counts a token for each word.
type oneEach struct{}

func (oneEach) Count(text string) (int, error) { return len(strings.Fields(text)), nil }

// A build that is broken off ends in each of its loops.
func TestLoopsHearTheContext(t *testing.T) {
	fragments := cutOne(t, "queue.go", goSource)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Copies(ctx, fragments, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("copies: %v", err)
	}
	if _, _, err := references(ctx, fragments); !errors.Is(err, context.Canceled) {
		t.Errorf("references: %v", err)
	}
	if err := countLines(ctx, fragments, oneEach{}); !errors.Is(err, context.Canceled) {
		t.Errorf("tokens: %v", err)
	}
	l := &loader{fragments: fragments}
	if err := l.copyPostings(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("terms: %v", err)
	}
}
