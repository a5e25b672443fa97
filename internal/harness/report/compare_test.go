package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"sortedheap/internal/corpus"
	"sortedheap/internal/harness/engine"
	"sortedheap/internal/harness/engine/memory"
	"sortedheap/internal/harness/measure"
	"sortedheap/internal/harness/report"
	"sortedheap/internal/harness/result"
	"sortedheap/internal/harness/scenario"
)

// statements lets the exact twin be timed, by a clock of the test's own.
type statements struct{ *memory.Engine }

func (statements) Name() string                { return "heap" }
func (statements) Settings() map[string]string { return nil }

func (s statements) Prepare(_ context.Context, t engine.Task) (engine.Call, error) {
	return memoryCall{s.Engine, t}, nil
}

type memoryCall struct {
	twin *memory.Engine
	task engine.Task
}

func (c memoryCall) Text() string { return c.task.String() }

func (c memoryCall) Run(ctx context.Context, q engine.Question) (int, error) {
	rows, err := c.twin.Ask(ctx, c.task, q)
	return len(rows), err
}

func (memoryCall) Plan(context.Context, engine.Question) (engine.Plan, error) {
	return engine.Plan{Summary: "exact"}, nil
}

// noisyClock says what calls cost: about a millisecond, times the slowdown.
type noisyClock struct {
	rng      *rand.Rand
	slowdown float64
}

func (c *noisyClock) Last(context.Context) (measure.Cost, error) {
	return measure.Cost{ExecMS: c.slowdown * (1 + 0.2*c.rng.Float64())}, nil
}

// measuredRun is a run whose server is slower than another's by a factor.
func measuredRun(t *testing.T, noise uint64, slowdown float64, annK int) *result.File {
	t.Helper()
	o := corpus.DefaultMultihop()
	o.Chains, o.Dim, o.Queries = 60, 32, 8
	facts, err := corpus.Multihop(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	clock := &noisyClock{rng: rand.New(rand.NewPCG(noise, 1)), slowdown: slowdown}
	rows, warnings, err := scenario.Run(t.Context(), scenario.Multihop(), scenario.Env{
		Engines: []engine.Engine{statements{memory.New()}}, Oracle: memory.New(), Source: facts, Progress: silent{},
		Params: scenario.Params{AnnK: annK, TopK: 10, Passes: 25, Cases: regexp.MustCompile(`^seed_expand2_rerank_rel_pathsum_(in|join)$`)},
		Clock:  func(context.Context, int64) (measure.ServerClock, error) { return clock, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &result.File{Schema: result.Schema, Rows: rows, Warnings: warnings, Params: map[string]any{"ann_k": annK},
		Env: result.Env{Time: fmt.Sprint("run ", noise), Commit: "c", CPU: "cpu", Cores: 1}}
}

type silent struct{}

func (silent) Step(string, int)    {}
func (silent) Done(int)            {}
func (silent) Note(string, ...any) {}

func compared(t *testing.T, a, b *result.File) string {
	t.Helper()
	var out strings.Builder
	if err := report.Compare(&out, a, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A slowed server is told from a noisy one, with an interval that holds the truth;
// two runs of one seed answer alike.
func TestSlowedEngineIsSlower(t *testing.T) {
	first, second := measuredRun(t, 1, 1, 8), measuredRun(t, 2, 1, 8)
	text := compared(t, first, second)
	for _, want := range []string{"faster in 0, slower in 0, no difference shown in 2", "Quality is the same in 2 of 2", "Answers differ in 0 of 16"} {
		if !strings.Contains(text, want) {
			t.Errorf("two runs of one seed: no %q in\n%s", want, text)
		}
	}
	text = compared(t, first, measuredRun(t, 3, 1.25, 8))
	if !strings.Contains(text, "slower in 2,") || !strings.Contains(text, "Quality is the same in 2 of 2") {
		t.Errorf("a server slowed by a quarter:\n%s", text)
	}
	spans := regexp.MustCompile(`│ (\d\.\d+) \.\. (\d\.\d+) `).FindAllStringSubmatch(text, -1)
	for _, s := range spans {
		if s[1] < "1.20" || s[1] > "1.25" || s[2] < "1.25" || s[2] > "1.30" {
			t.Errorf("the interval is %s to %s, want one around 1.25", s[1], s[2])
		}
	}
	if len(spans) != 2 {
		t.Errorf("%d intervals, want 2, in\n%s", len(spans), text)
	}
}

// Two settings show how many questions they answer differently, and that they
// differ.
func TestSettingsAreCompared(t *testing.T) {
	text := compared(t, measuredRun(t, 1, 1, 1), measuredRun(t, 2, 1, 24))
	if !regexp.MustCompile(`Answers differ in ([1-9]|1[0-6]) of 16`).MatchString(text) || !strings.Contains(text, "parameter ann_k differs: 1 in A, 24 in B") {
		t.Errorf("1 and 24 seeds:\n%s", text)
	}
}

// Builds are compared over builds: what varies between them is in the interval.
func TestBuildsAreCompared(t *testing.T) {
	builds := func(medians ...float64) *result.File {
		f := read(t, "a.json")
		row := f.Rows[0]
		f.Rows = nil
		for i, m := range medians {
			one := row
			one.Point = fmt.Sprintf("build=%d", i+1)
			one.ServerMS = &result.Latency{P50: m, P95: m, P99: m, Mean: m}
			recall := 0.9 + float64(i)/100
			one.Quality = &result.Quality{RecallAtK: &recall}
			f.Rows = append(f.Rows, one)
		}
		return f
	}
	a := builds(1.0, 1.1, 1.2)
	if text := compared(t, a, builds(1.1, 1.2, 1.0)); !strings.Contains(text, "no difference shown in 1") || !strings.Contains(text, "over the builds") {
		t.Errorf("equal builds:\n%s", text)
	}
	if text := compared(t, a, builds(2.0, 2.2, 2.4)); !strings.Contains(text, "slower in 1") {
		t.Errorf("builds twice as slow:\n%s", text)
	}
	var out strings.Builder
	if err := report.Write(&out, []*result.File{a}, report.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.100 [1.000 .. 1.200]", "91.00 [90.00 .. 92.00]"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table of builds lacks %q:\n%s", want, out.String())
		}
	}
}

// A file with the engine's former name is compared with one of today.
func TestFormerEngineName(t *testing.T) {
	b := read(t, "a.json")
	for i := range b.Rows {
		if b.Rows[i].Engine == "sortedheap" {
			b.Rows[i].Engine = "sorted_heap"
		}
	}
	if text := compared(t, read(t, "a.json"), b); strings.Contains(text, "is only in") {
		t.Errorf("rows have no pair:\n%s", text)
	}
}
