package zvecrepro_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"sortedheap/internal/harness/zvecrepro"
	"sortedheap/internal/zvec"
)

// faulty behaves as the fault was described: bad from some rows on, with gaps, and
// from some top_k on, until it is opened again.
type faulty struct {
	rows, k int
	reopens bool
	closed  *int
}

func (f *faulty) Search(_ context.Context, _ []float32, k int) error {
	if f.rows >= 4950 && f.rows != 7000 && k >= f.k {
		return &zvec.EmptyIDsError{Rows: k, Empty: k}
	}
	return nil
}

func (f *faulty) Reopen(context.Context) error {
	if f.reopens {
		f.rows = 0
	}
	return nil
}

func (f *faulty) Close() error {
	*f.closed++
	return nil
}

func config(k int, built, closed *int) zvecrepro.Config {
	return zvecrepro.Config{TopK: 16, Probes: 10, Builds: 3,
		Build: func(_ context.Context, _ zvecrepro.Data, rows int) (zvecrepro.Collection, error) {
			*built++
			return &faulty{rows: rows, k: k, reopens: true, closed: closed}, nil
		}}
}

func TestFind(t *testing.T) {
	var built, closed int
	f, err := zvecrepro.Find(t.Context(), config(7, &built, &closed), zvecrepro.Synthetic(8500, 4))
	if err != nil {
		t.Fatal(err)
	}
	if f.Smallest == nil || f.Smallest.Rows != 4950 || f.Smallest.TopK != 7 || f.Sound != 4949 || f.BadAgain != 3 || f.Reopened.Bad() {
		t.Errorf("finding %+v, smallest %+v", f, f.Smallest)
	}
	if built != closed {
		t.Errorf("%d collections built, %d closed", built, closed)
	}
	var text strings.Builder
	about := zvecrepro.About{Version: "1.2.3", CPU: "a CPU", Kernel: "6", Index: zvecrepro.Index{M: 16, EfConstruction: 64, Ef: 64}, Log: []string{"no chunk"}}
	if err := zvecrepro.WriteReport(&text, about, []zvecrepro.Finding{f}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"zvec 1.2.3: searches return scores with empty ids", "4950 rows, top_k 7 (6 is fine)", "4949 rows are fine",
		"fails 3 times", "| 7000 | - | 0 of 10 |", "| 8500 | 7 | 10 of 10 |", "none of 10 probes fails", "    no chunk", "sin(0.013 r (d+1))"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, text.String())
		}
	}
}

func TestNothingFails(t *testing.T) {
	var built, closed int
	f, err := zvecrepro.Find(t.Context(), config(17, &built, &closed), zvecrepro.Synthetic(5000, 4))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := zvecrepro.WriteReport(&text, zvecrepro.About{Version: "1.2.3"}, []zvecrepro.Finding{f}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no search returned an empty id", "Nothing fails, up to 5000 rows and top_k 16"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, text.String())
		}
	}
}

func TestErrors(t *testing.T) {
	broken := zvecrepro.Config{TopK: 1, Probes: 1, Builds: 1,
		Build: func(context.Context, zvecrepro.Data, int) (zvecrepro.Collection, error) {
			return nil, errors.New("disk full")
		}}
	if _, err := zvecrepro.Find(t.Context(), broken, zvecrepro.Synthetic(10, 4)); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("a build that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var built, closed int
	if _, err := zvecrepro.Find(ctx, config(1, &built, &closed), zvecrepro.Synthetic(10, 4)); !errors.Is(err, context.Canceled) || built > 0 {
		t.Errorf("cancelled: %v, %d built", err, built)
	}
}

func TestSynthetic(t *testing.T) {
	d := zvecrepro.Synthetic(1001, 2)
	if d.Rows() != 1001 || d.Vectors[0] != d.Vectors[2000] || d.Vectors[1] != d.Vectors[2001] {
		t.Errorf("%d rows; row 1000 is (%g, %g), want row 0, (%g, %g)", d.Rows(), d.Vectors[2000], d.Vectors[2001], d.Vectors[0], d.Vectors[1])
	}
}
