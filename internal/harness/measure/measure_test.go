package measure_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"sortedheap/internal/harness/measure"
)

// fakeClock tells costs that grow by one with every call.
type fakeClock struct{ calls int }

func (c *fakeClock) Last(context.Context) (measure.Cost, error) {
	c.calls++
	return measure.Cost{ExecMS: float64(c.calls), PlanMS: 0.5, HitPages: 7, ReadPages: 1}, nil
}

// record makes trials that write down their calls.
func record(calls *[]string, names ...string) []measure.Trial {
	trials := make([]measure.Trial, len(names))
	for i, name := range names {
		trials[i] = measure.Trial{Name: name, Call: func(_ context.Context, in int) (int, error) {
			*calls = append(*calls, fmt.Sprint(name, in))
			return in, nil
		}}
	}
	return trials
}

func TestInterleave(t *testing.T) {
	var calls []string
	trials := record(&calls, "a", "b", "c")
	clock := &fakeClock{}
	trials[1].Server = clock
	ticks := 0
	samples, err := measure.Interleave(t.Context(), trials, measure.Plan{Inputs: 5, Passes: 2}, func(done, total int) {
		ticks++
		if done != ticks || total != 10 {
			t.Errorf("tick %d of %d, want %d of 10", done, total, ticks)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range calls {
		if want := "abc"[i%3]; call[0] != want {
			t.Fatalf("call %d is %s: trials do not take turns", i, call)
		}
		if i > 0 && calls[i-1][1:] == call[1:] {
			t.Errorf("calls %s and %s have the same input back to back", calls[i-1], call)
		}
	}
	for k, s := range samples {
		if len(s.ClientMS) != 10 || len(s.Rows) != 10 {
			t.Errorf("trial %d has %d samples, want 10", k, len(s.ClientMS))
		}
		slices.Sort(s.Rows)
		if !slices.Equal(s.Rows, []float64{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}) {
			t.Errorf("trial %d saw inputs %v, want each twice", k, s.Rows)
		}
	}
	if b := samples[1]; len(b.ServerMS) != 10 || b.ServerMS[0] != 1.5 || b.PlanMS[9] != 0.5 || b.HitPages[3] != 7 || b.ReadPages[3] != 1 {
		t.Errorf("server clock of trial b: %+v", b)
	}
	if a := samples[0]; len(a.ServerMS) != 0 {
		t.Errorf("trial a has %d server samples and no server clock", len(a.ServerMS))
	}
}

func TestWarmUpLeavesNoSample(t *testing.T) {
	var calls []string
	trials := record(&calls, "a", "b")
	if err := measure.WarmUp(t.Context(), trials, 2, 3, nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a0", "b0", "a1", "b1", "a0", "b0"}; !slices.Equal(calls, want) {
		t.Errorf("warm-up calls %v, want %v", calls, want)
	}
}

func TestFailureEndsMeasurement(t *testing.T) {
	broken := errors.New("broken")
	failing := []measure.Trial{{Name: "x", Call: func(_ context.Context, in int) (int, error) {
		if in == 1 {
			return 0, broken
		}
		return 0, nil
	}}}
	if _, err := measure.Interleave(t.Context(), failing, measure.Plan{Inputs: 3, Passes: 1}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want the trial's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var calls []string
	if _, err := measure.Interleave(ctx, record(&calls, "a"), measure.Plan{Inputs: 3, Passes: 1}, nil); !errors.Is(err, context.Canceled) || len(calls) > 0 {
		t.Errorf("cancelled: error %v after %d calls", err, len(calls))
	}
	if _, err := measure.Interleave(t.Context(), nil, measure.Plan{}, nil); err == nil {
		t.Error("a plan without inputs and passes is taken")
	}
}

// A trial that the budget cuts short keeps whole passes: every input equally
// often.
func TestBudgetKeepsWholePasses(t *testing.T) {
	var calls []string
	plan := measure.Plan{Inputs: 4, Passes: 6, Budget: 1e-9} // less than any call takes
	samples, err := measure.Interleave(t.Context(), record(&calls, "a", "b"), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if len(s.ClientMS) != 4 {
			t.Errorf("%d samples, want one pass of 4", len(s.ClientMS))
		}
	}
}

// Two uses of one input must lie more than one call apart wherever that is
// possible at all.
func TestStrideKeepsInputsApart(t *testing.T) {
	for _, inputs := range []int{2, 3, 5, 16, 64, 1000} {
		for _, trials := range []int{1, 2, 3, 7, 40, 65} {
			if inputs < 3 && trials > 1 {
				continue // with two inputs somebody must repeat one
			}
			stride := measure.Stride(inputs, trials)
			last := -1
			for call := range 3 * inputs * trials {
				in := (call/trials + call%trials*stride) % inputs
				if in == last {
					t.Fatalf("%d inputs, %d trials, stride %d: input %d back to back", inputs, trials, stride, in)
				}
				last = in
			}
		}
	}
}

// Parts are read once after each call of their own trial, and what fails there ends
// all.
func TestParts(t *testing.T) {
	var calls []string
	trials := record(&calls, "a", "b")
	trials[1].Parts = func(context.Context) ([]measure.Part, error) {
		if last := calls[len(calls)-1]; last[0] != 'b' {
			t.Errorf("parts of b after call %s", last)
		}
		return []measure.Part{{Name: "search", MS: float64(len(calls))}}, nil
	}
	samples, err := measure.Interleave(t.Context(), trials, measure.Plan{Inputs: 3, Passes: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if samples[0].Parts != nil || !slices.Equal(samples[1].Parts["search"], []float64{2, 4, 6}) {
		t.Errorf("parts %v and %v", samples[0].Parts, samples[1].Parts)
	}
	broken := errors.New("broken")
	trials[1].Parts = func(context.Context) ([]measure.Part, error) { return nil, broken }
	if _, err := measure.Interleave(t.Context(), trials, measure.Plan{Inputs: 3, Passes: 1}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
